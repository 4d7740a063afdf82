"""Reports for GitLab's Code Quality: lists of messages with their lines."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from jsonschema import Draft4Validator

from sdd_hooks.findings import Finding, ReportedFinding
from sdd_hooks.reporting.codequality import render_codequality
from sdd_hooks.reporting.outcome import ReviewOutcome
from tests.reporting.reviews import BASE, EVERYTHING, HEAD, reviews


def shape(optional: dict[str, object] | None = None, **required: object) -> dict[str, object]:
    """The schema of an object with these members and no others."""
    return {
        "type": "object",
        "required": [*required],
        "additionalProperties": False,
        "properties": {**required, **(optional or {})},
    }


TEXT = {"type": "string", "minLength": 1}
LINE = {"type": "integer", "minimum": 1}
# The fields that docs.gitlab.com names as required, with their types and values.
ISSUE = shape(
    description=TEXT,
    check_name=TEXT,
    fingerprint={"type": "string"},
    severity={"enum": ["info", "minor", "major", "critical", "blocker"]},
    location=shape(path=TEXT, lines=shape(begin=LINE)),
)
ISSUES = Draft4Validator({"type": "array", "items": ISSUE})


def issues_of(review: ReviewOutcome) -> Any:
    """The entries of the report for GitLab, validated."""
    text = render_codequality(review)
    # GitLab accepts no byte order mark.
    assert text.isascii()
    found = json.loads(text)
    ISSUES.validate(found)
    return found


def reported(finding: Finding) -> ReviewOutcome:
    return ReviewOutcome(BASE, HEAD, "", 1, findings=(ReportedFinding(finding, "f"),))


QUESTION = (
    "Should this PR reference ADR-0011? (Retries belong to the client) Decision Outcome:"
    " Every outbound call is retried by the client, never by the caller."
)


def test_suggestions_and_findings_are_issues() -> None:
    suggestion, dangling, superseded, *_ = issues_of(EVERYTHING)
    assert suggestion == {
        "description": QUESTION,
        "check_name": "missing-reference",
        "fingerprint": suggestion["fingerprint"],
        "severity": "info",
        "location": {"path": "docs/adrs/ADR-0011-retries.md", "lines": {"begin": 42}},
    }
    assert dangling == {
        "description": "there is no ADR-0099: name one that is there",
        "check_name": "dangling-reference",
        "fingerprint": "f1",
        "severity": "critical",
        "location": {"path": "src/pay/client.py", "lines": {"begin": 12}},
    }
    # A finding that is in no file needs a path, too: GitLab stops at an issue without one.
    assert superseded["location"] == {"path": ".", "lines": {"begin": 1}}
    assert superseded["severity"] == "major"


def test_without_a_finding_the_list_is_empty() -> None:
    nothing = ReviewOutcome(BASE, HEAD, "", 3)
    assert render_codequality(nothing) == "[]\n"


def test_the_path_has_no_lone_surrogate() -> None:
    finding = Finding("src/\udce9.py", 1, "security", "info", "\udce9 is odd")
    (issue,) = issues_of(reported(finding))
    assert issue["location"]["path"] == "src/�.py"
    assert issue["description"] == "\\udce9 is odd"


@given(review=reviews())
@settings(deadline=None)
def test_the_report_of_any_review_is_valid(review: ReviewOutcome) -> None:
    found = issues_of(review)
    # Ruby accepts no lone surrogate.
    json.dumps(found, ensure_ascii=False).encode("utf-8")
    assert len(found) == len(review.findings) + len(review.references.suggested)
    assert found == issues_of(review)
