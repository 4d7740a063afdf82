"""The lines and objects that `sdd graph` prints for lists."""

# Governing: SPEC-0021 REQ "Orphans and cycles", SPEC-0021 REQ "Backfill"

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdd_hooks.artifacts.edges import Edge
from sdd_hooks.artifacts.validation import describe_path
from sdd_hooks.cli.shared.output import format_count, printable_line, table
from sdd_hooks.drift.artifact_graph import GraphNode
from sdd_hooks.drift.backfill import Proposal
from sdd_hooks.drift.graph_formats.json import node_data
from sdd_hooks.drift.graph_formats.markdown import markdown_table
from sdd_hooks.findings import Finding
from sdd_hooks.usecases.drift.graph import (
    BackfillReport,
    CycleReport,
    GraphReport,
    OrphanReport,
)

MAX_LISTED = 40
"""Orphaned source files that are listed one by one. More are counted by directory."""

NO_CYCLES = "No cycles detected."


def validation_data(report: GraphReport) -> dict[str, object]:
    """The object of `validate`."""
    errors = [_finding_data(one, "error") for one in report.errors]
    warnings = [_finding_data(one, "warning") for one in report.warnings]
    return {
        "nodes": report.nodes,
        "authored_edges": report.written,
        "derived_edges": report.derived,
        "diagnostics": [*errors, *warnings],
    }


def validation_lines(report: GraphReport, *, is_markdown: bool) -> Iterator[str]:
    """A line for each error and warning, and a summary."""
    edges = f"{format_count(report.written, 'edge')}, {report.derived:,} derived"
    errors = format_count(len(report.errors), "error")
    counts = f"{errors}, {format_count(len(report.warnings), 'warning')}"
    found = counts if report.errors or report.warnings else "no problem"
    summary = f"{format_count(report.nodes, 'node')}, {edges}: {found}"
    if is_markdown:
        yield from ("# Artifact graph", "", f"{summary}.")
    for title, findings in (("error", report.errors), ("warning", report.warnings)):
        if is_markdown and findings:
            rows = ((_place(one), one.rule, one.message) for one in findings)
            head = ("file", "rule", "message")
            yield from ("", f"## {title.capitalize()}s", "", *markdown_table(head, rows))
        elif not is_markdown:
            yield from (printable_line(f"{title}: {_place(f)}: {f.message}") for f in findings)
    if not is_markdown:
        yield summary


def _place(finding: Finding) -> str:
    return f"{finding.path}:{finding.line}" if finding.line else finding.path


def _finding_data(finding: Finding, severity: str) -> dict[str, object]:
    return {
        "severity": severity,
        "rule": finding.rule,
        "path": finding.path,
        "line": finding.line,
        "message": finding.message,
    }


def cycle_data(report: CycleReport) -> list[object]:
    """The object of `cycles`: a list of edges for each."""
    return [[_edge_data(edge) for edge in cycle] for cycle in report.cycles]


def _edge_data(edge: Edge) -> dict[str, object]:
    return {
        "source": str(edge.source),
        "type": edge.kind,
        "target": str(edge.target),
        "derived": False,
        "path": edge.path,
        "line": edge.line,
    }


def cycle_lines(report: CycleReport, *, is_markdown: bool) -> list[str]:
    """A line for each cycle, with its path."""
    rows = [(str(cycle[0].source), describe_path(cycle)) for cycle in report.cycles]
    more = f"… {format_count(report.left_out, 'longer cycle')}" if report.left_out else ""
    if is_markdown and rows:
        return [*markdown_table(("from", "cycle"), rows), *(("", more) if more else ())]
    lines = [printable_line(f"{start} {path}") for start, path in rows]
    return [*lines, *filter(None, [more])] or [NO_CYCLES]


def orphan_data(report: OrphanReport) -> dict[str, object]:
    """The object of `orphans`."""
    found = report.orphans
    return {
        "code_files_without_governing": list(found.files),
        "specs_without_implementing_code": [node_data(one) for one in found.specs],
        "adrs_without_implementing_spec": [node_data(one) for one in found.adrs],
    }


def orphan_lines(report: OrphanReport, *, is_markdown: bool) -> Iterator[str]:
    """The three lists, each with a title."""
    found = report.orphans
    total = f"{len(found.files):,} of {format_count(found.files_read, 'source file')}"
    artifacts = ("id", "status", "title", "path")
    files = ("directory", "files") if len(found.files) > MAX_LISTED else ("file",)
    specs = f"{format_count(len(found.specs), 'specification')} that no code cites"
    adrs = format_count(len(found.adrs), "decision")
    adrs = f"{adrs} that no specification implements and no code cites"
    groups: list[tuple[str, Sequence[str], Sequence[Sequence[str]]]] = [
        (f"{total} without a governing comment", files, _file_rows(found.files)),
        (specs, artifacts, [_node_row(one) for one in found.specs]),
        (adrs, artifacts, [_node_row(one) for one in found.adrs]),
    ]
    for number, (title, head, rows) in enumerate(groups):
        if number:
            yield ""
        yield f"## {title}" if is_markdown else title
        if rows and is_markdown:
            yield from ("", *markdown_table(head, rows))
        elif rows:
            is_artifacts = head == artifacts
            lines = table(rows, optional=(3,) if is_artifacts else (), status=1, indent=2)
            yield from (f"  {line}" for line in lines)


def _node_row(node: GraphNode) -> tuple[str, ...]:
    return (node.name, node.status or "none", node.title, node.path)


def _file_rows(files: Sequence[str]) -> Sequence[Sequence[str]]:
    """The files; many of them as directories with their numbers of files, the largest first."""
    if len(files) <= MAX_LISTED:
        return [(path,) for path in files]
    counts: dict[str, int] = {}
    for path in files:
        directory = "/".join(path.split("/")[:-1][:2]) or "."
        counts[directory] = counts.get(directory, 0) + 1
    order = sorted(counts, key=lambda directory: (-counts[directory], directory))
    rows = [(f"{directory}/", f"{counts[directory]:,}") for directory in order[:MAX_LISTED]]
    rest = sum(counts[directory] for directory in order[MAX_LISTED:])
    more = f"… {len(order) - MAX_LISTED:,} more directories"
    return [*rows, (more, f"{rest:,}")] if rest else rows


def proposal_data(proposal: Proposal) -> dict[str, object]:
    """The object of a proposal."""
    return {
        "id": proposal.artifact.name,
        "path": proposal.artifact.path,
        "edges": [
            {
                "type": edge.type,
                "target": edge.target.name,
                "derived": False,
                "line": edge.line,
                "evidence": edge.sentence,
            }
            for edge in proposal.edges
        ],
        "diff": proposal.edit.diff(2),
        "problem": proposal.problem or None,
    }


def proposal_lines(report: BackfillReport) -> Iterator[str]:
    """The proposals, each with its evidence and its diff."""
    for proposal in report.proposals:
        artifact = proposal.artifact
        yield printable_line(f"{artifact.name}  {artifact.title}")
        for edge in proposal.edges:
            place = f"{artifact.path}:{edge.line}"
            yield printable_line(f"  {edge.type} {edge.target.name}  {place}  {edge.sentence}")
        if proposal.problem:
            yield printable_line(f"  {proposal.problem}")
        yield from (_verbatim(line) for line in proposal.edit.diff(2).splitlines())
        yield ""
    edges = sum(len(one.edges) for one in report.proposals)
    files = format_count(len(report.proposals), "file")
    if not edges:
        yield "no edges to propose"
    else:
        proposed = f"{format_count(edges, 'edge')} proposed in {files}"
        yield f"{proposed}: --apply writes them, --reject hides them"


def _verbatim(line: str) -> str:
    """A line of a diff with its indentation, printable."""
    stripped = line.lstrip(" ")
    return line[: len(line) - len(stripped)] + printable_line(stripped)
