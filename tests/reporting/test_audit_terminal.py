"""Audits on a terminal."""

from __future__ import annotations

from hypothesis import given, settings

from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.terminal import render_terminal
from tests.reporting.audits import CLEAN, EVERYTHING, audits


def test_the_parts_around_the_findings() -> None:
    shown = render_terminal(EVERYTHING, width=80, colour=False)
    assert shown.startswith(
        "audit of src\n"
        "  Index was 3 hours stale — refreshed before running.\n"
        "  4 ADRs, 1 spec, 12 source files\n"
        "\n"
        "critical (1)\n"
    )
    assert shown.endswith(
        "summary\n"
        "  category       critical  warning  info  total\n"
        "  Code vs. ADR          1        0     0      1\n"
        "  Coverage Gaps         0        0     0      0\n"
        "  Security              0        2     0      2\n"
        "  total                 1        2     0      3\n"
        "\n"
        "modules\n"
        "  module       critical  warning  info  total\n"
        "  api                 1        0     0      1\n"
        "  (no module)         0        2     0      2\n"
        "  total               1        2     0      3\n"
        "\n"
        "coverage\n"
        "  code names 2 of 5 records in force, 1 state what they apply to, 1 are never\n"
        "    named; they govern 8 of 12 source files\n"
        "  never named: ADR-0003\n"
        "\n"
        "recommended actions\n"
        "  1. [critical] src/pay/client.py:12: name one that is there (1 more finding\n"
        "    of lost)\n"
        "\n"
        "1 critical, 2 warnings in 14 files\n"
        "\n"
        "note: left out: 3 findings that audit.json has\n"
    )


def test_a_report_without_findings() -> None:
    shown = render_terminal(CLEAN, width=0, colour=False)
    assert shown.startswith(
        "audit of the whole repository\n  1 ADR, 0 specs, 0 source files\n"
        "  No drift detected. All implementation aligns with governing ADRs and specs.\n"
    )


@given(audits())
@settings(deadline=None, max_examples=15)
def test_any_text_is_printable(review: ReviewOutcome) -> None:
    for line in render_terminal(review, width=60, colour=False).split("\n"):
        assert "\x1b" not in line
        assert line.isprintable() or not line.isascii()
