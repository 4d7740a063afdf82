"""What was mined from a repository's past, kept in `.sdd/review/` so that it is mined once.

A cache is one JSON file. It may be deleted at any time, and what cannot be read is made anew.
"""

# Governing: ADR-0006 (derived state under .sdd)

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from sdd_hooks.errors import SddError
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import read_inside, write_atomically

LARGEST = 64 << 20
"""Bytes that are read of a cache."""

_FOLDER = "review"
_VERSION = 1


def recall(repository: Repository, name: str) -> dict[str, Any]:
    """What was kept under `name`; {} when there is nothing, or nothing that can be read."""
    try:
        found = json.loads(read_inside(repository.root, f".sdd/{_FOLDER}/{name}.json", LARGEST))
    except (OSError, ValueError, RecursionError, SddError):
        return {}
    return found if isinstance(found, dict) and found.get("version") == _VERSION else {}


def keep(repository: Repository, name: str, facts: dict[str, Any]) -> None:
    """Keep `facts` under `name`, where sdd keeps anything at all. Where that fails, nothing is."""
    folder = repository.state / _FOLDER
    # Without `.sdd` nobody has asked git to ignore it.
    if not repository.state.is_dir() or repository.state.is_symlink() or folder.is_symlink():
        return
    with suppress(OSError, SddError):
        folder.mkdir(exist_ok=True)
        document = json.dumps({"version": _VERSION, **facts}, separators=(",", ":"))
        write_atomically(folder / f"{name}.json", document.encode())
