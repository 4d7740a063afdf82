"""Where an embed runs, and whether one follows a change: rules without effects."""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Mode", REQ "Backfill"

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from sdd_hooks.config.settings import FreshnessSettings

ModeChoice = Literal["", "foreground", "skip"]
"""The mode that the caller requests; "" leaves it to `select_mode`."""

Mode = Literal["foreground", "background", "skip"]


def select_mode(device: str, choice: ModeChoice, *, ci: bool) -> Mode:
    """The mode of an embed on `device`.

    Only a CPU is slow enough for the background. In CI everything runs in the foreground, because
    a runner kills the processes that its job leaves behind.
    """
    if choice:
        return choice
    return "background" if device == "cpu" and not ci else "foreground"


def in_ci(environ: Mapping[str, str]) -> bool:
    """Whether this is the environment of a CI job: every CI service sets `CI`."""
    return environ.get("CI", "").lower() not in {"", "0", "false"}


def allows_backfill(
    settings: FreshnessSettings, changed: int, *, ci: bool, load: float | None
) -> bool:
    """Whether an embed may follow a change of `changed` documents.

    `load` is the load average per core; None, when it is unknown, counts as busy.
    """
    if not settings.backfill or ci or load is None:
        return False
    # A document has at least one chunk.
    return 0 < changed <= settings.backfill_limit and load < settings.backfill_load
