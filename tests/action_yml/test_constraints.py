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

# Every extra that the action can install.
EXTRAS = set(
    extras({"SDD_COMMAND": "embed", "GITHUB_EVENT_NAME": "push", "SDD_JUDGE": "m"}, gpu=True)
)
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
# Dependencies that PyTorch pins.
PINNED_BY_PYTORCH = ("cuda-", "nvidia-", "triton")


def lines() -> list[str]:
    text = (TOP / CONSTRAINTS).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


PINS = [Requirement(line) for line in lines()]


def declared() -> list[Requirement]:
    """The requirements of the distribution with all extras that are installed, and of its build."""
    requirements = [Requirement(line) for line in requires("sdd-hooks") or []]
    installed = [
        requirement
        for requirement in requirements
        if requirement.marker is None
        or any(requirement.marker.evaluate({"extra": extra}) for extra in EXTRAS)
    ]
    text = (TOP / "pyproject.toml").read_text(encoding="utf-8")
    build = re.search(r"^requires = \[(.*)\]$", text, re.MULTILINE)
    assert build
    return [
        *installed,
        *(Requirement(requirement.strip(' "')) for requirement in build[1].split(",")),
    ]


def environment_of(python: str) -> Environment:
    environment = default_environment()
    environment["python_version"] = python
    environment["python_full_version"] = f"{python}.0"
    return environment


def pinned(name: str, python: str) -> list[Version]:
    """The pinned releases of a distribution that apply to a version of Python."""
    versions = []
    for pin in PINS:
        applies = pin.marker is None or pin.marker.evaluate(dict(environment_of(python)))
        if canonicalize_name(pin.name) == canonicalize_name(name) and applies:
            versions.append(Version(str(pin.specifier).removeprefix("==")))
    return versions


def test_every_line_is_one_release() -> None:
    assert all(re.fullmatch(r"[a-z0-9.-]+==[0-9][a-z0-9.]*( ; .+)?", line) for line in lines())


@pytest.mark.parametrize("python", PYTHONS)
def test_every_requirement_is_pinned_to_an_allowed_release(python: str) -> None:
    for requirement in declared():
        versions = pinned(requirement.name, python)
        assert len(versions) == 1, f"{requirement} on Python {python}: run scripts/lock"
        assert versions[0] in requirement.specifier, f"{requirement}: run scripts/lock"


def test_every_transitive_requirement_is_pinned() -> None:
    """Checks the distributions that are installed here: only their requirements are known."""
    seen: set[str] = set()
    todo = declared()
    python = f"{default_environment()['python_version']}"
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        if name in seen or name.startswith(PINNED_BY_PYTORCH):
            continue
        seen.add(name)
        assert pinned(name, python), f"{name} is not pinned: run scripts/lock"
        try:
            required = [Requirement(line) for line in distribution(name).requires or []]
        except PackageNotFoundError:
            continue
        extras = requirement.extras or {""}
        todo += [
            dependency
            for dependency in required
            if dependency.marker is None
            or any(dependency.marker.evaluate({"extra": e}) for e in extras)
        ]
    assert len(seen) > 30


@pytest.mark.parametrize("script", ["lock", "install-act"])
def test_scripts_are_executable_and_begin_with_a_comment(script: str) -> None:
    path = TOP / "scripts" / script
    assert path.stat().st_mode & 0o111
    assert path.read_text().splitlines()[1].startswith("# ")


def test_install_act_without_an_argument_prints_its_usage(tmp_path: Path) -> None:
    command = ["sh", str(TOP / "scripts/install-act")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        "install-act: usage: scripts/install-act DIRECTORY\n",
    )
