"""The report of `sdd prime` as Markdown, which people read, and agents as context."""

# Governing: SPEC-0016 (context of a session), ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sdd_hooks.artifacts.identifiers import ArtifactKind
from sdd_hooks.reporting.budget import BudgetSection, Choice, choose_entries, count_tokens
from sdd_hooks.reporting.escape import escape_inline, fenced, table_cell
from sdd_hooks.reporting.priming import ArtifactName, PrimedArtifact, PrimedKnowledge, PrimeReport
from sdd_hooks.text.display import format_count

NO_ARTIFACTS = (
    "No design artifacts found. Create an ADR with `sdd adr` or a spec with `sdd spec` first."
)
NO_MATCHES = (
    'No ADRs or specs matched the topic "{topic}". Try a broader term, or run `sdd prime` without a'
    " topic to see all artifacts."
)
LEFT_OUT = "Left out to stay within {budget:,} tokens: {parts}. A larger `--budget` includes them."

NOTHING = "—"
MAX_TITLE = 160
MAX_CELL = 200
MAX_TOPIC = 80

_LEFT_OUT_TOKENS = 100
"""The tokens of LEFT_OUT, at most."""

_QUICK_REFERENCE = """\
- Load one topic: `sdd prime TOPIC`
- Search decisions, specifications and code: `sdd search QUERY`
- List all artifacts: `sdd list`"""

_Column = tuple[str, Callable[[PrimedArtifact], str]]


def render_markdown(report: PrimeReport, budget: int | None = None) -> list[str]:
    """Return the lines of the report, of at most `budget` tokens (None: no limit).

    Text of the repository is escaped. The last line says what is left out.
    """
    head = _head(report)
    if not (report.artifacts or report.excluded or report.knowledge):
        return head
    sections = _sections(report)
    room = None
    if budget is not None:
        room = budget - sum(count_tokens(f"{line}\n") for line in head) - _LEFT_OUT_TOKENS
    choice = choose_entries(sections, room)
    lines = [*head, *_chosen_lines(sections, choice)]
    if budget is not None and (parts := choice.left_out(sections)):
        lines += ["", LEFT_OUT.format(budget=budget, parts=", ".join(parts))]
    return lines


def _head(report: PrimeReport) -> list[str]:
    adrs, specs = len(report.of_kind("ADR")), len(report.of_kind("SPEC"))
    counts = f"{format_count(adrs, 'ADR')} and {format_count(specs, 'spec')}"
    across = f" across {format_count(len(report.modules), 'module')}" if report.modules else ""
    title, result = "## Architecture Context Loaded", f"Primed session with {counts}{across}."
    if report.topic is not None:
        title += f" (filtered: {_quoted(report.topic)})"
        result = f"Primed session with {counts} matching {_quoted(report.topic)}{across}."
        if not report.artifacts:
            result = NO_MATCHES.format(topic=escape_inline(report.topic, MAX_TOPIC))
    elif not report.artifacts and not report.excluded:
        result = NO_ARTIFACTS
    elif not adrs or not specs:
        result += f" There are no {'specs' if adrs else 'ADRs'}."
    notes = [line for note in report.notes for line in (escape_inline(note), "")]
    return [title, "", *notes, result]


def _sections(report: PrimeReport) -> list[BudgetSection]:
    """The sections in the order of the report."""
    topic = report.topic
    title = "Artifact Summaries" if topic is None else "Summaries"
    summaries = [_summary(report, one) for one in report.artifacts if any(one.summary)]
    sections = [
        _table(report, "ADR"),
        _table(report, "SPEC"),
        BudgetSection("summaries", f"\n### {title}", summaries, 1),
        BudgetSection(
            "patterns and lessons",
            "\n### Patterns and Lessons\n",
            [f"- {_knowledge(one)}" for one in report.knowledge],
            1,
        ),
    ]
    if topic is None:
        excluded = [f"- {_excluded(report, one)}" for one in report.excluded]
        heading = "\n### Non-Authoritative (excluded)\n"
        return [
            *sections,
            BudgetSection("non-authoritative artifacts", heading, excluded, 2),
            BudgetSection("", "\n### Quick Reference\n", [_QUICK_REFERENCE], 3),
        ]
    texts = [_full_text(report, one) for one in report.artifacts]
    skipped = [f"- {_heading(report, one)}" for one in report.skipped]
    return [
        *sections,
        BudgetSection("full texts", "\n### Full Text", texts, 2, gaps=True),
        BudgetSection(
            "skipped artifacts", f"\n### Skipped (not relevant to {_quoted(topic)})\n", skipped, 3
        ),
    ]


def _chosen_lines(sections: Sequence[BudgetSection], choice: Choice) -> Iterator[str]:
    for section, kept in zip(sections, choice.kept, strict=True):
        if any(kept):
            yield from section.heading.split("\n")
        for entry, keep in zip(section.entries, kept, strict=True):
            if keep:
                yield from entry.split("\n")


def _table(report: PrimeReport, kind: ArtifactKind) -> BudgetSection:
    noun = "ADRs" if kind == "ADR" else "specs"
    title = "Architecture Decision Records" if kind == "ADR" else "Specifications"
    if report.topic is not None:
        title = "Matching ADRs" if kind == "ADR" else "Matching Specs"
    columns = _columns(report, kind)
    names = "| " + " | ".join(name for name, _ in columns) + " |"
    rule = "|" + "|".join("-" * (len(name) + 2) for name, _ in columns) + "|"
    rows = [
        "| " + " | ".join(cell(one) for _, cell in columns) + " |" for one in report.of_kind(kind)
    ]
    return BudgetSection(noun, f"\n### {title}\n\n{names}\n{rule}", rows, 0)


def _columns(report: PrimeReport, kind: ArtifactKind) -> list[_Column]:
    columns: list[_Column] = []
    if report.modules:
        columns.append(("Module", lambda one: _module(one.name) or NOTHING))
    columns += [("ID", lambda one: one.name.id or NOTHING), ("Title", _title_cell)]
    # A column in which no artifact has a status would read as if all were unknown.
    if any(one.status for one in report.artifacts):
        columns.append(("Status", _status_cell))
    if report.topic is not None:
        return [*columns, ("Relevance", _relevance_cell)]
    last: _Column = ("Key Decision", _decision_cell)
    return [*columns, last if kind == "ADR" else ("Requirements", _requirements_cell)]


def _title_cell(one: PrimedArtifact) -> str:
    return table_cell(one.name.title, MAX_TITLE)


def _status_cell(one: PrimedArtifact) -> str:
    return f"{'' if one.authoritative else '⚠ '}{one.status or NOTHING}"


def _decision_cell(one: PrimedArtifact) -> str:
    return table_cell(one.summary[0], MAX_CELL) if one.summary else NOTHING


def _requirements_cell(one: PrimedArtifact) -> str:
    requirements = format_count(one.requirements, "requirement")
    return f"{requirements}, {format_count(one.scenarios, 'scenario')}"


def _relevance_cell(one: PrimedArtifact) -> str:
    if one.relevance is None:
        return NOTHING
    found = one.relevance
    said = table_cell(": ".join(filter(None, (found.section, found.excerpt))), MAX_CELL)
    return " — ".join(filter(None, (said, table_cell(found.matched, MAX_CELL)))) or NOTHING


def _summary(report: PrimeReport, one: PrimedArtifact) -> str:
    mark = ""
    sentences = " ".join(one.summary)
    if not one.authoritative:
        mark = f" ⚠ {_fate(one)}"
        if one.replaced_by and one.status == "superseded":
            named = ", ".join(one.replaced_by)
            sentences += (
                f" This decision was superseded by {named} — see the replacement for current"
                " guidance."
            )
    elif one.status and report.topic is None:
        mark = f" ({one.status})"
    return f"\n**{_heading(report, one.name)}**{mark}\n{escape_inline(sentences, 2_000)}"


def _full_text(report: PrimeReport, one: PrimedArtifact) -> str:
    lines = [f"\n**{_heading(report, one.name)}** ({escape_inline(one.name.path)})\n"]
    return "\n".join([*lines, *fenced(one.text, "markdown")])


def _knowledge(one: PrimedKnowledge) -> str:
    trigger = f" ({escape_inline(one.trigger)})" if one.trigger else ""
    summary = escape_inline(one.summary, MAX_CELL)
    return f"**{escape_inline(f'{one.kind} {one.id}')}**{trigger}: {summary}"


def _excluded(report: PrimeReport, one: PrimedArtifact) -> str:
    heading = _heading(report, one.name)
    if one.replaced_by:
        return f"{heading} → {_fate(one)}"
    return f"{heading} ({_fate(one)})"


def _fate(one: PrimedArtifact) -> str:
    """What became of an artifact that is not authoritative."""
    if not one.replaced_by:
        missing = one.status == "superseded"
        return f"{one.status} — no replacement recorded" if missing else one.status
    named = ", ".join(one.replaced_by)
    verb = "superseded" if one.status == "superseded" else f"{one.status}, replaced"
    return f"{verb} by {named}"


def _heading(report: PrimeReport, name: ArtifactName) -> str:
    """`[module] ID: title`; the module where several are aggregated."""
    module = f"{_module(name)} " if report.modules and name.module else ""
    identifier = f"{name.id}: " if name.id else ""
    return f"{module}{identifier}{escape_inline(name.title, MAX_TITLE) or NOTHING}"


def _module(name: ArtifactName) -> str:
    return f"[{table_cell(name.module)}]" if name.module else ""


def _quoted(topic: str) -> str:
    return f'"{escape_inline(topic, MAX_TOPIC)}"'
