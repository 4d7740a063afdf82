"""Report a review as workflow commands, with which a step of GitHub Actions annotates lines.

How a runner parses them: `src/Runner.Common/ActionCommand.cs` of actions/runner. `%`, CR and LF are
escaped everywhere, `:` and `,` also in properties, which they separate.
"""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "Reports"

from collections.abc import Iterator, Mapping
from itertools import islice

from sdd_hooks.findings import Severity
from sdd_hooks.reporting.escape import single_line
from sdd_hooks.reporting.outcome import ReviewOutcome, reference_question
from sdd_hooks.reporting.registry import ReportContext, Reporter

MAX_PER_LEVEL = 10
"""Annotations of one level that GitHub shows for a step."""

_LEVELS: Mapping[Severity, str] = {"critical": "error", "warning": "warning", "info": "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})
_MAX_TITLE = 200
_MAX_PATH = 4_096


def render_annotations(review: ReviewOutcome) -> list[str]:
    """One line for each annotation, without line ends: the first of each level, errors first.

    A suggestion is a notice at the sentence that it quotes. Suggestions precede other notices.
    """
    return [
        line for severity in _LEVELS for line in islice(_level(review, severity), MAX_PER_LEVEL)
    ]


def count_left_out(review: ReviewOutcome) -> int:
    """How many findings and suggestions have no annotation."""
    return sum(max(0, review.count(severity) - MAX_PER_LEVEL) for severity in _LEVELS)


def _level(review: ReviewOutcome, severity: Severity) -> Iterator[str]:
    level = _LEVELS[severity]
    if severity == "info":
        for one in review.references.suggested:
            title = reference_question(one)
            text = one.shown_quote or one.title
            # An annotation is on a file of this repository.
            place = ("", 0) if one.origin else (one.path, one.line)
            yield _annotation(level, *place, title, text)
    for reported in review.findings:
        finding = reported.finding
        if finding.severity == severity:
            yield _annotation(level, finding.path, finding.line, finding.rule, finding.message)


def _annotation(level: str, path: str, line: int, title: str, message: str) -> str:
    # A runner drops "=" at the beginning of a value.
    name = f"./{path}" if path.startswith("=") else path
    properties = {
        "file": single_line(name, _MAX_PATH),
        "line": str(line) if line and path else "",
        "title": single_line(title, _MAX_TITLE),
    }
    escaped = ",".join(
        f"{key}={value.translate(_PROPERTY)}" for key, value in properties.items() if value
    )
    return f"::{level} {escaped}::{single_line(message).translate(_DATA)}"


def _render(outcome: ReviewOutcome, _: ReportContext) -> str:
    return "".join(f"{line}\n" for line in render_annotations(outcome))


REPORTER = Reporter("annotations", _render)
