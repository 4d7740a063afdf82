"""Texts as PostgreSQL stores them: it has no null character, and no lone surrogate.

Such a character is stored as U+10FFFF, which is no character, and its code in four digits.
"""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL)

from __future__ import annotations

import re

_ESCAPE = "\U0010ffff"
_REFUSED = re.compile("[\x00\ud800-\udfff\U0010ffff]")
_STORED = re.compile(f"{_ESCAPE}([0-9a-f]{{4}})")


def stored_text(text: str) -> str:
    """Return the text that PostgreSQL stores for `text`."""
    if text.isascii() and "\0" not in text:
        return text
    # U+10FFFF itself does not fit into four digits: its last four are of no other escaped one.
    return _REFUSED.sub(lambda match: f"{_ESCAPE}{ord(match[0]) & 0xFFFF:04x}", text)


def original_text(text: str) -> str:
    """Return the text for which `text` is stored."""
    if _ESCAPE not in text:
        return text
    return _STORED.sub(
        lambda match: _ESCAPE if match[1] == "ffff" else chr(int(match[1], 16)), text
    )
