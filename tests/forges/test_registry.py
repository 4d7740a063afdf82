"""The registered forges, and plug-ins that cannot be loaded."""

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

BUILT_IN = ("gitea", "github", "gitlab")
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


DETECT_JOBS = """
import json, sys
from sdd_hooks.forges.registry import detect_job

broken = []
names = [found and found.vendor.label for found in (detect_job(one, broken) for one in %s)]
heavy = {'httpx', 'git', 'yaml', 'frontmatter'} & set(sys.modules)
print(json.dumps([names, sorted(set(broken)), sorted(heavy)]))
"""


def detected_jobs(folder: Path, *environs: dict[str, str]) -> list[list[str | None]]:
    """The forge of each environment, the broken plug-ins, and the heavy imports.

    A distribution has a forge, one with the name of a built-in forge, and two broken ones.
    """
    about = folder / "acorn-1.0.dist-info"
    about.mkdir()
    (folder / "acorn.py").write_text(FORGE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acorn\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    command = [sys.executable, "-c", DETECT_JOBS % repr(environs)]
    env = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    found: list[list[str | None]] = json.loads(done.stdout)
    return found


def test_three_forges_come_with_the_package() -> None:
    plugins = registered_plugins(FORGES)
    assert set(BUILT_IN) <= set(plugins)
    assert all(load_plugin(plugins[name], ForgeVendor).label for name in BUILT_IN)


def test_other_environments_are_not_jobs() -> None:
    broken: list[str] = []
    assert detect_job({"CI": "true", "GITHUB_ACTIONS": "false"}, broken) is None
    assert broken == []


def test_a_plug_in_works_beside_broken_ones(tmp_path: Path) -> None:
    names, broken, heavy = detected_jobs(
        tmp_path, {"ACORN_CI": "1"}, {"GITHUB_ACTIONS": "true", "ACORN_CI": "1"}, {}
    )
    # A plug-in does not replace a built-in forge.
    assert names == ["Acorn", "GitHub", None]
    assert broken == [
        "the forge 'absent' of the distribution 'acorn 1.0' cannot be loaded (ModuleNotFoundError: "
        "No module named 'there_is_no_such_module'): update or remove it",
        "the forge 'text' of the distribution 'acorn 1.0' cannot be loaded"
        " (it is not of type ForgeVendor): update or remove it",
    ]
    assert heavy == []


@pytest.mark.parametrize("name", BUILT_IN)
def test_only_its_folder_and_the_registry_import_a_vendor(name: str) -> None:
    package = Path(sdd_hooks.__file__).parent
    imported = re.compile(rf"\bforges(\.| import ){name}\b")
    knowing = [path for path in package.rglob("*.py") if imported.search(path.read_text("utf-8"))]
    paths = [path.relative_to(package).as_posix() for path in knowing]
    own = (f"forges/{name}/", "forges/registry.py")
    assert [path for path in paths if not path.startswith(own)] == []
