"""Read a list by page numbers while it changes, so that nothing that stays in it is skipped.

An entry that goes away moves what follows it up, over the border between two pages, where nobody
looks again. So each page, here a window, reaches back over the end of the one before: where both
have an entry, nothing is missing between them, and where they have none, an earlier one is read.
That holds for lists whose order does not change, and for those where an entry that changes moves
to the front.
"""

# Governing: SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import NamedTuple

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.json_fields import Json

LARGEST = 50
"""Entries of a page, where the server does not want fewer."""
PATIENCE = 8
"""How often a list may have to be read from its beginning: it moved away, or repeats itself."""


class Window(NamedTuple):
    """Entries of a list. `total` is how many it has, None where the server does not say; `more`
    whether it says that there is another page. `at` is when it was asked (epoch seconds)."""

    rows: list[Json]
    total: int | None
    more: bool
    at: float


Ask = Callable[[int, int], Window]
"""Reads a page by its number (from 1 on) and the number of entries of each page."""


def windows(ask: Ask, key: Callable[[Json], Hashable | None], label: str) -> Iterator[Window]:
    """All entries of a list, those of a window that the one before had left out.

    `key` is what an entry is known by, None for one that cannot be known. `label` is whose list it
    is, for people. Raises RemoteError for a server that gives the same entries again and again, or
    others each time.
    """
    before: frozenset[Hashable] = frozenset()
    reached, largest, patience, back = 0, LARGEST, PATIENCE, LARGEST // 2
    while True:
        page, limit = window_at(reached, largest)
        start = (page - 1) * limit
        found = ask(page, limit)
        if start == 0 and 0 < len(found.rows) < limit and _goes_on(found, len(found.rows)):
            largest = limit = len(found.rows)
        keys = frozenset(map(key, found.rows)) - {None}
        if 0 < start < reached and _is_elsewhere(found, start, limit, keys, before):
            # Further each time, so that the beginning is never far away.
            reached, back = max(start - back, 0), 2 * back
            continue
        if start == 0:
            patience -= 1
            if patience < 0:
                raise RemoteError(f"{label} repeats itself, or changes too fast: try again later")
        yield found._replace(rows=[row for row in found.rows if key(row) not in before])
        before, reached, back = keys, start + limit, LARGEST // 2
        if not _goes_on(found, reached):
            return


def window_at(reached: int, largest: int) -> tuple[int, int]:
    """The number and the size of the page that begins before `reached` and ends furthest after it.

    `largest` is how large a page may be. Where no such page does both, as with pages of a few
    entries, it begins with `reached`, or before it.
    """
    if reached == 0:
        return 1, largest
    sizes = range(largest, largest // 2, -1)
    limit = max(sizes, key=lambda size: (reached - 1) // size * size + size)
    page = (reached - 1) // limit + 1
    return (page, limit) if page * limit > reached else (reached // largest + 1, largest)


def _is_elsewhere(
    found: Window, start: int, limit: int, keys: frozenset[Hashable], before: frozenset[Hashable]
) -> bool:
    """Whether a window that begins with entry `start` is not the one after that with `before`.

    What follows moved up, or the server gives what it gave already.
    """
    if keys.isdisjoint(before):
        return True
    too_many = found.total is not None and start + len(found.rows) > found.total
    return keys <= before and (too_many or _goes_on(found, start + limit))


def _goes_on(found: Window, reached: int) -> bool:
    return found.more if found.total is None else found.total > reached
