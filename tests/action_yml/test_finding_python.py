"""The step that installs: which Python it takes, and what it says where there is none.

The Pythons here are shell scripts, so that nothing is installed. What a real one would run has
tests of its own, in `tests/action/test_installation.py`.
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

# Answers as Python does to the questions of the step, and notes what it sees.
PYTHON = """#!/bin/sh
case "$*" in
    *version_info*) exit {too_old} ;;
    *ensurepip*) exit {bare} ;;
    "-I {installation}")
        env >"{seen}"
        echo "what it does" >&2
        [ {fails} = 0 ] || exit {fails}
        echo "{name}" ;;
    *) exit 99 ;;
esac
"""


class Machine:
    """A runner's machine with a few tools, and the Pythons that the test puts there."""

    def __init__(self, root: Path, host: Literal["github", "gitea"]) -> None:
        self.host: Literal["github", "gitea"] = host
        self.root = root
        self.bin = root / "bin"
        self.workspace = root / "work space"
        self.action = root / "the $(touch action) action"
        self.seen = root / "seen"
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
                seen=self.seen,
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

    def left(self) -> set[str]:
        """What lies where an attack on the shell could have put something."""
        folders = (self.root, self.workspace, self.action)
        return {path.name for folder in folders for path in folder.iterdir()} - {
            "bin", "home", "job", "seen", self.workspace.name, self.action.name,
        }  # fmt: skip


@pytest.fixture(params=["github", "gitea"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Machine:
    return Machine(tmp_path, request.param)


def taken(done: Done) -> str:
    """The Python that was taken. Fails where the step did."""
    assert done.code == 0, done.log
    assert done.written["install", "OUTPUT"].startswith("sdd=")
    return done.written["install", "OUTPUT"].removeprefix("sdd=").rstrip("\n")


def refused(done: Done) -> str:
    """The one line of the step that failed."""
    assert done.code == 1
    assert done.written["install", "OUTPUT"] == ""
    assert done.log.startswith("::error title=sdd-hooks::")
    assert done.log.count("\n") == 1
    return done.log


def test_python3_is_taken(machine: Machine) -> None:
    machine.python("python3")
    machine.python("python3.14")
    assert taken(machine.run()) == "python3"


def test_one_that_is_too_old_is_passed_over(machine: Machine) -> None:
    machine.python("python3", too_old=1)
    machine.python("python3.11")
    machine.python("python3.10")
    assert taken(machine.run()) == "python3.11"


def test_one_without_virtual_environments_is_passed_over(machine: Machine) -> None:
    machine.python("python3", bare=1)
    machine.python("python")
    assert taken(machine.run()) == "python"


def test_no_python_says_what_to_do(machine: Machine) -> None:
    machine.python("python3", too_old=1)
    said = refused(machine.run())
    assert "needs Python 3.10 or later and found none" in said
    assert "actions/setup-python" in said


def test_a_debian_without_venv_says_what_to_install(machine: Machine) -> None:
    machine.python("python3", bare=1)
    said = refused(machine.run())
    assert "python3 cannot make virtual environments: apt-get install python3-venv" in said


def test_windows_is_told_at_once(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "github")
    machine.python("python3")
    said = refused(machine.run(runner_os="Windows"))
    assert "runs on Linux and macOS" in said


def test_the_named_one_is_taken_and_no_other(machine: Machine, tmp_path: Path) -> None:
    machine.python("python3")
    machine.python("pypy3.10")
    assert taken(machine.run({"python": "pypy3.10"})) == "pypy3.10"
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    path = machine.python("python", at=elsewhere)
    assert taken(machine.run({"python": str(path)})) == "python"
    machine.python("python3.9", too_old=1)
    for wrong in ("python3.9", "nonsense"):
        said = refused(machine.run({"python": wrong}))
        assert f"the input python is {wrong}, which is no Python 3.10 or later" in said


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
def test_a_name_that_attacks_the_shell_is_a_name(machine: Machine, attack: str) -> None:
    machine.python("python3")
    said = refused(machine.run({"python": attack}))
    assert "which is no Python 3.10 or later" in said
    assert "\r" not in said
    assert machine.left() == set()


def test_what_it_says_and_what_it_prints_are_kept_apart(machine: Machine) -> None:
    machine.python("python3")
    done = machine.run()
    assert done.log == "what it does\n"
    assert taken(done) == "python3"


def test_a_failing_install_fails_the_step(machine: Machine) -> None:
    machine.python("python3", fails=1)
    done = machine.run()
    assert done.code == 1
    assert done.written["install", "OUTPUT"] == ""


def test_what_is_installed_sees_no_token(machine: Machine) -> None:
    machine.python("python3")
    machine.run({"tracker-token": "s3cret-too", "judge": "m"})
    seen = machine.seen.read_text()
    assert "SDD_JUDGE=m" in seen
    assert "s3cret" not in seen


def test_nothing_is_left_for_later_steps(machine: Machine) -> None:
    machine.python("python3")
    written = machine.run().written
    assert {written["install", name] for name in ("ENV", "PATH", "SUMMARY")} == {""}


def test_a_pull_request_cannot_put_a_module_in_the_way(tmp_path: Path) -> None:
    """With the real Python: the modules that it gets are not those of the workspace."""
    machine = Machine(tmp_path, "github")
    for name in ("ensurepip", "venv", "fcntl", "hashlib"):
        (machine.workspace / f"{name}.py").write_text("open('owned', 'w')\nraise SystemExit(0)\n")
    program = machine.action / "sdd_hooks/action/installation.py"
    program.parent.mkdir(parents=True)
    program.write_text("import fcntl, hashlib\nprint('here')\n")
    python = str(Path(sys.executable).resolve())
    assert taken(machine.run({"python": python}, {"PYTHONPATH": "."})) == "here"
    assert not (machine.workspace / "owned").exists()
