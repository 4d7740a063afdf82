"""The report of a check in Markdown."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from sdd_hooks.findings import INCOMPLETE, Finding, ReportedFinding, incomplete_finding
from sdd_hooks.reporting.comment import render_comment
from sdd_hooks.reporting.markdown import render_markdown
from sdd_hooks.reporting.outcome import CheckedTree, ReviewOutcome, findings_by_module
from sdd_hooks.reporting.terminal import render_terminal
from sdd_hooks.reporting.tree_markdown import MAX_ROWS
from tests.reporting.reviews import EVERYTHING, reviews

TREE = CheckedTree(
    "check", "services", ("Index was 3 hours stale — refreshed before running.",), (("api", "API"),)
)


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
