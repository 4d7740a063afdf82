"""Serialise the bookmark of a collection, which an engine stores beside its index."""

# Governing: ADR-0004 (change detection from git: bookmark, dirty now, dirty then)

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sdd_hooks.engines.protocol import Bookmark, CollectionChanges
from sdd_hooks.project.collections import OUTSIDE_GIT

_HEXADECIMAL = frozenset("0123456789abcdef")


def write_bookmark(bookmark: Bookmark) -> str:
    """Serialise a bookmark as one line of JSON."""
    return json.dumps(bookmark._asdict())


def read_bookmark(text: str | None) -> Bookmark | None:
    """Parse a stored bookmark. Returns None for None and for text that does not parse."""
    try:
        return parse_bookmark(json.loads(text or "null"))
    except (ValueError, RecursionError):
        return None


def parse_bookmark(value: Any) -> Bookmark | None:
    """Parse the JSON value of a bookmark. Returns None for any other value."""
    try:
        head, dirty, definition = value["head"], value["dirty"], value["definition"]
        sparse = value.get("sparse", "")
        texts = [head, definition, sparse, *dirty]
    except (TypeError, KeyError, AttributeError):
        return None
    # The head becomes an argument of git, where a text that begins with `-` would be an option.
    if not all(isinstance(text, str) for text in texts) or set(head) - _HEXADECIMAL:
        return None
    return Bookmark(head, tuple(dirty), definition, sparse)


def covers(changes: Sequence[CollectionChanges], kinds: Mapping[str, str]) -> bool:
    """Whether an update with `changes` covers the whole index, so that it counts as touched.

    `kinds` is the kind of each indexed collection, by name. Collections outside of git do not
    count: a sync and a fetch update them, at other times.
    """
    files = {name for name, kind in kinds.items() if kind not in OUTSIDE_GIT}
    return (files or set(kinds)) <= {change.collection.name for change in changes}
