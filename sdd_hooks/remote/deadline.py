"""The end of a request after a number of seconds in all, however slowly its response arrives.

A timeout of the HTTP library begins again with every byte, and cannot end a response that arrives
byte by byte, or answers of 1xx without an end. An alarm shuts the socket of the request instead.
"""

# Governing: SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

Alarm = Callable[[float, Callable[[], None]], Callable[[], object]]
"""Calls a function after that many seconds, in any thread. Returns a function that cancels it."""


def timer_alarm(seconds: float, action: Callable[[], None]) -> Callable[[], object]:
    """The alarm of a thread that waits."""
    timer = threading.Timer(seconds, action)
    timer.daemon = True
    timer.start()
    return timer.cancel


class ConnectionWatch:
    """Knows the socket of the connections that one thread at a time uses, and can shut it.

    `alarm` ends requests. A request whose headers are not there `head_seconds` after the client
    began to wait for them is ended, too.
    """

    def __init__(self, alarm: Alarm, head_seconds: float) -> None:
        self._lock = threading.Lock()
        self._alarm = alarm
        self._head_seconds = head_seconds
        self._stream: Any = None
        self._request = 0
        self._is_over = False
        self._cancel_head: Callable[[], object] | None = None

    def on_event(self, name: str, info: Mapping[str, Any]) -> None:
        """Note a new connection, and the wait for headers: httpx calls this as its `trace`."""
        if name.endswith(".receive_response_headers.started"):
            self._stop_head()
            self._cancel_head = self._alarm(self._head_seconds, self._end_of(self._request))
        elif ".receive_response_headers." in name:
            self._stop_head()
        stream = info.get("return_value")
        if name.endswith(".complete") and hasattr(stream, "get_extra_info"):
            with self._lock:
                self._stream = stream
                if self._is_over:
                    self._shut()

    @contextmanager
    def limit(self, seconds: float) -> Iterator[Callable[[], bool]]:
        """End the request in this block after `seconds`. Yields whether it was ended."""
        with self._lock:
            self._request += 1
            self._is_over = False
        cancel = self._alarm(seconds, self._end_of(self._request))
        try:
            yield lambda: self._is_over
        finally:
            cancel()
            self._stop_head()
            with self._lock:
                self._request += 1

    def _end_of(self, request: int) -> Callable[[], None]:
        """What ends this request, and no later one."""

        def end() -> None:
            with self._lock:
                if self._request == request:
                    self._is_over = True
                    self._shut()

        return end

    def _stop_head(self) -> None:
        """Cancel the alarm of the headers, if one is set."""
        if self._cancel_head is not None:
            self._cancel_head()
            self._cancel_head = None

    def _shut(self) -> None:
        shut = self._stream.get_extra_info("socket") if self._stream is not None else None
        if isinstance(shut, socket.socket):
            # The method of a TLS socket would let the reading thread go on in plain text.
            with suppress(OSError):
                socket.socket.shutdown(shut, socket.SHUT_RDWR)
