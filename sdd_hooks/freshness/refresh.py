"""Update the index to the state of the work tree, for hooks and commands alike."""

# Governing: ADR-0004 (change detection from git), SPEC-0004 REQ "One refresh at a time",
# ADR-0029 (an index is compared with the files now and then),
# ADR-0035 (decisions of another repository are read, not run)

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from sdd_hooks import tracing
from sdd_hooks.engines.documents import content_digest
from sdd_hooks.engines.protocol import (
    Bookmark,
    CollectionChanges,
    Counts,
    Engine,
    IndexedDocument,
    Progress,
    ReadOnlyIndex,
    SamplesDocuments,
)
from sdd_hooks.engines.registry import is_indexed, not_indexed, open_engine, require_engine
from sdd_hooks.errors import IndexDamaged, NotIndexed, SddError, StorageError
from sdd_hooks.freshness.hook_state import (
    declared_later,
    distrust_state,
    write_state,
)
from sdd_hooks.freshness.index_changes import Scan, ScanScope, issue_changes, start_scan
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import EXTERNAL, OUTSIDE_GIT, Collection
from sdd_hooks.project.external_sources import DeclaredSources
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import (
    REQUEST_FILE,
    RUNNING_FILE,
    Repository,
    ignore_derived_state,
)
from sdd_hooks.system.files import create_mark, read_inside
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.text.display import format_count

if TYPE_CHECKING:
    from sdd_hooks.trackers.sync import SyncResult

SHORT_WAIT_SECONDS = 2.0
"""How long a command whose main task is something else waits for another refresh."""

_MAX_BYTES = 8_000_000

_SAMPLE_SIZE = 8
"""Documents of a sample. Comparing them is a tenth of a refresh."""


class RefreshInProgress(StorageError):
    """Another refresh ran for longer than the wait. It scans again when it has finished."""


class RefreshResult(NamedTuple):
    """What a refresh did, by collection. `ran` is False when another refresh was running, which
    then also does the work of this one."""

    counts: Mapping[str, Counts]
    notes: tuple[str, ...]
    ran: bool

    @property
    def total(self) -> Counts:
        """The sum over all collections."""
        return _sum(self.counts.values())


class RefreshOptions(NamedTuple):
    """How to refresh.

    With `create`, collections that the index lacks are created, else they are left out. `scan` is
    the scope of the files to compare, or a running scan of the repository, which the caller
    closes. `wait` is how many seconds to wait for another refresh of this work tree; with 0, that
    refresh is requested to run once more, and the call returns. `synced` maps the names of
    collections of issues to the syncs that changed their files: only those files are compared.
    """

    create: bool = True
    scan: Scan | ScanScope = "all"
    wait: float = 30.0
    synced: Mapping[str, SyncResult] = MappingProxyType({})


DEFAULT_OPTIONS = RefreshOptions()


class _Request(NamedTuple):
    collections: Sequence[Collection] | None
    scope: ScanScope
    create: bool
    synced: Mapping[str, SyncResult]

    @property
    def needs_git(self) -> bool:
        """Whether git has to compare files: not for collections outside of git alone."""
        return self.collections is None or any(
            collection.kind not in OUTSIDE_GIT for collection in self.collections
        )


def refresh(
    project: Project,
    collections: Sequence[Collection] | None = None,
    options: RefreshOptions = DEFAULT_OPTIONS,
    progress: Progress | None = None,
) -> RefreshResult:
    """Update `collections` in the index; None means those that it holds.

    Raises:
        NotIndexed: nothing is indexed yet, and nothing is to be created.
        RefreshInProgress: another refresh ran for longer than the wait.
        Stopped: `progress` requested a stop.
        RepositoryError, StorageError, EngineUnavailable: see the engine and git.
    """
    create, scan, wait, synced = options
    if not is_indexed(project):
        if collections is None or not create:
            raise not_indexed(project)
        require_engine(project)
    directory = project.repository.search_dir
    running = scan if isinstance(scan, Scan) else None
    scope: ScanScope = scan.scope if isinstance(scan, Scan) else scan
    request = _Request(collections, scope, create, synced)
    results: list[RefreshResult] = []
    request_file = directory / REQUEST_FILE
    while True:
        # Written before the lock is tried: the process that holds it checks after releasing it.
        try:
            directory.mkdir(parents=True, exist_ok=True)
            ignore_derived_state(project.repository.root)
        except OSError as error:
            raise StorageError(f"cannot write {directory} ({error.strerror}): check it") from error
        create_mark(request_file)
        with lock_index(project.repository, wait) as is_locked:
            if not is_locked:
                break
            with _fulfilling(request_file):
                result, documents = _refresh_once(project, request, running, progress)
                results.append(result)
                renewed = find_new_directories(project, documents)
                if renewed.collections != project.collections:
                    project, request = renewed, _renew(request, renewed)
                    results.append(_refresh_once(project, request, None, progress)[0])
        if not os.path.lexists(request_file):
            break
        request, running, wait = _Request(None, "all", create, {}), None, 0.0
    if not results and wait:
        raise RefreshInProgress(
            f"another refresh has run for over {wait:.0f} s: try again when it has finished"
        )
    return _merged(results)


@contextmanager
def _fulfilling(request_file: Path) -> Iterator[None]:
    """Take a request, and give it back if the block fails, for the next event and the next reader.

    A full disk has no place for another file, but takes another name of this one.
    """
    taken = request_file.with_name(RUNNING_FILE)
    with suppress(OSError):
        request_file.replace(taken)
    request_file.unlink(missing_ok=True)
    try:
        yield
    except BaseException as error:
        if not isinstance(error, NotIndexed | ReadOnlyIndex):
            # Where a directory has that name, the request was removed.
            with suppress(OSError, SddError):
                taken.replace(request_file) if taken.is_file() else create_mark(request_file)
        raise
    finally:
        with suppress(OSError):
            taken.unlink()


def find_new_directories(project: Project, documents: Iterable[str]) -> Project:
    """Return the project with the directories of records that only `documents` reveal.

    These are Markdown files that git reported as changed. Without a record among them outside of
    the collections, the result is `project`.
    """
    artifacts = [one for one in project.collections if one.kind in {"adrs", "specs"}]
    others = [path for path in documents if not any(one.contains(path) for one in artifacts)]
    if not others:
        return project
    from sdd_hooks.project.discovery import read_documents
    from sdd_hooks.project.project import read_project
    from sdd_hooks.project.recognition import recognise_records

    found = recognise_records(others, partial(read_documents, project.repository.root))
    return read_project(project.repository, "all") if found.folders else project


def lock_index(repository: Repository, wait: float) -> AbstractContextManager[bool]:
    """Hold the lock of the index of a work tree for the block; False after `wait` seconds."""
    return hold_lock(repository.search_dir / "lock", wait)


def _merged(results: Sequence[RefreshResult]) -> RefreshResult:
    """Several refreshes as one; without any, another process does the work."""
    names = dict.fromkeys(name for result in results for name in result.counts)
    counts = {
        name: _sum(result.counts[name] for result in results if name in result.counts)
        for name in names
    }
    notes = tuple(dict.fromkeys(note for result in results for note in result.notes))
    return RefreshResult(counts, notes, bool(results))


def _renew(request: _Request, project: Project) -> _Request:
    """The same request for the collections of the same names of another project."""
    if request.collections is None:
        return request
    names = {collection.name for collection in request.collections}
    return request._replace(collections=[one for one in project.collections if one.name in names])


def _refresh_once(
    project: Project, request: _Request, running: Scan | None, progress: Progress | None
) -> tuple[RefreshResult, set[str]]:
    """Refresh the index. The second value is every Markdown file that was compared."""
    # git compares the work tree while the engine is being imported and opened.
    git = project.repository.git
    scan = running or (start_scan(git, "", request.scope) if request.needs_git else None)
    try:
        with closing(open_engine(project, repair=True)) as engine:
            try:
                counts, documents = _update(project, engine, request, scan, progress)
            except IndexDamaged as error:
                engine.reset(str(error))
                counts, documents = _update(project, engine, request, None, progress)
            write_state(project, engine.bookmarks())
            return RefreshResult(counts, tuple(engine.notes), True), documents
    finally:
        if scan is not None:
            scan.close()


def _update(
    project: Project,
    engine: Engine,
    request: _Request,
    scan: Scan | None,
    progress: Progress | None,
) -> tuple[Mapping[str, Counts], set[str]]:
    if request.scope == "full" and not engine.rebuilt and isinstance(engine, SamplesDocuments):
        engine.verify()
    bookmarks = engine.bookmarks()
    if not bookmarks and not engine.rebuilt and (request.collections is None or not request.create):
        raise not_indexed(project)
    collections = _select_collections(project, engine, request, bookmarks)
    engine.ensure(collections)
    found = list(_find_changes(project, collections, engine, request, scan))
    changes = [change for change, _ in found]
    path = _find_difference(project, engine, found)
    if path:
        engine.notes.append(f"{path} was not indexed as it is: every document was compared")
        _forget_bookmarks(engine, changes)
        found = list(_find_changes(project, collections, engine, request, None))
        changes = [change for change, _ in found]
    if any(change.paths or change.complete for change in changes):
        distrust_state(project.repository)
    with tracing.span("refresh", *(collection.name for collection in collections)) as span:
        counts = engine.update(changes, progress)
        span.outcome = f"{format_count(_sum(counts.values()).changed, 'document')} changed"
    _keep_unsettled(engine, found)
    return counts, {path for _, scan in found if scan is not None for path in scan.documents}


def _find_difference(
    project: Project, engine: Engine, found: Sequence[tuple[CollectionChanges, Scan | None]]
) -> str | None:
    """Compare a sample of documents that the changes do not compare with their files.

    git's answer about what changed is trusted at every refresh, and a document that was missed once
    would stay wrong. A file that changed after the scans began is left to the next refresh. Returns
    the path of a document that differs, None if there is none or the engine has no samples.
    """
    scans = [scan for _, scan in found if scan is not None]
    # The scope `committed` does not follow edits that are in no commit.
    if not isinstance(engine, SamplesDocuments) or any(one.scope == "committed" for one in scans):
        return None
    since = min((scan.started for scan in scans), default=0.0)
    known = {
        change.collection.name: frozenset(change.paths)
        for change, _ in found
        if change.collection.kind not in OUTSIDE_GIT and not change.complete
    }
    for document in engine.sample(_SAMPLE_SIZE):
        paths = known.get(document.collection)
        if paths is None or document.path in paths:
            continue
        if _differs(project.repository.root, document, since):
            return document.path
    return None


def _forget_bookmarks(engine: Engine, changes: Sequence[CollectionChanges]) -> None:
    """Let the next scan compare every document of these collections."""
    unknown = Bookmark("", (), "")
    engine.update(
        [
            CollectionChanges(change.collection, (), False, unknown)
            for change in changes
            if change.collection.kind not in OUTSIDE_GIT
        ]
    )


def _differs(root: Path, document: IndexedDocument, since: float) -> bool:
    try:
        data = read_inside(root, document.path, _MAX_BYTES, follow=False)
    except (OSError, SddError):
        return True
    if f"sha256:{content_digest(data).hex()}" == document.content_hash:
        return False
    try:
        return (root / document.path).lstat().st_ctime <= since
    except OSError:
        return False


def _keep_unsettled(engine: Engine, found: Sequence[tuple[CollectionChanges, Scan | None]]) -> None:
    """Let the next refresh read the files again that changed during this one."""
    again = []
    for change, scan in found:
        paths = scan.unsettled(change) if scan is not None else ()
        if paths and change.bookmark is not None:
            dirty = tuple(sorted({*change.bookmark.dirty, *paths}))
            bookmark = change.bookmark._replace(dirty=dirty)
            again.append(CollectionChanges(change.collection, (), False, bookmark))
    if again:
        engine.update(again)


def _select_collections(
    project: Project,
    engine: Engine,
    request: _Request,
    bookmarks: Mapping[str, Bookmark | None],
) -> Sequence[Collection]:
    """The collections to update. A refresh of all of them removes those no longer declared."""
    requested = request.collections
    if requested is not None and request.create:
        return requested
    if requested is not None and not engine.rebuilt:
        return [collection for collection in requested if collection.name in bookmarks]
    declared = {collection.name: collection for collection in project.collections}
    # An index that was lost and rebuilt is empty: every declared collection is indexed again.
    names = set(declared) if engine.rebuilt else {*bookmarks, *_renamed(engine, declared)}
    names.update(collection.name for collection in declared_later(project, bookmarks))
    engine.remove([name for name in bookmarks if name not in declared])
    return [collection for name, collection in declared.items() if name in names]


def _renamed(engine: Engine, declared: Mapping[str, Collection]) -> set[str]:
    """The declared collections that the index has by another name.

    A collection is named after the directory of the repository, which users rename.
    """
    indexed = engine.bookmarks()
    if indexed.keys() <= declared.keys():
        return set()
    lost = {
        (status.kind, status.module)
        for status in engine.status().collections
        if status.name not in declared
    }
    return {name for name, one in declared.items() if (one.kind, one.module) in lost}


def _find_changes(
    project: Project,
    collections: Sequence[Collection],
    engine: Engine,
    request: _Request,
    scan: Scan | None,
) -> Iterator[tuple[CollectionChanges, Scan | None]]:
    """What may differ, by collection, each with the scan that found it; others have none.

    `scan` is the running scan of the repository itself.
    """
    git = project.repository.git
    bookmarks = engine.bookmarks()
    by_repository: dict[str, list[Collection]] = {}
    for collection in collections:
        if collection.kind not in OUTSIDE_GIT:
            by_repository.setdefault(collection.repository, []).append(collection)
            continue
        name = collection.name
        if collection.kind == EXTERNAL:
            yield _external_changes(project, collection, bookmarks.get(name)), None
            continue
        issues = issue_changes(
            git.root, collection, request.scope, bookmarks.get(name), request.synced.get(name)
        )
        if issues:
            yield issues, None
    for repository, group in by_repository.items():
        running = scan if repository == "" else None
        running = running or start_scan(git, repository, request.scope)
        for change in running.changes(group, bookmarks, engine.documents):
            yield change, running


def _sum(counts: Iterable[Counts]) -> Counts:
    total = Counts()
    for count in counts:
        total = Counts(
            total.added + count.added,
            total.updated + count.updated,
            total.removed + count.removed,
            total.unchanged + count.unchanged,
        )
    return total


def _external_changes(
    project: Project, collection: Collection, bookmark: Bookmark | None
) -> CollectionChanges:
    """The documents of a collection of the kind `external`, none if the index has them.

    They are those of the commit that was fetched last. A source that was never fetched has none.
    """
    # Projects without such a collection do not wait for these imports.
    from sdd_hooks.external.records import read_external_records
    from sdd_hooks.external.snapshots import read_snapshot

    (source,) = (one for one in project.external.sources if (one.name,) == collection.directories)
    snapshot = read_snapshot(project.repository, source)
    commit = snapshot.commit if snapshot else ""
    current = Bookmark(commit, (), collection.definition())
    if bookmark == current:
        return CollectionChanges(collection, (), False, current, contents={})
    (records,) = read_external_records(project.repository, DeclaredSources((source,))).sources
    contents: dict[str, bytes] = {}
    for artifact in records.artifacts:
        text = records.tree.text(records.tree_path(artifact.path)) if records.tree else ""
        contents[artifact.path] = text.encode("utf-8", "replace")
    paths = tuple(sorted(contents))
    return CollectionChanges(collection, paths, True, current, contents=contents)
