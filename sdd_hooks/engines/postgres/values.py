"""Values as PostgreSQL stores them: texts without some characters, and many rows at once."""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL)

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

_ROWS_AT_ONCE = 1_000
"""A statement has at most 65,535 values."""

_ESCAPE = "\U0010ffff"
_REFUSED = lazy_regex("[\x00\ud800-\udfff\U0010ffff]")
_STORED = lazy_regex(f"{_ESCAPE}([0-9a-f]{{4}})")


def stored_text(text: str) -> str:
    """Return the text that PostgreSQL stores for `text`: it has no null character, and no lone
    surrogate.

    Such a character is stored as U+10FFFF, which is no character, and its code in four digits.
    """
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


def insert_rows(
    connection: Connection, statement: str, row: str, rows: Sequence[Sequence[object]]
) -> list[Cursor[Any]]:
    """Insert rows by a statement with `{rows}` after `VALUES`. `row` has the places of a row's
    values. Returns the results of the statements, in the order of the rows.

    `INSERT … SELECT FROM unnest(…)` is no option: Citus stores such rows by COPY, which PostgreSQL
    refuses under row-level security.
    """
    results = []
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        some = rows[start : start + _ROWS_AT_ONCE]
        places = ", ".join([row] * len(some))
        values = [value for one in some for value in one]
        results.append(connection.execute(statement.replace("{rows}", places).encode(), values))
    return results
