"""The signals of processes that a test starts."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def default_signals() -> Iterator[None]:
    """A process that starts inside the block ignores neither SIGHUP nor SIGINT.

    It would inherit that from `nohup`, or from a shell that started the tests with `&`.
    """
    replaced = {}
    for number in (signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(number) == signal.SIG_IGN:
            replaced[number] = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
