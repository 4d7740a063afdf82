"""Waiting for what may never answer, for so long and no longer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

_Result = TypeVar("_Result")


def within(
    seconds: float, work: Callable[[], _Result], progress: Callable[[], int] = lambda: 0
) -> _Result:
    """What `work` returns or raises, or TimeoutError after so long without progress: a name that
    resolves to silence is waited for once per address, which no time-out of the client bounds."""
    result: list[_Result] = []
    failure: list[Exception] = []

    def run() -> None:
        try:
            result.append(work())
        except Exception as error:
            failure.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    seen, waited, step = progress(), 0.0, min(seconds, 1.0)
    while thread.is_alive() and waited < seconds:
        thread.join(min(step, seconds - waited))
        waited += step
        if progress() != seen:
            seen, waited = progress(), 0.0
    if failure:
        raise failure[0]
    if not result:
        raise TimeoutError(f"no answer within {seconds:.1f} s")
    return result[0]
