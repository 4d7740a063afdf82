"""The rules by which an index is scanned again, and the texts about it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.settings import FreshnessSettings
from sdd_hooks.engines.protocol import Counts
from sdd_hooks.freshness import tiers

NOW = 1_800_000_000.0
DEFAULTS = FreshnessSettings()

Rule = Callable[[float, float | None, FreshnessSettings], bool]

RULES = [
    pytest.param(tiers.scan_is_due, 60.0, "prime_interval", id="tier 2"),
    pytest.param(tiers.is_stale, 7200.0, "staleness_threshold", id="tier 3"),
    pytest.param(tiers.sync_is_due, 300.0, "issues_interval", id="tier 4"),
]


@pytest.mark.parametrize(("rule", "interval", "setting"), RULES)
def test_a_rule_is_due_after_more_than_its_interval(
    rule: Rule, interval: float, setting: str
) -> None:
    assert getattr(DEFAULTS, setting) == interval
    for since, due in (
        (NOW, False),
        (NOW - 1, False),
        (NOW - interval + 0.001, False),
        (NOW - interval, False),
        (NOW - interval - 0.001, True),
        (NOW - 10 * interval, True),
        (None, True),
        # A wrong clock, and forged times.
        (NOW + 0.001, True),
        (NOW + 10 * interval, True),
        (-1.0, True),
        (math.nan, True),
        (math.inf, True),
        (-math.inf, True),
    ):
        assert rule(NOW, since, DEFAULTS) is due, since


@pytest.mark.parametrize(("rule", "interval", "setting"), RULES)
def test_the_interval_is_the_configured_one(rule: Rule, interval: float, setting: str) -> None:
    for chosen in (0.0, interval / 2, 3 * interval):
        settings = FreshnessSettings(**{setting: chosen})
        assert not rule(NOW, NOW - chosen, settings)
        assert rule(NOW, NOW - chosen - 1, settings)
        others = FreshnessSettings(
            **{
                name: chosen
                for name in ("staleness_threshold", "prime_interval", "issues_interval")
                if name != setting
            }
        )
        assert not rule(NOW, NOW - interval, others)
        assert rule(NOW, NOW - interval - 1, others)


TIMES = st.one_of(st.none(), st.floats(), st.floats(0, 4e9))


@given(now=st.floats(0, 4e9), since=TIMES, interval=st.floats(0, 1e9))
def test_due_means_older_than_the_interval_or_of_no_known_age(
    now: float, since: float | None, interval: float
) -> None:
    age = tiers.age(now, since)
    assert age is None or age >= 0
    settings = FreshnessSettings(interval, interval, interval)
    for rule in (tiers.scan_is_due, tiers.is_stale, tiers.sync_is_due):
        assert rule(now, since, settings) is (age is None or age > interval)


@given(now=st.floats(0, 4e9), since=TIMES)
def test_the_note_about_an_age_is_one_short_line(now: float, since: float | None) -> None:
    note = tiers.stale_note(tiers.age(now, since))
    if note is None:
        assert since is None or not 0 <= since <= now
    else:
        shape = (
            r"Index was (1|[0-9]+) (second|minute|hour|day)s? stale — refreshed before running\."
        )
        assert re.fullmatch(shape, note)


# The texts


def test_the_warning_about_a_failed_refresh() -> None:
    assert (
        tiers.failed_refresh_warning(["shop-adrs"])
        == "Index refresh failed for shop-adrs — run `sdd index update` manually"
    )
    assert (
        tiers.failed_refresh_warning(["shop-code", "shop-issues"])
        == "Index refresh failed for shop-code, shop-issues — run `sdd index update` manually"
    )
    note = tiers.failed_refresh_warning([f"shop-{number}-adrs" for number in range(1, 100)])
    assert "shop-8-adrs and 91 more — run" in note
    assert len(note) < 200


def test_the_note_about_a_refresh() -> None:
    assert (
        tiers.refreshed_note(Counts(added=1, updated=20, removed=0, unchanged=7))
        == "Refreshed index (1 added, 20 updated, 0 removed across all collections)"
    )
    assert tiers.refreshed_note(Counts(unchanged=7)) is None


def test_the_note_about_unembedded_chunks() -> None:
    assert tiers.unembedded_note(12, 3) == (
        "12 chunks unembedded — run `sdd index embed` (≈3s on this machine, foreground;"
        " or wait for the next mutation command to backfill)"
    )
    assert tiers.unembedded_note(0, 3) is None


def test_the_note_about_a_stale_index() -> None:
    assert tiers.stale_note(3 * 3600.0) == "Index was 3 hours stale — refreshed before running."
    assert tiers.stale_note(31 * 60.0) == "Index was 31 minutes stale — refreshed before running."
    assert tiers.stale_note(None) is None


def test_the_texts_about_a_sync() -> None:
    assert tiers.syncing_note(14, "GitHub") == "Syncing 14 issues from GitHub…"
    assert tiers.syncing_note(0, "GitHub") == "Syncing 0 issues from GitHub…"
    assert tiers.syncing_note(None, "GitHub") == "Syncing issues from GitHub…"
    assert (
        tiers.DEGRADED_WARNING
        == "Issues sync failed — degrading to live tracker queries for this run"
    )
    assert (
        tiers.sync_skipped_line(90, "GitHub")
        == "issues sync skipped: GitHub was synced 90 seconds ago"
    )
