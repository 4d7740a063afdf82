"""Whether qmd's index is a sound database. Nothing else of it is read here: its form is qmd's."""

# Governing: ADR-0014 (the qmd engine)

from __future__ import annotations

import apsw

from sdd_hooks.engines.qmd.process import Place

_MOST = 20


def faults(place: Place) -> list[str]:
    """What SQLite finds wrong with the index, in its words, at most 20 lines; [] when sound."""
    if not place.database.exists():
        return [f"{place.database} is missing"]
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_NOFOLLOW
    try:
        connection = apsw.Connection(str(place.database), flags=flags)
        try:
            rows = connection.execute(f"PRAGMA quick_check({_MOST})").fetchall()
        finally:
            connection.close()
    except apsw.Error as error:
        return [f"{place.database}: {error}"]
    return [str(row[0]) for row in rows if row[0] != "ok"]
