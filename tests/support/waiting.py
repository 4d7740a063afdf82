"""Wait for another process, by looking, and not for longer than anything can take."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def until(look: Callable[[], Found], seconds: float = 60.0) -> Found:
    """What `look` returns once that is true. Fails when it still is not after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < deadline, f"still {found!r} after {seconds} s"
        time.sleep(0.02)
