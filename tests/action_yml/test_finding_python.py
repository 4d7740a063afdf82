"""The step that installs selects a Python, or fails with one line.

The Pythons here are shell scripts, so that nothing is installed. The tests of the program that a
real Python runs are in `tests/action/test_installation.py`.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest

from tests.action_yml.hosts import Done, Job, run_action

TOOLS = ("bash", "cat", "chmod", "cp", "dirname", "env", "mkdir", "rm", "sh", "touch")

# Responds to the checks of the step like Python, and records its environment.
PYTHON = """#!/bin/sh
case "$*" in
    *version_info*) exit {too_old} ;;
    *ensurepip*) exit {bare} ;;
    "-I {installation}")
        env >"{recorded}"
        echo "progress" >&2
        [ {fails} = 0 ] || exit {fails}
        echo "{name}" ;;
    *) exit 99 ;;
esac
"""


class Machine:
    """A runner's machine with a few tools, and the Pythons that the test adds."""

    def __init__(self, root: Path, host: Literal["github", "gitea"]) -> None:
        self.host: Literal["github", "gitea"] = host
        self.root = root
        self.bin = root / "bin"
        self.workspace = root / "work space"
        self.action = root / "the $(touch action) action"
        self.recorded = root / "recorded"
        for folder in (self.bin, self.workspace, self.action):
            folder.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(str(shutil.which(tool)))

    def python(
        self, name: str, *, too_old: int = 0, bare: int = 0, fails: int = 0, at: Path | None = None
    ) -> Path:
        path = (at or self.bin) / name
        installation = f"{self.action}/sdd_hooks/action/installation.py".replace("$", "\\$")
        path.write_text(
            PYTHON.format(
                name=name, too_old=too_old, bare=bare, fails=fails, installation=installation,
                recorded=self.recorded,
            )
        )  # fmt: skip
        path.chmod(0o755)
        return path

    def run(
        self,
        inputs: Mapping[str, str] | None = None,
        variables: Mapping[str, str] | None = None,
        *,
        runner_os: str = "Linux",
    ) -> Done:
        job = Job(
            self.host, self.root / "job", self.workspace, "push", {},
            token="s3cret", path=str(self.bin), variables=variables or {}, runner_os=runner_os,
        )  # fmt: skip
        return run_action(job, inputs, source=self.action, steps=1)

    def unexpected_files(self) -> set[str]:
        """The files that the test did not create, in folders that an attack could write to."""
        folders = (self.root, self.workspace, self.action)
        return {path.name for folder in folders for path in folder.iterdir()} - {
            "bin", "home", "job", "recorded", self.workspace.name, self.action.name,
        }  # fmt: skip


@pytest.fixture(params=["github", "gitea"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Machine:
    return Machine(tmp_path, request.param)


def selected(done: Done) -> str:
    """The Python that the step selected. Fails if the step failed."""
    assert done.code == 0, done.log
    assert done.written["install", "OUTPUT"].startswith("sdd=")
    return done.written["install", "OUTPUT"].removeprefix("sdd=").rstrip("\n")


def refused(done: Done) -> str:
    """The one line of a step that failed."""
    assert done.code == 1
    assert done.written["install", "OUTPUT"] == ""
    assert done.log.startswith("::error title=sdd-hooks::")
    assert done.log.count("\n") == 1
    return done.log


def test_python3_is_preferred(machine: Machine) -> None:
    machine.python("python3")
    machine.python("python3.14")
    assert selected(machine.run()) == "python3"


def test_a_python_that_is_too_old_is_skipped(machine: Machine) -> None:
    machine.python("python3", too_old=1)
    machine.python("python3.11")
    machine.python("python3.10")
    assert selected(machine.run()) == "python3.11"


def test_a_python_without_venv_is_skipped(machine: Machine) -> None:
    machine.python("python3", bare=1)
    machine.python("python")
    assert selected(machine.run()) == "python"


def test_without_a_python_the_error_names_setup_python(machine: Machine) -> None:
    machine.python("python3", too_old=1)
    error = refused(machine.run())
    assert "needs Python 3.10 or later and found none" in error
    assert "actions/setup-python" in error


def test_on_debian_without_venv_the_error_names_the_package(machine: Machine) -> None:
    machine.python("python3", bare=1)
    error = refused(machine.run())
    assert "python3 cannot make virtual environments: apt-get install python3-venv" in error


def test_windows_is_refused(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "github")
    machine.python("python3")
    error = refused(machine.run(runner_os="Windows"))
    assert "runs on Linux and macOS" in error


def test_only_the_named_python_is_used(machine: Machine, tmp_path: Path) -> None:
    machine.python("python3")
    machine.python("pypy3.10")
    assert selected(machine.run({"python": "pypy3.10"})) == "pypy3.10"
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    path = machine.python("python", at=elsewhere)
    assert selected(machine.run({"python": str(path)})) == "python"
    machine.python("python3.9", too_old=1)
    for wrong in ("python3.9", "nonsense"):
        error = refused(machine.run({"python": wrong}))
        assert f"the input python is {wrong}, which is no Python 3.10 or later" in error


@pytest.mark.parametrize(
    "attack",
    [
        '"; touch owned; "',
        "'; touch owned; '",
        "$(touch owned)",
        "`touch owned`",
        "python3; touch owned",
        "python3\ntouch owned",
        "python3 || touch owned",
        "-o",
        "--help",
        "-p",
        "exit",
        "eval",
        "*",
        "%s%n",
        "x\n::add-path::/tmp",
        "x\r\n##[add-path]/tmp",
    ],
)
def test_the_name_of_a_python_is_not_run_by_the_shell(machine: Machine, attack: str) -> None:
    machine.python("python3")
    error = refused(machine.run({"python": attack}))
    assert "which is no Python 3.10 or later" in error
    assert "\r" not in error
    assert machine.unexpected_files() == set()


def test_the_log_and_the_output_are_separate(machine: Machine) -> None:
    machine.python("python3")
    done = machine.run()
    assert done.log == "progress\n"
    assert selected(done) == "python3"


def test_a_failing_install_fails_the_step(machine: Machine) -> None:
    machine.python("python3", fails=1)
    done = machine.run()
    assert done.code == 1
    assert done.written["install", "OUTPUT"] == ""


def test_the_installation_gets_no_token(machine: Machine) -> None:
    machine.python("python3")
    machine.run({"tracker-token": "s3cret-too", "judge": "m"})
    recorded = machine.recorded.read_text()
    assert "SDD_JUDGE=m" in recorded
    assert "s3cret" not in recorded


def test_later_steps_get_no_variable_path_or_summary(machine: Machine) -> None:
    machine.python("python3")
    written = machine.run().written
    assert {written["install", name] for name in ("ENV", "PATH", "SUMMARY")} == {""}


def test_modules_of_a_pull_request_are_not_imported(tmp_path: Path) -> None:
    """The real Python imports no module of the workspace."""
    machine = Machine(tmp_path, "github")
    for name in ("ensurepip", "venv", "fcntl", "hashlib"):
        (machine.workspace / f"{name}.py").write_text("open('owned', 'w')\nraise SystemExit(0)\n")
    program = machine.action / "sdd_hooks/action/installation.py"
    program.parent.mkdir(parents=True)
    program.write_text("import fcntl, hashlib\nprint('here')\n")
    python = str(Path(sys.executable).resolve())
    assert selected(machine.run({"python": python}, {"PYTHONPATH": "."})) == "here"
    assert not (machine.workspace / "owned").exists()
