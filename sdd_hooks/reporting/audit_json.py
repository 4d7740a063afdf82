"""What the report of an audit adds to the JSON of a review; docs/audit.md lists the keys."""

# Governing: ADR-0022 (one review, many reports), SPEC-0019 REQ "Report"

from __future__ import annotations

from sdd_hooks.reporting.audit import AuditSummary
from sdd_hooks.reporting.escape import replace_surrogates
from sdd_hooks.reporting.severity_counts import SeverityCounts

Fields = dict[str, object]


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
                "counts": _counts(one.counts),
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
            {"name": replace_surrogates(one.name), "counts": _counts(one.counts)}
            for one in audit.modules
        ],
        "coverage": {
            "records": coverage.records,
            "cited": coverage.cited,
            "stated": coverage.stated,
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


def _counts(counts: SeverityCounts) -> Fields:
    return {**counts._asdict(), "total": counts.total}
