"""What the commands about issues share: finding the trackers, and issues for programs."""

# Governing: SPEC-0009 REQ "Commands", SPEC-0009 REQ "Detection"

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from sdd_hooks.project.project import Project
from sdd_hooks.trackers.detection import SeveralTrackers
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.source import TrackerSource, TrackerSources, find_source
from sdd_hooks.trackers.source import find_sources as find_all_sources


def find_sources(
    project: Project, module: str | None, *, named: str = "", asks: bool = False
) -> TrackerSources:
    """Where the issues of the repository and its modules (None), or of one part, come from.

    With `asks`, the user of a terminal chooses where several trackers are possible. Raises
    NoTracker where there is none, and what `find_source` raises.
    """

    def find(part: str) -> tuple[TrackerSource | None, tuple[str, ...]]:
        return _find_source(project, part, named, asks=asks and sys.stdin.isatty())

    # A tracker given by name is the tracker of one part.
    return find_all_sources(project, module or "" if named else module, find)


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


def _find_source(
    project: Project, part: str, named: str, *, asks: bool
) -> tuple[TrackerSource | None, tuple[str, ...]]:
    now = time.time()
    try:
        return find_source(project, part, now, requested=named)
    except SeveralTrackers as error:
        if not asks:
            raise
        return find_source(project, part, now, requested=_ask_for(error.names))


def _ask_for(trackers: Sequence[str]) -> str:
    """Have the user of the terminal choose. Raises KeyboardInterrupt without an answer."""
    # Few syncs have to ask.
    import click

    from sdd_hooks.cli.shared.prompts import choose

    try:
        return choose(f"Which tracker has the issues? [{'/'.join(trackers)}]", trackers)
    except click.Abort:
        # The cursor is still behind the prompt.
        sys.stderr.write("\n")
        raise KeyboardInterrupt from None
