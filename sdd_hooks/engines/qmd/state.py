"""What sdd knows about qmd's index without starting qmd: one small file beside it.

It may have come with a clone or be half written: what is not as it was written here counts as not
there.
"""

# Governing: ADR-0014 (the qmd engine), ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sdd_hooks.engines.bookmarks import parse_bookmark
from sdd_hooks.engines.protocol import Bookmark
from sdd_hooks.system.files import write_atomically

LARGEST = 16_000_000
"""Bytes read of a state: a bookmark names every dirty path."""

_VERSION = 1
_MOST = 1 << 53


@dataclass(frozen=True)
class Held:
    """One collection as qmd was told about it.

    `base` is the directory that qmd's paths are below ("" is the top), `endings` those of the files
    it may take, as spelled (`.MD`, `/Makefile`), `context` the text that sdd gave it. `documents`
    is how many it had after the last update, and `seen` a digest of what that looked at; with a
    `bookmark` of None it was never filled.
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
class State:
    """The index as sdd left it.

    `touched` is when it last looked for changes (seconds, epoch). `pending` counts documents
    without a vector of `model` (as configured, "" is qmd's default); `begun` says that some have.
    """

    touched: float | None = None
    pending: int = 0
    begun: bool = False
    model: str = ""
    collections: Mapping[str, Held] = field(default_factory=dict)

    @property
    def documents(self) -> int:
        """Documents of all collections."""
        return sum(one.documents for one in self.collections.values())

    @property
    def filled(self) -> bool:
        """Whether qmd was ever told to index anything."""
        return any(one.bookmark or one.documents for one in self.collections.values())


def read_state(path: Path) -> State | None:
    """The state in that file; None when there is none, or none that was written here."""
    try:
        with path.open("rb") as file:
            return parse_state(file.read(LARGEST))
    except OSError:
        return None


def write_state(path: Path, state: State) -> None:
    """Put the state there in one step. Raises StorageError."""
    write_atomically(path, json.dumps({"version": _VERSION, **asdict(state)}).encode())


def parse_state(data: bytes) -> State | None:
    """A state from its JSON; None for anything else. Never raises."""
    try:
        found = json.loads(data)
        if found["version"] != _VERSION:
            return None
        return State(
            None if found["touched"] is None else _time(found["touched"]),
            _count(found["pending"]),
            _flag(found["begun"]),
            _text(found["model"]),
            {_text(name): _held(one) for name, one in found["collections"].items()},
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _held(found: Mapping[str, object]) -> Held:
    endings = found["endings"]
    if not isinstance(endings, list):
        raise TypeError
    return Held(
        _text(found["kind"]),
        _text(found["module"]),
        parse_bookmark(found["bookmark"]),
        _inside(_text(found["base"])),
        tuple(map(_text, endings)),
        _count(found["documents"]),
        _text(found["context"]),
        _text(found["seen"]),
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
    if type(value) is not int or not 0 <= value < _MOST:
        raise ValueError
    return value


def _time(value: object) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):  # type: ignore[arg-type]
        raise ValueError
    return float(value)  # type: ignore[arg-type]


def _inside(path: str) -> str:
    if path.startswith("/") or ".." in path.split("/"):
        raise ValueError
    return path
