"""A limit on the time of a block of code."""

# Governing: ADR-0032 (a review ends in time)

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TimeLimitExceeded(BaseException):
    """The block did not end in time. `except Exception` does not catch it."""


@contextmanager
def time_limit(seconds: float, error: type[BaseException] = TimeLimitExceeded) -> Iterator[None]:
    """Raise `error` in the block after so many seconds of wall-clock time.

    A limit around other ones has an error that they do not catch. Uses the real-time interval timer
    of the process (setitimer(2)). Without one, in another thread than the main one, and where an
    outer limit ends earlier, this limit does not apply.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(
        signal, "setitimer"
    ):
        yield
        return
    outer, interval = signal.getitimer(signal.ITIMER_REAL)
    if 0 < outer <= seconds:
        yield
        return
    began = time.monotonic()
    is_inside = True

    def stop(_signal: int, _frame: FrameType | None) -> None:
        if is_inside:
            raise error

    handler = signal.signal(signal.SIGALRM, stop)
    # Repeated, because Python ignores an exception in a finalizer.
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)
    try:
        yield
    finally:
        is_inside = False
        rest = max(outer - (time.monotonic() - began), 0.001) if outer else 0
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler or signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, rest, interval)
