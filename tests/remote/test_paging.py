"""Reading a list that changes meanwhile: no entry is missed, and the read ends."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.paging import ReadPage, Window, read_windows, window_at

Change = Callable[[list[int]], None]


def _server(entries: list[int], *, cap: int, total: bool, changes: list[Change]) -> ReadPage:
    """A listing with at most `cap` entries a page; one of the changes follows each page."""

    def read_page(page: int, limit: int) -> Window:
        size = min(limit, cap)
        rows = entries[(page - 1) * size : page * size]
        more = page * size < len(entries)
        found = Window(list(rows), len(entries) if total else None, more, 0.0)
        if changes:
            changes.pop(0)(entries)
        return found

    return read_page


def _read(read_page: ReadPage) -> list[object]:
    return [
        row for window in read_windows(read_page, lambda row: row, "Forge") for row in window.rows
    ]


def _change(kind: str, where: float, count: int) -> Change:
    """Remove entries, add some at the front or in the middle, or move one to the front."""

    def change(entries: list[int]) -> None:
        at = int(where * len(entries))
        match kind:
            case "remove":
                del entries[at : at + count]
            case "add":
                new = max([*entries, 0]) + 1000
                entries[:0] = range(new + count, new, -1)
            case "appear":
                new = max([*entries, 0]) + 1000
                entries[at:at] = range(new + count, new, -1)
            case "move":
                moved = entries[at : at + 1]
                del entries[at : at + 1]
                entries[:0] = moved

    return change


CHANGES = st.builds(
    _change,
    st.sampled_from(["remove", "add", "appear", "move"]),
    st.floats(0, 0.99),
    st.integers(1, 30),
)


@settings(deadline=None, max_examples=100)
@given(
    count=st.integers(0, 400),
    cap=st.sampled_from([20, 30, 50, 100]),
    total=st.booleans(),
    changes=st.lists(CHANGES, max_size=8),
)
def test_no_entry_that_keeps_its_place_is_missed(
    count: int, cap: int, total: bool, changes: list[Change]
) -> None:
    entries = list(range(count, 0, -1))
    touched: set[int] = set()

    def watching(change: Change) -> Change:
        def watched(entries: list[int]) -> None:
            before = list(entries)
            change(entries)
            # An entry that moved to the front may have been read, or is newer than this read.
            if entries and entries[0] in before and entries[0] != before[0]:
                touched.add(entries[0])

        return watched

    read_page = _server(entries, cap=cap, total=total, changes=[watching(one) for one in changes])
    found = set(_read(read_page))
    assert {one for one in entries if one <= count} - touched <= found


@given(count=st.integers(0, 300), cap=st.integers(1, 60), total=st.booleans())
def test_an_unchanged_list_is_read_once(count: int, cap: int, total: bool) -> None:
    entries = list(range(count))
    assert _read(_server(entries, cap=cap, total=total, changes=[])) == entries


@given(st.integers(1, 100_000), st.integers(1, 50))
def test_a_window_overlaps_the_one_before(reached: int, max_size: int) -> None:
    page, limit = window_at(reached, max_size)
    assert 0 < limit <= max_size
    assert (page - 1) * limit <= reached < page * limit
    if max_size >= 16:
        assert (page - 1) * limit < reached


def test_the_number_of_overlapping_windows() -> None:
    requests = reached = 0
    while reached < 2000:
        page, limit = window_at(reached, 50)
        reached, requests = page * limit, requests + 1
    assert requests == 48


def _repeating(rows: list[int], total: int | None) -> tuple[ReadPage, list[int]]:
    pages: list[int] = []

    def read_page(page: int, limit: int) -> Window:
        pages.append(page)
        return Window(list(rows[:limit]), total, True, 0.0)

    return read_page, pages


@pytest.mark.parametrize("total", [None, 60, 100, 100_000])
def test_a_page_that_repeats_forever(total: int | None) -> None:
    read_page, pages = _repeating(list(range(50)), total)
    with pytest.raises(RemoteError, match="Forge repeats itself"):
        _read(read_page)
    assert len(pages) < 20


@settings(deadline=None, max_examples=60)
@given(
    count=st.integers(0, 400),
    total=st.integers(0, 500),
    cap=st.sampled_from([20, 30, 50]),
    has_links=st.booleans(),
)
def test_a_read_ends_when_the_total_is_wrong(
    count: int, total: int, cap: int, has_links: bool
) -> None:
    pages: list[int] = []

    def read_page(page: int, limit: int) -> Window:
        size = min(limit, cap)
        pages.append(page)
        rows: list[object] = list(range(count)[(page - 1) * size : page * size])
        return Window(rows, total, has_links and page * size < count, 0.0)

    try:
        found = _read(read_page)
    except RemoteError:
        assert total > count or count > total
    else:
        # Without links, a total that no page contradicts is believed, and so is a short page.
        assert set(found) == set(range(count)) or (not has_links and len(found) >= total)
    assert len(pages) < 120


def test_a_total_of_nothing_beside_full_pages_is_ignored() -> None:
    pages: list[int] = []

    def read_page(page: int, limit: int) -> Window:
        pages.append(page)
        rows: list[object] = list(range(350)[(page - 1) * limit : page * limit])
        return Window(rows, 0, False, 0.0)

    assert sorted(set(map(int, map(str, _read(read_page))))) == list(range(350))
    assert len(pages) < 12


def test_another_page_for_each_request() -> None:
    fresh = iter(range(10**9))

    def read_page(_page: int, limit: int) -> Window:
        return Window([next(fresh) for _ in range(limit)], None, True, 0.0)

    with pytest.raises(RemoteError, match="changes too fast"):
        _read(read_page)


def test_entries_without_a_key() -> None:
    window = Window([None, None], 2, False, 7.0)
    (found,) = read_windows(lambda _page, _limit: window, lambda row: row, "Forge")
    assert found == window
