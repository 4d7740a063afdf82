"""Wait for another process by polling."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

TIMEOUT = 300.0
"""Seconds. A machine that is ten times slower than a laptop still passes."""


def until(condition: Callable[[], Result], timeout: float = TIMEOUT) -> Result:
    """Call `condition` until its result is true, and return it. Fails after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        result = condition()
        if result:
            return result
        assert time.monotonic() < deadline, f"still {result!r} after {timeout} s"
        time.sleep(0.02)
