"""A plan, and the changes that creating it makes, for programs."""

# Governing: SPEC-0025 REQ "Report"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.planning.plan.rehearsal import PlannedChanges
from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.planning.plan.story import Plan, PlanIssue, ReusedCode, Story


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
            "issue": _issue(plan.epic),
        },
        "stories": [_story(plan, story) for story in plan.stories],
        "implemented": [
            {**_requirement(one.requirement), "places": list(one.places)}
            for one in plan.implemented
        ],
        "covered": [
            {**_requirement(one.requirement), "issue": _issue(one.issue)} for one in plan.covered
        ],
        "hotspots": [one._asdict() for one in plan.hotspots],
        "unknown_issues": [_issue(one) for one in plan.other_issues],
        "duplicate_issues": [[_issue(one) for one in pair] for pair in plan.duplicates],
    }


def changes_data(changes: PlannedChanges) -> dict[str, object]:
    """What creating a plan would do, as an object of JSON with whole texts."""
    return {
        "create": [{"id": one.id, **one.draft._asdict()} for one in changes.created],
        "append": [one._asdict() for one in changes.changed],
    }


def issue_list(issues: Sequence[PlanIssue]) -> list[object]:
    """Issues as objects of JSON."""
    return [_issue(one) for one in issues]


def _story(plan: Plan, story: Story) -> dict[str, object]:
    return {
        "number": story.number,
        "kind": story.kind,
        "title": story.title,
        "size": {**story.size._asdict(), "reasons": list(story.size.reasons)},
        "requirements": [_requirement(one) for one in story.requirements],
        "shared": [{"name": one.name, "kind": one.kind} for one in story.shared],
        "existing": [_existing(one) for one in story.existing],
        "blocked_by": [one._asdict() for one in story.blocked_by],
        "blocks": list(plan.blocks(story.number)),
        "issue": _issue(story.issue),
        "related": [_issue(one) for one in story.related],
    }


def _requirement(one: PlannedRequirement) -> dict[str, object]:
    return {
        "name": one.name,
        "id": one.id or None,
        "first_line": one.first_line,
        "last_line": one.last_line,
        "obligations": one.obligations,
        "scenarios": [scenario.name for scenario in one.scenarios],
    }


def _existing(one: ReusedCode) -> dict[str, object]:
    return {
        "path": one.path,
        "places": [place._asdict() for place in one.places],
        "reason": one.reason,
    }


def _issue(issue: PlanIssue | None) -> dict[str, object] | None:
    return dict(issue._asdict()) if issue else None
