"""How fast embedding goes on this machine, learned from embeds that were really done here."""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Estimates"

from __future__ import annotations

import math
from collections.abc import Mapping

from sdd_hooks.system.user_cache import recall, remember

NAME = "embed-rates"

ENOUGH = 16
"""Chunks below which loading the model is most of what was measured."""

_MOST_KEPT = 50

# A year, in seconds: what takes longer was not measured here.
_LONGEST = 31_536_000


def record(
    engine: str,
    model: str,
    device: str,
    chunks: int,
    seconds: float,
    environ: Mapping[str, str],
) -> None:
    """Remember that embedding `chunks` took `seconds`. Too few of them say nothing."""
    if chunks < ENOUGH or not seconds > 0:
        return
    known = recall(NAME, environ)
    key = _key(engine, model, device)
    known.pop(key, None)
    kept = dict(list(known.items())[1 - _MOST_KEPT :])
    remember(NAME, {**kept, key: seconds / chunks}, environ)


def estimate(
    engine: str, model: str, device: str, chunks: int, environ: Mapping[str, str]
) -> int | None:
    """Seconds (at least 1) that embedding `chunks` would take here.

    None where that was never measured.
    """
    rate = recall(NAME, environ).get(_key(engine, model, device))
    if isinstance(rate, bool) or not isinstance(rate, (int, float)):
        return None
    seconds = rate * chunks
    return max(math.ceil(seconds), 1) if 0 < seconds < _LONGEST else None


def _key(engine: str, model: str, device: str) -> str:
    return f"{engine} {device} {model}"
