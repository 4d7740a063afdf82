"""The outputs of `sdd show`: text for people, and one object."""

# Governing: SPEC-0005 REQ "Show", ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdd_hooks.artifacts.edges import Edge
from sdd_hooks.retrieval.references import Shown
from sdd_hooks.system.terminal import Terminal
from sdd_hooks.text.columns import GAP, align
from sdd_hooks.text.display import printable_line, printable_lines

_COMMIT_DIGITS = 10


def shown_lines(shown: Shown, screen: Terminal) -> list[str]:
    """Return the lines for a terminal: what it is, the text, and what references it."""
    lines = [*_head(shown, screen), "", *printable_lines(shown.part.text)]
    for heading, rows in _tables(shown):
        if rows:
            lines += ["", screen.strong(heading), *_aligned(rows, screen.width)]
    return lines


def _head(shown: Shown, screen: Terminal) -> Iterator[str]:
    part, record, label = shown.part, shown.record, shown.label
    if label:
        state = f" · {screen.status(printable_line(label.state))}" if label.state else ""
        yield screen.strong(printable_line(label.name)) + state
    lines = f":{part.first_line}-{part.last_line}" if part.anchor else ""
    facts = [f"{part.path}{lines}", record.date if record else ""]
    if record and record.design and record.design != part.path:
        facts.append(f"design: {record.design}")
    yield screen.faint(printable_line(" · ".join(filter(None, facts))))


def _tables(shown: Shown) -> Iterator[tuple[str, list[Sequence[str]]]]:
    references = shown.references
    yield "Edges", [_edge_row(edge, shown.titles) for edge in references.edges]
    yield (
        "Governing comments",
        [
            (f"{comment.path}:{comment.line}", comment.requirement, comment.reason)
            for comment in references.comments
        ],
    )
    yield (
        "Issues",
        [(issue.id, issue.title, f"{issue.path}:{issue.line}") for issue in references.issues],
    )
    yield (
        "Commits",
        [
            (commit.commit[:_COMMIT_DIGITS], commit.date, commit.subject)
            for commit in references.commits
        ],
    )
    yield (
        "Records",
        [
            (record.id, record.title, f"{record.path}:{record.line}")
            for record in references.records
        ],
    )
    yield "Governs", [(name, shown.titles.get(name, "")) for name in shown.governs]
    yield (
        "Governed by",
        [
            (str(entry.id), entry.requirement, entry.reason, f"line {entry.line}")
            for entry in shown.governed_by
        ],
    )


def _edge_row(edge: Edge, titles: dict[str, str]) -> Sequence[str]:
    name = str(edge.target)
    return (edge.kind, name, titles.get(name, ""), "derived" if edge.derived else "")


def _aligned(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return the rows as lines with aligned columns, indented, without empty columns."""
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    room = max(width - len(GAP), 1) if width else 0
    return [f"{GAP}{line}" for line in align(list(zip(*columns, strict=True)), room)]


def shown_data(shown: Shown) -> dict[str, object]:
    """Return the object of `--json`, without notes and warnings."""
    references = shown.references
    return {
        "artifact": _artifact_data(shown),
        **shown.part._asdict(),
        "edges": [
            {
                "kind": edge.kind,
                "target": str(edge.target),
                "title": shown.titles.get(str(edge.target)) or None,
                "path": edge.path,
                "line": edge.line,
                "derived": edge.derived,
            }
            for edge in references.edges
        ],
        "governing_comments": [comment._asdict() for comment in references.comments],
        "issues": [issue._asdict() for issue in references.issues],
        "commits": [commit._asdict() for commit in references.commits],
        "records": [record._asdict() for record in references.records],
        "governs": list(shown.governs),
        "governed_by": [{**entry._asdict(), "id": str(entry.id)} for entry in shown.governed_by],
    }


def _artifact_data(shown: Shown) -> dict[str, object] | None:
    record, label = shown.record, shown.label
    if record is None or label is None:
        return None
    return {
        "id": str(record.id),
        "kind": record.kind,
        "module": record.module,
        "title": record.title,
        "status": label.status or None,
        "authoritative": label.authoritative,
        "replaced_by": list(label.replaced_by),
        "date": record.date or None,
        "path": record.path,
        "design": record.design or None,
    }
