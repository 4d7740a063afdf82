"""Where an embed runs, and when a change is followed by one."""

from __future__ import annotations

import pytest

from sdd_hooks.config.settings import FreshnessSettings
from sdd_hooks.embedding.policy import Choice, in_ci, mode_of, worth_a_backfill

SETTINGS = FreshnessSettings(backfill=True, backfill_limit=10, backfill_load=0.5)


@pytest.mark.parametrize(
    ("device", "choice", "ci", "mode"),
    [
        ("cpu", "", False, "background"),
        ("cpu", "", True, "foreground"),
        ("cpu", "foreground", False, "foreground"),
        ("cpu", "skip", False, "skip"),
        ("cuda", "", False, "foreground"),
        ("metal", "", True, "foreground"),
        ("vulkan", "", False, "foreground"),
        ("remote", "", False, "foreground"),
        ("cuda", "skip", True, "skip"),
    ],
)
def test_the_device_decides_where_nobody_has(
    device: str, choice: Choice, ci: bool, mode: str
) -> None:
    assert mode_of(device, choice, ci=ci) == mode


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("true", True),
        ("1", True),
        ("woodpecker", True),
        ("", False),
        ("0", False),
        ("False", False),
    ],
)
def test_ci_says_so(value: str, found: bool) -> None:
    assert in_ci({"CI": value}) == found
    assert not in_ci({})


@pytest.mark.parametrize(
    ("changed", "ci", "load", "wanted"),
    [
        (1, False, 0.0, True),
        (10, False, 0.49, True),
        (0, False, 0.0, False),
        (11, False, 0.0, False),
        (1, True, 0.0, False),
        (1, False, 0.5, False),
        (1, False, None, False),
    ],
)
def test_a_small_change_on_an_idle_machine_is_worth_a_backfill(
    changed: int, ci: bool, load: float | None, wanted: bool
) -> None:
    assert worth_a_backfill(SETTINGS, changed, ci=ci, load=load) == wanted


def test_a_backfill_can_be_turned_off() -> None:
    assert not worth_a_backfill(FreshnessSettings(backfill=False), 1, ci=False, load=0.0)
