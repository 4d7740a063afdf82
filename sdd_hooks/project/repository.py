"""Where the repository is: its work tree, its git directories, and the name its collections carry.

Worktrees share the git common directory and the slug; a submodule is a repository of its own.
"""

# Governing: ADR-0003 (one module talks to git), ADR-0006 (where derived state lives)

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sdd_hooks.errors import RepositoryError
from sdd_hooks.system.git import Git, first_error_line
from sdd_hooks.text.slugs import slugify

QUESTIONS = (
    "rev-parse",
    "--path-format=absolute",
    "--is-bare-repository",
    "--is-inside-work-tree",
    "--show-toplevel",
    "--absolute-git-dir",
    "--git-common-dir",
)


@dataclass(frozen=True)
class Repository:
    """A work tree of a git repository. All paths are absolute and resolved.

    `root` is the top of this work tree, `git_dir` its own git directory (of a linked worktree:
    `….git/worktrees/x`), `common_dir` the one that all worktrees share. `environ` holds the
    environment variables of the command; it may hold tokens and is not part of `repr`.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    environ: Mapping[str, str] = field(repr=False, compare=False)

    @property
    def git(self) -> Git:
        """git in this work tree."""
        return Git(self.root, self.environ)

    @property
    def slug(self) -> str:
        """The name of the repository in collection names, the same in all its worktrees."""
        return slugify(_name(self.root, self.git_dir, self.common_dir)) or "repository"

    @property
    def state(self) -> Path:
        """Where everything derived lives."""
        return self.root / ".sdd"

    @property
    def search_dir(self) -> Path:
        """Where the index of this work tree lives."""
        return self.root / ".sdd" / "search"

    @property
    def shared_dir(self) -> Path:
        """Where what all worktrees share lives."""
        return self.common_dir / "sdd"


def discover(start: Path, environ: Mapping[str, str]) -> Repository:
    """The repository that `start`, a directory, is in. Its git runs with `environ`.

    Raises RepositoryError: not a repository, bare, inside a git directory, or git refuses.
    """
    if "\0" in str(start):
        raise RepositoryError("a path cannot hold a null character")
    done = Git(start, environ).run(*QUESTIONS)
    # git answers in order until it cannot: a bare repository has no top level.
    answers = os.fsdecode(done.stdout).splitlines()
    if done.returncode == 0 and len(answers) == len(QUESTIONS) - 2:
        root, git_dir, common_dir = (Path(os.path.realpath(answer)) for answer in answers[2:])
        return Repository(root, git_dir, common_dir, environ)
    raise RepositoryError(_refusal(start, answers, done.stderr))


def _name(root: Path, git_dir: Path, common_dir: Path) -> str:
    if git_dir == common_dir:
        return root.name
    # A linked worktree: named after the main one, or after the bare repository it hangs on.
    if common_dir.name.startswith("."):
        return common_dir.parent.name
    return common_dir.name.removesuffix(".git")


def _refusal(start: Path, answers: list[str], stderr: bytes) -> str:
    said = first_error_line(stderr)
    if answers[:1] == ["true"]:
        return f"{start} is a bare repository: sdd needs a work tree"
    if answers[1:2] == ["false"]:
        return f"{start} is inside a git directory: run this in the work tree"
    if said.startswith("not a git repository"):
        return f"{start} is not inside a git repository: run this inside one, or `git init`"
    if "dubious ownership" in said:
        return f"git refuses {start}: {said}: see `git config --global --add safe.directory`"
    if stderr:
        return f"git refuses {start}: {said}"
    return f"{start}: sdd needs git 2.31 or newer, and no line breaks in the path"
