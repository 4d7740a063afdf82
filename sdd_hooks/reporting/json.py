"""Report a review as one JSON object, whose schema is docs/review.schema.json."""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "Reports", SPEC-0019 REQ "Report"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.findings import SEVERITIES, Finding, SeverityCounts
from sdd_hooks.reporting.escape import replace_surrogates
from sdd_hooks.reporting.outcome import (
    AuditSummary,
    Candidate,
    CheckedTree,
    Evidence,
    ReviewOutcome,
    reference_question,
)
from sdd_hooks.reporting.registry import Reporter
from sdd_hooks.text.display import json_document

Fields = dict[str, object]


def render_json(review: ReviewOutcome, warnings: Sequence[str] = ()) -> str:
    """The whole document. `warnings` are about the project's settings."""
    return json_document(
        {**document(review), "warnings": [replace_surrogates(one) for one in warnings]}
    )


def document(review: ReviewOutcome) -> Fields:
    """The review as plain data, without the version of the schema and the warnings.

    Every string is valid Unicode: U+FFFD replaces a byte of a path that is not UTF-8.
    """
    references = review.references
    return {
        "base": review.base,
        "head": review.head,
        "title": replace_surrogates(review.title),
        "files": review.files,
        "counts": _counts(review),
        "references": {
            "ranked": [_candidate(one) for one in references.ranked],
            "folded": [_candidate(one) for one in references.folded],
            "governing": [replace_surrogates(one.path) for one in references.governing],
            "silenced": replace_surrogates(references.silenced),
            "silence": replace_surrogates(references.silence),
        },
        "issues": [
            {field: replace_surrogates(text) for field, text in issue._asdict().items()}
            for issue in review.issues
        ],
        "findings": [
            {**_finding(one.finding), "fingerprint": one.fingerprint, "changed": one.on_added_line}
            for one in review.findings
        ],
        "suppressed": [
            {**_finding(one.finding), "reason": replace_surrogates(one.reason)}
            for one in review.suppressed
        ],
        "notes": [replace_surrogates(note) for note in review.notes],
        **({"tree": _tree(review.tree)} if review.tree else {}),
        **({"audit": audit_document(review.audit)} if review.audit else {}),
    }


def _tree(tree: CheckedTree) -> Fields:
    """What was looked at in the work tree."""
    return {
        "command": tree.command,
        "target": replace_surrogates(tree.target),
        "header": [replace_surrogates(line) for line in tree.header],
        "modules": [
            {"root": replace_surrogates(root), "name": replace_surrogates(name)}
            for root, name in tree.modules
        ],
    }


def _counts(review: ReviewOutcome) -> dict[str, int]:
    """A suggestion counts as `info`, too, as it does for `--fail-on`."""
    counts: dict[str, int] = {severity: review.count(severity) for severity in SEVERITIES}
    counts["suggestions"] = len(review.references.suggested)
    counts["suppressed"] = len(review.suppressed)
    return counts


def _candidate(candidate: Candidate) -> Fields:
    confidence = candidate.confidence
    return {
        "path": replace_surrogates(candidate.path),
        "id": replace_surrogates(candidate.id),
        "title": replace_surrogates(candidate.title),
        # The last digits of a sum of floats differ between machines.
        "score": round(candidate.score, 6),
        "suggested": candidate.suggested,
        "probability": round(confidence.probability, 4) if confidence else None,
        "threshold": confidence.threshold if confidence else None,
        "features": {name: round(value, 4) for name, value in confidence.features}
        if confidence
        else {},
        "why_not": candidate.why_not,
        "referenced": candidate.referenced,
        "question": replace_surrogates(reference_question(candidate))
        if candidate.suggested
        else "",
        "section": replace_surrogates(candidate.section),
        "quote": replace_surrogates(candidate.quote),
        "line": candidate.line,
        "origin": candidate.origin,
        "url": candidate.url,
        "evidence": [_evidence(one) for one in candidate.evidence],
    }


def _evidence(evidence: Evidence) -> Fields:
    return {
        "kind": evidence.kind,
        "detail": replace_surrogates(evidence.detail),
        "path": replace_surrogates(evidence.path),
        "line": evidence.line,
    }


def _finding(finding: Finding) -> Fields:
    return {
        "rule": replace_surrogates(finding.rule),
        "severity": finding.severity,
        "message": replace_surrogates(finding.message),
        "path": replace_surrogates(finding.path),
        "line": finding.line,
        "evidence": replace_surrogates(finding.evidence),
    }


REPORTER = Reporter("json", lambda outcome, context: render_json(outcome, context.warnings))


def audit_document(audit: AuditSummary) -> Fields:
    """The summary as plain data with valid Unicode. Findings are named by their fingerprints."""
    coverage = audit.coverage
    return {
        "adrs": audit.adrs,
        "specs": audit.specs,
        "source_files": audit.files,
        "categories": [
            {
                "id": one.id,
                "name": one.name,
                "counts": _audit_counts(one.counts),
                "findings": [
                    {
                        "fingerprint": row.reported.fingerprint,
                        "record": replace_surrogates(row.record),
                        "module": replace_surrogates(row.module),
                    }
                    for row in one.rows
                ],
            }
            for one in audit.categories
        ],
        "modules": [
            {"name": replace_surrogates(one.name), "counts": _audit_counts(one.counts)}
            for one in audit.modules
        ],
        "coverage": {
            "records": coverage.records,
            "cited": coverage.cited,
            "stated": coverage.stated,
            "both": coverage.both,
            "uncited": [
                {field: replace_surrogates(text) for field, text in one._asdict().items()}
                for one in coverage.uncited
            ],
            "source_files": coverage.files,
            "governed_files": coverage.governed,
        },
        "actions": [
            {
                "severity": one.severity,
                "rule": replace_surrogates(one.rule),
                "text": replace_surrogates(one.text),
                "path": replace_surrogates(one.path),
                "line": one.line,
                "more": one.more,
            }
            for one in audit.actions
        ],
        "baseline": {"path": replace_surrogates(audit.baseline), "known": audit.known},
    }


def _audit_counts(counts: SeverityCounts) -> Fields:
    return {**counts._asdict(), "total": counts.total}
