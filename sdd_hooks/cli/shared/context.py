"""What a command works on: the directory it was started for, and its project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.errors import RepositoryError

if TYPE_CHECKING:
    from sdd_hooks.project.discovery import Look
    from sdd_hooks.project.project import Project


def start_directory(given: Path | None) -> Path:
    """The directory given with `-C`, else the current one. Raises RepositoryError if it is gone."""
    try:
        return Path.cwd() / given if given else Path.cwd()
    except FileNotFoundError:
        raise RepositoryError("the current directory no longer exists: change to another") from None


def open_project(given: Path | None, look: Look = "tracked") -> Project:
    """The project of that directory. Raises RepositoryError or ConfigurationError.

    `look` says where to look for directories of records.
    """
    # Commands about the knowledge base need no project.
    from sdd_hooks.project.project import load_project

    return load_project(start_directory(given), os.environ, look)
