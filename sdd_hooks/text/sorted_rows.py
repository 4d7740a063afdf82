"""A table of JSON values in one file, of which a reader looks up a few rows by bisection.

    files\t{"a.py":1}
    words\t[1,2]

Rows are sorted by the bytes of their keys, which are JSON strings. A reader touches the pages of
the rows that it looks up, so that a start costs the same for a table of any size.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

MAX_ROW = 16 << 20
"""Bytes of a row that are read."""


def write_rows(rows: Mapping[str, Any]) -> bytes:
    """The content of a file with these rows."""
    lines = sorted(_key(key) + _value(value) for key, value in rows.items())
    return b"".join(lines)


def find_row(data: bytes, key: str) -> Any:
    """The value of a key in the content of such a file; None when it has none or is damaged.

    `data` can be a memory map. Never raises for content of any kind.
    """
    wanted = _key(key)
    low, high = 0, len(data)
    while low < high:
        middle = (low + high) // 2
        # The row around the middle, of which nothing before `low` is known to begin.
        start = data.rfind(b"\n", low, middle) + 1 or low
        end = data.find(b"\n", middle, high)
        end = high if end < 0 else end
        if end - start > MAX_ROW:
            return None
        if data[start : start + len(wanted)] == wanted:
            return _parse(data[start + len(wanted) : end])
        if data[start : end + 1] < wanted:
            low = end + 1
        else:
            high = start
    return None


def _key(key: str) -> bytes:
    # In ASCII, no key has a tab or a line break in it.
    return json.dumps(key).encode() + b"\t"


def _value(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
