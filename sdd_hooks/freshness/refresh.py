"""Bring the index up to date with the work tree: the one way in, for hooks and commands alike."""

# Governing: ADR-0004 (change detection from git), SPEC-0004 (git lifecycle)

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sdd_hooks.engines.protocol import Counts, Engine, Progress
from sdd_hooks.engines.registry import open_engine, require_engine
from sdd_hooks.errors import IndexDamaged, StorageError
from sdd_hooks.freshness.hook_state import AGAIN, distrust_state, write_state
from sdd_hooks.freshness.index_changes import Look, Scan, issues, look
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project, not_indexed
from sdd_hooks.system.files import refuse_links
from sdd_hooks.system.locks import held

if TYPE_CHECKING:
    from sdd_hooks.trackers.sync import SyncResult

PATIENCE = 2.0
"""Seconds for which a command that has other things to do waits for another refresh."""


class AnotherRefresh(StorageError):
    """Another refresh went on for longer than was waited; it looks again when it has finished."""


@dataclass(frozen=True)
class Refresh:
    """What a refresh did, by collection. With `ran` False another one was at work: it, or the next,
    takes this one over."""

    counts: Mapping[str, Counts]
    notes: tuple[str, ...]
    ran: bool

    @property
    def total(self) -> Counts:
        """All collections together."""
        return _sum(self.counts.values())


class _Wanted(NamedTuple):
    collections: Sequence[Collection] | None
    scan: Scan
    create: bool
    synced: Mapping[str, SyncResult]

    @property
    def needs_git(self) -> bool:
        """Whether git has to be asked, as for everything but issues."""
        return self.collections is None or any(one.kind != "issues" for one in self.collections)


def refresh(
    project: Project,
    *,
    collections: Sequence[Collection] | None = None,
    scan: Scan = "all",
    create: bool = True,
    wait: float = 30.0,
    progress: Progress | None = None,
    begun: Look | None = None,
    synced: Mapping[str, SyncResult] | None = None,
) -> Refresh:
    """Bring `collections` up to date, created when missing; None means those the index has.

    Without `create`, those of them that the index has. `wait` is how many seconds another refresh
    of this work tree is waited for; after 0 it is asked to look again when it has finished, and
    this call returns. `begun` is a look at the repository, of the same scan, that the caller began
    and closes. `synced` are syncs, by the name of their collection, whose changes are all there is
    to look at there.

    Raises:
        NotIndexed: nothing is indexed yet, and nothing is to be created.
        AnotherRefresh: one that was waited for went on.
        RepositoryError, StorageError, EngineUnavailable: see the engine and git.
    """
    directory = project.repository.search_dir
    if not directory.is_dir():
        if collections is None or not create:
            raise not_indexed(project)
        require_engine(project)
    refuse_links(directory.parent, directory)
    again = directory / AGAIN
    wanted = _Wanted(collections, scan, create, synced or {})
    done: list[Refresh] = []
    while True:
        # Asked for before the lock is tried: whoever holds it looks after letting go.
        try:
            directory.mkdir(parents=True, exist_ok=True)
            again.touch()
        except OSError as error:
            raise StorageError(f"cannot write {directory} ({error.strerror}): check it") from error
        with held(directory / "lock", wait) as mine:
            if not mine:
                break
            again.unlink(missing_ok=True)
            done.append(_refresh(project, wanted, progress, begun))
        if not again.exists():
            break
        wanted, wait, begun = _Wanted(None, "all", create, {}), 0.0, None
    if not done and wait:
        raise AnotherRefresh(
            f"another refresh has run for over {wait:.0f} s: try again when it has finished"
        )
    return Refresh(
        {
            name: _sum(one.counts[name] for one in done if name in one.counts)
            for name in dict.fromkeys(name for one in done for name in one.counts)
        },
        tuple(dict.fromkeys(note for one in done for note in one.notes)),
        bool(done),
    )


def _refresh(
    project: Project, wanted: _Wanted, progress: Progress | None, begun: Look | None
) -> Refresh:
    # git looks at the work tree while the engine is being imported and opened.
    git = project.repository.git
    top = begun or (look(git, "", wanted.scan) if wanted.needs_git else None)
    try:
        engine = open_engine(project, repair=True)
        try:
            try:
                counts = _bring_up(project, engine, wanted, top, progress)
            except IndexDamaged as error:
                engine.reset(str(error))
                counts = _bring_up(project, engine, wanted, None, progress)
            write_state(project, engine.bookmarks())
            return Refresh(counts, tuple(engine.notes), True)
        finally:
            engine.close()
    finally:
        if top is not None:
            top.close()


def _bring_up(
    project: Project,
    engine: Engine,
    wanted: _Wanted,
    top: Look | None,
    progress: Progress | None,
) -> Mapping[str, Counts]:
    git = project.repository.git
    bookmarks = engine.bookmarks()
    declared = {collection.name: collection for collection in project.collections}
    chosen = wanted.collections
    if not bookmarks and not engine.rebuilt and (chosen is None or not wanted.create):
        raise not_indexed(project)
    if chosen is not None and not wanted.create:
        # With an index that was lost, every collection has to be made again.
        chosen = None if engine.rebuilt else [one for one in chosen if one.name in bookmarks]
    if chosen is None:
        engine.remove([name for name in bookmarks if name not in declared])
        names = declared if engine.rebuilt else bookmarks
        chosen = [declared[name] for name in names if name in declared]
    engine.ensure(chosen)
    changes = []
    by_repository: dict[str, list[Collection]] = {}
    for collection in chosen:
        if collection.kind == "issues":
            name = collection.name
            done = wanted.synced.get(name)
            found = issues(git.root, collection, wanted.scan, bookmarks.get(name), done)
            changes += [found] if found else []
        else:
            by_repository.setdefault(collection.repository, []).append(collection)
    for repository, group in by_repository.items():
        begun = top if repository == "" else None
        changes += (begun or look(git, repository, wanted.scan)).changes(group, bookmarks)
    if any(change.paths or change.complete for change in changes):
        distrust_state(project.repository)
    return engine.update(changes, progress)


def _sum(counts: Iterable[Counts]) -> Counts:
    total = Counts()
    for one in counts:
        total = Counts(
            total.added + one.added,
            total.updated + one.updated,
            total.removed + one.removed,
            total.unchanged + one.unchanged,
        )
    return total
