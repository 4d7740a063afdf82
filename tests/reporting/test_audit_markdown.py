"""Audits as Markdown."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given, settings

from sdd_hooks.reporting.audit_markdown import CLEAN as NO_DRIFT
from sdd_hooks.reporting.audit_markdown import MAX_ROWS
from sdd_hooks.reporting.markdown import render_markdown
from sdd_hooks.reporting.outcome import ReviewOutcome
from tests.reporting.audits import CLEAN, EVERYTHING, audits
from tests.reporting.test_markdown import LINKS

_BAR = re.compile(r"(?<!\\)\|")


def test_the_whole_report() -> None:
    assert render_markdown(EVERYTHING) == (
        "## Design Audit Report\n"
        "\n"
        "> Index was 3 hours stale — refreshed before running.\n"
        "\n"
        "Scope: `src`\\\n"
        "Analyzed: 4 ADRs, 1 spec, 12 source files\\\n"
        "Total findings: 3 (1 critical, 2 warning, 0 info)\n"
        "\n"
        "### Code vs. ADR Drift\n"
        "\n"
        "| Severity | Module | Finding | Record | Location |\n"
        "|---|---|---|---|---|\n"
        "| \\[CRITICAL\\] | api | there is no ADR-0099: name one that is there"
        " (`dangling-reference`) | ADR-0099 | `src/pay/client.py:12` |\n"
        "\n"
        "### Security Patterns\n"
        "\n"
        "| Severity | Module | Finding | Record | Location |\n"
        "|---|---|---|---|---|\n"
        "| \\[WARNING\\] |  | markup goes in as it is: use textContent (`security/inner-html`) | "
        " | `src/web/page.js:7` |\n"
        "| \\[WARNING\\] |  | the spec has no design.md (`spec-pair`) | SPEC-0001 |"
        " `docs/openspec/specs/pay/spec.md` |\n"
        "\n"
        "### Summary\n"
        "\n"
        "| Category | Critical | Warning | Info | Total |\n"
        "|---|---|---|---|---|\n"
        "| Code vs. ADR | 1 | 0 | 0 | 1 |\n"
        "| Coverage Gaps | 0 | 0 | 0 | 0 |\n"
        "| Security | 0 | 2 | 0 | 2 |\n"
        "| **Total** | **1** | **2** | **0** | **3** |\n"
        "\n"
        "### Cross-Module Summary\n"
        "\n"
        "| Module | Critical | Warning | Info | Total |\n"
        "|---|---|---|---|---|\n"
        "| api | 1 | 0 | 0 | 1 |\n"
        "| (no module) | 0 | 2 | 0 | 2 |\n"
        "\n"
        "### Coverage\n"
        "\n"
        "Of 5 records in force, code names 2, 1 state what they apply to, and 1 are never named."
        " They govern 8 of 12 source files.\n"
        "\n"
        "- ADR-0003: Timeouts\n"
        "\n"
        "### Recommended Actions\n"
        "\n"
        "1. \\[CRITICAL\\] `src/pay/client.py:12`: name one that is there (1 more finding of"
        " `lost`)\n"
        "\n"
        "### Notes\n"
        "\n"
        "- left out: 3 findings that audit.json has\n"
        "\n"
    )


def test_a_report_without_findings() -> None:
    lines = render_markdown(CLEAN).splitlines()
    assert lines[:6] == [
        "## Design Audit Report",
        "",
        "Scope: Full project\\",
        "Analyzed: 1 ADR, 0 specs, 0 source files\\",
        "Total findings: 0 (0 critical, 0 warning, 0 info)",
        "",
    ]
    assert lines[6] == NO_DRIFT
    assert "| Coverage Gaps | 0 | 0 | 0 | 0 |" in lines
    assert not any(line.startswith("### Recommended") for line in lines)


def test_places_are_linked() -> None:
    shown = render_markdown(EVERYTHING, links=LINKS)
    assert f"[`src/pay/client.py:12`]({LINKS.address('src/pay/client.py', 12)})" in shown


def test_a_long_table_is_cut() -> None:
    audit = EVERYTHING.audit
    assert audit
    category = audit.categories[0]._replace(rows=audit.categories[0].rows * (MAX_ROWS + 5))
    shown = render_markdown(
        replace(EVERYTHING, audit=audit._replace(categories=(category, *audit.categories[1:])))
    )
    assert shown.count("there is no ADR-0099") == MAX_ROWS
    assert "… and 5 more." in shown


@given(audits())
@settings(deadline=None, max_examples=15)
def test_a_table_stays_a_table_with_any_text(review: ReviewOutcome) -> None:
    lines = render_markdown(review).splitlines()
    at = 0
    while at < len(lines):
        if lines[at].startswith("|"):
            columns = len(_BAR.findall(lines[at]))
            while at < len(lines) and lines[at].startswith("|"):
                assert len(_BAR.findall(lines[at])) == columns
                at += 1
        at += 1
    total = sum(line.startswith("| \\[") for line in lines)
    assert total == len(review.findings)
