"""Run calls one after another in the main thread, while another thread speaks the protocol.

Time limits use the timer of the process, whose signal only the main thread receives.
"""

# Governing: ADR-0057 (five tools that carry decisions), ADR-0032 (a review ends in time)

from __future__ import annotations

import queue
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_Task = tuple[Future[Any], Callable[[], Any]]


class MainThreadExecutor(Executor):
    """An executor whose tasks run in the thread that calls `work`."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()

    def submit(
        self,
        fn: Callable[Parameters, Result],
        /,
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Future[Result]:
        """Add a task. Its future can be cancelled until the task begins."""
        future: Future[Result] = Future()
        self._tasks.put((future, lambda: fn(*args, **kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """End `work` after the tasks that were added before."""
        self._tasks.put(None)

    def work(self) -> None:
        """Run tasks until `shutdown`. Raises what ends the process, such as KeyboardInterrupt."""
        while (task := self._tasks.get()) is not None:
            future, function = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function())
            except Exception as error:
                future.set_exception(error)
