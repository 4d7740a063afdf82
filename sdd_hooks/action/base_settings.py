"""What the base of a pull request says about reviews: its head could say anything."""

# Governing: ADR-0024 (the action is a command), SPEC-0012 REQ "Configuration comes from the base"

from __future__ import annotations

from sdd_hooks.config.configuration import Configuration, apply_memory_file
from sdd_hooks.config.memory_file import MAX_MEMORY_FILE_BYTES, MEMORY_FILE_NAMES, read_memory_file
from sdd_hooks.config.settings import ReviewSettings
from sdd_hooks.system.git import Git
from sdd_hooks.system.git_objects import read_blobs


def review_settings(git: Git, commit: str) -> ReviewSettings:
    """`#### Review` of the memory file in a commit; the defaults where that has none.

    A file of them that is a link counts where what it leads to is another one of them. Raises
    ConfigurationError for a value that cannot be used.
    """
    blobs = read_blobs(
        git, [f"{commit}:{name}" for name in MEMORY_FILE_NAMES], limit=MAX_MEMORY_FILE_BYTES
    )
    for name, data in zip(MEMORY_FILE_NAMES, blobs, strict=True):
        memory = (
            read_memory_file(git.root / name, data)
            if data and len(data) <= MAX_MEMORY_FILE_BYTES
            else None
        )
        if memory is not None:
            return apply_memory_file(memory, (), Configuration()).review
    return ReviewSettings()
