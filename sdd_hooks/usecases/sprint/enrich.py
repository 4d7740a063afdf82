"""Add the sections about branch and pull request to the bodies of issues that lack them."""

# Governing: SPEC-0027 REQ "Branch and PR sections", SPEC-0027 REQ "Interrupted batches"

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

from sdd_hooks.artifacts.identifiers import parse_id
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.conventions import (
    Conventions,
    HiddenSection,
    IssueFacts,
    has_sections,
    missing_sections,
)
from sdd_hooks.planning.spec_issues import OPEN, find_spec_issues
from sdd_hooks.project.project import Project
from sdd_hooks.trackers.issue import joined
from sdd_hooks.trackers.issue_file import StoredIssue, to_stored
from sdd_hooks.trackers.protocol import Tracker, TrackerWriter
from sdd_hooks.trackers.source import TrackerSource
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


class EnrichRequest(NamedTuple):
    """What to complete: issues by their ids, and the open ones of specifications. With `dry_run`
    nothing is written."""

    names: tuple[str, ...]
    dry_run: bool = False


class EnrichContext(NamedTuple):
    """What the sections of an issue depend on: all issues, and the settings."""

    issues: tuple[StoredIssue, ...]
    conventions: Conventions
    has_epics: bool


def enrich(
    project: Project,
    source: TrackerSource,
    request: EnrichRequest,
    clock: Callable[[], float],
    callbacks: SyncCallbacks,
) -> IssueBatch:
    """Complete the bodies of issues.

    `clock` returns seconds since the epoch. Raises Missing for an issue that the tracker does not
    have, and what reading the issues raises.
    """
    read = read_batch_issues(project, source, clock(), callbacks)
    context = EnrichContext(
        read.issues, conventions_of(project, source), source.tracker.vendor.has_epics
    )
    batch = IssueBatch(warnings=list(read.warnings))
    with open_tracker(source, callbacks.on_wait) as tracker:
        chosen = _choose(context, request.names, tracker, batch)
        writer = writer_of(source, tracker)
        enrich_issues(batch, context, chosen, tracker, None if request.dry_run else writer)
    if batch.done and not request.dry_run:
        batch.warnings += refresh_issues(project, source, clock, callbacks)
    return batch


def enrich_issues(
    batch: IssueBatch,
    context: EnrichContext,
    issues: Sequence[StoredIssue],
    tracker: Tracker,
    writer: TrackerWriter | None,
) -> None:
    """Complete the bodies of these issues, and collect the results in `batch`.

    Without a `writer` nothing is written.
    """

    def change(issue: StoredIssue) -> IssueChange | Untouched | None:
        if has_sections(_facts(issue, context), issue.body, context.conventions):
            return None
        # The file may be older than the tracker, and the body is appended to.
        current = to_stored(tracker.issue(issue.id))
        if current.status not in OPEN:
            return Untouched(issue.id, "it is closed")
        try:
            addition = missing_sections(_facts(current, context), current.body, context.conventions)
        except HiddenSection:
            reason = "its body ends in a code block or a comment that is not closed: close it first"
            return Untouched(issue.id, reason)
        if not addition:
            return None
        if writer:
            writer.append(issue.id, addition)
        headings = [line[4:] for line in addition.split("\n") if line.startswith("### ")]
        what = f"sections {' and '.join(headings)}"
        return IssueChange(issue.id, issue.title, what, _diff(current, addition))

    run_batch(batch, issues, change)


def _choose(
    context: EnrichContext, names: Sequence[str], tracker: Tracker, batch: IssueBatch
) -> list[StoredIssue]:
    """The issues that the user named, each once. Raises Missing."""
    chosen: dict[str, StoredIssue] = {}
    by_id = {issue.id.casefold(): issue for issue in context.issues}
    for name in names:
        spec = parse_id(name, "SPEC") if name.upper().startswith(("SPEC", "[")) else None
        if spec is not None:
            found = find_spec_issues(context.issues, str(spec), has_epics=context.has_epics)
            epics = (found.epic, *found.others)
            open_ones = [one for one in (*epics, *found.stories) if one and one.status in OPEN]
            if not open_ones:
                batch.notes.append(f"{spec} has no open issues")
            chosen.update((one.id, one) for one in open_ones)
            continue
        issue = by_id.get(name.removeprefix("#").casefold())
        if issue is None:
            # It may be newer than the last sync.
            issue = to_stored(tracker.issue(name.removeprefix("#")))
        if issue.status in OPEN:
            chosen[issue.id] = issue
        else:
            batch.skipped.append(Untouched(issue.id, "it is closed"))
    return list(chosen.values())


def _facts(issue: StoredIssue, context: EnrichContext) -> IssueFacts:
    """What the sections say about an issue: its first specification counts, and its epic."""
    for spec in issue.specs:
        found = find_spec_issues(context.issues, spec, has_epics=context.has_epics)
        if any(one.id == issue.id for one in (found.epic, *found.others) if one):
            return IssueFacts(issue.id, issue.title, is_epic=True, specs=issue.specs)
        if found.epic:
            return IssueFacts(issue.id, issue.title, epic=found.epic.id, specs=(spec,))
    return IssueFacts(issue.id, issue.title, specs=issue.specs[:1])


def _diff(issue: StoredIssue, addition: str) -> str:
    """The body before and after as a unified diff."""
    after = joined(issue.body, addition)
    lines = difflib.unified_diff(
        issue.body.splitlines(), after.splitlines(), f"{issue.id} before", f"{issue.id} after",
        lineterm="",
    )  # fmt: skip
    return "\n".join(lines) + "\n"
