"""The colours of the labels that trackers create."""

# Governing: SPEC-0009 REQ "Writing to a tracker"

from __future__ import annotations

_COLOURS = {"epic": "6E40C9", "story": "1D76DB", "spec": "0E8A16", "foundation": "D4A017"}
_OTHER = "CCCCCC"


def colour_of(label: str) -> str:
    """The colour of a created label: six hexadecimal digits."""
    return _COLOURS.get(label.lower(), _OTHER)
