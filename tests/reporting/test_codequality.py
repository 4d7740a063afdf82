"""Reports for GitLab's Code Quality."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from jsonschema import Draft4Validator

from sdd_hooks.findings import Finding, ReportedFinding
from sdd_hooks.reporting.codequality import render_codequality
from sdd_hooks.reporting.outcome import ReviewOutcome
from tests.reporting.reviews import BASE, EVERYTHING, HEAD, reviews

# The fields that docs.gitlab.com names as required, with their types and values.
ISSUES = Draft4Validator(
    {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["description", "check_name", "fingerprint", "severity", "location"],
            "properties": {
                "description": {"type": "string", "minLength": 1},
                "check_name": {"type": "string", "minLength": 1},
                "fingerprint": {"type": "string"},
                "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
                "location": {
                    "type": "object",
                    "required": ["path", "lines"],
                    "properties": {
                        "path": {"type": "string", "minLength": 1},
                        "lines": {
                            "type": "object",
                            "required": ["begin"],
                            "properties": {"begin": {"type": "integer", "minimum": 1}},
                        },
                    },
                },
            },
        },
    }
)


def issues_of(review: ReviewOutcome) -> Any:
    found = json.loads(render_codequality(review))
    ISSUES.validate(found)
    return found


def test_suggestions_and_findings_are_issues() -> None:
    suggestion, dangling, superseded, *_ = issues_of(EVERYTHING)
    assert suggestion == {
        "description": (
            "Should this PR reference ADR-0011? (Retries belong to the client) Decision Outcome:"
            " Every outbound call is retried by the client, never by the caller."
        ),
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


def test_without_a_finding_the_array_is_empty() -> None:
    assert render_codequality(ReviewOutcome(BASE, HEAD, "", 3)) == "[]\n"


def test_the_path_has_no_lone_surrogate() -> None:
    finding = Finding("src/\udce9.py", 1, "security", "info", "\udce9 is odd")
    review = ReviewOutcome(BASE, HEAD, "", 1, findings=(ReportedFinding(finding, "f"),))
    (issue,) = issues_of(review)
    assert issue["location"]["path"] == "src/�.py"
    assert issue["description"] == "\\udce9 is odd"


@given(reviews())
@settings(deadline=None)
def test_the_report_of_any_review_is_valid(review: ReviewOutcome) -> None:
    text = render_codequality(review)
    # GitLab accepts no byte order mark, and Ruby no lone surrogate.
    assert text.isascii()
    found = issues_of(review)
    json.dumps(found, ensure_ascii=False).encode("utf-8")
    assert len(found) == len(review.findings) + len(review.references.suggested)
    assert text == render_codequality(review)
