"""Pages are requested ahead of the writes, at most one, and in order."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from sdd_hooks.trackers.fetch import prefetched
from tests.support.waiting import until


def threads() -> int:
    return sum(thread.name == "sdd-pages" for thread in threading.enumerate())


def test_items_are_yielded_in_order() -> None:
    assert list(prefetched(iter(range(1000)))) == list(range(1000))
    assert list(prefetched(iter(()))) == []
    until(lambda: threads() == 0)


def test_at_most_one_item_is_produced_ahead() -> None:
    produced: list[int] = []

    def produce() -> Iterator[int]:
        for number in range(100):
            produced.append(number)
            yield number

    with closing(prefetched(produce())) as items:
        assert next(items) == 0
        # One item is in the queue, one waits for room.
        until(lambda: len(produced) == 3)
        assert next(items) == 1
        until(lambda: len(produced) == 4)
    until(lambda: threads() == 0)
    assert len(produced) <= 5


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_exception_of_the_producer_is_raised_in_the_consumer(error: type[BaseException]) -> None:
    def produce() -> Iterator[int]:
        yield 1
        raise error("in the middle")

    items = prefetched(produce())
    assert next(items) == 1
    with pytest.raises(error, match="in the middle"):
        next(items)
    assert list(items) == []
    until(lambda: threads() == 0)


def test_closing_does_not_wait_for_the_producer() -> None:
    resume = threading.Event()
    ended: list[bool] = []

    def produce() -> Iterator[int]:
        yield 1
        resume.wait(60)
        ended.append(True)
        yield 2
        raise AssertionError("a third item was requested")

    items = prefetched(produce())
    assert next(items) == 1
    items.close()
    assert (ended, threads()) == ([], 1)
    resume.set()
    until(lambda: threads() == 0)


def test_an_exception_after_the_close_is_dropped() -> None:
    resume = threading.Event()

    def produce() -> Iterator[int]:
        yield 1
        resume.wait(60)
        raise ValueError("too late")

    items = prefetched(produce())
    assert next(items) == 1
    items.close()
    resume.set()
    until(lambda: threads() == 0)
