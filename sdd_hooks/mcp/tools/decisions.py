"""The tool `decisions_for_paths`: what governs files, with the text that decides.

A pointer to a decision does not change what a model writes; the sentences of the decision do.
"""

# Governing: SPEC-0030 REQ "Decisions for paths", ADR-0036 (a record says what it applies to)

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.replacements import find_replacements
from sdd_hooks.artifacts.requirements import Requirement
from sdd_hooks.artifacts.summary import summarize, summary_section
from sdd_hooks.external.records import read_external_records
from sdd_hooks.mcp.pages import Data, page_of_entries, page_parameters
from sdd_hooks.mcp.parameters import BadArgument, Parameter
from sdd_hooks.mcp.roots import ROOT_PARAMETER
from sdd_hooks.mcp.tool import Call, Tool, ToolResult, force_of
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.retrieval.report import RecordLabel
from sdd_hooks.text.markdown import unify_line_endings
from sdd_hooks.usecases.reading.governing import (
    GoverningReason,
    GoverningRecords,
    NotAFile,
    govern_file,
    read_governing_records,
)

MAX_PATHS = 50

_MAX_REASONS = 5
_MAX_TEXT = 600


class _Governed(dict[str, list[tuple[str, GoverningReason]]]):
    """For the path of a record, the files that it governs, each with a reason."""


def _run(call: Call) -> ToolResult:
    names = call.texts("paths")
    if not names:
        raise BadArgument("paths is empty")
    project = call.project
    collections = project.select(RECORD_KINDS, call.text("module") or None)
    external = read_external_records(project.repository, project.external)
    records = read_governing_records(project, collections, external)
    governed, refused = _Governed(), []
    for name in dict.fromkeys(names):
        try:
            found = govern_file(records, call.root, name)
        except NotAFile as error:
            refused.append(str(error)[:300])
            continue
        for artifact, reasons in found.artifacts:
            governed.setdefault(artifact.path, []).extend((found.path, one) for one in reasons)
    entries = _entries(records, governed)
    notes = (*refused, *records.left_out, *external.notes(call.now), *project.warnings)
    head: Data = {} if entries else {"answer": "no decision or specification governs these paths"}
    return ToolResult(page_of_entries(head, "decisions", entries, call.requested_page, notes))


def _entries(records: GoverningRecords, governed: _Governed) -> list[Data]:
    """The records, those in force first, then those that govern most of the files."""
    replacements = find_replacements(records.corpus)
    found = [
        (artifact, text, governed[artifact.path])
        for artifact, text, _ in records.entries
        if artifact.path in governed
    ]
    found.sort(key=lambda one: (not one[0].status.authoritative, -len(one[2]), one[0].path))
    entries = []
    for artifact, text, reasons in found:
        label = RecordLabel(
            artifact.name,
            artifact.title,
            artifact.status.value,
            artifact.status.authoritative,
            tuple(map(str, replacements.get(artifact.path, artifact.successors))),
            is_numbered=artifact.id is not None,
        )
        entries.append(
            {
                "artifact": label.name,
                **force_of(label),
                "place": _place(artifact),
                "decision": _decision(artifact, text, [reason for _, reason in reasons]),
                "governs": [_reason(path, one) for path, one in reasons[:_MAX_REASONS]],
            }
        )
    return entries


def _place(artifact: Artifact) -> str:
    section = summary_section(artifact)
    return f"{artifact.path}:{section.first_line}-{section.last_line}" if section else artifact.path


def _decision(artifact: Artifact, text: str, reasons: Sequence[GoverningReason]) -> str:
    """The sentences that decide: those of the requirements that comments name, else the summary."""
    named = {reason.text for reason in reasons if reason.kind == "comment" and reason.text}
    lines = unify_line_endings(text).split("\n")
    stated = [_statement(one, lines) for one in artifact.requirements if one.name in named]
    return " ".join(stated)[:_MAX_TEXT] or " ".join(summarize(artifact, text, _MAX_TEXT))


def _statement(requirement: Requirement, lines: Sequence[str]) -> str:
    """The text of a requirement between its heading and its first scenario, on one line."""
    last = requirement.last_line
    if requirement.scenarios:
        last = requirement.scenarios[0].first_line - 1
    return " ".join(" ".join(lines[requirement.first_line : last]).split())


def _reason(path: str, reason: GoverningReason) -> str:
    place = f"{reason.path}:{reason.line}"
    if reason.kind == "comment":
        requirement = f' REQ "{reason.text}"' if reason.text else ""
        return f"{path}: governing comment{requirement} ({place})"
    kind = "sdd-rule" if reason.kind == "rule" else "applies-to"
    return f"{path}: {kind} {reason.text} ({place})"


TOOL = Tool(
    "decisions_for_paths",
    "Find what governs files",
    "Before you edit files: the decisions and specifications that govern them, each with the"
    " sentences that decide, and why it governs. A file may be a new one. An empty list means that"
    " nothing governs them. A record with a mark is not in force.",
    (
        Parameter(
            "paths",
            "texts",
            "Files, relative to the top of the repository or absolute.",
            required=True,
            high=1_000,
            items=MAX_PATHS,
        ),
        Parameter("module", "text", "Only this module of the workspace."),
        ROOT_PARAMETER,
        *page_parameters(2_000),
    ),
    _run,
)
