"""Insert many rows by `VALUES`.

`INSERT … SELECT FROM unnest(…)` is no option: Citus stores such rows by COPY, which PostgreSQL
refuses under row-level security.
"""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL)

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

_ROWS_AT_ONCE = 1_000
"""A statement has at most 65,535 values."""


def insert_rows(
    connection: Connection, statement: str, row: str, rows: Sequence[Sequence[object]]
) -> list[Cursor[Any]]:
    """Insert rows by a statement with `{rows}` after `VALUES`. `row` has the places of a row's
    values. Returns the results of the statements, in the order of the rows.
    """
    results = []
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        some = rows[start : start + _ROWS_AT_ONCE]
        places = ", ".join([row] * len(some))
        values = [value for one in some for value in one]
        results.append(connection.execute(statement.replace("{rows}", places).encode(), values))
    return results
