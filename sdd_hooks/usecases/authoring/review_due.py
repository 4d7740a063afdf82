"""Find the records whose review is due or whose provisional status ended, and create issues."""

# Governing: SPEC-0024 REQ "Reviews that are due", ADR-0018 (tracker issues as files)

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import cast

from sdd_hooks.artifacts.corpus import load_corpus
from sdd_hooks.artifacts.work_tree import read_artifact_files
from sdd_hooks.drift.audit.due_dates import find_passed_dates
from sdd_hooks.errors import SddError
from sdd_hooks.findings import ReportedFinding, identify_findings
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.text.documents import document_text
from sdd_hooks.trackers.issue import IssueDraft
from sdd_hooks.trackers.protocol import TrackerWriter
from sdd_hooks.trackers.source import TrackerSource, with_written
from sdd_hooks.trackers.store import read_issues
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks, open_tracker, sync_and_index

KINDS = ("adrs",)
REFERENCE = "sdd-due-{}"
"""What marks the issue of a finding, in its body. Any tracker keeps plain text."""


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
    texts = {file.path: document_text(file.path, file.data) for file in files}
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
    known = _known_issues(source, records)
    done = []
    with open_tracker(source, callbacks.on_wait) as tracker:
        # A tracker that cannot create an issue raises Unsupported.
        writer = cast(TrackerWriter, tracker)
        for one in records:
            issue = known.get(one.reference)
            if issue is None:
                made = writer.create(_draft(one))
                done.append(DueIssue(one, made.id, made.url, is_new=True))
            else:
                done.append(DueIssue(one, *issue, is_new=False))
    if written := [one.id for one in done if one.is_new]:
        # A second run must know them, although a listing may not have them yet.
        sync_and_index(project, with_written(source, written), clock, callbacks)
    return done


def _known_issues(
    source: TrackerSource, records: Sequence[DueRecord]
) -> dict[str, tuple[str, str]]:
    """The id and the web address of the issue of each record that has one, by its reference."""
    references = [one.reference for one in records]
    known: dict[str, tuple[str, str]] = {}
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
