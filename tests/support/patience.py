"""Time that passes only when somebody waits for it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Waiting:
    """A clock and a way to sleep that belong together. `slept` are the seconds of each wait."""

    now: float = 1_800_000_000.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        """Epoch seconds."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let them pass."""
        self.slept.append(seconds)
        self.now += seconds
