"""A clock for tests that advances only when the code sleeps."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class FakeClock:
    """A clock with its `sleep`. `slept` are the seconds of each sleep."""

    now: float = 1_800_000_000.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        """Return the time in epoch seconds."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Advance the clock."""
        self.slept.append(seconds)
        self.now += seconds
