"""The clock that a refresh compares with the times of files."""

from __future__ import annotations

import time

from sdd_hooks.freshness.index_changes import file_time


def wait_for_file_clock() -> None:
    """Wait until a refresh knows that the files written so far do not change during it.

    The times of files may be finer than the clock, which ticks every 10 ms at least.
    """
    written = time.time()
    while file_time() <= written:
        pass
