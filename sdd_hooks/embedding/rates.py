"""How fast embedding is on this machine, measured by the embeds that ran on it."""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Estimates"

from __future__ import annotations

import math
from collections.abc import Mapping

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.user_cache import read_cached, write_cached

NAME = "embed-rates"

MIN_CHUNKS = 16
"""Below this many chunks, most of the measured time goes into loading the model."""

_MAX_RATES = 50

_USUAL_RATE = 0.2
"""Seconds a chunk of 500 tokens takes a small model on two cores."""

# A year. A longer estimate comes from a damaged cache file.
_MAX_SECONDS = 31_536_000


class RateKey(NamedTuple):
    """What the rate of an embed depends on."""

    engine: str
    model: str
    device: str

    def __str__(self) -> str:
        return f"{self.engine} {self.device} {self.model}"


def record_rate(key: RateKey, chunks: int, seconds: float, environ: Mapping[str, str]) -> None:
    """Store that embedding `chunks` took `seconds`. Fewer than `MIN_CHUNKS` are not stored."""
    if chunks < MIN_CHUNKS or not seconds > 0:
        return
    rates = read_cached(NAME, environ)
    rates.pop(str(key), None)
    kept = dict(list(rates.items())[1 - _MAX_RATES :])
    write_cached(NAME, {**kept, str(key): seconds / chunks}, environ)


def estimate_seconds(key: RateKey, chunks: int, environ: Mapping[str, str]) -> int | None:
    """How many seconds (at least 1) embedding `chunks` would take; None when never measured."""
    return _seconds_at(read_cached(NAME, environ).get(str(key)), chunks)


def _seconds_at(rate: object, chunks: int) -> int | None:
    if isinstance(rate, bool) or not isinstance(rate, (int, float)):
        return None
    return _whole_seconds(rate * chunks)


def estimate_on_machine(engine: str, chunks: int, environ: Mapping[str, str]) -> int:
    """How many seconds (at least 1) embedding `chunks` takes here, without a look at the device.

    The last embed of this engine on this machine is the measure; without one, the usual rate.
    """
    rates = read_cached(NAME, environ)
    last = next((key for key in reversed(rates) if key.startswith(f"{engine} ")), "")
    return _seconds_at(rates.get(last), chunks) or _whole_seconds(_USUAL_RATE * chunks) or 1


def remaining_seconds(done: int, total: int, elapsed: float) -> int | None:
    """How many seconds (at least 1) a run needs that did `done` of `total` in `elapsed` seconds.

    None when nothing or everything is done.
    """
    return _whole_seconds(elapsed / done * (total - done)) if done > 0 else None


def _whole_seconds(seconds: float) -> int | None:
    return max(math.ceil(seconds), 1) if 0 < seconds < _MAX_SECONDS else None
