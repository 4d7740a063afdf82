"""A list that changes while it is read: what stays in it is read, and no page for ever."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.paging import ReadPage, Window, read_windows, window_at

Change = Callable[[list[int]], None]


def _server(entries: list[int], *, cap: int, total: bool, changes: list[Change]) -> ReadPage:
    """Lists the entries, at most `cap` a page, and makes one of the changes after each."""

    def ask(page: int, limit: int) -> Window:
        size = min(limit, cap)
        rows = entries[(page - 1) * size : page * size]
        more = page * size < len(entries)
        found = Window(list(rows), len(entries) if total else None, more, 0.0)
        if changes:
            changes.pop(0)(entries)
        return found

    return ask


def _read(ask: ReadPage) -> list[object]:
    return [row for window in read_windows(ask, lambda row: row, "Somebody") for row in window.rows]


def _change(kind: str, where: float, count: int) -> Change:
    """Remove entries, or add some: at the front, in the middle, or an old one moves there."""

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


@settings(deadline=None, max_examples=300)
@given(
    count=st.integers(0, 400),
    cap=st.sampled_from([20, 30, 50, 100]),
    total=st.booleans(),
    changes=st.lists(CHANGES, max_size=8),
)
def test_nothing_that_stays_where_it_is_is_missed(
    count: int, cap: int, total: bool, changes: list[Change]
) -> None:
    entries = list(range(count, 0, -1))
    touched: set[int] = set()

    def watching(change: Change) -> Change:
        def watched(entries: list[int]) -> None:
            before = list(entries)
            change(entries)
            # What has moved to the front may have been read there, or be newer than this reading.
            if entries and entries[0] in before and entries[0] != before[0]:
                touched.add(entries[0])

        return watched

    ask = _server(entries, cap=cap, total=total, changes=[watching(one) for one in changes])
    found = set(_read(ask))
    assert {one for one in entries if one <= count} - touched <= found


@given(count=st.integers(0, 300), cap=st.integers(1, 60), total=st.booleans())
def test_a_list_that_does_not_change_is_read_once(count: int, cap: int, total: bool) -> None:
    entries = list(range(count))
    assert _read(_server(entries, cap=cap, total=total, changes=[])) == entries


@given(st.integers(1, 100_000), st.integers(1, 50))
def test_a_window_begins_before_what_was_reached_and_ends_after_it(
    reached: int, largest: int
) -> None:
    page, limit = window_at(reached, largest)
    assert 0 < limit <= largest
    assert (page - 1) * limit <= reached < page * limit
    if largest >= 16:
        assert (page - 1) * limit < reached


def test_what_reaching_back_costs() -> None:
    asked = reached = 0
    while reached < 2000:
        page, limit = window_at(reached, 50)
        reached, asked = page * limit, asked + 1
    assert asked == 48


def _repeating(rows: list[int], total: int | None) -> tuple[ReadPage, list[int]]:
    asked: list[int] = []

    def ask(page: int, limit: int) -> Window:
        asked.append(page)
        return Window(list(rows[:limit]), total, True, 0.0)

    return ask, asked


@pytest.mark.parametrize("total", [None, 60, 100, 100_000])
def test_the_same_page_for_ever(total: int | None) -> None:
    ask, asked = _repeating(list(range(50)), total)
    with pytest.raises(RemoteError, match="Somebody repeats itself"):
        _read(ask)
    assert len(asked) < 20


def test_another_page_each_time() -> None:
    fresh = iter(range(10**9))

    def ask(_page: int, limit: int) -> Window:
        return Window([next(fresh) for _ in range(limit)], None, True, 0.0)

    with pytest.raises(RemoteError, match="changes too fast"):
        _read(ask)


def test_entries_that_nothing_is_known_of() -> None:
    window = Window([None, None], 2, False, 7.0)
    (found,) = read_windows(lambda _page, _limit: window, lambda row: row, "Somebody")
    assert found == window
