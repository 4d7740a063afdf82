"""The index that a commit is made from."""

# Governing: SPEC-0004 REQ "Another repository's environment"

from __future__ import annotations

import os
from pathlib import Path

from sdd_hooks.project.repository import Repository


def index_file(repository: Repository, cwd: Path) -> str:
    """The index that the commit is made from, "" for the repository's: `git commit -a` has one of
    its own.

    One of another repository was leaked to us, and is not it.
    """
    path = os.path.realpath(os.path.join(cwd, repository.environ.get("GIT_INDEX_FILE", "")))  # noqa: PTH118
    return path if path.startswith(f"{repository.git_dir}/") else ""
