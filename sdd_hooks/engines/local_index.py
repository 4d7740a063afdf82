"""Where this machine's part of an index is. A hook asks before it imports an engine."""

# Governing: ADR-0001 (two engines, chosen, never fallen back to)

from __future__ import annotations

from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import is_directory


def has_local_index(repository: Repository) -> bool:
    """Whether the work tree has the folder for indexes, which the first refresh creates.

    It is there for every engine, also for one whose index is not on this machine. Raises
    StorageError if the folder is a symlink, or in one, and OSError if the system does not tell.
    """
    return is_directory(repository.search_dir)
