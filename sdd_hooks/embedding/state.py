"""What is known of the last embed in a work tree: `.sdd/search/embed.json`.

It is there from the start of an embed, so that one which was killed is known, too. A clone may
bring a file of that name: one that is not what is written here is not there.
"""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Status"

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from typing import Any

from sdd_hooks.errors import SddError, StorageError
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import read_inside, write_atomically

NAME = "embed.json"

_LARGEST = 10_000
_TYPES: dict[str, type | tuple[type, ...]] = {
    "str": str,
    "int": int,
    "float": (int, float),
    "float | None": (int, float, type(None)),
}


@dataclass(frozen=True)
class Run:
    """An embed, from its start.

    `started` and `finished` are seconds since the epoch; `finished` is None while it runs, and when
    it was killed. `pending` is how many chunks of all collections had no vector when it started,
    `wanted` how many of those it was asked for. `log` is "" in the foreground, `error` when it
    ended well. `failed` counts chunks that were tried in vain.
    """

    started: float
    pending: int
    wanted: int
    device: str
    model: str
    log: str = ""
    finished: float | None = None
    embedded: int = 0
    failed: int = 0
    error: str = ""

    @property
    def seconds(self) -> float:
        """How long it took; 0 when it did not end."""
        return 0.0 if self.finished is None else max(self.finished - self.started, 0.0)


def write_run(repository: Repository, run: Run) -> None:
    """Remember an embed. Where that fails, the embed goes on all the same."""
    with suppress(StorageError):
        write_atomically(repository.search_dir / NAME, json.dumps(asdict(run)).encode())


def read_run(repository: Repository) -> Run | None:
    """The last embed of this work tree; None when there was none that can be understood."""
    try:
        text = read_inside(repository.root, f".sdd/search/{NAME}", _LARGEST)
    except (OSError, SddError):
        return None
    return parse_run(text)


def parse_run(text: bytes) -> Run | None:
    """An embed as it was written; None for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    wanted = {field.name: _TYPES[str(field.type)] for field in fields(Run)}
    if set(found) != set(wanted):
        return None
    if not all(_sound(found[name], kind) for name, kind in wanted.items()):
        return None
    return Run(**found)


def _sound(value: Any, kind: type | tuple[type, ...]) -> bool:
    if isinstance(value, bool) or not isinstance(value, kind):
        return False
    # Times are compared and subtracted, counts added.
    return not isinstance(value, (int, float)) or 0 <= value < 1e12
