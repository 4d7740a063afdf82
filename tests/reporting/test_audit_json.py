"""Audits as JSON."""

from __future__ import annotations

import json

from hypothesis import given, settings

from sdd_hooks.reporting.json import render_json
from sdd_hooks.reporting.outcome import ReviewOutcome
from tests.reporting.audits import EVERYTHING, audits
from tests.reporting.reviews import EVERYTHING as REVIEW


def test_the_summary_is_one_more_key() -> None:
    found = json.loads(render_json(EVERYTHING))
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
    assert "audit" not in json.loads(render_json(REVIEW))


@given(audits())
@settings(deadline=None, max_examples=15)
def test_any_text_is_valid_unicode(review: ReviewOutcome) -> None:
    json.dumps(json.loads(render_json(review)), ensure_ascii=False).encode("utf-8")
