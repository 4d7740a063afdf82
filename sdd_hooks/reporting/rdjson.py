"""Report a review as rdjson, which reviewdog posts on a pull request.

The format: `proto/rdf/reviewdog.proto` of reviewdog/reviewdog, the message `DiagnosticResult`.
"""

# Governing: ADR-0022 (one review, many reports), ADR-0012 (untrusted input),
# SPEC-0010 REQ "Reports"

from __future__ import annotations

import json
from collections.abc import Mapping

from sdd_hooks.findings import Severity
from sdd_hooks.reporting.escape import escape_text, replace_surrogates, single_line
from sdd_hooks.reporting.outcome import Entry, ReviewOutcome, list_entries
from sdd_hooks.reporting.registry import ReportContext, Reporter

MAX_TEXT = 1_000
"""Characters of one message, before its markup is escaped."""
MAX_LINE = 2**31 - 1
"""The largest line number of the format."""

_SEVERITIES: Mapping[Severity, str] = {"critical": "ERROR", "warning": "WARNING", "info": "INFO"}


def render_rdjson(review: ReviewOutcome) -> str:
    """The report as one JSON object in ASCII, the suggestions first, with a final line end."""
    diagnostics = [_diagnostic(entry) for entry in list_entries(review)]
    document = {"source": {"name": "sdd-hooks"}, "diagnostics": diagnostics}
    return json.dumps(document, indent=2) + "\n"


def _diagnostic(entry: Entry) -> dict[str, object]:
    location: dict[str, object] = {"path": replace_surrogates(entry.path)}
    # A range is optional: without one, the diagnostic is about the file as a whole.
    if entry.path and 0 < entry.line <= MAX_LINE:
        location["range"] = {"start": {"line": entry.line}}
    return {
        # reviewdog inserts the message into the Markdown of a comment.
        "message": escape_text(entry.text, MAX_TEXT) or "-",
        "location": location,
        "severity": _SEVERITIES[entry.severity],
        "code": {"value": single_line(entry.rule, MAX_TEXT)},
    }


def _render(outcome: ReviewOutcome, _: ReportContext) -> str:
    return render_rdjson(outcome)


REPORTER = Reporter("rdjson", _render)
