"""The one path of repair: a damaged file is marked, then set aside and replaced by an empty one.

Any process can find damage: a search, a hook, an embed. It leaves a mark beside the file, so that
the next process that may replace the file does so, even if it does not meet the same damage itself.
"""

# Governing: ADR-0029 (damage is found when a page is read), ADR-0012 (untrusted input)

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from sdd_hooks.system.descriptors import open_unlinked

MAX_ASIDE = 3
"""Damaged files of one name that are kept for inspection."""

_MAX_REASON_BYTES = 500


def mark_damaged(path: Path, reason: str) -> None:
    """Leave a mark beside the file that the next `take_aside` finds. Raises nothing.

    In a directory that cannot be written, the file cannot be replaced either.
    """
    with suppress(OSError):
        descriptor = open_unlinked(_mark(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            os.write(descriptor, os.fsencode(reason)[:_MAX_REASON_BYTES])
        finally:
            os.close(descriptor)


def is_marked(path: Path) -> bool:
    """Whether damage of the file was found since it was created."""
    return os.path.lexists(_mark(path))


def remove_mark(path: Path) -> None:
    """Remove the mark of a file whose damage turned out to be that of another."""
    _remove(_mark(path))


def set_aside(path: Path) -> Path:
    """Rename an unusable file, and its journal, and remove its mark. Returns the new path.

    At most MAX_ASIDE files are kept: a further one replaces the oldest.
    """
    names = [path.with_name(f"{path.name}.aside-{number}") for number in range(1, MAX_ASIDE + 1)]
    free = (name for name in names if not os.path.lexists(name))
    aside = next(free, None) or min(names, key=lambda name: name.lstat().st_mtime)
    for suffix in ("-wal", "-journal", ""):
        _remove(Path(f"{aside}{suffix}"))
    # The journal first: without the file it belongs to, SQLite would apply it to the next one.
    for suffix in ("-wal", "-shm", "-journal", ""):
        with suppress(FileNotFoundError):
            Path(f"{path}{suffix}").replace(f"{aside}{suffix}")
    _remove(Path(f"{aside}-shm"))
    _remove(_mark(path))
    return aside


def _mark(path: Path) -> Path:
    return path.with_name(f"{path.name}.damaged")


def _remove(path: Path) -> None:
    """Remove a file. A directory that took its place is removed if it is empty."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        with suppress(OSError):
            path.rmdir()
