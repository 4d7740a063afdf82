"""Tiers 2 and 3: refresh the index when a session, or a command that reads, begins."""

# Governing: ADR-0015 (tiers of freshness), SPEC-0007 REQ "At the start of a session",
# SPEC-0007 REQ "Before reading", SPEC-0007 REQ "One time for the whole index"

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

from sdd_hooks.engines.protocol import Engine
from sdd_hooks.engines.registry import is_indexed, not_indexed, open_engine
from sdd_hooks.errors import IndexDamaged, NotIndexed, SddError
from sdd_hooks.freshness import tiers
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import REQUEST_FILE, RUNNING_FILE
from sdd_hooks.system.locks import hold_lock

if TYPE_CHECKING:
    from sdd_hooks.freshness.refresh import RefreshResult


PATIENCE_SECONDS = 5.0
"""How long a reader waits for a refresh that runs. Then it reads what there is."""


class FreshnessReport(NamedTuple):
    """What was done about an index before it is read, and the notes and warnings about it.

    `refresh` is None when none was needed, or it failed.
    """

    refresh: RefreshResult | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def prime(project: Project, now: float) -> FreshnessReport:
    """Refresh the index when a session begins, unless it was scanned a moment ago (tier 2).

    Notes say what changed, and how many chunks have no vector. Raises nothing. Where nothing is
    indexed the report is empty: the command that reads reports that. Embeds nothing, and uses no
    network.
    """
    if not is_indexed(project):
        return FreshnessReport()
    report = FreshnessReport()
    touched = None if _is_behind(project) else last_touched(project)
    if tiers.scan_is_due(now, touched, project.configuration.freshness):
        report = _refresh(project)
    refreshed = tiers.refreshed_note(report.refresh.total) if report.refresh else None
    notes = (refreshed, *report.notes, _unembedded_note(project))
    return FreshnessReport(report.refresh, tuple(filter(None, notes)), report.warnings)


def refresh_if_stale(project: Project, now: float, touched: float | None) -> FreshnessReport:
    """Refresh an index that was last touched at `touched`, if that is too long ago (tier 3).

    Raises nothing: the reader goes on after a failure. Where nothing is indexed the report is
    empty: the reader reports that.
    """
    if not tiers.is_stale(now, touched, project.configuration.freshness):
        return FreshnessReport()
    report = _refresh(project)
    note = tiers.stale_note(tiers.age(now, touched)) if report.refresh else None
    notes = tuple(filter(None, (note, *report.notes)))
    return FreshnessReport(report.refresh, notes, report.warnings)


@contextmanager
def open_index(project: Project) -> Iterator[Engine]:
    """Open the project's engine for the block, without a refresh.

    Raises NotIndexed where nothing was ever indexed, and what `open_engine` raises.
    """
    if not is_indexed(project):
        raise not_indexed(project)
    with _repaired_by_next_event(project), closing(open_engine(project)) as engine:
        yield engine


@contextmanager
def open_fresh_index(project: Project, now: float) -> Iterator[tuple[Engine, FreshnessReport]]:
    """Open the project's engine for a reader, after `refresh_if_stale`, whose report it yields too.

    An index after a refresh that failed is refreshed, too, and one whose collections have other
    names than those of the project: the directory of the repository was renamed.

    Raises NotIndexed where nothing was ever indexed, and what `open_engine` raises.
    """
    if not is_indexed(project):
        raise not_indexed(project)
    with _repaired_by_next_event(project):
        is_behind = _is_behind(project)
        with closing(open_engine(project)) as engine:
            unknown = is_behind or _is_renamed(project, engine)
            touched = None if unknown else engine.touched()
            if not tiers.is_stale(now, touched, project.configuration.freshness):
                yield engine, FreshnessReport()
                return
        # Closed before the refresh, which may set the index aside and create a new one.
        report = refresh_if_stale(project, now, touched)
        with closing(open_engine(project)) as engine:
            yield engine, report


def lost_issues(project: Project, collections: Iterable[Collection]) -> tuple[str, ...]:
    """Return a line for each folder of issues among `collections` that has damaged files."""
    folders = {one.directories[0]: None for one in collections if one.kind == "issues"}
    if not folders:
        return ()
    from sdd_hooks.trackers.store import IssueFolder
    from sdd_hooks.trackers.stored_issues import lost_warning

    root = project.repository.root
    return tuple(line for one in folders for line in lost_warning(IssueFolder(root, one)))


@contextmanager
def _repaired_by_next_event(project: Project) -> Iterator[None]:
    """Let the next hook start sdd if the block finds damage, even if no file changes until then."""
    try:
        yield
    except IndexDamaged:
        from sdd_hooks.freshness.hook_state import distrust_state

        with suppress(SddError):
            distrust_state(project.repository)
        raise


def _is_behind(project: Project) -> bool:
    """Whether a refresh was requested that failed, was killed, or has not begun.

    Waits for one that runs, such as after a switch to another branch.
    """
    if not _is_requested(project):
        return False
    # The refresh that runs has the lock, and fulfils the request when it ends.
    path = project.repository.search_dir / "lock"
    with suppress(SddError), hold_lock(path, PATIENCE_SECONDS) as is_free:
        return is_free and _is_requested(project)
    return False


def _is_requested(project: Project) -> bool:
    directory = project.repository.search_dir
    # A directory of that name is not of sdd, and would stay.
    return os.path.lexists(directory / REQUEST_FILE) or (directory / RUNNING_FILE).is_file()


def _is_renamed(project: Project, engine: Engine) -> bool:
    indexed = engine.bookmarks()
    return bool(indexed) and not any(one.name in indexed for one in project.collections)


def last_touched(project: Project) -> float | None:
    """When the index was last compared with the work tree (seconds since the epoch).

    None for never, and for an index that cannot be opened.
    """
    try:
        with closing(open_engine(project)) as engine:
            return engine.touched()
    except SddError:
        return None


def _refresh(project: Project) -> FreshnessReport:
    from sdd_hooks.engines.protocol import ReadOnlyIndex
    from sdd_hooks.freshness.refresh import RefreshInProgress, RefreshOptions, refresh

    try:
        update = refresh(project, options=RefreshOptions(wait=PATIENCE_SECONDS))
    except (NotIndexed, RefreshInProgress, ReadOnlyIndex):
        return FreshnessReport()
    except SddError:
        from sdd_hooks.freshness.hook_state import indexed_names

        warning = tiers.failed_refresh_warning(indexed_names(project.repository))
        return FreshnessReport(warnings=(warning,))
    return FreshnessReport(update, update.notes)


def _unembedded_note(project: Project) -> str | None:
    from sdd_hooks.embedding.rates import estimate_on_machine

    try:
        with closing(open_engine(project)) as engine:
            pending = engine.coverage().pending
            seconds = estimate_on_machine(engine.name, pending, project.environ)
            return tiers.unembedded_note(pending, seconds)
    except SddError:
        return None
