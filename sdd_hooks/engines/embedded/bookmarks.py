"""Where a collection's bookmark is kept: beside what it describes, in the same transaction."""

# Governing: ADR-0004 (change detection from git: bookmark, dirty now, dirty then)

from __future__ import annotations

import json
from dataclasses import asdict

import apsw

from sdd_hooks.engines.protocol import Bookmark


def write_bookmark(connection: apsw.Connection, name: str, bookmark: Bookmark | None) -> None:
    """Store the state a collection reflects."""
    text = None if bookmark is None else json.dumps(asdict(bookmark))
    connection.execute("UPDATE collections SET bookmark = ? WHERE name = ?", (text, name))


def read_bookmark(text: str | None) -> Bookmark | None:
    """A stored bookmark; None when there is none or it does not parse."""
    try:
        found = json.loads(text or "null")
        return Bookmark(str(found["head"]), tuple(map(str, found["dirty"])), found["definition"])
    except (ValueError, TypeError, KeyError):
        return None
