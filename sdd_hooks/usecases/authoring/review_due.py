"""Find the records whose review is due or whose provisional status ended, and create issues."""

# Governing: SPEC-0024 REQ "Reviews that are due", ADR-0018 (tracker issues as files)

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date
from typing import cast

from sdd_hooks.artifacts.corpus import load_corpus
from sdd_hooks.artifacts.work_tree import read_artifact_files
from sdd_hooks.drift.audit.due_dates import find_passed_dates
from sdd_hooks.errors import SddError, StorageError
from sdd_hooks.findings import ReportedFinding, identify_findings
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.system.files import read_state, state_directory, write_atomically
from sdd_hooks.text.decoding import decode
from sdd_hooks.trackers.issue import IssueDraft
from sdd_hooks.trackers.protocol import TrackerWriter
from sdd_hooks.trackers.source import TrackerSource
from sdd_hooks.trackers.store import read_issues
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks, open_tracker, sync_and_index

KINDS = ("adrs",)
REFERENCE = "sdd-due-{}"
"""What marks the issue of a finding, in its body. Any tracker keeps plain text."""
MIN_LISTING_SECONDS = 60.0
"""Seconds after which the listing of a tracker has a new issue, if it is not known as slower."""
MAX_RECENT_BYTES = 1 << 20


class DueRecord(NamedTuple):
    """A record with a date that has passed; `finding` says which."""

    id: str
    title: str
    module: str
    finding: ReportedFinding

    @property
    def reference(self) -> str:
        """What marks its issue."""
        return REFERENCE.format(self.finding.fingerprint[:16])


class DueIssue(NamedTuple):
    """The issue of a due record; `is_new` if it was created now."""

    record: DueRecord
    id: str
    url: str
    is_new: bool


class DueReport(NamedTuple):
    """The due records by path and line, notes about files that were not read, and warnings."""

    records: tuple[DueRecord, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def find_due_records(project: Project, module: str | None, today: date) -> DueReport:
    """Find the records of the work tree with a date before `today`.

    Raises UnknownName for a module that does not exist, and GitError.
    """
    files, left_out = read_artifact_files(project.repository.git, project.select(KINDS, module))
    texts = {file.path: decode(file.data) for file in files}
    corpus = load_corpus(files)
    by_path = {one.path: one for one in corpus.artifacts}
    found = [
        finding
        for one in corpus.artifacts
        for finding in find_passed_dates(one, texts[one.path], today)
    ]
    due = [
        DueRecord(
            by_path[reported.finding.path].name,
            by_path[reported.finding.path].title,
            by_path[reported.finding.path].module,
            reported,
        )
        for reported in identify_findings(found, {})
    ]
    due.sort(key=lambda one: (one.finding.finding.path, one.finding.finding.line))
    return DueReport(tuple(due), tuple(left_out), project.warnings)


def create_due_issues(
    project: Project,
    source: TrackerSource,
    records: Sequence[DueRecord],
    clock: Callable[[], float],
    callbacks: SyncCallbacks,
) -> list[DueIssue]:
    """Return the issue of each due record, and create those that the tracker does not have.

    The issues are synced first, open and closed ones. A record with another date is due again.
    `clock` returns seconds since the epoch. Raises what opening the tracker, the sync and a write
    raise.
    """
    if not records:
        return []
    synced = sync_and_index(project, source, clock, callbacks)
    if synced.result is None or not synced.result.ran:
        raise SddError("another sync of the issues is running: run this again when it has ended")
    recent = _RecentIssues(project, source)
    known = {**recent.read(clock()), **_known_issues(source, records)}
    done = []
    with open_tracker(source, callbacks.on_wait) as tracker:
        # A tracker that cannot create an issue raises Unsupported.
        writer = cast(TrackerWriter, tracker)
        for one in records:
            issue = known.get(one.reference)
            if issue is None:
                made = writer.create(_draft(one))
                recent.add(one.reference, (made.id, made.url), clock())
                done.append(DueIssue(one, made.id, made.url, is_new=True))
            else:
                done.append(DueIssue(one, *issue, is_new=False))
    if any(one.is_new for one in done):
        sync_and_index(project, source, clock, callbacks)
    return done


_Place = tuple[str, str]
"""The id and the web address of an issue."""


class _RecentIssues:
    """The issues that were created here in the last seconds, by their references.

    A listing of the tracker may not have them yet, and would let a second run create them again.
    """

    def __init__(self, project: Project, source: TrackerSource) -> None:
        name = f"due-issues-{source.module}.json" if source.module else "due-issues.json"
        self._path = state_directory(project.repository.root, ".sdd", "review") / name
        self._seconds = max(source.tracker.vendor.listing_delay, MIN_LISTING_SECONDS)

    def read(self, now: float) -> dict[str, _Place]:
        """The issues that are recent at `now`, in seconds since the epoch."""
        return {
            reference: (entry[0], entry[1])
            for reference, entry in self._entries().items()
            if 0 <= now - entry[2] <= self._seconds
        }

    def add(self, reference: str, place: _Place, now: float) -> None:
        """Remember an issue that was created at `now`. Raises StorageError."""
        recent = self.read(now)
        kept = {one: entry for one, entry in self._entries().items() if one in recent}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        data = json.dumps({**kept, reference: (*place, now)})
        write_atomically(self._path, data.encode())

    def _entries(self) -> dict[str, tuple[str, str, float]]:
        try:
            found = json.loads(read_state(self._path, MAX_RECENT_BYTES))
            return {str(one): (str(a), str(b), float(at)) for one, (a, b, at) in found.items()}
        except (OSError, StorageError, ValueError, TypeError, AttributeError, RecursionError):
            return {}


def _known_issues(source: TrackerSource, records: Sequence[DueRecord]) -> dict[str, _Place]:
    references = [one.reference for one in records]
    known: dict[str, _Place] = {}
    for issue in read_issues(source.folder):
        for reference in references:
            if reference in issue.body:
                known.setdefault(reference, (issue.id, issue.url))
    return known


def _draft(record: DueRecord) -> IssueDraft:
    finding = record.finding.finding
    verb = "Review" if finding.severity == "info" else "Confirm or replace"
    message = finding.message[:1].upper() + finding.message[1:]
    body = (
        f"{message}.\n\n{record.id}: {record.title}, in `{finding.path}` line {finding.line}.\n\n"
        f"Reference: {record.reference}\n"
    )
    return IssueDraft(f"{verb} {record.id}: {record.title}", body)
