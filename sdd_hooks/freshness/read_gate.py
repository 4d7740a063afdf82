"""Tiers 2 and 3: what is done about the index when a session or a command that reads begins."""

# Governing: ADR-0015 (tiers of freshness), SPEC-0007 REQ "At the start of a session",
# SPEC-0007 REQ "Before reading"

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdd_hooks.engines.protocol import Engine
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import EngineUnavailable, NotIndexed, SddError
from sdd_hooks.freshness import tiers
from sdd_hooks.project.project import Project, not_indexed

if TYPE_CHECKING:
    from sdd_hooks.freshness.refresh import Refresh


@dataclass(frozen=True)
class Freshness:
    """What was done about an index before it is read, and what the reader has to say about it.

    `refresh` is None when none was needed, or none was possible.
    """

    refresh: Refresh | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def prime(project: Project, now: float) -> Freshness:
    """Look at the index when a session begins, unless that was done a moment ago (tier 2).

    Says what was different, and how many chunks have no vector. Nothing is raised and nothing said
    where nothing is indexed: that is for whoever reads. Embeds nothing and asks nothing.
    """
    if not project.repository.search_dir.is_dir():
        return Freshness()
    before = Freshness()
    if tiers.look_is_due(now, last_look(project), project.configuration.freshness):
        before = _refreshed(project)
    different = tiers.refreshed(before.refresh.total) if before.refresh else None
    notes = (different, *before.notes, _unembedded(project))
    return Freshness(before.refresh, tuple(filter(None, notes)), before.warnings)


def on_entry(project: Project, now: float, touched: float | None) -> Freshness:
    """Refresh an index last touched at `touched`, if that is too long ago, for a reader (tier 3).

    The reader goes on whatever comes of it. Where nothing is indexed, nothing is raised and nothing
    said: that is for the reader.
    """
    if not tiers.is_stale(now, touched, project.configuration.freshness):
        return Freshness()
    done = _refreshed(project)
    note = tiers.was_stale(tiers.age(now, touched)) if done.refresh else None
    return Freshness(done.refresh, tuple(filter(None, (note, *done.notes))), done.warnings)


@contextmanager
def fresh_index(project: Project, now: float) -> Iterator[tuple[Engine, Freshness]]:
    """The project's engine for a reader, and what `on_entry` did before.

    Raises NotIndexed where nothing was ever indexed, and what `open_engine` raises.
    """
    if not project.repository.search_dir.is_dir():
        raise not_indexed(project)
    with closing(open_engine(project)) as engine:
        touched = engine.touched()
        if not tiers.is_stale(now, touched, project.configuration.freshness):
            yield engine, Freshness()
            return
    # Closed meanwhile: a refresh may set the index aside and begin a new one.
    before = on_entry(project, now, touched)
    with closing(open_engine(project)) as engine:
        yield engine, before


def last_look(project: Project) -> float | None:
    """When the index was last touched; None for never, and for one that cannot be asked."""
    try:
        with closing(open_engine(project)) as engine:
            return engine.touched()
    except SddError:
        return None


def _refreshed(project: Project) -> Freshness:
    from sdd_hooks.freshness.refresh import PATIENCE, AnotherRefresh, refresh

    try:
        update = refresh(project, wait=PATIENCE)
    except (NotIndexed, AnotherRefresh):
        return Freshness()
    except SddError:
        from sdd_hooks.freshness.hook_state import indexed_here

        return Freshness(warnings=(tiers.refresh_failed(indexed_here(project.repository)),))
    return Freshness(update, update.notes)


def _unembedded(project: Project) -> str | None:
    from sdd_hooks.embedding.rates import RateKey, estimate_seconds

    try:
        with closing(open_engine(project)) as engine:
            pending = engine.coverage().pending
            if not pending:
                return None
            try:
                device, model = engine.device(), engine.status().model
            except EngineUnavailable:
                return tiers.unembedded(pending, None)
            seconds = estimate_seconds(
                RateKey(engine.name, model, device), pending, project.environ
            )
            return tiers.unembedded(pending, seconds)
    except SddError:
        return None
