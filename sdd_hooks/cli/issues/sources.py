"""What the commands about issues share: whose issues, asked on a terminal, and how one is shown."""

# Governing: SPEC-0009 REQ "Commands", SPEC-0009 REQ "Detection"

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import click

from sdd_hooks.cli.output import printable_line
from sdd_hooks.cli.progress import Line, live_line
from sdd_hooks.freshness.issues import IssuesFreshness, IssueSource, sync_issues
from sdd_hooks.freshness.tiers import syncing_note
from sdd_hooks.project.project import Project
from sdd_hooks.trackers.detection import SeveralTrackers
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.source import SourcesFound, TrackerSource, find_source
from sdd_hooks.trackers.source import find_sources as sources_of


def find_sources(
    project: Project, module: str | None, *, named: str = "", asks: bool = False
) -> SourcesFound:
    """Where the issues of the repository and its modules (None), or of one part, come from.

    With `asks`, a person at the terminal chooses where several trackers are possible. Raises
    NoTracker where there is none, and like `find_source`.
    """

    def find(part: str) -> tuple[TrackerSource | None, tuple[str, ...]]:
        return _find(project, part, named, asks=asks and sys.stdin.isatty())

    # A tracker that is named is that of one part.
    return sources_of(project, module or "" if named else module, find)


class Screen:
    """What is said while a tracker is asked: notes in lines of their own, the rest in passing."""

    def __init__(self, line: Line | None, *, silent: bool) -> None:
        self.notes: list[str] = []
        self.progress = None if line is None else line.report
        self.tell = None if line is None else line.tell
        self._line = line
        self._silent = silent

    def say(self, note: str) -> None:
        """A note for people, at once; kept for JSON."""
        if self._silent:
            self.notes.append(note)
            return
        if self._line:
            self._line.clear()
        sys.stderr.write(f"note: {printable_line(note)}\n")
        sys.stderr.flush()

    def begun(self, source: TrackerSource) -> Callable[[int | None], None]:
        """What a sync calls when the tracker has answered."""
        return lambda issues: self.say(syncing_note(issues, source.label))


@contextmanager
def screen(as_json: bool) -> Iterator[Screen]:
    """What is said for the block. With JSON nothing is, and notes are kept for the object."""
    with live_line(sys.stderr) as line:
        yield Screen(None if as_json else line, silent=as_json)


class Entered(NamedTuple):
    """Issues that were synced if that was due. `failure` says why that failed, "" if it did not."""

    source: IssueSource
    freshness: IssuesFreshness
    failure: str


def enter(project: Project, source: TrackerSource, shown: Screen, now: float) -> Entered:
    """Tier 4 for a command that reads issues."""
    opened = IssueSource(
        source.label, lambda: source.open(shown.tell), source.module, source.found.name
    )
    told: list[str] = []
    freshness = sync_issues(project, opened, now, say=shown.say, trace=told.append)
    failure = told[-1] if freshness.degraded else ""
    shown.notes += [failure] if failure else []
    return Entered(opened, freshness, failure)


def issue_data(issue: StoredIssue, module: str) -> dict[str, object]:
    """An issue for programs, without its body."""
    return {
        "id": issue.id,
        "module": module,
        "title": issue.title,
        "status": issue.status,
        "labels": list(issue.labels),
        "assignees": list(issue.assignees),
        "author": issue.author,
        "created": issue.created or None,
        "updated": issue.updated or None,
        "closed": issue.closed or None,
        "url": issue.url,
        "tracker": issue.tracker,
        "references": {
            "specs": list(issue.specs),
            "adrs": list(issue.adrs),
            "blocks": list(issue.blocks),
            "blocked_by": list(issue.blocked_by),
        },
        "path": issue.path or None,
    }


def _find(
    project: Project, part: str, named: str, *, asks: bool
) -> tuple[TrackerSource | None, tuple[str, ...]]:
    now = time.time()
    try:
        return find_source(project, part, now, named=named)
    except SeveralTrackers as error:
        if not asks:
            raise
        question = f"Which tracker has the issues? [{'/'.join(error.names)}]"
        choice = click.Choice(error.names)
        chosen = click.prompt(question, type=choice, show_choices=False, err=True)
        return find_source(project, part, now, named=chosen)
