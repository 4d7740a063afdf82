"""The journal of a plan on this machine: the issues that it created, and the one it is creating.

A search index of a tracker may not show them yet. The journal is in the git directory, which all
work trees share and no commit changes.
"""

# Governing: ADR-0052 (an issue is created once)

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.files import read_state, state_directory, write_atomically

DIRECTORY = "plans"
_MAX_BYTES = 4 << 20


class Creating(NamedTuple):
    """The issue whose creation has no result yet: its keys, and when it began (epoch seconds)."""

    keys: tuple[str, ...]
    at: float


class JournalState(NamedTuple):
    """The ids of the created issues by their keys, and what is being created."""

    issues: Mapping[str, str]
    creating: Creating | None = None


class PlanJournal:
    """The journal of one specification in one tracker, below the directory `shared`."""

    def __init__(self, shared: Path, tracker: str, spec: str) -> None:
        name = blake2b(f"{tracker}\0{spec}".encode("utf-8", "replace"), digest_size=8).hexdigest()
        directory = state_directory(shared, DIRECTORY)
        directory.mkdir(parents=True, exist_ok=True)
        self._path = directory / f"{name}.json"
        self.lock = directory / f"{name}.lock"
        self.state = self._read()

    def begin(self, keys: Sequence[str], at: float) -> None:
        """Write down that an issue is being created, before the request. Raises StorageError."""
        self._write(self.state._replace(creating=Creating(tuple(keys), at)))

    def finish(self, keys: Sequence[str], id: str) -> None:
        """Write down the id of a created issue. Raises StorageError."""
        self._write(JournalState({**self.state.issues, **dict.fromkeys(keys, id)}))

    def forget(self, ids: Sequence[str]) -> None:
        """Remove issues that the tracker does not have any more. Raises StorageError."""
        kept = {key: id for key, id in self.state.issues.items() if id not in ids}
        self._write(self.state._replace(issues=kept))

    def settle(self) -> None:
        """Remove what was being created, since the tracker shows it or never got it."""
        if self.state.creating:
            self._write(self.state._replace(creating=None))

    def _read(self) -> JournalState:
        """The stored state; an empty one where there is none, or it is damaged."""
        try:
            match json.loads(read_state(self._path, _MAX_BYTES)):
                case {"issues": dict(issues), "creating": creating}:
                    known = {str(key): str(id) for key, id in issues.items()}
                    return JournalState(known, _creating(creating))
        except (FileNotFoundError, ValueError, RecursionError):
            pass
        return JournalState({})

    def _write(self, state: JournalState) -> None:
        creating = state.creating and {"keys": state.creating.keys, "at": state.creating.at}
        data = {"issues": dict(state.issues), "creating": creating}
        try:
            write_atomically(self._path, json.dumps(data).encode())
        except OSError as error:
            raise StorageError(f"cannot write {self._path}: {error.strerror}") from None
        self.state = state


def _creating(data: Any) -> Creating | None:
    match data:
        case {"keys": list(keys), "at": float(at) | int(at)}:
            return Creating(tuple(map(str, keys)), float(at))
    return None
