"""Patience has an end, unless there is progress."""

from __future__ import annotations

import threading

import pytest

from sdd_hooks.models.timeouts import within


def test_what_never_ends_is_given_up_and_what_goes_on_is_not() -> None:
    never = threading.Event()
    with pytest.raises(TimeoutError, match=r"within 0\.1 s"):
        within(0.1, never.wait)
    steps = iter(range(5))
    done = threading.Event()

    def progress() -> int:
        step = next(steps, None)
        if step is None:
            done.set()
        return step or 0

    assert within(0.1, done.wait, progress)
    never.set()


def test_a_failure_is_the_callers() -> None:
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 // 0)
