"""sdd of the environment that runs the benchmarks, on one repository."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import Run, run

COMMAND = str(Path(sys.executable).with_name("sdd"))
KINDS = ("--kind", "adrs", "--kind", "specs")


def environment(home: Path) -> dict[str, str]:
    """An environment without the user's settings for git and the terminal."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }


@dataclass(frozen=True)
class Sdd:
    """sdd in the repository at `root`."""

    root: Path
    environ: Mapping[str, str]

    def _run(self, *command: str) -> Run:
        return run(command, self.root, self.environ)

    def forget(self) -> None:
        """Move everything sdd has derived out of the repository, into a folder beside it.

        For minutes after 5,000 files were removed, ext4 takes ten times as long to create others.
        """
        aside = self.root.with_name(f"{self.root.name}-forgotten")
        aside.mkdir(exist_ok=True)
        for state in (".sdd", ".git/sdd"):
            with contextlib.suppress(FileNotFoundError):
                (self.root / state).rename(aside / f"{uuid.uuid4()}")

    def forget_vectors(self) -> None:
        """Remove every vector."""
        shutil.rmtree(self.root / ".git/sdd", ignore_errors=True)

    def first_index(self, *kinds: str) -> Run:
        """Index the records of the repository without an existing index."""
        self.forget()
        return self._run(COMMAND, "index", "add", *(kinds or KINDS))

    def embed(self) -> Run:
        """Give every chunk a vector, without existing vectors."""
        self.forget_vectors()
        return self._run(COMMAND, "index", "embed", "--foreground")

    def install_hooks(self) -> None:
        """Put the native shims into the repository."""
        self._run(COMMAND, "hooks", "install")

    def commit(self, message: str, *, hooks: bool) -> Run:
        """Commit the changes of tracked files, with or without the shims."""
        return self.git("commit", "--quiet", "--all", "--message", message, hooks=hooks)

    def git(self, *arguments: str, hooks: bool = False) -> Run:
        """git, with or without the hooks of the repository."""
        bare = () if hooks else ("-c", f"core.hooksPath={os.devnull}")
        return self._run("git", *bare, *arguments)

    def refresh(self) -> Run:
        """The refresh after a commit, as git starts it: the shim and its child processes."""
        return self._run(".git/hooks/post-commit")

    def prime(self) -> Run:
        """Print every record of the repository in brief."""
        return self._run(COMMAND, "prime")

    def search(self, words: str) -> Run:
        """Search for words, with the result as JSON."""
        return self._run(COMMAND, "search", words, "--json")
