"""Reports for reviewdog."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from jsonschema import Draft4Validator

from sdd_hooks.findings import Finding, ReportedFinding
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.rdjson import MAX_LINE, render_rdjson
from tests.reporting.reviews import BASE, EVERYTHING, HEAD, reviews

# The fields of reviewdog.rdf.DiagnosticResult that a report has, with their types and values.
RESULT = Draft4Validator(
    {
        "type": "object",
        "required": ["source", "diagnostics"],
        "additionalProperties": False,
        "properties": {
            "source": {
                "type": "object",
                "additionalProperties": False,
                "properties": {"name": {"type": "string"}, "url": {"type": "string"}},
            },
            "diagnostics": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["message", "location"],
                    "additionalProperties": False,
                    "properties": {
                        "message": {"type": "string", "minLength": 1},
                        "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
                        "code": {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {"value": {"type": "string"}},
                        },
                        "location": {
                            "type": "object",
                            "required": ["path"],
                            "additionalProperties": False,
                            "properties": {
                                "path": {"type": "string"},
                                "range": {
                                    "type": "object",
                                    "required": ["start"],
                                    "additionalProperties": False,
                                    "properties": {
                                        "start": {
                                            "type": "object",
                                            "required": ["line"],
                                            "additionalProperties": False,
                                            "properties": {
                                                "line": {
                                                    "type": "integer",
                                                    "minimum": 1,
                                                    "maximum": 2**31 - 1,
                                                }
                                            },
                                        }
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    }
)


def diagnostics_of(review: ReviewOutcome) -> Any:
    document = json.loads(render_rdjson(review))
    RESULT.validate(document)
    assert document["source"] == {"name": "sdd-hooks"}
    return document["diagnostics"]


def reported(finding: Finding) -> ReviewOutcome:
    return ReviewOutcome(BASE, HEAD, "", 1, findings=(ReportedFinding(finding, "f"),))


def test_suggestions_and_findings_are_diagnostics() -> None:
    suggestion, dangling, superseded, *_ = diagnostics_of(EVERYTHING)
    assert suggestion == {
        "message": (
            "Should this PR reference ADR-0011? (Retries belong to the client) Decision Outcome:"
            " Every outbound call is retried by the client, never by the caller."
        ),
        "location": {
            "path": "docs/adrs/ADR-0011-retries.md",
            "range": {"start": {"line": 42}},
        },
        "severity": "INFO",
        "code": {"value": "missing-reference"},
    }
    assert dangling["severity"] == "ERROR"
    assert dangling["code"] == {"value": "dangling-reference"}
    assert dangling["location"] == {
        "path": "src/pay/client.py",
        "range": {"start": {"line": 12}},
    }
    assert superseded["location"] == {"path": ""}


def test_without_a_finding_there_is_no_diagnostic() -> None:
    assert diagnostics_of(ReviewOutcome(BASE, HEAD, "", 3)) == []


def test_the_message_adds_no_markup_to_a_comment() -> None:
    message = "@all see <b>#1</b> ![x](https://example.org/x.png)"
    (diagnostic,) = diagnostics_of(reported(Finding("a.py", 1, "odd", "info", message)))
    shown = diagnostic["message"]
    assert "<b>" not in shown
    assert "](" not in shown
    assert "@all" not in shown


def test_a_line_that_the_format_cannot_hold_is_left_out() -> None:
    for line, has_range in ((MAX_LINE, True), (MAX_LINE + 1, False), (0, False)):
        (diagnostic,) = diagnostics_of(reported(Finding("a.py", line, "odd", "info", "x")))
        assert ("range" in diagnostic["location"]) is has_range


@given(reviews())
@settings(deadline=None)
def test_the_report_of_any_review_is_valid(review: ReviewOutcome) -> None:
    text = render_rdjson(review)
    assert text.isascii()
    found = diagnostics_of(review)
    # protojson rejects a lone surrogate.
    json.dumps(found, ensure_ascii=False).encode("utf-8")
    assert len(found) == len(review.findings) + len(review.references.suggested)
    assert text == render_rdjson(review)
