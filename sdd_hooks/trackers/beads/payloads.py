"""What Beads prints and exports, as canonical issues.

The fields are those of `bd list --json`, docs/JSON_SCHEMA.md of https://github.com/steveyegge/beads,
and of the lines of `bd export`.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sdd_hooks.remote.json_fields import Json, field, rows, text, texts, utc
from sdd_hooks.trackers.issue import Issue

NAME = "beads"
BLOCKING = frozenset({"blocks", "conditional-blocks", "waits-for"})
"""The types of dependencies that make one issue wait for another; `parent-child` does not."""
CLOSED = frozenset({"closed", "resolved"})
TOMBSTONE = "tombstone"
"""The status that versions before 0.50 give an issue that was deleted."""
EPIC = "epic"
DEFAULT_TYPE = "task"
SECTIONS = (
    ("Design", "design"),
    ("Acceptance Criteria", "acceptance_criteria"),
    ("Notes", "notes"),
)
"""The texts beside the description: as headings, and as fields."""

MOST_TOLD = 5
"""Damaged lines of a file that are told one by one."""


class Edges(NamedTuple):
    """What each issue waits for, and what waits for it."""

    blocked_by: Mapping[str, tuple[str, ...]]
    blocks: Mapping[str, tuple[str, ...]]


class Read(NamedTuple):
    """The issues there are, the ids of deleted ones, and what could not be read, in words."""

    issues: tuple[Issue, ...]
    gone: tuple[str, ...]
    warnings: tuple[str, ...]


def payload(printed: str) -> Json:
    """What a command of bd printed as JSON, out of its envelope `{schema_version, data}` if it is
    in one; None for what is no JSON."""
    try:
        found: Json = json.loads(printed)
    except (ValueError, RecursionError):
        return None
    wrapped = isinstance(found, dict) and "schema_version" in found and "data" in found
    return field(found, "data") if wrapped else found


def lines_of(exported: str, name: str) -> tuple[list[Json], tuple[str, ...]]:
    """The issues of an export, one JSON object on a line, and a warning for each line that is none.

    `name` is what the export is called. Memories and other records are left out.
    """
    found: list[Json] = []
    damaged: list[int] = []
    for number, line in enumerate(re.split(r"\r?\n", exported), 1):
        if not line.strip():
            continue
        row = payload(line)
        if not isinstance(row, dict):
            damaged.append(number)
        elif row.get("_type", "issue") == "issue":
            found.append(row)
    warnings = [f"{name}:{number} is no issue: left out" for number in damaged[:MOST_TOLD]]
    if len(damaged) > MOST_TOLD:
        warnings.append(f"{name} has {len(damaged) - MOST_TOLD} more lines that are no issues")
    return found, tuple(warnings)


def issues_of(found: Iterable[Json]) -> Read:
    """All issues of a project, with their edges both ways."""
    known = list(found)
    edges = edges_of(known)
    issues: dict[str, Issue] = {}
    gone = []
    nameless = 0
    for row in known:
        issue = issue_of(row, edges)
        if issue is None:
            nameless += 1
        elif text(row, "status") == TOMBSTONE:
            gone.append(issue.id)
        else:
            issues[issue.id] = issue
    warnings = (f"left out {nameless} entries of Beads without an id",) if nameless else ()
    return Read(tuple(issues.values()), tuple(id for id in gone if id not in issues), warnings)


def issue_of(row: Json, edges: Edges) -> Issue | None:
    """One issue; None for what has no id.

    Its labels are its own, and its type (`bug`, `epic`) where that is not the default one. Its body
    is the description, then design, acceptance criteria and notes under headings of their own, each
    verbatim.
    """
    id = text(row, "id")
    if not id:
        return None
    kind = text(row, "issue_type")
    labels = texts(row, "labels")
    if kind not in {"", DEFAULT_TYPE, *labels}:
        labels = (*labels, kind)
    closed = text(row, "status") in CLOSED
    spec = text(row, "spec_id")
    return Issue(
        id=id,
        title=text(row, "title"),
        status="closed" if closed else "open",
        labels=labels,
        assignees=tuple(filter(None, (text(row, "assignee"),))),
        author=text(row, "created_by"),
        created=utc(row, "created_at"),
        updated=utc(row, "updated_at") or utc(row, "created_at"),
        closed=utc(row, "closed_at") if closed else "",
        url="",
        tracker=NAME,
        body=text(row, "description") + sections_of(row),
        blocks=edges.blocks.get(id, ()),
        blocked_by=edges.blocked_by.get(id, ()),
        specs=(spec,) if spec else (),
    )


def sections_of(row: Json) -> str:
    """The end of the body: what an issue says beside its description."""
    written = ((heading, text(row, name)) for heading, name in SECTIONS)
    parts = [f"## {heading}\n\n{content}" for heading, content in written if content]
    before = "\n\n" if parts and text(row, "description") else ""
    return before + "\n\n".join(parts)


def edges_of(found: Iterable[Json]) -> Edges:
    """The blocking dependencies between issues.

    They come as `{issue_id, depends_on_id, type}`, and from `bd show` as the other issue with its
    `dependency_type`.
    """
    blocked_by: dict[str, dict[str, None]] = {}
    blocks: dict[str, dict[str, None]] = {}
    for row in found:
        for edge in rows(row, "dependencies"):
            if (text(edge, "type") or text(edge, "dependency_type")) not in BLOCKING:
                continue
            one = text(edge, "issue_id") or text(row, "id")
            other = text(edge, "depends_on_id") or text(edge, "id")
            if one and other:
                blocked_by.setdefault(one, {})[other] = None
                blocks.setdefault(other, {})[one] = None
    return Edges(*({id: tuple(to) for id, to in side.items()} for side in (blocked_by, blocks)))
