"""A brief as Markdown, and for programs."""

# Governing: SPEC-0026 REQ "Brief of an issue", ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sdd_hooks.artifacts.requirements import Scenario
from sdd_hooks.planning.conventions import issue_reference
from sdd_hooks.planning.work.brief import BriefRequirement, GoverningArtifact, WorkBrief
from sdd_hooks.planning.work.siblings import SiblingManifest
from sdd_hooks.reporting.escape import code_span, escape_inline, table_cell
from sdd_hooks.text.display import format_count, printable_lines

MAX_FILES = 60
"""Files of siblings that are listed."""


def brief_lines(brief: WorkBrief) -> Iterator[str]:
    """The lines of the brief. Untrusted text is escaped, quoted, or in code."""
    issue = brief.issue
    yield f"# {_inside(issue_reference(issue.id))}: {_inside(issue.title)}"
    yield ""
    facts = [issue.status, issue.tracker, *(code_span(one) for one in issue.labels)]
    yield f"{', '.join(facts)}{f' — {escape_inline(issue.url)}' if issue.url else ''}"
    for note in brief.notes:
        yield ""
        yield f"> {escape_inline(note)}"
    if brief.blocked_by:
        yield ""
        blockers = ", ".join(issue_reference(one) for one in brief.blocked_by)
        yield f"**Blocked by** {_inside(blockers)}: not closed yet"
    yield from _branch(brief)
    yield from _section("Issue", [f"> {line}".rstrip() for line in printable_lines(issue.body)])
    yield from _requirements(brief)
    yield from _section("Governing artifacts", map(_governing, brief.governing))
    yield from _existing(brief)
    yield from _manifest(brief.siblings)
    yield from _section(
        "Protected paths",
        [f"- {code_span(path)}" for path in brief.protected],
        "A story changes none of these; governing comments in code are no change of them.",
    )


def _inside(text: str) -> str:
    """The text inside a line, where `#12` is no heading."""
    return escape_inline(f"x{text}")[1:]


def _cell(text: str) -> str:
    """The text in the cell of a table."""
    return table_cell(f"x{text}")[1:]


def _section(title: str, lines: Iterable[str], text: str = "") -> Iterator[str]:
    """A section; nothing without lines."""
    listed = list(lines)
    if not listed:
        return
    yield ""
    yield f"## {title}"
    if text:
        yield ""
        yield text
    yield ""
    yield from listed


def _branch(brief: WorkBrief) -> Iterator[str]:
    plan = brief.branch
    yield ""
    yield "## Branch"
    yield ""
    state = "exists already" if plan.exists else f"starts from {code_span(plan.base)}"
    yield f"- Branch: {code_span(plan.name)}, {state}"
    if plan.checked_out:
        yield f"- Worktree: {code_span(plan.worktree)}"
    else:
        command = code_span(f"sdd work {brief.issue.id} --worktree")
        yield f"- Worktree: none; {command} creates it"
    if brief.pull:
        yield f"- Pull request: {'; '.join(code_span(line) for line in brief.pull.splitlines())}"


def _requirements(brief: WorkBrief) -> Iterator[str]:
    if not brief.requirements:
        return
    yield ""
    yield "## Requirements"
    unnamed = dict.fromkeys(one.spec for one in brief.requirements if not one.is_named)
    for spec in unnamed:
        yield ""
        yield f"The issue names no requirement of {_inside(spec)}: all of them are here."
    for one in brief.requirements:
        yield ""
        yield f"### {_inside(one.spec)} REQ “{_inside(one.name)}”"
        yield ""
        yield f"{code_span(_place(one))}"
        yield ""
        yield from printable_lines(one.text)


def _place(requirement: BriefRequirement) -> str:
    return f"{requirement.path}:{requirement.first_line}-{requirement.last_line}"


def _governing(artifact: GoverningArtifact) -> str:
    force = "" if artifact.authoritative else ", not in force"
    status = f", {artifact.status}{force}" if artifact.status or force else ""
    text = f"- **{_inside(artifact.id)}** {_inside(artifact.title)}"
    text += f" ({code_span(artifact.path)}{status}): {escape_inline(artifact.reason)}"
    if artifact.section:
        text += f", section “{escape_inline(artifact.section)}”"
    return f"{text}: {escape_inline(artifact.excerpt)}" if artifact.excerpt else text


def _existing(brief: WorkBrief) -> Iterator[str]:
    lines = []
    for one in brief.existing:
        place = f"{one.path}:{one.first_line}-{one.last_line}"
        lines.append(f"- {code_span(one.symbol)} in {code_span(place)}, score {one.score:.2f}:")
        lines.append(f"  {code_span(one.signature)}")
    yield from _section(
        "Existing code to import", lines, "Import what fits, and write no second one of it."
    )
    if lines:
        message = brief.existing[0].announcement(issue_reference(brief.issue.id))
        yield ""
        yield f"Announce to other workers what is imported: {code_span(message)}"
    yield from _section(
        "Conventions",
        [
            f"- {one.uses} of {one.files} files in {code_span(one.directory or '.')} import"
            f" {code_span(one.name)}, such as {code_span(one.example)}"
            for one in brief.conventions
        ],
    )


def _manifest(manifest: SiblingManifest) -> Iterator[str]:
    shown = manifest.files[:MAX_FILES]
    lines = [f"- {code_span(one.path)}: {_inside(', '.join(one.siblings))}" for one in shown]
    if len(manifest.files) > MAX_FILES:
        lines.append(f"- … and {format_count(len(manifest.files) - MAX_FILES, 'more file')}")
    yield from _section("Files Currently Being Modified by Siblings", lines)
    yield from _section(
        "Shared Types Available",
        [
            f"- {code_span(one.symbol)} in {code_span(one.path)}, {one.status}"
            f" ({_inside(one.sibling)}): {code_span(one.signature)}"
            for one in manifest.definitions
        ],
    )
    rows = [
        f"| {_cell(one.name)} | {_cell(', '.join(map(issue_reference, one.issues)))}"
        f" | {_cell(one.branch)}"
        f" | {'' if one.files is None else len(one.files)} | {one.status} |"
        for one in manifest.siblings
    ]
    head = ["| PR | Issues | Branch | Files | Status |", "| --- | --- | --- | --- | --- |"]
    yield from _section("In-Progress Sibling PRs", [*head, *rows] if rows else [])
    yield from _section("Not known", [f"- {escape_inline(one)}" for one in manifest.unread])


def brief_data(brief: WorkBrief) -> dict[str, object]:
    """The brief as an object, whose keys are those of the data types."""
    issue = brief.issue
    return {
        "issue": {
            "id": issue.id,
            "module": brief.module,
            "title": issue.title,
            "status": issue.status,
            "labels": list(issue.labels),
            "url": issue.url,
            "tracker": issue.tracker,
            "body": issue.body,
        },
        "live": brief.live,
        "blocked_by": list(brief.blocked_by),
        "branch": brief.branch._asdict(),
        "pull_request": brief.pull.splitlines(),
        "requirements": [
            {**one._asdict(), "scenarios": [_scenario_data(each) for each in one.scenarios]}
            for one in brief.requirements
        ],
        "governing": [one._asdict() for one in brief.governing],
        "existing": [
            {**one._asdict(), "message": one.announcement(issue_reference(issue.id))}
            for one in brief.existing
        ],
        "conventions": [one._asdict() for one in brief.conventions],
        "siblings": manifest_data(brief.siblings),
        "protected": list(brief.protected),
    }


def manifest_data(manifest: SiblingManifest) -> dict[str, object]:
    """The manifest of sibling work as an object. The files of a sibling are null if unknown."""
    return {
        "files": [{"path": one.path, "siblings": list(one.siblings)} for one in manifest.files],
        "definitions": [one._asdict() for one in manifest.definitions],
        "pulls": [
            {
                "number": one.number or None,
                "title": one.title,
                "branch": one.branch,
                "status": one.status,
                "issues": list(one.issues),
                "files": None if one.files is None else list(one.files),
            }
            for one in manifest.siblings
        ],
        "unread": list(manifest.unread),
    }


def _scenario_data(scenario: Scenario) -> dict[str, object]:
    return {
        "name": scenario.name,
        "first_line": scenario.first_line,
        "last_line": scenario.last_line,
    }
