"""Put the stories of specifications into the groups of a tracker: milestones, projects, epics."""

# Governing: SPEC-0027 REQ "Groups", SPEC-0027 REQ "Interrupted batches"

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.spec_issues import (
    SpecIssues,
    find_spec_issues,
    named_specs,
)
from sdd_hooks.project.project import Project
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.protocol import GroupKind, TrackerWriter
from sdd_hooks.trackers.source import TrackerSource
from sdd_hooks.usecases.sprint.enrich import EnrichContext, enrich_issues
from sdd_hooks.usecases.sprint.issue_batch import (
    IssueBatch,
    IssueChange,
    Untouched,
    conventions_of,
    read_batch_issues,
    refresh_issues,
    run_batch,
    writer_of,
)
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks, open_tracker

Depth = Literal["report", "structure", "contents"]
DEPTHS: tuple[Depth, ...] = ("report", "structure", "contents")


class OrganizeRequest(NamedTuple):
    """The specifications to organise, () for all that open issues name, and how deep.

    `report` only reads, `structure` groups issues, `contents` completes their bodies, too.
    """

    specs: tuple[str, ...]
    depth: Depth = "structure"
    dry_run: bool = False


class SpecGroup(NamedTuple):
    """The issues of a specification, and the group that its stories belong to, "" for none.

    `is_new` says that the group does not exist yet. `title` is what people call the group.
    """

    issues: SpecIssues
    group: str
    title: str
    is_new: bool = False


class Organized(NamedTuple):
    """The groups, and what was done."""

    kind: GroupKind
    groups: tuple[SpecGroup, ...]
    batch: IssueBatch


def organize(
    project: Project,
    source: TrackerSource,
    request: OrganizeRequest,
    clock: Callable[[], float],
    callbacks: SyncCallbacks,
) -> Organized:
    """Group the open stories of specifications. `clock` returns seconds since the epoch.

    Raises what reading the issues raises. Issues that a person put into another group stay there.
    """
    read = read_batch_issues(project, source, clock(), callbacks)
    vendor = source.tracker.vendor
    batch = IssueBatch(warnings=list(read.warnings))
    found = [
        find_spec_issues(read.issues, spec, has_epics=vendor.has_epics)
        for spec in request.specs or named_specs(read.issues)
    ]
    batch.notes += [f"{one.spec} has no issues" for one in found if not (one.stories or one.epic)]
    with open_tracker(source, callbacks.on_wait) as tracker:
        writer = writer_of(source, tracker)
        groups = tuple(_group(one, vendor.group_kind, writer) for one in found)
        if request.depth != "report":
            _apply(Organized(vendor.group_kind, groups, batch), writer, request.dry_run)
            batch.notes.append(f"boards and columns stay as {source.label} has them")
        if request.depth == "contents" and not batch.left:
            context = EnrichContext(read.issues, conventions_of(project, source), vendor.has_epics)
            chosen = _open_issues(groups)
            enrich_issues(batch, context, chosen, tracker, None if request.dry_run else writer)
    if batch.done and not request.dry_run:
        batch.warnings += refresh_issues(project, source, clock, callbacks)
    return Organized(vendor.group_kind, groups, batch)


def _group(found: SpecIssues, kind: GroupKind, writer: TrackerWriter) -> SpecGroup:
    title = found.epic.title if found.epic else found.spec
    if kind == "file":
        return SpecGroup(found, "", title)
    if kind == "epic":
        return SpecGroup(found, found.epic.id if found.epic else "", title)
    if not found.open_stories:
        return SpecGroup(found, title, title)
    try:
        exists = writer.has_group(title)
    except SddError:
        # The writes report what is wrong with the tracker.
        exists = True
    return SpecGroup(found, title, title, not exists)


def _apply(found: Organized, writer: TrackerWriter, dry_run: bool) -> None:
    """Put each open story into the group of its specification."""
    kind, groups, batch = found
    wanted: dict[str, list[SpecGroup]] = {}
    stories: dict[str, StoredIssue] = {}
    for one in groups:
        for story in one.issues.open_stories:
            stories[story.id] = story
            wanted.setdefault(story.id, []).append(one)
    if kind == "file":
        batch.unchanged += list(stories)
        batch.notes.append("the file of a specification is the group of its tasks")
        return
    announced: set[str] = set()

    def change(story: StoredIssue) -> IssueChange | Untouched | None:
        candidates = [one for one in wanted[story.id] if one.group]
        if not candidates and all(len(one.issues.stories) == 1 for one in wanted[story.id]):
            # A plan of one story has no epic.
            return None
        if not candidates:
            specs = ", ".join(one.issues.spec for one in wanted[story.id])
            return Untouched(story.id, f"{specs} has no epic: `sdd plan {specs} --create` makes it")
        current = writer.group_of(story.id)
        if current.casefold() in {one.group.casefold() for one in candidates}:
            return None
        if current:
            return Untouched(story.id, f"it is in the {kind} {current!r}, and stays there")
        if len(candidates) > 1:
            titles = " or ".join(one.issues.spec for one in candidates)
            return Untouched(story.id, f"it names several specifications: organize {titles} alone")
        (group,) = candidates
        is_new = group.is_new and group.group not in announced
        announced.add(group.group)
        if not dry_run:
            writer.group(story.id, group.group)
        return IssueChange(story.id, story.title, _describe(group, kind, is_new=is_new))

    run_batch(batch, list(stories.values()), change)


def _describe(group: SpecGroup, kind: GroupKind, *, is_new: bool) -> str:
    """What is done to a story: `new milestone "Implement sessions"`, `epic 9`."""
    if kind == "epic":
        return f"epic {group.group}"
    return f"{'new ' if is_new else ''}{kind} {group.title!r}"


def _open_issues(groups: Sequence[SpecGroup]) -> list[StoredIssue]:
    chosen: dict[str, StoredIssue] = {}
    for one in groups:
        epic = (one.issues.epic,) if one.issues.epic else ()
        chosen.update((issue.id, issue) for issue in (*epic, *one.issues.open_stories))
    return list(chosen.values())
