"""Call a function with a timeout."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

_Result = TypeVar("_Result")


def call_with_timeout(
    seconds: float, function: Callable[[], _Result], progress: Callable[[], int] = lambda: 0
) -> _Result:
    """Call `function` in a thread, and return its result or raise its exception.

    Raises TimeoutError when it does not end within `seconds` after the last change of the value of
    `progress`. Timeouts of HTTP clients do not cover DNS, which may wait once for each address.
    """
    results: list[_Result] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(function())
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    last, waited, step = progress(), 0.0, min(seconds, 1.0)
    while thread.is_alive() and waited < seconds:
        thread.join(min(step, seconds - waited))
        waited += step
        if progress() != last:
            last, waited = progress(), 0.0
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"no answer within {seconds:.1f} s")
    return results[0]
