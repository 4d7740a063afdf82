"""`locks/` and `constraints.txt` pin what the action installs, as `pyproject.toml` allows it."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path

import pytest
from packaging.markers import Environment, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from sdd_hooks.action.installation import (
    CONSTRAINTS,
    OTHER_INDEX,
    PYTORCH,
    extras,
    lock_of,
)
from tests.action_yml.hosts import TOP
from tests.support.programs import run_program

PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
# Dependencies that PyTorch pins.
PINNED_BY_PYTORCH = ("cuda-", "nvidia-", "triton")
SITE = "locks/site.txt"
# What actions-toolkit requires for modules that are not used, with what these require.
NOT_INSTALLED = ("requests", "pygithub", "cryptography", "pynacl", "pyjwt", "urllib3")
PUSH = {"SDD_COMMAND": "embed", "GITHUB_EVENT_NAME": "push"}
BESIDE_PYTORCH = "locks/beside-pytorch.txt"
OTHER = {OTHER_INDEX: "https://packages.example/cuda12"}
WANTED = {
    "locks/review.txt": extras({}, gpu=False),
    "locks/llm.txt": extras({"SDD_JUDGE": "m"}, gpu=False),
    "locks/embed.txt": extras(PUSH, gpu=False),
    "locks/gpu.txt": extras(PUSH, gpu=True),
    BESIDE_PYTORCH: extras(PUSH, gpu=True),
    CONSTRAINTS: extras(PUSH, gpu=True),
}
"""The extras that each file is for."""


@cache
def pins(file: str) -> list[Requirement]:
    """The releases in a file."""
    text = (TOP / file).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = (line.partition("--hash")[0] for line in text.splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


@cache
def declared(wanted: tuple[str, ...]) -> list[Requirement]:
    """The requirements of the distribution with these extras, and of its build.

    Without the model, which belongs to the checkout: a job downloads it from its hub.
    """
    required = [Requirement(line) for line in requires("sdd-hooks") or []]
    requirements = [requirement for requirement in required if not requirement.url]
    installed = [
        requirement
        for requirement in requirements
        if requirement.marker is None
        or any(requirement.marker.evaluate({"extra": extra}) for extra in wanted)
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


def pinned(file: str, name: str, python: str) -> list[Version]:
    """The pinned releases of a distribution that apply to a version of Python."""
    environment = dict(environment_of(python))
    return [
        Version(str(pin.specifier).removeprefix("=="))
        for pin in pins(file)
        if canonicalize_name(pin.name) == canonicalize_name(name)
        and (pin.marker is None or pin.marker.evaluate(environment))
    ]


@pytest.mark.parametrize("file", [*WANTED, SITE])
def test_every_line_is_one_release(file: str) -> None:
    for pin in pins(file):
        assert re.fullmatch(r"==[0-9][a-z0-9.]*", str(pin.specifier))


@pytest.mark.parametrize("file", [*(file for file in WANTED if file != CONSTRAINTS), SITE])
def test_every_release_of_a_lock_has_a_hash(file: str) -> None:
    text = (TOP / file).read_text(encoding="utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        assert line.startswith("#") or re.search(r" --hash=sha256:[0-9a-f]{64}", line), line


@pytest.mark.parametrize("file", [file for file in WANTED if file != CONSTRAINTS])
def test_the_action_installs_the_lock_of_its_extras(file: str) -> None:
    assert lock_of(WANTED[file], OTHER if file == BESIDE_PYTORCH else {}) == file


def test_all_but_pytorch_is_in_the_lock_beside_one_from_another_index() -> None:
    assert lock_of(WANTED["locks/review.txt"], OTHER) == "locks/review.txt"
    everything = {(pin.name, str(pin.specifier)) for pin in pins("locks/gpu.txt")}
    beside = {(pin.name, str(pin.specifier)) for pin in pins(BESIDE_PYTORCH)}
    assert beside < everything
    left_out = {name for name, _ in everything - beside}
    assert PYTORCH in left_out
    assert all(name == PYTORCH or name.startswith(PINNED_BY_PYTORCH) for name in left_out)


def test_constraints_name_the_pytorch_and_what_is_beside_it() -> None:
    """pip keeps the releases that are installed with hashes when it installs PyTorch."""
    listed = {(pin.name, str(pin.specifier)) for pin in pins(CONSTRAINTS)}
    beside = {(pin.name, str(pin.specifier)) for pin in pins(BESIDE_PYTORCH)}
    assert {name for name, _ in beside - listed} == {"actions-toolkit"}
    assert {name for name, _ in listed - beside} == {PYTORCH}


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("file", WANTED)
def test_every_requirement_is_pinned_to_an_allowed_release(file: str, python: str) -> None:
    for requirement in declared(WANTED[file]):
        if file == CONSTRAINTS and requirement.name == "actions-toolkit":
            continue
        versions = pinned(file, requirement.name, python)
        assert len(versions) == 1, f"{requirement} on Python {python}: run scripts/lock"
        assert versions[0] in requirement.specifier, f"{requirement}: run scripts/lock"


@pytest.mark.parametrize("file", WANTED)
def test_what_the_toolkit_does_not_use_is_not_installed(file: str) -> None:
    names = {canonicalize_name(pin.name) for pin in pins(file)}
    assert not names & set(NOT_INSTALLED)


@pytest.mark.parametrize("file", WANTED)
def test_every_transitive_requirement_is_pinned(file: str) -> None:
    """Checks the distributions that are installed here: only their requirements are known."""
    seen: set[str] = set()
    todo = [*declared(WANTED[file])]
    python = f"{default_environment()['python_version']}"
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        if name in seen or name == "actions-toolkit":
            continue
        if file in {CONSTRAINTS, BESIDE_PYTORCH} and name.startswith((PYTORCH, *PINNED_BY_PYTORCH)):
            continue
        seen.add(name)
        assert pinned(file, name, python), f"{name} is not pinned: run scripts/lock"
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
    assert len(seen) > 15


@pytest.mark.parametrize("script", ["lock", "install-act"])
def test_scripts_are_executable_and_begin_with_a_comment(script: str) -> None:
    path = TOP / "scripts" / script
    assert path.stat().st_mode & 0o111
    assert path.read_text().splitlines()[1].startswith("# ")


def test_install_act_without_an_argument_prints_its_usage(tmp_path: Path) -> None:
    command = ["sh", str(TOP / "scripts/install-act")]
    done = run_program(*command, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        "install-act: usage: scripts/install-act DIRECTORY\n",
    )
