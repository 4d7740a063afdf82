"""Read the pipes of a program as it writes, with a time limit for each read."""

# Governing: ADR-0063 (commands run on Windows, hooks do not)

from __future__ import annotations

import os
import selectors
import threading
from collections.abc import Sequence
from typing import IO, Protocol

from sdd_hooks.system.descriptors import IS_POSIX

_BLOCK_BYTES = 1 << 16
_HANDOVER_SECONDS = 1.0

Block = tuple[int, bytes]
"""The number of a pipe, and bytes of it: b"" once, when its last writer has closed it."""


class Pipes(Protocol):
    """Open pipes, numbered as they were given to `open_pipes`."""

    def read(self, timeout: float) -> Sequence[Block]:
        """What can be read within `timeout` seconds; nothing if there is none by then."""

    def close(self) -> None:
        """Read no more. The streams stay open."""


def open_pipes(streams: Sequence[IO[bytes]]) -> Pipes:
    """Read these streams. No other reader may use them."""
    return _SelectedPipes(streams) if IS_POSIX else _ThreadedPipes(streams)


class _SelectedPipes:
    def __init__(self, streams: Sequence[IO[bytes]]) -> None:
        self._selector = selectors.DefaultSelector()
        for number, stream in enumerate(streams):
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, selectors.EVENT_READ, number)

    def close(self) -> None:
        self._selector.close()

    def read(self, timeout: float) -> Sequence[Block]:
        blocks = []
        for key, _ in self._selector.select(timeout):
            block = os.read(key.fd, _BLOCK_BYTES)
            if not block:
                self._selector.unregister(key.fileobj)
            blocks.append((key.data, block))
        return blocks


class _ThreadedPipes:
    """For Windows, which selects sockets only. A thread ends with its pipe, or with the process."""

    def __init__(self, streams: Sequence[IO[bytes]]) -> None:
        import queue

        self._none = queue.Empty
        self._blocks: queue.SimpleQueue[Block] = queue.SimpleQueue()
        for number, stream in enumerate(streams):
            threading.Thread(target=self._pass_on, args=(number, stream), daemon=True).start()

    def read(self, timeout: float) -> Sequence[Block]:
        try:
            # A thread needs a moment to pass on what has been written.
            return [self._blocks.get(timeout=max(timeout, _HANDOVER_SECONDS))]
        except self._none:
            return []

    def close(self) -> None:
        """The threads end with their pipes."""

    def _pass_on(self, number: int, stream: IO[bytes]) -> None:
        block = b"-"
        while block:
            try:
                block = os.read(stream.fileno(), _BLOCK_BYTES)
            except (OSError, ValueError):
                # Closed by the other thread, whose program has ended.
                block = b""
            self._blocks.put((number, block))
