"""The reports of checks and audits in Markdown."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given, settings

from sdd_hooks.findings import INCOMPLETE, Finding, ReportedFinding, incomplete_finding
from sdd_hooks.reporting.comment import render_comment
from sdd_hooks.reporting.markdown import render_markdown
from sdd_hooks.reporting.outcome import CheckedTree, ReviewOutcome, findings_by_module
from sdd_hooks.reporting.terminal import render_terminal
from sdd_hooks.reporting.whole_tree_markdown import CLEAN as NO_DRIFT
from sdd_hooks.reporting.whole_tree_markdown import MAX_ROWS
from tests.reporting.audits import CLEAN, audits
from tests.reporting.audits import EVERYTHING as AUDIT
from tests.reporting.reviews import EVERYTHING, reviews
from tests.reporting.test_markdown import LINKS

TREE = CheckedTree(
    "check", "services", ("Index was 3 hours stale — refreshed before running.",), (("api", "API"),)
)

_BAR = re.compile(r"(?<!\\)\|")


def test_the_parts_of_the_report() -> None:
    shown = render_markdown(replace(EVERYTHING, base="", head="", title="", tree=TREE))
    lines = shown.splitlines()
    assert lines[0] == "## Check of `services`"
    assert lines[2] == "> Index was 3 hours stale — refreshed before running."
    assert "| ❌ critical | there is no ADR-0099: name one that is there | " in shown
    assert "| Repository | 1 | 3 | 0 |" in lines
    assert (
        "- Begin with `src/pay/client.py:12`: there is no ADR-0099: name one that is there" in lines
    )
    assert "<details><summary>3 records read in full</summary>" in lines
    assert "<details><summary>1 suppressed</summary>" in lines
    assert lines.index("### Summary") < lines.index("### Suggestion")


def test_without_findings() -> None:
    shown = render_markdown(ReviewOutcome("", "", "", 2, tree=TREE._replace(target="")))
    assert shown.startswith("## Check of the repository\n")
    assert "✅ No finding in 2 files.\n" in shown
    assert "Suggestion" not in shown


def test_a_module_is_found_by_its_innermost_root() -> None:
    tree = TREE._replace(modules=(("api", "API"), ("api/v2", "V2")))
    findings = tuple(
        ReportedFinding(Finding(path, 1, "r", "info", path), path)
        for path in ("api/a", "api/v2/b", "apis/c", "")
    )
    groups = findings_by_module(ReviewOutcome("", "", "", 1, findings=findings, tree=tree), tree)
    assert {name: [one.path for one in found] for name, found in groups.items()} == {
        "": ["apis/c", ""],
        "API": ["api/a"],
        "V2": ["api/v2/b"],
    }


def test_a_long_table_is_cut() -> None:
    many = tuple(
        ReportedFinding(Finding("a", number, "r", "info", "m"), str(number))
        for number in range(1, MAX_ROWS + 3)
    )
    shown = render_markdown(ReviewOutcome("", "", "", 1, findings=many, tree=TREE))
    assert shown.count("| ℹ️ info |") == MAX_ROWS
    assert "\n2 more are in `--format json`.\n" in shown


def test_a_comment_of_a_check_is_not_that_of_a_review() -> None:
    checked = replace(EVERYTHING, tree=TREE)
    assert render_comment(checked).startswith("<!-- sdd-check -->\n")
    assert render_comment(checked, key="a").startswith("<!-- sdd-check (a) -->\n")
    assert render_comment(EVERYTHING).startswith("<!-- sdd-review -->\n")


@given(reviews())
def test_no_line_begins_with_untrusted_text(review: ReviewOutcome) -> None:
    shown = render_markdown(replace(review, tree=TREE))
    starts = ("#", "> Index", "|", "- ", "<details>", "</details>", "✅")
    for line in shown.split("\n"):
        assert not line or line.startswith(starts) or line[0].isdigit(), line
        if line.startswith("| ") and "| --- |" not in line:
            assert line.count(" | ") == 3, line


@given(reviews())
def test_a_terminal_shows_the_first_step(review: ReviewOutcome) -> None:
    shown = render_terminal(replace(review, tree=TREE), width=80, colour=False)
    assert shown.startswith("Index was 3 hours stale")
    defects = [one for one in review.findings if one.finding.rule != INCOMPLETE]
    assert ("\nBegin with" in shown) == bool(defects)
    assert "\x1b" not in shown


def test_nothing_begins_with_what_was_not_checked() -> None:
    """A check that was stopped is no defect to mend, however severe."""
    reason = "the time was up: check fewer files"
    stopped = ReportedFinding(incomplete_finding(reason, "critical"), "a")
    defect = Finding("a.py", 3, "dead-link", "info", "no such file: name another")
    for findings, first in (((stopped, ReportedFinding(defect, "b")), "a.py"), ((stopped,), None)):
        review = replace(EVERYTHING, tree=TREE, findings=findings)
        lines = [*render_markdown(review).splitlines()]
        lines += render_terminal(review, width=80, colour=False).splitlines()
        begun = [line for line in lines if "Begin with" in line]
        assert len(begun) == (2 if first else 0)
        assert all(first and first in line for line in begun)


def test_the_whole_report() -> None:
    assert render_markdown(AUDIT) == (
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
        "Of 5 records in force, code names 2, 1 name code, 0 both, and 1 neither."
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
    shown = render_markdown(AUDIT, links=LINKS)
    assert f"[`src/pay/client.py:12`]({LINKS.address('src/pay/client.py', 12)})" in shown


def test_a_long_table_of_an_audit_is_cut() -> None:
    audit = AUDIT.audit
    assert audit
    category = audit.categories[0]._replace(rows=audit.categories[0].rows * (MAX_ROWS + 5))
    shown = render_markdown(
        replace(AUDIT, audit=audit._replace(categories=(category, *audit.categories[1:])))
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
