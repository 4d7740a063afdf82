"""The layers that `lint-imports` holds are all the layers there are."""

from __future__ import annotations

import re
from pathlib import Path

from importlinter import api

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "sdd_hooks"


def layers() -> set[str]:
    """Every module that the contract places."""
    contracts = api.read_configuration(str(ROOT / "pyproject.toml"))["contracts_options"]
    (contract,) = (candidate for candidate in contracts if candidate["type"] == "layers")
    return {name for layer in contract["layers"] for name in re.split(r"\s*[|:]\s*", layer)}


def test_every_package_has_its_place() -> None:
    packages = {f"sdd_hooks.{path.parent.name}" for path in PACKAGE.glob("*/__init__.py")}
    modules = {f"sdd_hooks.{path.stem}" for path in PACKAGE.glob("*.py")}
    assert layers() == packages | modules - {"sdd_hooks.__init__"}


def test_the_picture_for_contributors_shows_them_all() -> None:
    picture = (ROOT / "CONTRIBUTING.md").read_text().partition("## Layers")[2].partition("## ")[0]
    for layer in layers():
        assert re.search(rf"^{layer.removeprefix('sdd_hooks.')} ", picture, re.MULTILINE)


def test_no_module_grows_past_one_concept() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in PACKAGE.rglob("*.py")}
    assert {path.name: length for path, length in lengths.items() if length > 500} == {}
