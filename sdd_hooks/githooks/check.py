"""Apply the rules of the review to what is about to be committed."""

# Governing: SPEC-0010 REQ "Review in hooks", SPEC-0004 REQ "Checked before the commit"

from __future__ import annotations

from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.findings import ReportedFinding
from sdd_hooks.githooks.review import Call
from sdd_hooks.project.project import load_project
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.text.display import format_count, printable_line
from sdd_hooks.usecases.review import review_index

MOST = 40
"""Findings that are shown; the rest is counted."""

_ALWAYS = ("frontmatter", "duplicate-number")
"""Rules whose critical findings refuse a commit as long as nobody says otherwise: with them the
records no longer hold together."""


def check(call: Call) -> int:
    """Say what the rules find in what is staged, a line each. Returns 1 to refuse the commit.

    Raises SddError when the repository cannot be read.
    """
    project = load_project(call.cwd, call.environ)
    found, fails = review_index(project, call.cwd, call.fail_on)
    call.stderr.writelines(_line(one) for one in found.findings[:MOST])
    if len(found.findings) > MOST:
        rest = format_count(len(found.findings) - MOST, "more finding")
        call.stderr.write(f"sdd: {rest}: `sdd review --staged` shows them\n")
    call.stderr.writelines(f"sdd: {printable_line(note)}\n" for note in found.notes)
    refused = fails or (call.fail_on is None and _breaks_records(found))
    return EXIT_FINDINGS if refused else EXIT_OK


def _line(one: ReportedFinding) -> str:
    finding = one.finding
    where = f"{printable_line(finding.path)}:{max(finding.line, 1)}"
    message, rule = printable_line(finding.message), printable_line(finding.rule)
    return f"{where}: {finding.severity}: {message} [{rule}]\n"


def _breaks_records(found: ReviewOutcome) -> bool:
    critical = (one.finding.rule for one in found.findings if one.finding.severity == "critical")
    return any(rule.partition("/")[0] in _ALWAYS for rule in critical)
