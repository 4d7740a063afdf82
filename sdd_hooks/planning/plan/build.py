"""Make the plan of a specification: group, compare with code and issues, order."""

# Governing: ADR-0052 (a plan is computed from the text), SPEC-0025 (planning)

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.plan.dependencies import Part, chain, connect, divide, sort_parts
from sdd_hooks.planning.plan.existing_code import find_existing, merge_existing
from sdd_hooks.planning.plan.grouping import group_requirements
from sdd_hooks.planning.plan.hotspots import MergedChange, find_hotspots
from sdd_hooks.planning.plan.known_issues import KnownIssues, find_covering, find_known, plan_issue
from sdd_hooks.planning.plan.marker import marked_spec
from sdd_hooks.planning.plan.requirements import PlannedRequirement, read_planned
from sdd_hooks.planning.plan.shared_artifacts import artifact_keys, find_shared
from sdd_hooks.planning.plan.story import (
    Blocker,
    CoveredRequirement,
    Hotspot,
    ImplementedRequirement,
    Plan,
    PlanIssue,
    ReusedCode,
    Story,
    size_story,
)
from sdd_hooks.planning.requirement_code import CodeBase
from sdd_hooks.text.display import join_names
from sdd_hooks.trackers.issue_file import StoredIssue

MAX_TITLE = 80
"""Characters of the names in a title, unless one name alone has more."""
MAX_RELATED = 3
"""Other issues that a story names."""


class PlanSurroundings(NamedTuple):
    """What a plan is compared with.

    `claims` has the places (path:line) of the governing comments about each requirement, by its
    name. `issues` are those of the tracker. `search_issues` returns the ids of issues about a text.
    `exists` tells by name and kind whether the code has an
    artifact. `merges` are as in `find_hotspots`, with the threshold and the time.
    """

    claims: Mapping[str, tuple[str, ...]]
    issues: Sequence[StoredIssue]
    code: CodeBase
    search_issues: Callable[[str], Sequence[str]]
    exists: Callable[[str, str], bool]
    merges: Sequence[MergedChange]
    hotspot_threshold: float
    now: float


def build_plan(artifact: Artifact, text: str, around: PlanSurroundings) -> Plan:
    """Make the plan of a specification, whose spec.md has this text. Raises NothingToPlan."""
    planned = read_planned(artifact, text)
    marked = marked_spec(artifact.name)
    known = find_known(around.issues, artifact.name, marked)
    to_build, implemented, covered = _divide(planned, artifact.name, known, around)
    stories, hotspots = _stories(to_build, known, around, artifact.title)
    keys = {one.key for one in planned} | artifact_keys(planned)
    others = {issue.id: issue for key, issue in known.by_key.items() if key not in keys}
    ours = {story.issue.id for story in stories if story.issue}
    return Plan(
        artifact.name,
        marked,
        artifact.title,
        artifact.path,
        artifact.module,
        artifact.status.value,
        stories,
        implemented,
        covered,
        hotspots,
        plan_issue(known.epic) if known.epic else None,
        tuple(plan_issue(issue) for id, issue in others.items() if id not in ours),
        tuple((plan_issue(kept), plan_issue(other)) for kept, other in known.duplicates),
    )


def _divide(
    planned: Sequence[PlannedRequirement], spec: str, known: KnownIssues, around: PlanSurroundings
) -> tuple[
    list[PlannedRequirement], tuple[ImplementedRequirement, ...], tuple[CoveredRequirement, ...]
]:
    """The requirements that stories have, those that code claims, and those of other issues."""
    to_build, implemented, covered = [], [], []
    for one in planned:
        if one.key in known.by_key:
            to_build.append(one)
        elif places := around.claims.get(one.name):
            implemented.append(ImplementedRequirement(one, places))
        elif issue := find_covering(one, spec, known.others):
            covered.append(CoveredRequirement(one, plan_issue(issue)))
        else:
            to_build.append(one)
    return to_build, tuple(implemented), tuple(covered)


def _stories(
    requirements: Sequence[PlannedRequirement],
    known: KnownIssues,
    around: PlanSurroundings,
    title: str,
) -> tuple[tuple[Story, ...], tuple[Hotspot, ...]]:
    existing = {one.key: find_existing(one, around.code, title) for one in requirements}
    named = find_shared(requirements, around.exists)
    groups = _groups(requirements, known)
    fixed = {place for place, one in enumerate(requirements) if one.key in known.by_key}
    provided = {
        one.artifact.name: known.by_key[key].id
        for one in named
        for key in artifact_keys((), [one.artifact.name])
        if key in known.by_key
    }
    parts, needed = divide(groups, named, fixed, provided)

    def is_fixed(part: Part) -> bool:
        return not fixed.isdisjoint(part.places) or any(
            one.name in provided for one in part.shared if not part.places
        )

    parts, edges = connect(parts, needed, requirements, is_fixed)
    touched = [_files_of(part, requirements, existing) for part in parts]
    hot = find_hotspots(around.merges, around.now, around.hotspot_threshold)
    hotspots = tuple(one for one in hot if sum(one.path in files for files in touched))
    edges = _chained(parts, edges, hotspots, touched)
    order = sort_parts(parts, edges)
    numbers = {part: number for number, part in enumerate(order, 1)}
    stories = []
    for part in order:
        blockers = tuple(
            Blocker(numbers[blocker], reason)
            for (blocker, blocked), reason in edges.items()
            if blocked == part
        )
        changed = tuple(one for one in hotspots if one.path in touched[part])
        story = _story(parts[part], requirements, existing, changed, known)
        related = _related(story, around, known) if story.issue is None else ()
        blocked_by = tuple(sorted(blockers, key=lambda one: one.story))
        stories.append(story._replace(number=numbers[part], blocked_by=blocked_by, related=related))
    return tuple(stories), hotspots


def _groups(
    requirements: Sequence[PlannedRequirement], known: KnownIssues
) -> list[tuple[int, ...]]:
    """The requirements of each issue of the plan, and the groups of the others, by their places."""
    of_issue: dict[str, list[int]] = {}
    new = []
    for place, one in enumerate(requirements):
        issue = known.by_key.get(one.key)
        if issue:
            of_issue.setdefault(issue.id, []).append(place)
        else:
            new.append(place)
    grouped = group_requirements([requirements[place] for place in new])
    return [
        *map(tuple, of_issue.values()),
        *(tuple(new[place] for place in group) for group in grouped),
    ]


def _chained(
    parts: Sequence[Part],
    edges: Mapping[tuple[int, int], str],
    hotspots: Sequence[Hotspot],
    touched: Sequence[frozenset[str]],
) -> dict[tuple[int, int], str]:
    """The edges, and those that put the parts that change one hotspot in a row."""
    chained = dict(edges)
    order = sort_parts(parts, edges)
    for hotspot in hotspots:
        users = [part for part in order if hotspot.path in touched[part]]
        for edge in tuple(chain(order, users, chained)):
            chained[edge] = f"both change the hotspot {hotspot.path}"
    return chained


def _files_of(
    part: Part,
    requirements: Sequence[PlannedRequirement],
    existing: Mapping[str, Sequence[ReusedCode]],
) -> frozenset[str]:
    found = (one for place in part.places for one in existing[requirements[place].key])
    return frozenset(one.path for one in found)


def _story(
    part: Part,
    requirements: Sequence[PlannedRequirement],
    existing: Mapping[str, Sequence[ReusedCode]],
    hotspots: Sequence[Hotspot],
    known: KnownIssues,
) -> Story:
    members = tuple(requirements[place] for place in part.places)
    keys = tuple(one.key for one in members) or tuple(
        sorted(artifact_keys((), [one.name for one in part.shared]))
    )
    code = {one.key: existing[one.key] for one in members}
    issue = next((known.by_key[key] for key in keys if key in known.by_key), None)
    return Story(
        0,
        issue.title if issue else _title(members, part),
        "foundation" if part.is_foundation else "story",
        keys,
        members,
        part.shared,
        merge_existing(found for one in members for found in code[one.key]),
        size_story(members, part.shared, code, hotspots),
        issue=plan_issue(issue) if issue else None,
    )


def _title(members: Sequence[PlannedRequirement], part: Part) -> str:
    """The names of what a story is about, as many as fit into MAX_TITLE characters."""
    names = [one.name.replace("`", "") for one in members]
    if not names:
        names = [one.name for one in part.shared]
    count = len(names)
    while count > 1 and sum(map(len, names[:count])) > MAX_TITLE:
        count -= 1
    shown = names if count == len(names) else [*names[:count], f"{len(names) - count} more"]
    title = join_names(shown)
    return title if members else f"Provide {title}"


def _related(story: Story, around: PlanSurroundings, known: KnownIssues) -> tuple[PlanIssue, ...]:
    by_id = {issue.id: issue for issue in known.others}
    found: dict[str, PlanIssue] = {}
    for one in story.requirements:
        for id in around.search_issues(f"{one.name} {one.first_sentences}"[:400]):
            if id in by_id:
                found.setdefault(id, plan_issue(by_id[id]))
    return tuple(found.values())[:MAX_RELATED]
