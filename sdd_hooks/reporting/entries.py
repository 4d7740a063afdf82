"""The suggestions and the findings of a review as one list, for formats that know only findings."""

# Governing: ADR-0022 (one review, many reports)

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.findings import Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.outcome import (
    SUGGESTION,
    ReviewOutcome,
    reference_question,
    suggestion_fingerprint,
)


class Entry(NamedTuple):
    """A finding, or a suggestion as a finding of `info`. Fields are those of a finding."""

    rule: str
    severity: Severity
    text: str
    path: str
    line: int
    fingerprint: str


def list_entries(review: ReviewOutcome) -> Iterator[Entry]:
    """The suggestions, then the findings, the most severe first."""
    for one in review.references.suggested:
        quoted = f" {one.section}: {one.shown_quote}" if one.quote else ""
        # The file of a record of another repository is not in this one.
        path, line = ("", 0) if one.origin else (one.path, one.line)
        text = reference_question(one) + quoted
        yield Entry(SUGGESTION, "info", text, path, line, suggestion_fingerprint(one))
    for finding, fingerprint, _ in review.findings:
        yield Entry(
            finding.rule,
            finding.severity,
            finding.message,
            finding.path,
            finding.line,
            fingerprint,
        )
