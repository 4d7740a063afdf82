"""The cache of what was read from the history of a repository, in `.sdd/review/`.

A cache is one JSON file. It can be deleted at any time; an unreadable one is built again.
"""

# Governing: ADR-0006 (derived state under .sdd)

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from sdd_hooks.errors import SddError
from sdd_hooks.project.repository import Repository, ignore_derived_state
from sdd_hooks.system.files import read_state, state_directory, write_atomically

MAX_BYTES = 64 << 20
"""Bytes of a cache that are read."""

_FOLDER = "review"
_VERSION = 3


def load_cached(repository: Repository, name: str) -> dict[str, Any]:
    """Load the data stored under `name`; {} when there is none, or it cannot be read."""
    try:
        folder = state_directory(repository.root, ".sdd", _FOLDER)
        data = json.loads(read_state(folder / f"{name}.json", MAX_BYTES))
    except (OSError, ValueError, RecursionError, SddError):
        return {}
    return data if isinstance(data, dict) and data.get("version") == _VERSION else {}


def store_cached(repository: Repository, name: str, data: dict[str, Any]) -> None:
    """Store `data` under `name` when `.sdd` exists. A failure to write is ignored."""
    if not repository.state.is_dir():
        return
    with suppress(OSError, SddError):
        folder = state_directory(repository.root, ".sdd", _FOLDER)
        folder.mkdir(exist_ok=True)
        ignore_derived_state(repository.root)
        document = json.dumps({"version": _VERSION, **data}, separators=(",", ":"))
        write_atomically(folder / f"{name}.json", document.encode())
