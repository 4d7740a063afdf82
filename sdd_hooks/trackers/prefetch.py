"""Ask for the next page while this one is being written."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Sync"

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from contextlib import suppress
from queue import Empty, Full, Queue
from typing import TypeVar

_T = TypeVar("_T")

_LOOK = 0.1


class _End:
    """The iterator came to its end, or to an error."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def ahead(items: Iterator[_T], room: int = 1) -> Generator[_T, None, None]:
    """The same items, made in a thread that is at most `room` ahead of who takes them.

    What making them raises is raised here. When nobody takes any more, the thread ends after the
    item it is at, and nothing waits for that.
    """
    waiting: Queue[_T | _End] = Queue(room)
    abandoned = threading.Event()

    def put(item: _T | _End) -> None:
        while not abandoned.is_set():
            with suppress(Full):
                waiting.put(item, timeout=_LOOK)
                return

    def make() -> None:
        end = _End()
        try:
            for item in items:
                put(item)
                if abandoned.is_set():
                    return
        except BaseException as error:
            end = _End(error)
        put(end)

    thread = threading.Thread(target=make, name="sdd-pages", daemon=True)
    thread.start()
    try:
        while True:
            try:
                # With a limit, so that Ctrl-C is heard.
                item = waiting.get(timeout=1.0)
            except Empty:
                continue
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item
    finally:
        abandoned.set()
