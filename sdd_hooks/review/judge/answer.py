"""A model's answer, read as strict JSON. It is data like any other text, and bounded."""

# Governing: SPEC-0010 REQ "Judge", ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

import json
import re
from collections.abc import Sequence

LONGEST = 20_000
"""Characters of an answer that are waited for, and read."""

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n```", re.DOTALL)


def parse_answer(answer: str) -> dict[str, object] | None:
    """The one JSON object that an answer is, perhaps in a code fence; None for anything else.

    A key that is given twice, NaN and infinities are not JSON that can be trusted. Never raises.
    """
    text = answer.strip()
    if len(text) > LONGEST:
        return None
    if fenced := _FENCED.fullmatch(text):
        text = fenced[1]
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def word(entry: object, key: str) -> str:
    """The text that an object of an answer has under `key`; "" when it has none."""
    value = entry.get(key) if isinstance(entry, dict) else None
    return value if isinstance(value, str) else ""


def _once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is given twice")
    return found


def _refuse(name: str) -> object:
    raise ValueError(name)
