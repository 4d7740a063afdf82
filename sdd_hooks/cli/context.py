"""What a command works on: the directory it was started for, its project, its open index."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sdd_hooks.engines.protocol import Engine
from sdd_hooks.errors import RepositoryError
from sdd_hooks.project.project import Project, load_project


def start_directory(given: Path | None) -> Path:
    """The directory given with `-C`, else the current one. Raises RepositoryError if it is gone."""
    try:
        return Path.cwd() / given if given else Path.cwd()
    except FileNotFoundError:
        raise RepositoryError("the current directory no longer exists: change to another") from None


def open_project(given: Path | None) -> Project:
    """The project of that directory. Raises RepositoryError or ConfigurationError."""
    return load_project(start_directory(given), os.environ)


@contextmanager
def open_index(project: Project) -> Iterator[Engine]:
    """The project's engine for the block. Raises NotIndexed where nothing was ever indexed."""
    from sdd_hooks.engines.registry import is_indexed, not_indexed, open_engine

    if not is_indexed(project):
        raise not_indexed(project)
    engine = open_engine(project)
    try:
        yield engine
    finally:
        engine.close()
