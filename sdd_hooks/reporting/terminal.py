"""Report a review to a terminal, as plain lines with or without colour."""

# Governing: ADR-0022 (one review, many reports), ADR-0012 (untrusted input),
# SPEC-0010 REQ "Reports", SPEC-0019 REQ "Report"

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

from sdd_hooks.findings import (
    SEVERITIES,
    Finding,
    ReportedFinding,
    Severity,
    SeverityCounts,
    SuppressedFinding,
    count_severities,
    sum_counts,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.outcome import (
    AuditAction,
    AuditSummary,
    Candidate,
    CheckedTree,
    DecisionCoverage,
    Evidence,
    References,
    ReviewOutcome,
    TouchedIssue,
    findings_by_module,
    governed_statement,
    group_alike,
    issue_statement,
    reference_question,
)
from sdd_hooks.reporting.registry import Reporter
from sdd_hooks.reporting.whole_tree_markdown import CLEAN, describe_clean, describe_scope
from sdd_hooks.text.columns import align, wrap_line
from sdd_hooks.text.display import display_width, format_count, printable_line, shortened

MAX_LINES = 20
"""Lines of each part of the report; the rest is counted."""
MAX_PLACES = 6
"""Places of one finding; the rest is counted."""
MAX_GOVERNING = 5
"""Decisions that the change names; the rest is counted."""
MAX_WRAPPED = 4
"""Lines of one wrapped text."""
MIN_WIDTH = 40
MAX_WIDTH = 100
"""Columns. Longer lines are hard to read."""
MAX_TEXT = 500
"""Characters of one text."""

_COLOURS: dict[Severity, str] = {"critical": "31", "warning": "33", "info": "36"}
_INDENT = "  "
_BAR = "│ "
_MORE = "…"

Block = list[str]
T = TypeVar("T")

MAX_NAMED = 12
"""Records without a mention that are named; the rest is counted."""
MAX_NAME = 40
"""Columns of the name of a module."""


@dataclass(frozen=True)
class _Screen:
    """The width of the lines in columns, 0 for no limit, and whether they are styled.

    `nowhere` is the place of a finding that is in no file.
    """

    width: int
    colour: bool
    nowhere: str = "title, body or message"

    def styled(self, codes: str, lines: Sequence[str]) -> Block:
        return [f"\x1b[{codes}m{line}\x1b[0m" if self.colour else line for line in lines]

    def strong(self, *lines: str) -> Block:
        return self.styled("1", lines)

    def faint(self, *lines: str) -> Block:
        return self.styled("2", lines)

    def wrapped(self, text: str, indent: str = "", after: str = "") -> Block:
        """The printable text after an indent; lines but the first are indented by `after`, too."""
        room = max(self.width - display_width(indent + after), MIN_WIDTH // 2) if self.width else 0
        lines = _wrap(_printable(text), room)
        return [indent + (after if number else "") + line for number, line in enumerate(lines)]


def render_terminal(review: ReviewOutcome, *, width: int, colour: bool) -> str:
    """The review as text for a terminal of `width` columns (0: no limit), ending in a line end.

    The parts are: suggestions, referenced decisions, prior issues, findings by severity, suppressed
    findings, totals, notes.
    """
    columns = max(min(width, MAX_WIDTH), MIN_WIDTH) if width else 0
    screen = _Screen(columns, colour)
    if review.tree:
        screen = _Screen(columns, colour, "the repository")
    parts = audit_parts(review, review.audit, columns) if review.audit else NO_PARTS
    blocks = [
        *(_header(review.tree, screen) if parts is NO_PARTS else ()),
        _part(parts.header, screen),
        *(_suggestion(one, screen) for one in review.references.suggested),
        _advice(review.references, screen),
        _governing(review.references.governing, screen),
        _issues(review.issues, screen),
        *(_group(review.findings, severity, screen) for severity in SEVERITIES),
        _suppressed(review.suppressed, screen),
        *(_modules(review, screen) if parts is NO_PARTS else ()),
        *(_part(one, screen) for one in parts.footer),
        _read(review, screen),
        screen.strong(*screen.wrapped(_total(review))),
        *(_first_step(review, screen) if parts is NO_PARTS else ()),
        _notes(review, screen),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _header(tree: CheckedTree | None, screen: _Screen) -> Iterator[Block]:
    """The lines about the index that a check was made with."""
    for line in tree.header if tree else ():
        yield screen.faint(*screen.wrapped(line))


def _modules(review: ReviewOutcome, screen: _Screen) -> Iterator[Block]:
    """The number of findings of each module of a workspace, if there is more than one."""
    groups = findings_by_module(review, review.tree) if review.tree else {}
    if len(groups) > 1:
        yield [
            line
            for name, findings in groups.items()
            for line in screen.wrapped(f"{name or 'repository'}: {_counted(findings)}", "", _INDENT)
        ]


def _counted(findings: Sequence[Finding]) -> str:
    counts = count_severities(findings)._asdict()
    return ", ".join(f"{count:,} {severity}" for severity, count in counts.items() if count)


def _first_step(review: ReviewOutcome, screen: _Screen) -> Iterator[Block]:
    """What to do about the worst finding of a check."""
    worst = review.first_step
    if worst:
        place = f"{_place(worst.path, worst.line)}: " if worst.path else ""
        yield screen.wrapped(f"Begin with {place}{worst.message}", "", _INDENT)


def _part(part: ReportPart | None, screen: _Screen) -> Block:
    if part is None:
        return []
    table = [_INDENT + row for row in part.table]
    lines = (line for text in part.texts for line in screen.wrapped(text, _INDENT, _INDENT))
    return [*screen.strong(part.heading), *table, *lines]


def _suggestion(one: Candidate, screen: _Screen) -> Block:
    """The question, the place and the text of the quoted sentence, and the evidence."""
    place = _place(one.path, one.line)
    where = f"{place} ({one.section})" if one.section else place
    kinds = max((len(_printable(each.kind)) for each in one.evidence), default=0)
    return [
        *screen.strong(*screen.wrapped(reference_question(one))),
        *screen.wrapped(where, _INDENT),
        *(screen.wrapped(one.url, _INDENT) if one.url else ()),
        *_quoted(one.shown_quote, screen),
        *_some(one.evidence, lambda each: _evidence(each, one.path, kinds, screen), screen),
    ]


def _evidence(one: Evidence, record: str, kinds: int, screen: _Screen) -> Block:
    place = _place(one.path, one.line)
    if one.path == record:
        place = f"line {one.line}" if one.line else ""
    text = f"{one.detail} ({place})" if place and place not in one.detail else one.detail
    kind = _printable(one.kind)
    label = kind + " " * (kinds - len(kind) + 2)
    lines = screen.wrapped(text, _INDENT + " " * len(label)) or [""]
    first = (_INDENT + label + lines[0].lstrip(" ")).rstrip()
    return screen.faint(first, *lines[1:])


def _advice(references: References, screen: _Screen) -> Block:
    """How to answer the question, and the less likely candidates."""
    if not references.suggested:
        return []
    refs = f"If so, add `Refs: {references.suggested[0].name}` to a commit message."
    lines = screen.wrapped(f"{refs} If not, `Reviewed-ADRs: none` settles it.")
    names = (one.full_name for one in references.folded)
    if references.folded:
        lines += screen.wrapped(f"Less likely: {', '.join(names)}")
    return screen.faint(*lines)


def _governing(governing: Sequence[Candidate], screen: _Screen) -> Block:
    """The decisions that the change names."""
    lines = [
        line
        for one in governing[:MAX_GOVERNING]
        for line in screen.wrapped(governed_statement(one), "", _INDENT)
    ]
    return [*screen.faint(*lines), *_left(len(governing) - MAX_GOVERNING, _INDENT, screen)]


def _read(review: ReviewOutcome, screen: _Screen) -> Block:
    """The records that a check read in full, and why each."""
    read = review.references.ranked if review.tree and not review.audit else ()
    why = [(one.full_name, "; ".join(each.detail for each in one.evidence)) for one in read]
    said = [screen.wrapped(": ".join(one), _INDENT, _INDENT) for one in why]
    head = f"{format_count(len(read), 'record')} read in full"
    return screen.faint(head, *(line for one in said for line in one)) if said else []


def _issues(issues: Sequence[TouchedIssue], screen: _Screen) -> Block:
    """The prior issues that the change touches."""
    lines = [
        line for one in issues for line in screen.wrapped(issue_statement(one), _INDENT, _INDENT)
    ]
    return [*screen.strong("prior issues"), *screen.faint(*lines)] if lines else []


def _group(findings: Sequence[ReportedFinding], severity: Severity, screen: _Screen) -> Block:
    """The findings of a severity, grouped by rule and message."""
    groups = group_alike(one.finding for one in findings if one.finding.severity == severity)
    if not groups:
        return []
    number = sum(map(len, groups))
    heading = screen.styled(f"1;{_COLOURS[severity]}", [f"{severity} ({number:,})"])
    return [*heading, *_some(groups, lambda group: _findings(group, screen), screen, len)]


def _findings(group: Sequence[Finding], screen: _Screen) -> Block:
    """Findings with the same rule and message."""
    first = group[0]
    rule = _printable(first.rule)
    if len(group) > 1:
        places = [_line(one, screen) for one in group[:MAX_PLACES]]
        return [
            _INDENT + screen.strong(rule)[0],
            *screen.wrapped(first.message, _INDENT * 2),
            *places,
            *_left(len(group) - len(places), _INDENT * 2, screen),
        ]
    place = screen.strong(_printable(_where(first, screen)))[0]
    return [
        f"{_INDENT}{place}  {screen.faint(rule)[0]}",
        *screen.wrapped(first.message, _INDENT * 2),
        *_quoted(first.evidence, screen),
    ]


def _line(one: Finding, screen: _Screen) -> str:
    """The place of a finding, and as much of its evidence as fits on the line."""
    place = _printable(_where(one, screen))
    room = screen.width - display_width(place) - len(_INDENT) * 3 if screen.width else MAX_TEXT
    evidence = shortened(_printable(one.evidence), room) if room > len(_MORE) else ""
    return _INDENT * 2 + (f"{place}  {screen.faint(evidence)[0]}" if evidence else place)


def _suppressed(suppressed: Sequence[SuppressedFinding], screen: _Screen) -> Block:
    if not suppressed:
        return []

    def block(one: SuppressedFinding) -> Block:
        place = _place(one.finding.path, one.finding.line)
        text = f"{place}  {one.finding.rule}: {one.reason}"
        return screen.faint(*screen.wrapped(text, _INDENT, _INDENT))

    heading = screen.strong(f"suppressed ({len(suppressed):,})")
    return [*heading, *_some(suppressed, block, screen)]


def _total(review: ReviewOutcome) -> str:
    counts = count_severities(one.finding for one in review.findings)
    numbers = (
        format_count(len(review.references.suggested), "suggestion"),
        f"{counts.critical:,} critical",
        format_count(counts.warning, "warning"),
        f"{counts.info:,} info",
    )
    found = ", ".join(number for number in numbers if not number.startswith("0 "))
    files = format_count(review.files, "file")
    clear = f"all clear: {files} reviewed" if review.files else "all clear: nothing has changed"
    if review.references.compared_nothing:
        clear = f"{files} reviewed, with no decision"
    if review.tree:
        is_read = review.audit is None or describe_clean(review.audit) == CLEAN
        clear = f"all clear: {files} checked" if is_read else f"{files} checked, with no decision"
    total = f"{found} in {files}" if found else clear
    return f"{total}; {len(review.suppressed):,} suppressed" if review.suppressed else total


def _notes(review: ReviewOutcome, screen: _Screen) -> Block:
    silenced = review.references.silenced
    notes = (f"nothing is suggested, as asked for: {silenced}",) if silenced else ()
    texts = [f"note: {note}" for note in (*notes, *review.notes)]
    if review.references.silence:
        texts.insert(0, review.references.silence)
    return _some(texts, lambda text: screen.faint(*screen.wrapped(text, "", _INDENT)), screen)


def _some(
    items: Sequence[T],
    render: Callable[[T], Block],
    screen: _Screen,
    size: Callable[[T], int] = lambda _: 1,
) -> Block:
    """The first items, at least one, in at most MAX_LINES lines, and the number of the others.

    `size` is how many an item counts for.
    """
    blocks = [render(one) for one in items[:MAX_LINES]]
    lengths = accumulate(len(block) for block in blocks)
    fitting = max(1, sum(length <= MAX_LINES for length in lengths))
    lines = [line for block in blocks[:fitting] for line in block]
    return lines + _left(sum(map(size, items[fitting:])), _INDENT, screen)


def _left(number: int, indent: str, screen: _Screen) -> Block:
    return screen.faint(f"{indent}{_MORE} and {number:,} more") if number > 0 else []


def _quoted(text: str, screen: _Screen) -> Block:
    return screen.wrapped(text, _INDENT * 2 + _BAR) if text.strip() else []


def _where(finding: Finding, screen: _Screen) -> str:
    return _place(finding.path, finding.line) or screen.nowhere


def _place(path: str, line: int) -> str:
    return f"{path}:{line}" if path and line else path


def _printable(text: str) -> str:
    """The text as one printable line of at most `MAX_TEXT` columns."""
    return shortened(printable_line(" ".join(text[: MAX_TEXT * 4].split())), MAX_TEXT)


def _wrap(text: str, room: int) -> Block:
    """The text in at most MAX_WRAPPED lines of `room` columns; in one line if `room` is 0."""
    if not room:
        return [text] if text else []
    lines = list(wrap_line(text, room))
    if len(lines) <= MAX_WRAPPED:
        return lines
    return [*lines[: MAX_WRAPPED - 1], shortened(" ".join(lines[MAX_WRAPPED - 1 :]), room)]


REPORTER = Reporter(
    "terminal",
    lambda outcome, context: render_terminal(outcome, width=context.width, colour=context.colour),
)


class ReportPart(NamedTuple):
    """A heading, rows of a table that are printed as they are, and texts that are wrapped."""

    heading: str
    table: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


class ReportParts(NamedTuple):
    """What comes before the findings and what comes after them."""

    header: ReportPart | None = None
    footer: tuple[ReportPart, ...] = ()


NO_PARTS = ReportParts()


def audit_parts(review: ReviewOutcome, audit: AuditSummary, width: int) -> ReportParts:
    """The parts of an audit's report of `width` columns. Rows of tables are printable."""
    tree = review.tree or CheckedTree("audit")
    what = printable_line(tree.target) or "the whole repository"
    clean = () if review.findings else (describe_clean(audit),)
    header = ReportPart(f"audit of {what}", texts=(*tree.header, describe_scope(audit), *clean))
    footer = [
        ReportPart(
            "summary",
            _table("category", [(one.short, one.counts) for one in audit.categories], width),
        )
    ]
    if audit.modules:
        rows = [(one.name or "(no module)", one.counts) for one in audit.modules]
        footer.append(ReportPart("modules", _table("module", rows, width)))
    if audit.coverage.records:
        footer.append(ReportPart("coverage", texts=_coverage(audit.coverage)))
    if audit.actions:
        texts = tuple(f"{number}. {_action(one)}" for number, one in enumerate(audit.actions, 1))
        footer.append(ReportPart("recommended actions", texts=texts))
    return ReportParts(header, tuple(footer))


def _table(first: str, rows: Sequence[tuple[str, SeverityCounts]], width: int) -> tuple[str, ...]:
    """The rows with aligned columns, and a row of totals."""
    named = [(shortened(printable_line(name), MAX_NAME), counts) for name, counts in rows]
    total = sum_counts(counts for _, counts in named)
    severities = (
        ("critical", "warning", "info") if not width or width > 60 else ("crit", "warn", "info")
    )
    cells = [(name, *counts, counts.total) for name, counts in (*named, ("total", total))]
    return tuple(align([(first, *severities, "total"), *cells], max(width - len(_INDENT), 0)))


def _action(one: AuditAction) -> str:
    place = f"{one.path}:{one.line}" if one.path and one.line else one.path
    more = f" ({format_count(one.more, 'more finding')} of {one.rule})" if one.more else ""
    return f"[{one.severity}] {f'{place}: ' if place else ''}{one.text}{more}"


def _coverage(coverage: DecisionCoverage) -> tuple[str, ...]:
    summary = (
        f"code names {coverage.cited:,} of {format_count(coverage.records, 'record')} in force,"
        f" {coverage.naming:,} name code, {coverage.both:,} both,"
        f" {len(coverage.uncited):,} neither;"
        f" they govern {coverage.governed:,} of {format_count(coverage.files, 'source file')}"
    )
    if not coverage.uncited:
        return (summary,)
    names = [one.name for one in coverage.uncited[:MAX_NAMED]]
    more = len(coverage.uncited) - len(names)
    listed = ", ".join(names) + (f" and {more:,} more" if more else "")
    return (summary, f"neither: {listed}")
