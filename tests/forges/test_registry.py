"""Which forges there are, and what becomes of those that cannot be loaded."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sdd_hooks
from sdd_hooks.forges.protocol import ForgeVendor
from sdd_hooks.forges.registry import FORGES, detect_job
from sdd_hooks.plugins import load_plugin, registered_plugins

OURS = ("gitea", "github", "gitlab")
FORGE = """
from sdd_hooks.forges.protocol import ForgeVendor, JobContext


def detect_job(environ):
    if "ACORN_CI" in environ:
        return JobContext("https://acorn.example", "https://acorn.example/api", "acme/shop", "push")


VENDOR = ForgeVendor("Acorn", detect_job, lambda run, connect: None)
NO_VENDOR = "acorn"
"""
POINTS = """[sdd_hooks.forges]
acorn = acorn:VENDOR
github = acorn:VENDOR
absent = there_is_no_such_module:VENDOR
text = acorn:NO_VENDOR
"""


ASK = """
import json, sys
from sdd_hooks.forges.registry import detect_job

broken = []
names = [found and found.vendor.label for found in (detect_job(one, broken) for one in %s)]
heavy = {'httpx', 'git', 'yaml', 'frontmatter'} & set(sys.modules)
print(json.dumps([names, sorted(set(broken)), sorted(heavy)]))
"""


def asked(folder: Path, *environs: dict[str, str]) -> list[list[str | None]]:
    """Whose job each environment is, what is broken, and what is imported that is heavy, where a
    distribution has a forge, one that takes our name, and two broken ones."""
    about = folder / "acorn-1.0.dist-info"
    about.mkdir()
    (folder / "acorn.py").write_text(FORGE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acorn\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    command = [sys.executable, "-c", ASK % repr(environs)]
    env = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    found: list[list[str | None]] = json.loads(done.stdout)
    return found


def test_three_come_with_the_package() -> None:
    plugins = registered_plugins(FORGES)
    assert set(OURS) <= set(plugins)
    assert all(load_plugin(plugins[name], ForgeVendor).label for name in OURS)


def test_nobody_elses_runner_is_a_job() -> None:
    broken: list[str] = []
    assert detect_job({"CI": "true", "GITHUB_ACTIONS": "false"}, broken) is None
    assert broken == []


def test_one_of_another_distribution_works_beside_broken_ones(tmp_path: Path) -> None:
    names, broken, heavy = asked(
        tmp_path, {"ACORN_CI": "1"}, {"GITHUB_ACTIONS": "true", "ACORN_CI": "1"}, {}
    )
    # Nobody's distribution takes the place of ours.
    assert names == ["Acorn", "GitHub", None]
    assert broken == [
        "the forge 'absent' of the distribution 'acorn 1.0' cannot be loaded (ModuleNotFoundError: "
        "No module named 'there_is_no_such_module'): update or remove it",
        "the forge 'text' of the distribution 'acorn 1.0' cannot be loaded"
        " (it is not of type ForgeVendor): update or remove it",
    ]
    assert heavy == []


@pytest.mark.parametrize("name", OURS)
def test_nothing_but_its_own_modules_and_the_registry_knows_a_vendor(name: str) -> None:
    package = Path(sdd_hooks.__file__).parent
    imported = re.compile(rf"\bforges(\.| import ){name}\b")
    knowing = [path for path in package.rglob("*.py") if imported.search(path.read_text("utf-8"))]
    paths = [path.relative_to(package).as_posix() for path in knowing]
    own = (f"forges/{name}/", "forges/registry.py")
    assert [path for path in paths if not path.startswith(own)] == []
