"""A plan, and the changes that creating it makes: as Markdown, and for programs."""

# Governing: SPEC-0025 REQ "Report"

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdd_hooks.planning.conventions import issue_reference
from sdd_hooks.planning.plan.creation import PlannedChanges
from sdd_hooks.planning.plan.issue_body import extend_line
from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.planning.plan.story import Plan, PlanIssue, ReusedCode, Story
from sdd_hooks.reporting.escape import code_span, escape_inline, fenced, table_cell
from sdd_hooks.text.display import format_count


def plan_lines(plan: Plan, header: Sequence[str]) -> Iterator[str]:
    """The lines of a plan. `header` has the lines about the index."""
    yield f"# Plan of {plan.spec}: {escape_inline(plan.title)}"
    yield ""
    for line in header:
        yield f"> {escape_inline(line)}"
    if header:
        yield ""
    yield _summary(plan)
    if plan.epic:
        yield f"Epic: {_issue(plan.epic)}."
    if plan.stories:
        yield from ("", "| # | story | size | blocked by | issue |", "|---|---|---|---|---|")
        for story in plan.stories:
            yield _row(story)
    for story in plan.stories:
        yield from ("", *_story(plan, story))
    yield from _hotspots(plan)
    yield from _left_out(plan)
    yield from _attention(plan)


def change_lines(changes: PlannedChanges) -> Iterator[str]:
    """The lines of what creating a plan would do, with whole texts."""
    yield from ("", "## Changes", "")
    if not (changes.created or changes.changed):
        yield "Nothing: every story has its issue."
        return
    created = format_count(len(changes.created), "issue")
    yield f"{created} would be created, and texts appended to {len(changes.changed)}."
    for planned in changes.created:
        draft = planned.draft
        labels = ", ".join(map(code_span, draft.labels)) or "none"
        parent = f", in {_reference(draft.parent)}" if draft.parent else ""
        yield from ("", f"### Create {escape_inline(planned.id)}: {escape_inline(draft.title)}", "")
        yield from (f"Labels: {labels}{parent}.", "", *fenced(draft.body, "markdown"))
    for one in changes.changed:
        yield from ("", f"### Append to {_reference(one.id)}: {escape_inline(one.title)}", "")
        yield from fenced(one.text, "markdown")


def _summary(plan: Plan) -> str:
    existing = sum(story.issue is not None for story in plan.stories)
    parts = [format_count(len(plan.stories), "story").replace("storys", "stories")]
    parts += [f"{existing} with an issue"] if existing else []
    foundations = sum(story.kind == "foundation" for story in plan.stories)
    parts += [format_count(foundations, "foundation")] if foundations else []
    parts += [f"{len(plan.implemented)} of its requirements implemented"] * bool(plan.implemented)
    parts += [f"{len(plan.covered)} covered by other issues"] * bool(plan.covered)
    status = f", status {plan.status}" if plan.status else ""
    return f"{code_span(plan.path)}{status}: {', '.join(parts)}."


def _row(story: Story) -> str:
    blocked = ", ".join(str(one.story) for one in story.blocked_by) or "–"
    issue = _id(story.issue) if story.issue else "–"
    size = f"{story.size.name} ({story.size.points})"
    kind = "foundation: " if story.kind == "foundation" else ""
    return f"| {story.number} | {kind}{table_cell(story.title)} | {size} | {blocked} | {issue} |"


def _story(plan: Plan, story: Story) -> Iterator[str]:
    kind = " (foundation)" if story.kind == "foundation" else ""
    yield from (f"## {story.number}. {escape_inline(story.title)}{kind}", "")
    size = story.size
    smaller = size.points < size.points_from_scratch
    scratch = f", from scratch {size.from_scratch}" if smaller else ""
    yield f"- Size: **{size.name}**{scratch} – {escape_inline('; '.join(size.reasons))}"
    if story.issue:
        yield f"- Issue: {_issue(story.issue)}"
    for one in story.requirements:
        place = code_span(f"{plan.path}:{one.first_line}")
        yield f"- Requirement: {escape_inline(one.label)} ({place})"
    for artifact in story.shared:
        count = format_count(len(artifact.requirements), "requirement")
        yield f"- Provides: {artifact.kind} {code_span(artifact.name)}, which {count} need"
    for code in story.existing:
        yield f"- Existing code: {extend_line(code)}"
    for related in story.related:
        yield f"- Related issue: {_issue(related)}"
    for blocker in story.blocked_by:
        title = escape_inline(plan.story(blocker.story).title)
        yield f"- Blocked by {blocker.story} ({title}): {escape_inline(blocker.reason)}"


def _hotspots(plan: Plan) -> Iterator[str]:
    if plan.hotspots:
        yield from ("", "## Hotspots", "")
    for one in plan.hotspots:
        yield (
            f"- {code_span(one.path)} is in {one.merges} of the last {one.total} merges:"
            " the stories that change it are built one after the other"
        )


def _left_out(plan: Plan) -> Iterator[str]:
    if plan.implemented:
        yield from ("", "## Implemented", "")
        yield "Governing comments claim these requirements, so that no story has them:"
        yield ""
    for one in plan.implemented:
        places = ", ".join(map(code_span, one.places[:3]))
        more = f" and {len(one.places) - 3} more" if len(one.places) > 3 else ""
        yield f"- {escape_inline(one.requirement.label)}: {places}{more}"
    if plan.covered:
        yield from ("", "## Covered by other issues", "")
    for covered in plan.covered:
        yield f"- {escape_inline(covered.requirement.label)}: {_issue(covered.issue)}"


def _attention(plan: Plan) -> Iterator[str]:
    if plan.other_issues or plan.duplicates:
        yield from ("", "## Attention", "")
    for issue in plan.other_issues:
        yield f"- {_issue(issue)} is for a requirement that {plan.spec} does not have: close it"
    for kept, other in plan.duplicates:
        yield f"- {_issue(other)} is for the same as {_issue(kept)}: close one of them"


def _issue(issue: PlanIssue) -> str:
    return f"{_id(issue)} {escape_inline(issue.title)} ({issue.status})"


def _id(issue: PlanIssue) -> str:
    return _reference(issue.id)


def _reference(id: str) -> str:
    return escape_inline(issue_reference(id))


def plan_data(plan: Plan, header: Sequence[str]) -> dict[str, object]:
    """A plan as an object of JSON. `header` has the lines about the index."""
    return {
        "spec": plan.spec,
        "title": plan.title,
        "module": plan.module,
        "path": plan.path,
        "status": plan.status or None,
        "index": list(header),
        "epic": {
            "title": plan.epic.title if plan.epic else plan.epic_title,
            "issue": _issue_data(plan.epic),
        },
        "stories": [_story_data(plan, story) for story in plan.stories],
        "implemented": [
            {**_requirement_data(one.requirement), "places": list(one.places)}
            for one in plan.implemented
        ],
        "covered": [
            {**_requirement_data(one.requirement), "issue": _issue_data(one.issue)}
            for one in plan.covered
        ],
        "hotspots": [one._asdict() for one in plan.hotspots],
        "unknown_issues": [_issue_data(one) for one in plan.other_issues],
        "duplicate_issues": [[_issue_data(one) for one in pair] for pair in plan.duplicates],
    }


def changes_data(changes: PlannedChanges) -> dict[str, object]:
    """What creating a plan would do, as an object of JSON with whole texts."""
    return {
        "create": [{"id": one.id, **one.draft._asdict()} for one in changes.created],
        "append": [one._asdict() for one in changes.changed],
    }


def issue_list(issues: Sequence[PlanIssue]) -> list[object]:
    """Issues as objects of JSON."""
    return [_issue_data(one) for one in issues]


def _story_data(plan: Plan, story: Story) -> dict[str, object]:
    return {
        "number": story.number,
        "kind": story.kind,
        "title": story.title,
        "size": {**story.size._asdict(), "reasons": list(story.size.reasons)},
        "requirements": [_requirement_data(one) for one in story.requirements],
        "shared": [{"name": one.name, "kind": one.kind} for one in story.shared],
        "existing": [_code_data(one) for one in story.existing],
        "blocked_by": [one._asdict() for one in story.blocked_by],
        "blocks": list(plan.blocks(story.number)),
        "issue": _issue_data(story.issue),
        "related": [_issue_data(one) for one in story.related],
    }


def _requirement_data(one: PlannedRequirement) -> dict[str, object]:
    return {
        "name": one.name,
        "id": one.id or None,
        "first_line": one.first_line,
        "last_line": one.last_line,
        "obligations": one.obligations,
        "scenarios": [scenario.name for scenario in one.scenarios],
    }


def _code_data(one: ReusedCode) -> dict[str, object]:
    return {
        "path": one.path,
        "places": [place._asdict() for place in one.places],
        "reason": one.reason,
    }


def _issue_data(issue: PlanIssue | None) -> dict[str, object] | None:
    return dict(issue._asdict()) if issue else None
