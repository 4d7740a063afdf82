"""Read a listing page by page to its end, by the addresses or by the numbers of its pages.

`read_listing` follows the address of the next page that each response has. `read_windows` numbers
the pages itself, for a listing that changes during the read: an entry that is removed moves the
entries after it up, over the border between two pages, where the next page would skip it. So each
page, called a window here, overlaps the one before. When the two share an entry, nothing between
them was skipped; when they share none, an earlier window is read. That holds for listings whose
order does not change, and for those where an entry that changes moves to the front.
"""

# Governing: SPEC-0009 REQ "Talking to a tracker", SPEC-0011 REQ "Limits of forges"

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TYPE_CHECKING

from sdd_hooks.errors import RemoteError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import Json, text

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

MAX_PAGES = 1000
"""Pages of one listing: GitHub allows 2,500 comments on a pull request, GitLab 5,000."""
MAX_WINDOW = 50
"""Entries of a window, when the server does not return fewer."""
MAX_RESTARTS = 8
"""How often a listing is read from its beginning, because it moved away or repeats itself."""
MAX_IDLE = 32
"""Windows without a new entry, besides those of one more reading from the beginning."""


def read_listing(
    client: Client,
    path: str,
    params: Mapping[str, str | int],
    *,
    key: str = "id",
    headers: Mapping[str, str] | None = None,
) -> Iterator[Json]:
    """Yield the entries of every page of the listing at `path`, each value of `key` once.

    The next page is the one of the `Link` header, and without that header the one whose number the
    header `X-Next-Page` has. Raises RemoteError for a page that cannot be read, is no list, or has
    no new entries: a caller that got all entries knows that the listing has no others.
    """
    url, query = path, params
    seen: set[str] = set()
    for _ in range(MAX_PAGES):
        response = client.get(url, query, headers=headers)
        listed = response.json()
        if not isinstance(listed, list):
            raise RemoteError(f"{client.label} answers without a list: check the URL")
        entries = {text(entry, key): entry for entry in listed}
        if "" in entries:
            raise RemoteError(f"{client.label} lists something without {key}: try again later")
        if entries and entries.keys() <= seen:
            raise RemoteError(
                f"{client.label} lists the same page again and again: try again later"
            )
        yield from (entry for name, entry in entries.items() if name not in seen)
        seen |= entries.keys()
        next_url = client.next_page_url(response)
        next_page = response.headers.get("x-next-page", "").strip()
        if next_url is not None:
            url, query = next_url, {}
        elif next_page and "link" not in response.headers:
            url, query = path, {**params, "page": next_page}
        else:
            return
    raise RemoteError(f"{client.label} lists more than {MAX_PAGES} pages: try again later")


class Window(NamedTuple):
    """Consecutive entries of a listing.

    `total` is the length of the listing, None when the server does not send it; `more` whether the
    server says that another page follows. `at` is when the page was requested (epoch seconds).
    """

    rows: list[Json]
    total: int | None
    more: bool
    at: float


ReadPage = Callable[[int, int], Window]
"""Reads a page by its number (from 1 on) and the number of entries of each page."""


def read_windows(
    read_page: ReadPage, key: Callable[[Json], Hashable | None], label: str
) -> Iterator[Window]:
    """Yield all entries of a listing; each window omits the entries of the window before it.

    `key` identifies an entry, None for one that has no identity. `label` names the host in
    messages. A total that a page of new entries contradicts is ignored from then on. Raises
    RemoteError for a server that returns the same entries repeatedly, or others each time.
    """
    before: frozenset[Hashable] = frozenset()
    seen: set[Hashable] = set()
    reached, largest, restarts, back = 0, MAX_WINDOW, MAX_RESTARTS, MAX_WINDOW // 2
    idle = 0
    has_total = True
    while True:
        page, limit = window_at(reached, largest)
        start = (page - 1) * limit
        window = read_page(page, limit)
        keys = frozenset(map(key, window.rows)) - {None}
        has_total = has_total and not (_has_too_many(window, start) and keys.isdisjoint(seen))
        if not has_total:
            window = window._replace(total=None, more=window.more or len(window.rows) >= limit)
        if start == 0 and 0 < len(window.rows) < limit and _continues(window, len(window.rows)):
            largest = limit = len(window.rows)
        idle = idle + 1 if keys <= seen else 0
        if idle > MAX_IDLE + 2 * len(seen) // largest:
            raise RemoteError(f"{label} repeats itself, or changes too fast: try again later")
        seen |= keys
        if 0 < start < reached and _is_detached(window, start, limit, keys, before):
            # The step doubles, so that the beginning is a few requests away.
            reached, back = max(start - back, 0), 2 * back
            continue
        if start == 0:
            restarts -= 1
            if restarts < 0:
                raise RemoteError(f"{label} repeats itself, or changes too fast: try again later")
        yield window._replace(rows=[row for row in window.rows if key(row) not in before])
        before, reached, back = keys, start + limit, MAX_WINDOW // 2
        if not _continues(window, reached):
            return


def window_at(reached: int, largest: int) -> tuple[int, int]:
    """The number and the size of the page that begins before `reached` and ends furthest after it.

    `largest` is the maximum size of a page. When no such page does both, as with pages of a few
    entries, the page begins at `reached` or before it.
    """
    if reached == 0:
        return 1, largest
    sizes = range(largest, largest // 2, -1)
    limit = max(sizes, key=lambda size: (reached - 1) // size * size + size)
    page = (reached - 1) // limit + 1
    return (page, limit) if page * limit > reached else (reached // largest + 1, largest)


def _is_detached(
    window: Window, start: int, limit: int, keys: frozenset[Hashable], before: frozenset[Hashable]
) -> bool:
    """Whether a window that begins at entry `start` does not follow the one with the keys `before`.

    The entries after it moved up, or the server repeats the window before.
    """
    if keys.isdisjoint(before):
        return True
    return keys <= before and (_has_too_many(window, start) or _continues(window, start + limit))


def _has_too_many(window: Window, start: int) -> bool:
    """Whether a page contradicts its total: a total of 0 beside 50 rows."""
    return window.total is not None and window.total < start + len(window.rows)


def _continues(window: Window, reached: int) -> bool:
    return window.more or (window.total is not None and window.total > reached)
