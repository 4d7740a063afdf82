"""A limit on the time of a block of code."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from sdd_hooks.system.time_limit import TimeLimitExceeded, time_limit


@pytest.fixture(autouse=True)
def no_timer_remains() -> Iterator[None]:
    handler = signal.getsignal(signal.SIGALRM)
    yield
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is handler


def run_forever() -> None:
    while True:
        with suppress(Exception):
            sum(range(100))


def test_a_block_that_does_not_end() -> None:
    with pytest.raises(TimeLimitExceeded), time_limit(0.01):
        run_forever()


def test_a_block_that_ends() -> None:
    with time_limit(600):
        assert sum(range(100)) == 4950


def test_an_error_of_the_block() -> None:
    with pytest.raises(KeyError), time_limit(600):
        raise KeyError


def test_the_earlier_limit_applies() -> None:
    with pytest.raises(TimeLimitExceeded), time_limit(0.01), time_limit(600):
        run_forever()
    with time_limit(600):
        with pytest.raises(TimeLimitExceeded), time_limit(0.01):
            run_forever()
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 600


def test_an_outer_limit_is_not_taken_for_an_inner_one() -> None:
    class Outer(BaseException):
        pass

    inner = time_limit(600)
    with pytest.raises(Outer), time_limit(0.01, Outer), suppress(TimeLimitExceeded), inner:
        run_forever()


def test_a_thread_has_no_limit() -> None:
    ended: list[bool] = []

    def run() -> None:
        with time_limit(0.000_001):
            ended.append(sum(range(100_000)) > 0)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert ended == [True]
