"""A review as the commands by which a step of GitHub Actions marks lines of files.

How a runner reads them: `src/Runner.Common/ActionCommand.cs` of actions/runner. `%`, CR and LF are
escaped everywhere, `:` and `,` also in properties, between which they stand.
"""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "Reports"

from collections.abc import Iterator, Mapping
from itertools import islice

from sdd_hooks.findings import Severity
from sdd_hooks.reporting.escape import shown
from sdd_hooks.reporting.outcome import ReviewOutcome, question

MOST = 10
"""Annotations of a level that GitHub shows of a step."""

_LEVELS: Mapping[Severity, str] = {"critical": "error", "warning": "warning", "info": "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})
_TITLE = 200


def annotations(review: ReviewOutcome) -> list[str]:
    """One line for each annotation, without line ends: the first of each level, the worst first.

    A suggestion is a notice at the sentence that it quotes, and comes before other notices.
    """
    return [line for severity in _LEVELS for line in islice(_of_level(review, severity), MOST)]


def left_out(review: ReviewOutcome) -> int:
    """How many findings and suggestions have no annotation."""
    return sum(max(0, review.count(severity) - MOST) for severity in _LEVELS)


def _of_level(review: ReviewOutcome, severity: Severity) -> Iterator[str]:
    level = _LEVELS[severity]
    if severity == "info":
        for one in review.references.suggested:
            yield _annotation(level, one.path, one.line, question(one), one.quote or one.title)
    for reported in review.findings:
        found = reported.finding
        if found.severity == severity:
            yield _annotation(level, found.path, found.line, found.rule, found.message)


def _annotation(level: str, path: str, line: int, title: str, message: str) -> str:
    # A runner drops "=" where a value begins.
    name = f"./{path}" if path.startswith("=") else path
    properties = {
        "file": shown(name, 4_096),
        "line": str(line) if line and path else "",
        "title": shown(title, _TITLE),
    }
    written = ",".join(
        f"{key}={one.translate(_PROPERTY)}" for key, one in properties.items() if one
    )
    return f"::{level} {written}::{shown(message).translate(_DATA)}"
