"""A clock for tests that advances when the code sleeps, and when the test says so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class FakeClock:
    """A clock with its `sleep`. `slept` are the seconds of each sleep, `alarms` of each alarm."""

    now: float = 1_800_000_000.0
    slept: list[float] = field(default_factory=list)
    alarms: list[float] = field(default_factory=list)
    _alarms: dict[int, tuple[float, Callable[[], None]]] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def clock(self) -> float:
        """Return the time in epoch seconds."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Advance the clock."""
        self.slept.append(seconds)
        self.now += seconds

    def alarm(self, seconds: float, action: Callable[[], None]) -> Callable[[], object]:
        """Call `action` when the clock has advanced by `seconds`. Returns what cancels it."""
        with self._lock:
            self.alarms.append(seconds)
            number = len(self.alarms)
            self._alarms[number] = (self.now + seconds, action)
        return lambda: self._cancel(number)

    def _cancel(self, number: int) -> None:
        with self._lock:
            self._alarms.pop(number, None)

    def pending(self) -> list[float]:
        """The seconds of each alarm that is set now."""
        with self._lock:
            return [self.alarms[number - 1] for number in self._alarms]

    def advance(self, seconds: float) -> None:
        """Advance the clock, and call what is due."""
        with self._lock:
            self.now += seconds
            due = [number for number, (at, _) in self._alarms.items() if at <= self.now]
            actions = [self._alarms.pop(number)[1] for number in due]
        for action in actions:
            action()
