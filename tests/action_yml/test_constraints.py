"""`constraints.txt` pins what the action installs, as `pyproject.toml` allows it."""

from __future__ import annotations

import re
import subprocess
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path

import pytest
from packaging.markers import Environment, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from sdd_hooks.action.installation import CONSTRAINTS, extras
from tests.action_yml.hosts import TOP

# All that the action ever installs.
EXTRAS = set(
    extras({"SDD_COMMAND": "embed", "GITHUB_EVENT_NAME": "push", "SDD_JUDGE": "m"}, gpu=True)
)
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
# What PyTorch pins by itself.
OF_PYTORCH = ("cuda-", "nvidia-", "triton")


def lines() -> list[str]:
    text = (TOP / CONSTRAINTS).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


PINS = [Requirement(line) for line in lines()]


def declared() -> list[Requirement]:
    """The requirements of the distribution with all extras that are installed, and of its build."""
    own = [Requirement(line) for line in requires("sdd-hooks") or []]
    found = [
        one
        for one in own
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in EXTRAS)
    ]
    text = (TOP / "pyproject.toml").read_text(encoding="utf-8")
    build = re.search(r"^requires = \[(.*)\]$", text, re.MULTILINE)
    assert build
    return [*found, *(Requirement(one.strip(' "')) for one in build[1].split(","))]


def environment(python: str) -> Environment:
    found = default_environment()
    found["python_version"] = python
    found["python_full_version"] = f"{python}.0"
    return found


def pinned(name: str, python: str) -> list[Version]:
    """The releases of that distribution that hold for that Python."""
    found = []
    for pin in PINS:
        applies = pin.marker is None or pin.marker.evaluate(dict(environment(python)))
        if canonicalize_name(pin.name) == canonicalize_name(name) and applies:
            found.append(Version(str(pin.specifier).removeprefix("==")))
    return found


def test_every_line_is_one_release() -> None:
    assert all(re.fullmatch(r"[a-z0-9.-]+==[0-9][a-z0-9.]*( ; .+)?", line) for line in lines())


@pytest.mark.parametrize("python", PYTHONS)
def test_what_is_declared_is_pinned_as_it_is_allowed(python: str) -> None:
    for requirement in declared():
        found = pinned(requirement.name, python)
        assert len(found) == 1, f"{requirement} on Python {python}: run scripts/lock"
        assert found[0] in requirement.specifier, f"{requirement}: run scripts/lock"


def test_what_that_brings_is_pinned() -> None:
    """As far as it is installed here, and so can be asked for what it requires."""
    seen: set[str] = set()
    todo = declared()
    here = f"{default_environment()['python_version']}"
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        if name in seen or name.startswith(OF_PYTORCH):
            continue
        seen.add(name)
        assert pinned(name, here), f"{name} is not pinned: run scripts/lock"
        try:
            below = [Requirement(line) for line in distribution(name).requires or []]
        except PackageNotFoundError:
            continue
        wanted = requirement.extras or {""}
        todo += [
            one
            for one in below
            if one.marker is None or any(one.marker.evaluate({"extra": e}) for e in wanted)
        ]
    assert len(seen) > 30


@pytest.mark.parametrize("script", ["lock", "install-act"])
def test_scripts_are_executable_and_explain_themselves(script: str) -> None:
    path = TOP / "scripts" / script
    assert path.stat().st_mode & 0o111
    assert path.read_text().splitlines()[1].startswith("# ")


def test_install_act_says_what_it_wants(tmp_path: Path) -> None:
    command = ["sh", str(TOP / "scripts/install-act")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        "install-act: usage: scripts/install-act DIRECTORY\n",
    )
