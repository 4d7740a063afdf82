"""Parse the output and the export of Beads into canonical issues.

The fields of `bd list --json` and of the lines of `bd export` are documented in
docs/JSON_SCHEMA.md of https://github.com/steveyegge/beads.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import Json, field, rows, text, texts, utc
from sdd_hooks.trackers.issue import Issue

NAME = "beads"
BLOCKING = frozenset({"blocks", "conditional-blocks", "waits-for"})
"""The types of dependencies that block an issue; `parent-child` does not."""
CLOSED = frozenset({"closed", "resolved"})
TOMBSTONE = "tombstone"
"""The status of a deleted issue in versions before 0.50."""
EPIC = "epic"
DEFAULT_TYPE = "task"
SECTIONS = (
    ("Design", "design"),
    ("Acceptance Criteria", "acceptance_criteria"),
    ("Notes", "notes"),
)
"""The texts beside the description: their headings and their fields."""

MAX_LINE_WARNINGS = 5
"""Damaged lines of an export with one warning each; the others are counted."""


class IssueDependencies(NamedTuple):
    """The issues that block each issue, and the issues that each issue blocks, by id."""

    blocked_by: Mapping[str, tuple[str, ...]]
    blocks: Mapping[str, tuple[str, ...]]


class ParsedIssues(NamedTuple):
    """The issues of a project, the ids of deleted issues, and warnings about unusable entries."""

    issues: tuple[Issue, ...]
    gone: tuple[str, ...]
    warnings: tuple[str, ...]


def parse_output(printed: str) -> Json:
    """Parse the JSON output of bd, with or without its envelope `{schema_version, data}`.

    None if it is not JSON.
    """
    try:
        data: Json = json.loads(printed)
    except (ValueError, RecursionError):
        return None
    has_envelope = isinstance(data, dict) and "schema_version" in data and "data" in data
    return field(data, "data") if has_envelope else data


def parse_export(exported: str, name: str) -> tuple[list[Json], tuple[str, ...]]:
    """The issues of an export, one JSON object a line, and warnings about invalid lines.

    `name` names the export in warnings. Memories and other records are left out.
    """
    records: list[Json] = []
    damaged: list[int] = []
    for number, line in enumerate(re.split(r"\r?\n", exported), 1):
        if not line.strip():
            continue
        row = parse_output(line)
        if not isinstance(row, dict):
            damaged.append(number)
        elif row.get("_type", "issue") == "issue":
            records.append(row)
    warnings = [
        f"{name}:{number} is not an issue: left out" for number in damaged[:MAX_LINE_WARNINGS]
    ]
    others = len(damaged) - MAX_LINE_WARNINGS
    if others > 0:
        warnings.append(f"{name} has {others} more lines that are not issues")
    return records, tuple(warnings)


def issues_of(records: Iterable[Json]) -> ParsedIssues:
    """All issues of a project, with their dependencies in both directions."""
    records = list(records)
    dependencies = dependencies_of(records)
    issues: dict[str, Issue] = {}
    gone = []
    without_id = 0
    for row in records:
        issue = issue_of(row, dependencies)
        if issue is None:
            without_id += 1
        elif text(row, "status") == TOMBSTONE:
            gone.append(issue.id)
        else:
            issues[issue.id] = issue
    warnings = (f"left out {without_id} entries of Beads without an id",) if without_id else ()
    deleted = tuple(id for id in gone if id not in issues)
    return ParsedIssues(tuple(issues.values()), deleted, warnings)


def issue_of(row: Json, dependencies: IssueDependencies) -> Issue | None:
    """One issue; None if it has no id.

    A type other than the default (`bug`, `epic`) becomes a label. The body is the description, then
    a section each for design, acceptance criteria and notes, all verbatim.
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
        blocks=dependencies.blocks.get(id, ()),
        blocked_by=dependencies.blocked_by.get(id, ()),
        specs=(spec,) if spec else (),
    )


def sections_of(row: Json) -> str:
    """The end of the body: the sections of an issue after its description."""
    contents = ((heading, text(row, name)) for heading, name in SECTIONS)
    sections = [f"## {heading}\n\n{content}" for heading, content in contents if content]
    separator = "\n\n" if sections and text(row, "description") else ""
    return separator + "\n\n".join(sections)


def dependencies_of(records: Iterable[Json]) -> IssueDependencies:
    """The blocking dependencies between issues.

    A dependency is `{issue_id, depends_on_id, type}`; in `bd show` it is the other issue with a
    `dependency_type`.
    """
    blocked_by: dict[str, dict[str, None]] = {}
    blocks: dict[str, dict[str, None]] = {}
    for row in records:
        for entry in rows(row, "dependencies"):
            if (text(entry, "type") or text(entry, "dependency_type")) not in BLOCKING:
                continue
            blocked = text(entry, "issue_id") or text(row, "id")
            blocker = text(entry, "depends_on_id") or text(entry, "id")
            if blocked and blocker:
                blocked_by.setdefault(blocked, {})[blocker] = None
                blocks.setdefault(blocker, {})[blocked] = None
    return IssueDependencies(_as_tuples(blocked_by), _as_tuples(blocks))


def parent_of(row: Json) -> str:
    """The id of the parent of an issue, "" for none."""
    for entry in rows(row, "dependencies"):
        kind = text(entry, "type") or text(entry, "dependency_type")
        if kind == "parent-child" and text(entry, "issue_id") in ("", text(row, "id")):
            return text(entry, "depends_on_id") or text(entry, "id")
    return text(row, "parent")


def _as_tuples(ids: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    return {id: tuple(others) for id, others in ids.items()}
