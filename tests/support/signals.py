"""The signals of processes that a test starts, and the end of these processes."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

Text = TypeVar("Text", str, bytes)


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


@contextmanager
def killed_on_failure(process: subprocess.Popen[Text]) -> Iterator[None]:
    """Wait for a process after the block, as its own `with` does, but kill it if the block raises.

    A process that does not end is a test that fails, and not a run of the tests that hangs.
    """
    with process:
        try:
            yield
        except BaseException:
            process.kill()
            raise
