"""A call times out unless it makes progress."""

from __future__ import annotations

import threading

import pytest

from sdd_hooks.models.timeouts import call_with_timeout
from tests.support.waiting import TIMEOUT


def test_a_call_times_out_without_progress() -> None:
    never = threading.Event()
    with pytest.raises(TimeoutError, match=r"within 0\.1 s"):
        call_with_timeout(0.1, never.wait)
    steps = iter(range(5))
    done = threading.Event()

    def progress() -> int:
        step = next(steps, None)
        if step is None:
            done.set()
        return step or 0

    assert call_with_timeout(0.1, done.wait, progress)
    never.set()


def test_an_exception_is_raised_in_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        call_with_timeout(TIMEOUT, lambda: 1 // 0)
