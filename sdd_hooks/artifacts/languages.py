"""The words of records in many languages, from the table `languages.txt` beside this module."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path


def words(kind: str) -> str:
    """The words of a kind as alternatives of a pattern, "" for an unknown kind."""
    return _table().get(kind, "")


@cache
def _table() -> dict[str, str]:
    rows: dict[str, list[str]] = defaultdict(list)
    text = Path(__file__).with_name("languages.txt").read_text(encoding="utf-8")
    for row in text.splitlines():
        kind, _, alternatives = row.partition(" ")
        rows[kind].append(alternatives)
    return {kind: "|".join(alternatives) for kind, alternatives in rows.items()}
