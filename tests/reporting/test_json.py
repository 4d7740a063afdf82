from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from jsonschema import Draft202012Validator

from sdd_hooks.cli.shared.output import CommandOutput, show
from sdd_hooks.findings import Finding, ReportedFinding
from sdd_hooks.reporting.json import document, render_json
from sdd_hooks.reporting.outcome import ReviewOutcome
from tests.reporting.audits import EVERYTHING as AUDIT
from tests.reporting.audits import audits
from tests.reporting.reviews import BASE, EVERYTHING, HEAD, OUTAGE, QUEUES, RETRIES, reviews

SCHEMA = Path(__file__).resolve().parents[2] / "docs/review.schema.json"


def closed(schema: Any) -> Any:
    """The schema without fields that it does not name."""
    if isinstance(schema, list):
        return [closed(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(member) for name, member in schema.items()}
    if inner.get("type") == "object" and "$ref" not in inner and "rule" not in inner["properties"]:
        inner["additionalProperties"] = False
    # Findings have more fields in one list than in the other.
    if "$ref" in inner and "properties" in inner:
        inner["unevaluatedProperties"] = False
    return inner


VALIDATOR = Draft202012Validator(closed(json.loads(SCHEMA.read_text())))


def test_the_schema_is_valid():
    Draft202012Validator.check_schema(json.loads(SCHEMA.read_text()))


def test_everything_is_in_the_document():
    document = json.loads(render_json(EVERYTHING, ["CLAUDE.md:3: odd"]))
    VALIDATOR.validate(document)
    assert list(document)[:2] == ["schema_version", "base"]
    assert document["schema_version"] == 1
    assert (document["base"], document["head"], document["files"]) == (BASE, HEAD, 14)
    assert document["counts"] == {
        "critical": 1,
        "warning": 3,
        "info": 1,
        "suggestions": 1,
        "suppressed": 1,
    }
    assert document["references"]["ranked"][0] == {
        "path": "docs/adrs/ADR-0011-retries.md",
        "id": "ADR-0011",
        "title": "Retries belong to the client",
        "score": 0.812346,
        "suggested": True,
        "probability": 0.7654,
        "threshold": 0.6,
        "features": {"agreement": 0.3333, "chore": 0.0},
        "why_not": "",
        "referenced": False,
        "question": "Should this PR reference ADR-0011? (Retries belong to the client)",
        "section": "Decision Outcome",
        "quote": "Every outbound call is retried by the client, never by the caller.",
        "line": 42,
        "origin": "",
        "url": "",
        "evidence": [
            {
                "kind": "comments",
                "detail": "a governing comment names it",
                "path": "src/pay/client.py",
                "line": 3,
            },
            {
                "kind": "words",
                "detail": "both are about retry, backoff, client",
                "path": "",
                "line": 0,
            },
        ],
    }
    assert [reference["id"] for reference in document["references"]["ranked"]] == [
        RETRIES.id,
        "ADR-0003",
        "",
    ]
    other = document["references"]["ranked"][1]
    assert (other["probability"], other["threshold"], other["features"]) == (None, None, {})
    assert other["why_not"] == "another record comes first"
    assert [reference["title"] for reference in document["references"]["folded"]] == [
        "Timeouts",
        QUEUES.title,
    ]
    assert document["references"]["governing"] == [QUEUES.path]
    assert document["references"]["silenced"] == ""
    assert document["issues"] == [OUTAGE._asdict()]
    assert document["findings"][0] == {
        "rule": "dangling-reference",
        "severity": "critical",
        "message": "there is no ADR-0099: name one that is there",
        "path": "src/pay/client.py",
        "line": 12,
        "evidence": "# Governing: ADR-0099",
        "fingerprint": "f1",
        "changed": True,
    }
    assert [finding["rule"] for finding in document["findings"][1:]] == [
        "superseded-reference",
        "spec-pair",
        "security/inner-html",
    ]
    assert document["suppressed"][0]["reason"] == "sanitised by bleach"
    assert document["notes"] == ["the diff is larger than 50 MB: not all of it was read"]
    assert document["warnings"] == ["CLAUDE.md:3: odd"]


def test_it_has_the_format_of_other_commands(capsys):
    report = CommandOutput(document(EVERYTHING), notes=EVERYTHING.notes, warnings=["odd"])
    show(report, as_json=True)
    assert capsys.readouterr().out == render_json(EVERYTHING, ["odd"])


def test_a_byte_that_is_not_text_leaves_valid_json():
    finding = Finding("caf\udce9.py", 1, "r", "info", "half a pair: \ud83d", "\udce9")
    document = render_json(
        ReviewOutcome(BASE, HEAD, "t", 1, findings=(ReportedFinding(finding, "f"),))
    )
    assert "\\ud" not in document
    assert json.loads(document)["findings"][0]["path"] == "caf\ufffd.py"
    assert json.loads(document)["findings"][0]["message"] == "half a pair: \ufffd"


def test_a_character_beyond_the_basic_plane_is_kept():
    document = json.loads(render_json(ReviewOutcome(BASE, HEAD, "🦀 日本", 1)))
    assert document["title"] == "🦀 日本"


@given(reviews())
def test_the_document_of_any_review_is_valid(review):
    text = render_json(review)
    VALIDATOR.validate(json.loads(text))
    text.encode("utf-8")
    assert text.isascii()
    assert text == render_json(review)
    assert len(json.loads(text)["findings"]) == len(review.findings)


def test_the_summary_is_one_more_key() -> None:
    found = json.loads(render_json(AUDIT))
    assert found["counts"] == {
        "critical": 1,
        "warning": 2,
        "info": 0,
        "suggestions": 0,
        "suppressed": 0,
    }
    audit = found["audit"]
    assert (audit["adrs"], audit["specs"], audit["source_files"]) == (4, 1, 12)
    assert audit["categories"][0] == {
        "id": "code-vs-adr",
        "name": "Code vs. ADR Drift",
        "counts": {"critical": 1, "warning": 0, "info": 0, "total": 1},
        "findings": [{"fingerprint": "f1", "record": "ADR-0099", "module": "api"}],
    }
    assert audit["modules"][1] == {
        "name": "",
        "counts": {"critical": 0, "warning": 2, "info": 0, "total": 2},
    }
    assert audit["coverage"] == {
        "records": 5,
        "cited": 2,
        "stated": 1,
        "both": 0,
        "uncited": [{"name": "ADR-0003", "title": "Timeouts", "path": "docs/adrs/ADR-0003.md"}],
        "source_files": 12,
        "governed_files": 8,
    }
    assert audit["actions"] == [
        {
            "severity": "critical",
            "rule": "lost",
            "text": "name one that is there",
            "path": "src/pay/client.py",
            "line": 12,
            "more": 1,
        }
    ]
    assert audit["baseline"] == {"path": "audit.json", "known": 3}
    assert "audit" not in json.loads(render_json(EVERYTHING))


@given(audits())
@settings(deadline=None, max_examples=15)
def test_any_text_is_valid_unicode(review: ReviewOutcome) -> None:
    json.dumps(json.loads(render_json(review)), ensure_ascii=False).encode("utf-8")
