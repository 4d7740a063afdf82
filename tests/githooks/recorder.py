"""A replacement for `sdd` in tests of the decision to start it."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from sdd_hooks.engines.protocol import Bookmark
from sdd_hooks.freshness.hook_state import write_state
from tests.support.repos import Repo
from tests.support.warm import install_program

HOOKS = Path(__file__).resolve().parents[2] / "hooks"
SDD = Path(sys.executable).with_name("sdd")


@cache
def _warm_sdd() -> Path:
    """An `sdd` that takes a tenth of the time of one that starts Python."""
    folder = Path(tempfile.mkdtemp(prefix="sdd-hooks-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    install_program(folder / "bin", os.environ)
    # The time limit of a hook is not for the imports of the warm process.
    subprocess.run([folder / "bin/sdd", "--version"], check=True, capture_output=True)
    return folder / "bin/sdd"


class Recorder:
    """An executable `sdd`, alone in a folder, that records its calls.

    It then runs the real `sdd`, forked from a warm process, or only exits with `status` if there
    is one.
    """

    def __init__(self, folder: Path, status: int | None = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / "calls"
        self.path = folder / "sdd"
        then = f'exec {shlex.quote(str(_warm_sdd()))} "$@"' if status is None else f"exit {status}"
        self.path.write_text(
            f'#!/bin/sh\n[ "$1" = --version ] && exit\n'
            # The input from git is for the earlier hook.
            f'{{ echo "$*"; cat; }} >>{shlex.quote(str(self.log))}\n{then}\n'
        )
        self.path.chmod(0o755)

    @property
    def search_path(self) -> str:
        """PATH with this `sdd` first."""
        return f"{self.path.parent}{os.pathsep}{without_sdd()}"

    def calls(self) -> list[str]:
        """The arguments of every call since the last call of this method."""
        if not self.log.exists():
            return []
        calls = self.log.read_text().splitlines()
        self.log.unlink()
        return calls


class Hooked(Repo):
    """A repository whose git and hooks search for commands on `search_path`."""

    def __init__(self, root: Path, search_path: str = "") -> None:
        super().__init__(root)
        self.search_path = search_path or without_sdd()

    def environment(self) -> dict[str, str]:
        return {**super().environment(), "PATH": self.search_path}

    def worktree(self, root: Path, branch: str) -> Hooked:
        return Hooked(super().worktree(root, branch).root, self.search_path)


def without_sdd() -> str:
    """PATH without the folders that have an `sdd`, but with `git` and `sh`."""
    folders = os.environ["PATH"].split(os.pathsep)
    assert shutil.which("git")
    return os.pathsep.join(one for one in folders if not (Path(one) / "sdd").exists())


def state_file(header: bytes, *pathspecs: bytes) -> bytes:
    """The content of a state file of the hooks."""
    part = b"\n".join([header, *pathspecs, b":(literal).sdd/search/hook", b""])
    return part + b"\t" + part


def indexed(repo: Repo, *kinds: str, dirty: bool = False) -> None:
    """Write the state file of the hooks, as after a refresh of these kinds at HEAD."""
    project = repo.project()
    project.repository.search_dir.mkdir(parents=True, exist_ok=True)
    bookmarks = {
        one.name: Bookmark(repo.head(), ("x.md",) if dirty else (), one.definition())
        for one in project.select(kinds or ("adrs", "specs"))
    }
    write_state(project, bookmarks)
