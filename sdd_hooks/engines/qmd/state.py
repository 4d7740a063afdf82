"""The state that sdd records about qmd's index, in a small JSON file beside it.

The state saves most runs of qmd. The file may be damaged or come with a clone: an invalid file
counts as missing.
"""

# Governing: ADR-0014 (the qmd engine), ADR-0012 (untrusted input never leaves the repository),
# SPEC-0006 REQ "A damaged index", SPEC-0006 REQ "Updates"

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from sdd_hooks.engines.protocol import Bookmark, CollectionChanges, Counts, parse_bookmark
from sdd_hooks.engines.qmd.index_folder import (
    IndexFolder,
    create_folder,
    may_be_database,
    set_aside,
)
from sdd_hooks.errors import IndexDamaged, StorageError
from sdd_hooks.system import files
from sdd_hooks.system.files import write_atomically

MAX_STATE_BYTES = 16_000_000
"""Bytes read of a state file. A bookmark contains every dirty path."""

_VERSION = 1
_MAX_COUNT = 1 << 53


@dataclass(frozen=True)
class CollectionState:
    """One collection as it was last declared to qmd and indexed. Its fields are those of the file.

    `base` is the directory that qmd's paths are relative to ("" is the top of the work tree),
    `endings` are the endings of its file names, as spelled (`.MD`, `/Makefile`), `context` is the
    description that sdd declared. `documents` is their count after the last update, and `seen` the
    fingerprint of that update. `bookmark` is None until an update was complete.
    """

    kind: str
    module: str
    bookmark: Bookmark | None = None
    base: str = ""
    endings: tuple[str, ...] = ()
    documents: int = 0
    context: str = ""
    seen: str = ""


@dataclass(frozen=True)
class IndexState:
    """The index after the last operation of sdd. Its fields are those of the file.

    `touched` is when sdd last checked for changes (seconds since the epoch). `pending` counts the
    documents without a vector of `model` (as configured; "" is qmd's default), and `begun` is
    whether any document has one.
    """

    touched: float | None = None
    pending: int = 0
    begun: bool = False
    model: str = ""
    collections: Mapping[str, CollectionState] = field(default_factory=dict)

    @property
    def documents(self) -> int:
        """The documents of all collections."""
        return sum(collection.documents for collection in self.collections.values())

    @property
    def is_filled(self) -> bool:
        """Whether any collection was ever indexed."""
        return any(
            collection.bookmark or collection.documents for collection in self.collections.values()
        )


class StateFile:
    """The recorded state of an index.

    `rebuilt`: the index was lost, so that every collection has to be indexed again. `notes` names
    the files that were set aside.
    """

    def __init__(self, folder: IndexFolder, *, repair: bool) -> None:
        """Read the file. With `repair`, a damaged file is set aside; else raises IndexDamaged."""
        self.notes: list[str] = []
        self.rebuilt = False
        self.state = IndexState()
        self._folder = folder
        self._ignore_stored = False
        if not may_be_database(folder.database):
            damaged = IndexDamaged(f"{folder.database} is damaged: run `sdd index update`")
            if not repair:
                raise damaged
            self.reset(str(damaged))
        self._load(repair)

    def _load(self, repair: bool) -> None:
        path = self._folder.state
        state = read_state(path)
        has_database = self._folder.database.exists()
        if state is None and path.exists():
            if not repair:
                raise IndexDamaged(f"{path} is damaged: run `sdd index update`")
            aside = set_aside(path)
            self.notes.append(f"{path} is damaged; set aside as {aside.name} and rebuilt")
        if state is None:
            # The database stays: its vectors are still valid.
            self.rebuilt = self.rebuilt or has_database
        elif state.is_filled and not has_database:
            self.rebuilt = self._ignore_stored = True
        else:
            self.state = state

    def change(self, change: Callable[[IndexState], IndexState]) -> None:
        """Apply a change to the stored state, which another process may have changed meanwhile.

        Raises StorageError.
        """
        stored = None if self._ignore_stored else read_state(self._folder.state)
        self.state = change(stored or self.state)
        self._ignore_stored = False
        create_folder(self._folder)
        write_state(self._folder.state, self.state)

    def require_full_update(self) -> None:
        """Make the next update run qmd on every collection, where damage leads to a reset.

        Raises nothing.
        """
        collections = {
            name: replace(collection, bookmark=None, seen="")
            for name, collection in self.state.collections.items()
        }
        with suppress(StorageError):
            self.change(lambda state: replace(state, collections=collections))

    def reset(self, reason: str) -> None:
        """Set the whole folder aside, and start with an empty state."""
        if self._folder.path.exists():
            aside = set_aside(self._folder.path)
            fault = reason.partition(": run")[0]
            self.notes.append(f"{fault}; set aside as {aside.name} and rebuilt")
        self.rebuilt = True
        self.state = IndexState()


def read_state(path: Path) -> IndexState | None:
    """Read a state file. Returns None if it is missing or invalid."""
    try:
        return parse_state(files.read_state(path, MAX_STATE_BYTES))
    except (OSError, StorageError):
        return None


def write_state(path: Path, state: IndexState) -> None:
    """Write a state file atomically. Raises StorageError."""
    collections = {
        name: {
            **asdict(collection),
            "bookmark": collection.bookmark._asdict() if collection.bookmark else None,
        }
        for name, collection in state.collections.items()
    }
    document = {"version": _VERSION, **asdict(state), "collections": collections}
    write_atomically(path, json.dumps(document).encode())


def parse_state(data: bytes) -> IndexState | None:
    """Parse the JSON of a state. Returns None for anything else, and raises nothing."""
    try:
        value = json.loads(data)
        if value["version"] != _VERSION:
            return None
        return IndexState(
            None if value["touched"] is None else _time(value["touched"]),
            _count(value["pending"]),
            _flag(value["begun"]),
            _text(value["model"]),
            {_text(name): _collection(entry) for name, entry in value["collections"].items()},
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def is_due(change: CollectionChanges, fingerprint: str, seen: str) -> bool:
    """Whether qmd has to index a change with this fingerprint; `seen` is that of the last update.

    A change names a path again as long as it is not committed, and always names all issues. If
    no file differs from the last update, qmd need not run.
    """
    if change.complete and change.collection.kind != "issues":
        return True
    return bool(change.paths or change.complete) and fingerprint != seen


def compute_fingerprint(root: Path, change: CollectionChanges) -> str:
    """Return a digest of the files that a change names: their paths, sizes and times."""
    from hashlib import sha256

    digest = sha256(change.collection.definition().encode())
    for path in change.paths:
        try:
            status = os.lstat(root / path)
            entry = f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0{status.st_ino}\0"
        except (OSError, ValueError):
            entry = f"{path}\0gone\0"
        digest.update(entry.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def with_documents(
    states: Mapping[str, CollectionState], counts: Mapping[str, Counts]
) -> dict[str, CollectionState]:
    """Return the states with the number of documents after an update."""
    return {
        name: replace(state, documents=count.added + count.updated + count.unchanged)
        if (count := counts.get(name))
        else state
        for name, state in states.items()
    }


def _collection(value: Mapping[str, object]) -> CollectionState:
    endings = value["endings"]
    if not isinstance(endings, list):
        raise TypeError
    return CollectionState(
        _text(value["kind"]),
        _text(value["module"]),
        parse_bookmark(value["bookmark"]),
        _relative_path(_text(value["base"])),
        tuple(map(_text, endings)),
        _count(value["documents"]),
        _text(value["context"]),
        _text(value["seen"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value < _MAX_COUNT:
        raise ValueError
    return value


def _time(value: object) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):  # type: ignore[arg-type]
        raise ValueError
    return float(value)  # type: ignore[arg-type]


def _relative_path(path: str) -> str:
    if path.startswith("/") or ".." in path.split("/"):
        raise ValueError
    return path
