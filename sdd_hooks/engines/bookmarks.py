"""A collection's bookmark as text, as an engine stores it beside what the bookmark is about."""

# Governing: ADR-0004 (change detection from git: bookmark, dirty now, dirty then)

from __future__ import annotations

import json
from dataclasses import asdict

from sdd_hooks.engines.protocol import Bookmark


def write_bookmark(bookmark: Bookmark) -> str:
    """The bookmark as one line of JSON."""
    return json.dumps(asdict(bookmark))


def read_bookmark(text: str | None) -> Bookmark | None:
    """A stored bookmark; None when there is none or it does not parse."""
    try:
        found = json.loads(text or "null")
        return Bookmark(str(found["head"]), tuple(map(str, found["dirty"])), found["definition"])
    except (ValueError, TypeError, KeyError):
        return None
