from __future__ import annotations

from unicodedata import category

import pytest
from hypothesis import given

from sdd_hooks.findings import Finding, ReportedFinding, Severity
from sdd_hooks.reporting.annotations import MAX_PER_LEVEL, count_left_out, render_annotations
from sdd_hooks.reporting.escape import single_line
from sdd_hooks.reporting.outcome import References, ReviewOutcome, reference_question
from tests.reporting.reviews import BASE, EVERYTHING, HEAD, RETRIES, reviews
from tests.reporting.runner import Command, read

JOINERS = "\u200c\u200d"
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
LEVELS = {"critical": "error", "warning": "warning", "info": "notice"}


def of(*findings: Finding, references: References | None = None) -> ReviewOutcome:
    """A review with these findings."""
    reported = tuple(ReportedFinding(finding, f"{at:032x}") for at, finding in enumerate(findings))
    return ReviewOutcome(BASE, HEAD, "", 1, references or References(), reported)


def only(finding: Finding) -> Command:
    """The annotation of the finding, as a runner parses it."""
    (line,) = render_annotations(of(finding))
    command = read(line)
    assert command is not None
    return command


def test_everything() -> None:
    assert render_annotations(EVERYTHING) == [
        "::error file=src/pay/client.py,line=12,title=dangling-reference"
        "::there is no ADR-0099: name one that is there",
        "::warning title=superseded-reference::ADR-0002 is superseded: name ADR-0004",
        "::warning file=docs/openspec/specs/pay/spec.md,title=spec-pair::the spec has no design.md",
        "::warning file=src/web/page.js,line=7,title=security/inner-html"
        "::markup goes in as it is: use textContent",
        "::notice file=docs/adrs/ADR-0011-retries.md,line=42"
        ",title=Should this PR reference ADR-0011? (Retries belong to the client)"
        "::Every outbound call is retried by the client, never by the caller.",
    ]


def test_a_review_without_findings() -> None:
    assert render_annotations(of()) == []
    assert count_left_out(of()) == 0


@pytest.mark.parametrize(
    "path", ["a,b:c=d%.py", "100%25.py", "a b.py", "::error::x", "title=x,line=9", "%0A%2C%3A.py"]
)
def test_a_runner_parses_the_same_path(path: str) -> None:
    command = only(Finding(path, 3, "spec-pair", "warning", "no: 50%, %0A ::error::x ##[error]x"))
    assert command.properties == {"file": path, "line": "3", "title": "spec-pair"}
    assert command.data == "no: 50%, %0A ::error::x ##[error]x"


def test_a_path_that_begins_with_an_equals_sign_keeps_it() -> None:
    assert only(Finding("=a.py", 3, "r", "info", "m")).properties["file"] == "./=a.py"


@pytest.mark.parametrize("severity", LEVELS)
def test_each_level_has_at_most_ten(severity: Severity) -> None:
    findings = [Finding("a.py", at, "r", severity, f"m{at}") for at in range(1, 26)]
    lines = render_annotations(of(*findings))
    commands = list(filter(None, map(read, lines)))
    assert [command.data for command in commands] == [
        f"m{at}" for at in range(1, MAX_PER_LEVEL + 1)
    ]
    assert {command.name for command in commands} == {LEVELS[severity]}
    assert count_left_out(of(*findings)) == 15


def test_suggestions_come_before_other_notices() -> None:
    findings = [Finding("a.py", at, "r", "info", f"m{at}") for at in range(1, 26)]
    lines = render_annotations(of(*findings, references=References((RETRIES,))))
    assert len(lines) == MAX_PER_LEVEL
    assert f"title={reference_question(RETRIES)}" in lines[0]
    assert count_left_out(of(*findings, references=References((RETRIES,)))) == 16


@given(reviews())
def test_each_line_is_one_command(review: ReviewOutcome) -> None:
    lines = render_annotations(review)
    wanted = [single_line(finding.finding.message) for finding in review.findings]
    wanted += [
        single_line(reference.shown_quote or reference.title)
        for reference in review.references.suggested
    ]
    assert len(lines) == len(wanted) - count_left_out(review)
    for line in lines:
        assert len(line.splitlines()) == 1
        assert {category(character) for character in line if character not in JOINERS}.isdisjoint(
            HIDDEN
        )
        command = read(line)
        assert command is not None
        assert command.name in LEVELS.values()
        assert set(command.properties) <= {"file", "line", "title"}
        assert command.data in wanted
