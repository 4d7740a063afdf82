"""Where an embed runs, and whether a change is followed by one: rules, and nothing else."""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Mode", REQ "Backfill"

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from sdd_hooks.config.settings import FreshnessSettings

Choice = Literal["", "foreground", "skip"]
"""What somebody asked for; "" is nothing in particular."""

Mode = Literal["foreground", "background", "skip"]


def mode_of(device: str, choice: Choice, *, ci: bool) -> Mode:
    """How an embed on `device` is done.

    On anything but a CPU it is soon over. A runner of CI ends what its job leaves behind.
    """
    if choice:
        return choice
    return "background" if device == "cpu" and not ci else "foreground"


def in_ci(environ: Mapping[str, str]) -> bool:
    """Whether this environment is a CI service's, which all of them say by `CI`."""
    return environ.get("CI", "").lower() not in {"", "0", "false"}


def worth_a_backfill(
    settings: FreshnessSettings, changed: int, *, ci: bool, load: float | None
) -> bool:
    """Whether a mutation of `changed` documents may be followed by an embed of what it made.

    `load` is the load average for each core; None, where nobody knows it, counts as busy.
    """
    if not settings.backfill or ci or load is None:
        return False
    # A document is a chunk or more.
    return 0 < changed <= settings.backfill_limit and load < settings.backfill_load
