"""Report a review as GitLab's Code Quality report (`artifacts:reports:codequality`).

The format: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format. GitLab's
parser stops at the first entry that lacks a field, and shows entries with one fingerprint as one.
"""

# Governing: ADR-0022 (one review, many reports), ADR-0012 (untrusted input),
# SPEC-0010 REQ "Reports", SPEC-0010 REQ "Findings keep their identity"

from __future__ import annotations

import json
from collections.abc import Mapping

from sdd_hooks.findings import Severity
from sdd_hooks.reporting.escape import replace_surrogates, single_line
from sdd_hooks.reporting.outcome import Entry, ReviewOutcome, list_entries
from sdd_hooks.reporting.registry import ReportContext, Reporter

MAX_TEXT = 1_000
"""Characters of one description."""
NO_FILE = "."
"""The path of a finding that is in no file: GitLab requires one."""

_SEVERITIES: Mapping[Severity, str] = {"critical": "critical", "warning": "major", "info": "info"}


def render_codequality(review: ReviewOutcome) -> str:
    """The report as one JSON array in ASCII, the suggestions first, with a final line end."""
    return json.dumps([_issue(entry) for entry in list_entries(review)], indent=2) + "\n"


def _issue(entry: Entry) -> dict[str, object]:
    # Line 1 stands for the file as a whole.
    lines = {"begin": entry.line or 1}
    return {
        "description": single_line(entry.text, MAX_TEXT) or "-",
        "check_name": single_line(entry.rule, MAX_TEXT),
        "fingerprint": entry.fingerprint,
        "severity": _SEVERITIES[entry.severity],
        "location": {"path": replace_surrogates(entry.path) or NO_FILE, "lines": lines},
    }


def _render(outcome: ReviewOutcome, _: ReportContext) -> str:
    return render_codequality(outcome)


REPORTER = Reporter("codequality", _render)
