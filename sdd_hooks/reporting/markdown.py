"""A review as Markdown, for the people of a pull request."""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "Reports"

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.findings import SEVERITIES, Finding, Severity, SuppressedFinding
from sdd_hooks.reporting.escape import code, prose, sentence
from sdd_hooks.reporting.links import Links, place
from sdd_hooks.reporting.outcome import Candidate, Evidence, ReviewOutcome, question
from sdd_hooks.reporting.truncation import END, FOLD
from sdd_hooks.text.display import format_count

OPEN = 5
"""What of a severity is shown, and where each of it stands, and notes; the rest is folded."""
QUOTE = 600
"""Characters that are shown of a sentence of a record."""
SNIPPET = 160
"""Characters that are shown of the line that a finding is about."""

SIGNS: dict[Severity, str] = {"critical": "❌", "warning": "⚠️", "info": "ℹ️"}
"""How a severity looks."""

_HEADINGS: dict[Severity, str] = {"critical": "Critical", "warning": "Warnings", "info": "Remarks"}
_NAMES: dict[Severity, str] = {
    "critical": "critical finding",
    "warning": "warning",
    "info": "remark",
}

# It breaks a line where its end alone would not.
_BACKSLASH = "\\"


def markdown(review: ReviewOutcome, *, links: Links | None = None) -> str:
    """The report, of the same bytes for the same review. It has every finding."""
    return "".join(f"{line}\n" for line in report_lines(review, links))


def report_lines(review: ReviewOutcome, links: Links | None) -> Iterator[str]:
    """The lines of the report.

    A line that begins with a fold's tag is one: no text from elsewhere stands at the beginning of a
    line, and none has a tag.
    """
    yield f"## {_verdict(review)}"
    yield ""
    yield from _references(review, links)
    for severity in SEVERITIES:
        yield from _findings(review, severity, links)
    yield from _suppressed(review.suppressed, links)
    yield from _notes(review.notes)
    yield f"<sub>{_scope(review)}</sub>"


def _verdict(review: ReviewOutcome) -> str:
    asked = len(review.references.suggested)
    numbers = [(len(_of(review, severity)), severity) for severity in SEVERITIES]
    said = [
        f"{SIGNS[one]} {format_count(number, _NAMES[one])}" for number, one in numbers if number
    ]
    if asked:
        said.insert(0, f"📌 {format_count(asked, 'decision')} to consider")
    return " · ".join(said) if said else "✅ All clear"


def _of(review: ReviewOutcome, severity: Severity) -> list[Finding]:
    return [one.finding for one in review.findings if one.finding.severity == severity]


def _scope(review: ReviewOutcome) -> str:
    """What was looked at, and what to do where the report is wrong."""
    files = format_count(review.files, "changed file")
    head = f"to {code(review.head[:12])}" if review.head else "to what is staged"
    scope = f"{files}, from {code(review.base[:12])} {head}." if review.base else f"{files}."
    if not review.findings:
        return scope
    ignore = code("sdd-ignore: RULE (reason)")
    return f"{scope} A finding is left alone with {ignore} on its line or the line above."


def _references(review: ReviewOutcome, links: Links | None) -> Iterator[str]:
    references = review.references
    suggested, folded = references.suggested, references.folded
    for candidate in suggested:
        yield from _suggestion(candidate, links)
    if suggested:
        refs = code(f"Refs: {suggested[0].id or suggested[0].path}")
        none, exempt = code("Reviewed-ADRs: none"), code("ADR-Exempt: reason")
        # One line: in comments, forges show the end of a line as one.
        otherwise = f"If not, {none} or {exempt} on a line of its own there settles it."
        yield f"If so, add {refs} to the description or to a commit message. {otherwise}"
        yield ""
    if folded:
        title = format_count(len(folded), "more candidate" if suggested else "candidate")
        yield from _folded(title, (line for one in folded for line in _candidate(one, links)))
    if references.silenced:
        yield f"Which decision it rests on was not asked: {code(references.silenced)}"
        yield ""


def _suggestion(candidate: Candidate, links: Links | None) -> Iterator[str]:
    yield f"### {prose(question(candidate))}"
    yield ""
    if candidate.quote:
        yield f"> {sentence(candidate.quote, QUOTE)}"
        yield ""
    yield _source(candidate, links)
    yield ""
    if candidate.evidence:
        why = f"Why: {format_count(len(candidate.evidence), 'piece')} of evidence"
        score = f"{why}, score {candidate.score:.2f}"
        yield from _folded(score, (_evidence(one, links) for one in candidate.evidence))


def _candidate(candidate: Candidate, links: Links | None) -> Iterator[str]:
    """A record under a fold: a list item with what it says."""
    name = prose(candidate.name or candidate.path)
    title = f" ({prose(candidate.title)})" if candidate.id and candidate.title else ""
    yield f"- **{name}**{title}, score {candidate.score:.2f}. {_source(candidate, links)}"
    if candidate.quote:
        yield ""
        yield f"  > {sentence(candidate.quote, QUOTE)}"
    for one in candidate.evidence:
        yield f"  {_evidence(one, links)}"


def _source(candidate: Candidate, links: Links | None) -> str:
    section = f"“{prose(candidate.section)}” in " if candidate.section else "In "
    return f"{section}{place(candidate.path, candidate.line, links)}"


def _evidence(evidence: Evidence, links: Links | None) -> str:
    where = f" ({place(evidence.path, evidence.line, links)})" if evidence.path else ""
    return f"- {prose(evidence.kind)}: {prose(evidence.detail)}{where}"


def _findings(review: ReviewOutcome, severity: Severity, links: Links | None) -> Iterator[str]:
    found = _of(review, severity)
    if not found:
        return
    groups: dict[tuple[str, str], list[Finding]] = {}
    for one in found:
        groups.setdefault((one.rule, one.message), []).append(one)
    in_the_open, folded = _divided(list(groups.values()))
    yield f"### {_HEADINGS[severity]}"
    yield ""
    for group in in_the_open:
        yield from _group(group, links)
    yield ""
    if folded:
        title = f"{sum(map(len, folded)):,} more"
        yield from _folded(title, (line for group in folded for line in _group(group, links)))


def _divided(groups: list[list[Finding]]) -> tuple[list[list[Finding]], list[list[Finding]]]:
    """The first groups, each with its first findings, and all the rest."""
    first, rest = groups[:OPEN], groups[OPEN:]
    cut = [group[OPEN:] for group in first if len(group) > OPEN]
    return [group[:OPEN] for group in first], cut + rest


def _group(group: Sequence[Finding], links: Links | None) -> Iterator[str]:
    """Findings that say the same, as a list item that says it once."""
    first, *others = group
    evidence = code(first.evidence, SNIPPET)
    if not others:
        yield f"- {_told(first, links)}{_BACKSLASH if evidence else ''}"
        if evidence:
            yield f"  {evidence}"
        return
    yield f"- {prose(first.message)} ({code(first.rule)})"
    for one in group:
        where = place(one.path, one.line, links) if one.path else ""
        shows = code(one.evidence, SNIPPET)
        yield f"  - {': '.join(filter(None, (where, shows))) or 'the change as a whole'}"


def _told(finding: Finding, links: Links | None) -> str:
    """A finding in a line."""
    where = f"{place(finding.path, finding.line, links)}: " if finding.path else ""
    return f"{where}{prose(finding.message)} ({code(finding.rule)})"


def _suppressed(suppressed: Sequence[SuppressedFinding], links: Links | None) -> Iterator[str]:
    if suppressed:
        lines = (
            f"- {_told(one.finding, links)}. Reason: {prose(one.reason)}" for one in suppressed
        )
        yield from _folded(f"{len(suppressed):,} suppressed", lines)


def _notes(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield "### Notes"
        yield ""
        yield from (f"- {prose(note)}" for note in notes[:OPEN])
        yield ""
        if more := notes[OPEN:]:
            yield from _folded(f"{len(more):,} more", (f"- {prose(note)}" for note in more))


def _folded(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines behind a title of ours. The blank lines make the forge read them as Markdown."""
    yield f"{FOLD}<summary>{title}</summary>"
    yield ""
    yield from lines
    yield ""
    yield END
    yield ""
