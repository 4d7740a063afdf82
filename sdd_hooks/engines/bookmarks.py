"""A collection's bookmark as text, as an engine stores it beside what the bookmark is about."""

# Governing: ADR-0004 (change detection from git: bookmark, dirty now, dirty then)

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sdd_hooks.engines.protocol import Bookmark, CollectionChanges

_HEXADECIMAL = frozenset("0123456789abcdef")


def write_bookmark(bookmark: Bookmark) -> str:
    """The bookmark as one line of JSON."""
    return json.dumps(asdict(bookmark))


def read_bookmark(text: str | None) -> Bookmark | None:
    """A stored bookmark; None when there is none or it does not parse."""
    try:
        return bookmark_of(json.loads(text or "null"))
    except ValueError:
        return None


def bookmark_of(found: Any) -> Bookmark | None:
    """A bookmark from what `asdict` made of it; None for anything else."""
    try:
        head, dirty, definition = found["head"], found["dirty"], found["definition"]
        texts = [head, definition, *dirty]
    except (TypeError, KeyError):
        return None
    # git takes the head as an argument, where a text that begins with `-` would be an option.
    if not all(isinstance(text, str) for text in texts) or set(head) - _HEXADECIMAL:
        return None
    return Bookmark(head, tuple(dirty), definition)


def covers(changes: Sequence[CollectionChanges], kinds: Mapping[str, str]) -> bool:
    """Whether an update with `changes` looks at the whole index, so that it counts as touched.

    `kinds` is the kind of each collection in the index, by name. Issues have a clock of their own,
    and a look at one collection says nothing about the others.
    """
    files = {name for name, kind in kinds.items() if kind != "issues"}
    return (files or set(kinds)) <= {change.collection.name for change in changes}
