"""The check of a branch as Markdown, and for programs."""

# Governing: SPEC-0026 REQ "Check of a branch", ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.code.symbols import Symbol
from sdd_hooks.planning.work.branch_check import BranchCheck, summary
from sdd_hooks.reporting.escape import code_span, escape_inline


def check_lines(check: BranchCheck) -> Iterator[str]:
    """The lines of the report. Untrusted text is escaped, or in code."""
    yield f"# {summary(check)}"
    yield ""
    about = f", issue {escape_inline(check.issue)}" if check.issue else ""
    yield f"{code_span(check.branch)} since {code_span(check.base[:12])}{about}"
    for note in check.notes:
        yield ""
        yield f"> {escape_inline(note)}"
    if check.findings:
        yield ""
    for one in check.findings:
        place = f"{one.path}:{one.line}" if one.line else one.path
        where = f" {code_span(place)}" if place else ""
        yield f"- **{one.severity}** {one.rule}{where}: {escape_inline(one.message)}"
    if check.messages:
        yield ""
        yield "Messages to other workers:"
        yield ""
        yield from (f"- {code_span(message)}" for message in check.messages)


def check_data(check: BranchCheck) -> dict[str, object]:
    """The check as an object."""
    return {
        "issue": check.issue or None,
        "branch": check.branch,
        "base": check.base,
        "head": check.head,
        "files": check.files,
        "added": check.added,
        "duplicates": [
            {
                "new": _symbol(one.new),
                "existing": _symbol(one.existing),
                "score": round(one.score, 3),
                "name_likeness": round(one.likeness.name, 3),
                "code_likeness": round(one.likeness.code, 3),
            }
            for one in check.duplicates
        ],
        "findings": [
            {
                "rule": one.rule,
                "severity": one.severity,
                "path": one.path,
                "line": one.line,
                "message": one.message,
            }
            for one in check.findings
        ],
        "messages": list(check.messages),
    }


def _symbol(symbol: Symbol) -> dict[str, object]:
    return {
        "symbol": symbol.name,
        "path": symbol.path,
        "first_line": symbol.first_line,
        "last_line": symbol.last_line,
        "signature": symbol.signature,
    }
