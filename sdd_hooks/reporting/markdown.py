"""Report a review as Markdown, for the reviewers of a pull request.

The report of the comment and of the step's summary is the same, cut to what each of them holds.
"""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "Reports"

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from sdd_hooks.findings import SEVERITIES, Finding, Severity, count_severities
from sdd_hooks.reporting.escape import code_span, escape_sentence, escape_text
from sdd_hooks.reporting.markdown_parts import (
    FOLD_END,
    FOLD_START,
    SIGNS,
    finding_line,
    folded,
    place_link,
    suppressed_lines,
)
from sdd_hooks.reporting.outcome import (
    Candidate,
    Evidence,
    ReviewOutcome,
    governed_statement,
    group_alike,
    issue_statement,
    reference_question,
)
from sdd_hooks.reporting.registry import Links, Reporter
from sdd_hooks.reporting.whole_tree_markdown import audit_lines, tree_lines
from sdd_hooks.text.display import format_count
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_OPEN = 5
"""Findings of one severity, places of one finding, and notes that are not folded."""
MAX_GOVERNING = 20
"""Decisions that the change names."""
MAX_QUOTE = 600
"""Characters of a sentence of a record."""
MAX_SNIPPET = 160
"""Characters of the line that a finding is about."""

_HEADINGS: dict[Severity, str] = {"critical": "Critical", "warning": "Warnings", "info": "Remarks"}
_NAMES: dict[Severity, str] = {
    "critical": "critical finding",
    "warning": "warning",
    "info": "remark",
}

# Has no character that ends a link.
_ADDRESS = lazy_regex(r"https://[A-Za-z0-9._~:/?#%+=&-]{1,2000}")

# Markdown ignores a line end alone.
_LINE_BREAK = "\\"


def render_markdown(review: ReviewOutcome, *, links: Links | None = None) -> str:
    """The report with every finding. Equal reviews have equal reports."""
    return "".join(f"{line}\n" for line in markdown_lines(review, links))


def markdown_lines(review: ReviewOutcome, links: Links | None) -> Iterator[str]:
    """The lines of the report.

    Only the tag of a fold makes a line begin with it: no line begins with untrusted text, and
    untrusted text is escaped.
    """
    if review.audit:
        yield from audit_lines(review, review.audit, links)
        return
    if review.tree:
        yield from tree_lines(review, review.tree, links)
        return
    yield f"## {_verdict(review)}"
    yield ""
    yield from _references(review, links)
    if review.issues:
        title = f"{format_count(len(review.issues), 'prior issue')} touched"
        yield from folded(
            title, (f"- {escape_text(issue_statement(one))}" for one in review.issues)
        )
    for severity in SEVERITIES:
        yield from _findings(review, severity, links)
    yield from suppressed_lines(review.suppressed, links)
    yield from _notes(review.notes)
    yield f"<sub>{_scope(review)}</sub>"


def truncate_lines(
    lines: Iterable[str], size: Callable[[str], int], max_size: int, notice: str
) -> str:
    """The lines as one text whose total `size` is at most `max_size`.

    If they do not fit, the text ends before the first line that does not, an open fold is closed,
    and `notice` is the last line. `size` is called with lines that include their line ends.
    """
    ending = ["", FOLD_END, "", notice]
    room = max_size - sum(size(f"{line}\n") for line in ending)
    kept: list[str] = []
    used = 0
    fits = 0
    for line in lines:
        used += size(f"{line}\n")
        kept.append(line)
        if used <= room:
            fits = len(kept)
        elif used > max_size:
            kept = kept[:fits]
            kept += ending if _has_open_fold(kept) else ending[2:]
            break
    return "".join(f"{line}\n" for line in kept)


def _has_open_fold(lines: list[str]) -> bool:
    # Folds are not nested.
    return sum(line.startswith(FOLD_START) for line in lines) > lines.count(FOLD_END)


def _verdict(review: ReviewOutcome) -> str:
    suggested = len(review.references.suggested)
    numbers = count_severities(one.finding for one in review.findings)
    counts = [
        f"{SIGNS[severity]} {format_count(number, _NAMES[severity])}"
        for severity, number in zip(SEVERITIES, numbers, strict=True)
        if number
    ]
    if suggested:
        counts.insert(0, f"📌 {format_count(suggested, 'decision')} to consider")
    clear = "No decision to compare with" if review.references.compared_nothing else "✅ All clear"
    return " · ".join(counts) if counts else clear


def _of_severity(review: ReviewOutcome, severity: Severity) -> list[Finding]:
    return [one.finding for one in review.findings if one.finding.severity == severity]


def _scope(review: ReviewOutcome) -> str:
    """What was compared, and how to suppress a finding."""
    files = format_count(review.files, "changed file")
    head = f"to {code_span(review.head[:12])}" if review.head else "to what is staged"
    scope = f"{files}, from {code_span(review.base[:12])} {head}." if review.base else f"{files}."
    if not review.findings:
        return scope
    ignore = code_span("sdd-ignore: RULE (reason)")
    return f"{scope} A finding is left alone with {ignore} on its line or the line above."


def _references(review: ReviewOutcome, links: Links | None) -> Iterator[str]:
    references = review.references
    suggested, others = references.suggested, references.folded
    for candidate in suggested:
        yield from _suggestion(candidate, links)
    if suggested:
        refs = code_span(f"Refs: {suggested[0].id or suggested[0].path}")
        none, exempt = code_span("Reviewed-ADRs: none"), code_span("ADR-Exempt: reason")
        # One line, since forges show a line end in a comment as a line break.
        otherwise = f"If not, {none} or {exempt} on a line of its own there settles it."
        yield f"If so, add {refs} to the description or to a commit message. {otherwise}"
        yield ""
    if others:
        title = format_count(len(others), "more candidate" if suggested else "candidate")
        yield from folded(title, (line for one in others for line in _candidate(one, links)))
    if governing := references.governing:
        title = f"{format_count(len(governing), 'decision')} referenced"
        yield from folded(title, (_governing(one, links) for one in governing[:MAX_GOVERNING]))
    if references.silenced:
        yield f"Which decision it rests on was not asked: {code_span(references.silenced)}"
        yield ""
    if references.silence:
        yield f"{escape_text(references.silence)}"
        yield ""


def _suggestion(candidate: Candidate, links: Links | None) -> Iterator[str]:
    yield f"### {escape_text(reference_question(candidate))}"
    yield ""
    if candidate.quote:
        yield f"> {escape_sentence(candidate.shown_quote, MAX_QUOTE)}"
        yield ""
    yield _source(candidate, links)
    yield ""
    if candidate.evidence:
        why = f"Why: {format_count(len(candidate.evidence), 'reason')}"
        title = f"{why}, score {candidate.score:.2f}"
        lines = (_evidence(one, candidate, links) for one in candidate.evidence)
        yield from folded(title, lines)


def _candidate(candidate: Candidate, links: Links | None) -> Iterator[str]:
    """A folded candidate: a list item with its quote and its evidence."""
    name = escape_text(candidate.name or candidate.path)
    title = f" ({escape_text(candidate.title)})" if candidate.id and candidate.title else ""
    yield f"- **{name}**{title}, score {candidate.score:.2f}. {_source(candidate, links)}"
    if candidate.quote:
        yield ""
        yield f"  > {escape_sentence(candidate.shown_quote, MAX_QUOTE)}"
    for one in candidate.evidence:
        yield f"  {_evidence(one, candidate, links)}"


def _governing(candidate: Candidate, links: Links | None) -> str:
    place = place_link(candidate.path, 0, links)
    return f"- {escape_text(governed_statement(candidate))}: {place}"


def _source(candidate: Candidate, links: Links | None) -> str:
    section = f"“{escape_text(candidate.section)}” in " if candidate.section else "In "
    if candidate.origin:
        # The file is in another repository, to which the links of this one do not lead.
        place = place_link(candidate.path, candidate.line, None)
        is_address = place and _ADDRESS.fullmatch(candidate.url)
        return f"{section}[{place}]({candidate.url})" if is_address else f"{section}{place}"
    return f"{section}{place_link(candidate.path, candidate.line, links)}"


def _evidence(evidence: Evidence, candidate: Candidate, links: Links | None) -> str:
    if candidate.is_place(evidence.path):
        links = None
    where = f" ({place_link(evidence.path, evidence.line, links)})" if evidence.path else ""
    return f"- {escape_text(evidence.kind)}: {escape_text(evidence.detail)}{where}"


def _findings(review: ReviewOutcome, severity: Severity, links: Links | None) -> Iterator[str]:
    findings = _of_severity(review, severity)
    if not findings:
        return
    shown, others = _split(group_alike(findings))
    yield f"### {_HEADINGS[severity]}"
    yield ""
    for group in shown:
        yield from _group(group, links)
    yield ""
    if others:
        title = f"{sum(map(len, others)):,} more"
        yield from folded(title, (line for group in others for line in _group(group, links)))


def _split(groups: list[list[Finding]]) -> tuple[list[list[Finding]], list[list[Finding]]]:
    """The first groups, each with its first findings, and the rest."""
    first, rest = groups[:MAX_OPEN], groups[MAX_OPEN:]
    cut = [group[MAX_OPEN:] for group in first if len(group) > MAX_OPEN]
    return [group[:MAX_OPEN] for group in first], cut + rest


def _group(group: Sequence[Finding], links: Links | None) -> Iterator[str]:
    """Findings with the same rule and message, as one list item."""
    first, *others = group
    evidence = code_span(first.evidence, MAX_SNIPPET)
    if not others:
        yield f"- {finding_line(first, links)}{_LINE_BREAK if evidence else ''}"
        if evidence:
            yield f"  {evidence}"
        return
    yield f"- {escape_text(first.message)} ({code_span(first.rule)})"
    for one in group:
        where = place_link(one.path, one.line, links) if one.path else ""
        snippet = code_span(one.evidence, MAX_SNIPPET)
        yield f"  - {': '.join(filter(None, (where, snippet))) or 'the change as a whole'}"


def _notes(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield "### Notes"
        yield ""
        yield from (f"- {escape_text(note)}" for note in notes[:MAX_OPEN])
        yield ""
        if more := notes[MAX_OPEN:]:
            yield from folded(f"{len(more):,} more", (f"- {escape_text(note)}" for note in more))


REPORTER = Reporter(
    "markdown", lambda outcome, context: render_markdown(outcome, links=context.links)
)
