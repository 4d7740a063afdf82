"""Where the values of a JSON document stand, so that one is edited and the rest stays as it is."""

from __future__ import annotations

import json
import re
from typing import Any

from sdd_hooks.named_tuple import NamedTuple

MAX_DEPTH = 100
"""Arrays and objects in each other."""

_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|[^\s,\[\]{}":]+')


class JsonSpan(NamedTuple):
    """A value from `start` to `end` in the text.

    `items` are its parts: of an array the elements, of an object the members with their keys.
    `key` and `key_start` are those of a member, "" and -1 for other values.
    """

    start: int
    end: int
    kind: str
    items: tuple[JsonSpan, ...] = ()
    key: str = ""
    key_start: int = -1

    @property
    def first(self) -> int:
        """Where the item begins: its key, or its value."""
        return self.start if self.key_start < 0 else self.key_start

    def member(self, key: str) -> JsonSpan | None:
        """The member of an object with a key, the last one like `json.loads`; None for none."""
        return next((one for one in reversed(self.items) if one.key == key), None)


def find_spans(text: str) -> JsonSpan:
    """Find the spans of a document. Raises ValueError for what is no JSON or nested too deep."""
    try:
        json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return _read(text, _skip(text, 0), 0)


def value_of(text: str, span: JsonSpan) -> Any:
    """The value that a span has."""
    return json.loads(text[span.start : span.end])


def _read(text: str, at: int, depth: int) -> JsonSpan:
    if depth > MAX_DEPTH:
        raise ValueError("nested too deep")
    opening = text[at]
    if opening not in "[{":
        match = _SCALAR.match(text, at)
        assert match
        return JsonSpan(at, match.end(), "scalar")
    items: list[JsonSpan] = []
    position = _skip(text, at + 1)
    while text[position] not in "]}":
        key, key_start = "", -1
        if opening == "{":
            name = _SCALAR.match(text, position)
            assert name
            key, key_start = json.loads(name[0]), position
            position = _skip(text, _skip(text, name.end()) + 1)
        item = _read(text, position, depth + 1)._replace(key=key, key_start=key_start)
        items.append(item)
        position = _skip(text, item.end)
        if text[position] == ",":
            position = _skip(text, position + 1)
    kind = "array" if opening == "[" else "object"
    return JsonSpan(at, position + 1, kind, tuple(items))


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match
    return match.end()
