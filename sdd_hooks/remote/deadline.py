"""The end of a request after a number of seconds in all, however slowly its response arrives.

A timeout of the HTTP library begins again with every byte, and cannot end a response that arrives
byte by byte, or answers of 1xx without an end. An alarm shuts the socket of the request instead.
"""

# Governing: SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

Alarm = Callable[[float, Callable[[], None]], Callable[[], object]]
"""Calls a function after that many seconds, in any thread. Returns a function that cancels it."""


class AlarmClock:
    """Calls functions when they are due. One thread waits for all of them, while there are any.

    Each request has two alarms, and starting a thread for one takes a tenth of a request.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._alarms: dict[object, tuple[float, Callable[[], None]]] = {}
        self._wakes_at = 0.0
        self._thread: threading.Thread | None = None

    def alarm(self, seconds: float, action: Callable[[], None]) -> Callable[[], object]:
        """Call `action` after that many seconds, in the thread. Returns what cancels it."""
        key = object()
        due = time.monotonic() + seconds
        with self._changed:
            self._alarms[key] = (due, action)
            # In a process that was forked there is the object, but no thread.
            if self._thread is None or not self._thread.is_alive():
                self._wakes_at = due
                self._thread = threading.Thread(target=self._run, name="sdd-alarms", daemon=True)
                self._thread.start()
            elif due < self._wakes_at:
                self._wakes_at = due
                self._changed.notify()
        return lambda: self._cancel(key)

    def _cancel(self, key: object) -> None:
        # The thread wakes up for nothing at most once in the time of an alarm.
        with self._changed:
            self._alarms.pop(key, None)

    def _run(self) -> None:
        while actions := self._wait():
            for action in actions:
                action()

    def _wait(self) -> list[Callable[[], None]]:
        """Wait until alarms are due, and return their actions; none if no alarm is left."""
        with self._changed:
            while self._alarms:
                now = time.monotonic()
                due = [key for key, (at, _) in self._alarms.items() if at <= now]
                if due:
                    return [self._alarms.pop(key)[1] for key in due]
                self._wakes_at = min(at for at, _ in self._alarms.values())
                self._changed.wait(self._wakes_at - now)
            self._thread = None
            return []


timer_alarm: Alarm = AlarmClock().alarm
"""The alarm of this process."""


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
