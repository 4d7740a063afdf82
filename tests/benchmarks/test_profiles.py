"""A profile shows why a measure misses its limit, so each measure has one."""

from __future__ import annotations

from benchmarks.measures import MEASURES
from benchmarks.profiles import PROFILES


def test_each_measure_has_a_profile() -> None:
    assert PROFILES.keys() == MEASURES.keys()
