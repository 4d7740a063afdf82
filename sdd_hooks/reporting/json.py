"""A review as one JSON object; docs/review.schema.json says what is in it."""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "Reports"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.findings import SEVERITIES, Finding
from sdd_hooks.reporting.outcome import Candidate, Evidence, ReviewOutcome
from sdd_hooks.text.json_document import json_document

Fields = dict[str, object]


def render_json(review: ReviewOutcome, warnings: Sequence[str] = ()) -> str:
    """The whole document. `warnings` are those of the command, about the project's settings."""
    return json_document({**document(review), "warnings": [_text(one) for one in warnings]})


def document(review: ReviewOutcome) -> Fields:
    """The review as plain data, but for the version and the warnings.

    Every string in it is Unicode: a byte of a path that is no UTF-8 is U+FFFD.
    """
    references = review.references
    return {
        "base": review.base,
        "head": review.head,
        "title": _text(review.title),
        "files": review.files,
        "counts": _counts(review),
        "references": {
            "ranked": [_candidate(one) for one in references.ranked],
            "folded": [_candidate(one) for one in references.folded],
            "silenced": _text(references.silenced),
        },
        "findings": [
            {**_finding(one.finding), "fingerprint": one.fingerprint, "changed": one.on_added_line}
            for one in review.findings
        ],
        "suppressed": [
            {**_finding(one.finding), "reason": _text(one.reason)} for one in review.suppressed
        ],
        "notes": [_text(note) for note in review.notes],
    }


def _counts(review: ReviewOutcome) -> dict[str, int]:
    """A suggestion is also counted as one of `info`, as `--fail-on` counts it."""
    counts: dict[str, int] = {severity: review.count(severity) for severity in SEVERITIES}
    counts["suggestions"] = len(review.references.suggested)
    counts["suppressed"] = len(review.suppressed)
    return counts


def _candidate(one: Candidate) -> Fields:
    return {
        "path": _text(one.path),
        "id": _text(one.id),
        "title": _text(one.title),
        # The last digits of a sum of floats differ from machine to machine.
        "score": round(one.score, 6),
        "suggested": one.suggested,
        "referenced": one.referenced,
        "section": _text(one.section),
        "quote": _text(one.quote),
        "line": one.line,
        "evidence": [_evidence(each) for each in one.evidence],
    }


def _evidence(one: Evidence) -> Fields:
    return {
        "kind": one.kind,
        "detail": _text(one.detail),
        "path": _text(one.path),
        "line": one.line,
    }


def _finding(one: Finding) -> Fields:
    return {
        "rule": _text(one.rule),
        "severity": one.severity,
        "message": _text(one.message),
        "path": _text(one.path),
        "line": one.line,
        "evidence": _text(one.evidence),
    }


def _text(text: str) -> str:
    """Half of a surrogate pair, as a lone byte of a path is held, is nothing that JSON can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
