"""Pages are made ahead of who writes them, but not far, and nothing is lost on the way."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from sdd_hooks.trackers.fetch import prefetched
from tests.support.waiting import until


def threads() -> int:
    return sum(thread.name == "sdd-pages" for thread in threading.enumerate())


def test_everything_comes_in_order() -> None:
    assert list(prefetched(iter(range(1000)))) == list(range(1000))
    assert list(prefetched(iter(()))) == []
    until(lambda: threads() == 0)


def test_the_next_is_made_while_this_one_is_looked_at_and_no_other() -> None:
    made: list[int] = []

    def make() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            yield number

    with closing(prefetched(make())) as items:
        assert next(items) == 0
        # One waits, one is ready to.
        until(lambda: len(made) == 3)
        assert next(items) == 1
        until(lambda: len(made) == 4)
    until(lambda: threads() == 0)
    assert len(made) <= 5


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_what_goes_wrong_is_raised_where_it_is_taken(error: type[BaseException]) -> None:
    def make() -> Iterator[int]:
        yield 1
        raise error("in the middle")

    items = prefetched(make())
    assert next(items) == 1
    with pytest.raises(error, match="in the middle"):
        next(items)
    assert list(items) == []
    until(lambda: threads() == 0)


def test_who_leaves_does_not_wait_for_the_one_that_is_being_made() -> None:
    go = threading.Event()
    ended: list[bool] = []

    def make() -> Iterator[int]:
        yield 1
        go.wait(60)
        ended.append(True)
        yield 2
        raise AssertionError("nobody asked for a third")

    items = prefetched(make())
    assert next(items) == 1
    items.close()
    assert (ended, threads()) == ([], 1)
    go.set()
    until(lambda: threads() == 0)


def test_a_failure_after_that_is_nobodys() -> None:
    go = threading.Event()

    def make() -> Iterator[int]:
        yield 1
        go.wait(60)
        raise ValueError("too late")

    items = prefetched(make())
    assert next(items) == 1
    items.close()
    go.set()
    until(lambda: threads() == 0)
