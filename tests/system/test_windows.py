"""Commands run without what Windows lacks, and say in one line what does not.

`windows.py` removes it from the interpreter. CI runs `scripts/try-commands` on the real Windows.
"""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import run_program

WINDOWS = str(Path(__file__).with_name("windows.py"))
SCRIPT = runpy.run_path(str(Path(__file__).resolve().parents[2] / "scripts/try-commands"))


def windows(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_program(sys.executable, WINDOWS, *arguments, check=False)


def test_every_module_can_be_imported() -> None:
    done = windows("--import")
    assert (done.stdout.strip(), done.returncode) == ("", 0), done.stderr


@pytest.fixture
def git_exe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git under the name that it has on Windows."""
    git = shutil.which("git")
    assert git
    (tmp_path / "git.exe").symlink_to(git)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("git_exe")
def test_commands_run_and_hooks_say_that_they_do_not() -> None:
    chosen = {"init", "index", "search", "show", "adr", "audit", "hooks", "hook"}
    known = (*SCRIPT["COMMANDS"], *SCRIPT["ON_WINDOWS"])
    commands = [command for command in known if command[0][0] in chosen]
    assert len(commands) > len(chosen)
    assert SCRIPT["try_commands"]([sys.executable, WINDOWS], commands) == []
