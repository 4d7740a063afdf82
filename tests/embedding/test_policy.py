"""Where an embed runs, and when one follows a change."""

from __future__ import annotations

import pytest

from sdd_hooks.config.settings import FreshnessSettings
from sdd_hooks.embedding.policy import ModeChoice, allows_backfill, in_ci, select_mode

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
def test_the_device_selects_the_mode_unless_the_caller_does(
    device: str, choice: ModeChoice, ci: bool, mode: str
) -> None:
    assert select_mode(device, choice, ci=ci) == mode


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
def test_ci_is_recognised_by_its_variable(value: str, found: bool) -> None:
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
def test_a_small_change_on_an_idle_machine_gets_a_backfill(
    changed: int, ci: bool, load: float | None, wanted: bool
) -> None:
    assert allows_backfill(SETTINGS, changed, ci=ci, load=load) == wanted


def test_the_settings_turn_backfills_off() -> None:
    assert not allows_backfill(FreshnessSettings(backfill=False), 1, ci=False, load=0.0)
