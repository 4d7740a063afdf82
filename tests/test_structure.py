"""The structure of the package: its layers, and the limits of modules and functions."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from importlinter import api

from tests.support.syntax import PACKAGE, package_nodes

ROOT = Path(__file__).parent.parent
MAX_FUNCTION_LINES = 60
EXCEPTION = re.compile(r"# noqa: .*?(PLR09\d\d)")
EXCEPTIONS = {"PLR0913": 6}
"""The number of exceptions to each limit, in the package and the benchmarks."""


def layers() -> set[str]:
    """The packages and modules in the contract of layers."""
    contracts = api.read_configuration(str(ROOT / "pyproject.toml"))["contracts_options"]
    (contract,) = (candidate for candidate in contracts if candidate["type"] == "layers")
    return {name for layer in contract["layers"] for name in re.split(r"\s*[|:]\s*", layer)}


def test_every_package_is_in_a_layer() -> None:
    packages = {f"sdd_hooks.{path.parent.name}" for path in PACKAGE.glob("*/__init__.py")}
    modules = {f"sdd_hooks.{path.stem}" for path in PACKAGE.glob("*.py")}
    assert layers() == packages | modules - {"sdd_hooks.__init__"}


def test_the_diagram_for_contributors_has_every_layer() -> None:
    diagram = (ROOT / "CONTRIBUTING.md").read_text().partition("## Layers")[2].partition("## ")[0]
    for layer in layers():
        assert re.search(rf"^{layer.removeprefix('sdd_hooks.')} ", diagram, re.MULTILINE)


def test_no_module_has_more_than_500_lines() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in PACKAGE.rglob("*.py")}
    assert {path.name: length for path, length in lengths.items() if length > 500} == {}


def test_no_function_has_more_than_60_lines() -> None:
    too_long = [
        f"{path}:{node.lineno} {node.name}"
        for path, nodes in package_nodes().items()
        for node in nodes
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES
    ]
    assert too_long == []


def test_no_two_public_classes_have_the_same_name() -> None:
    names = Counter(
        node.name
        for (module, *_) in package_nodes().values()
        for node in ast.iter_child_nodes(module)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_the_number_of_exceptions_to_the_limits_is_recorded() -> None:
    """Ruff limits arguments, branches and returns. A fixed exception lowers the count here."""
    sources = [*PACKAGE.rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    codes = Counter(code for path in sources for code in EXCEPTION.findall(path.read_text()))
    assert codes == EXCEPTIONS


def test_checkouts_are_compared_in_one_table(tmp_path: Path) -> None:
    (tmp_path / "sdd_hooks").mkdir()
    (tmp_path / "sdd_hooks/__init__.py").write_text('"""A checkout with one module."""\n')
    command = [sys.executable, str(ROOT / "scripts/measures"), str(ROOT), str(tmp_path)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    head, _, *rows = [line.strip("|").split("|") for line in printed.splitlines()]
    assert len(head) == 3
    values = {row[0].strip(): row[1].strip() for row in rows}
    assert values["functions over 60 lines"] == "0"
    assert values["words for an unnamed person"] == "0"
    assert int(values["modules"]) == len(
        [path for path in PACKAGE.rglob("*.py") if path.read_text()]
    )
    assert {row[0].strip(): row[2].strip() for row in rows}["modules"] == "1"
    measured = re.findall(
        r"^\| (.*?) \| .* \| .* \|$", (ROOT / "CONTRIBUTING.md").read_text(), re.M
    )
    assert set(values) <= set(measured)


def test_tests_mirror_the_packages() -> None:
    others = {"action_yml", "adversarial", "benchmarks", "docs", "plugin", "plugins", "support"}
    folders = {path.parent.relative_to(ROOT / "tests") for path in ROOT.glob("tests/**/test_*.py")}
    mirrored = {folder for folder in folders if folder.parts[:1] and folder.parts[0] not in others}
    assert mirrored
    assert [folder for folder in mirrored if not (PACKAGE / folder / "__init__.py").exists()] == []
    packages = {path.parent.relative_to(PACKAGE) for path in PACKAGE.glob("*/__init__.py")}
    assert packages - mirrored == set()
