"""The qmd engine: the program qmd, on an index for one work tree."""

# Governing: ADR-0001 (two engines, chosen), ADR-0013 (hybrid search waits until every document has
# its vectors), ADR-0014 (the qmd engine), SPEC-0006 (qmd engine)

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from sdd_hooks.engines.protocol import (
    Bookmark,
    CollectionChanges,
    CollectionStatus,
    Counts,
    Coverage,
    EmbedReport,
    IndexedDocument,
    IndexStatus,
    Progress,
    Query,
    SearchResult,
    covers,
    report_progress,
)
from sdd_hooks.engines.qmd.embedding import DEFAULT_MODEL, check_configured_model
from sdd_hooks.engines.qmd.index_folder import index_folder, require_own_folder
from sdd_hooks.engines.qmd.installation import Installation, explain_failure, run_qmd
from sdd_hooks.engines.qmd.output import (
    parse_listing,
    parse_pending,
    parse_titles,
    parse_update,
)
from sdd_hooks.engines.qmd.search import (
    MAX_FILE_BYTES,
    SearchScope,
    read_documents,
    repository_path,
    search,
)
from sdd_hooks.engines.qmd.state import (
    CollectionState,
    IndexState,
    StateFile,
    compute_fingerprint,
    is_due,
    with_documents,
)
from sdd_hooks.errors import EngineUnavailable, IndexDamaged, StorageError
from sdd_hooks.project.collections import EXTERNAL, Collection
from sdd_hooks.project.project import Project
from sdd_hooks.system.processes import ProgramResult

_TIMEOUT = 60.0
"""Seconds for a qmd command, plus those for its documents. On a small index it takes 0.2."""

_SECONDS_PER_DOCUMENT = 0.05
"""Thirty times what indexing one takes on a laptop."""


class QmdEngine:
    """`Engine` over qmd's command line. What the state file records needs no run of qmd."""

    name = "qmd"

    def __init__(
        self,
        project: Project,
        qmd: Installation,
        *,
        repair: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._qmd = qmd
        self._environ = project.environ
        self._clock = clock
        self._git = project.repository.git
        self._folder = index_folder(project.repository)
        self._model = project.configuration.search.embed_model
        self._check_model = partial(check_configured_model, project)
        self._collections = {collection.name: collection for collection in project.collections}
        require_own_folder(self._git, self._folder)
        self._state_file = StateFile(self._folder, repair=repair)
        self.notes = self._state_file.notes

    @property
    def rebuilt(self) -> bool:
        """Whether the index was lost and is empty now."""
        return self._state_file.rebuilt

    @property
    def _state(self) -> IndexState:
        return self._state_file.state

    def ensure(self, collections: Sequence[Collection]) -> None:
        """Create the collections that are missing and store changed definitions.

        Those without files are left out, with a note: qmd reads files.
        """
        external = ", ".join(one.name for one in collections if one.kind == EXTERNAL)
        if external:
            self.notes.append(f"{external}: left out, qmd indexes files of this repository")
        collections = [one for one in collections if one.kind != EXTERNAL]
        self._collections.update({collection.name: collection for collection in collections})
        states = dict(self._state.collections)
        for collection in collections:
            new = CollectionState(collection.kind, collection.module)
            state = states.get(collection.name, new)
            states[collection.name] = replace(state, kind=collection.kind, module=collection.module)
        if states != self._state.collections:
            self._state_file.change(lambda state: replace(state, collections=states))

    def bookmarks(self) -> Mapping[str, Bookmark | None]:
        """Return every collection with the state it reflects (None: not complete yet)."""
        states = sorted(self._state.collections.items())
        return {name: collection.bookmark for name, collection in states}

    def update(
        self, changes: Sequence[CollectionChanges], progress: Progress | None = None
    ) -> Mapping[str, Counts]:
        """Index the collections with changed files, all in one run of qmd.

        qmd reads every file of every collection. Without a changed file it does not run.
        """
        root = self._folder.root
        changes = [change for change in changes if change.collection.kind != EXTERNAL]
        states: Mapping[str, CollectionState] = self._state.collections
        # Before qmd reads the files, so that a later change is found by the next update.
        fingerprints = {
            change.collection.name: compute_fingerprint(root, change) for change in changes
        }
        due = [
            change
            for change in changes
            for name in [change.collection.name]
            if is_due(change, fingerprints[name], states[name].seen)
        ]
        counts = {change.collection.name: _count_unchanged(root, change) for change in changes}
        pending = self._state.pending
        if due:
            for change in due:
                step = f"Indexing {change.collection.name}"
                report_progress(progress, step, 0, len(change.paths))
            states, new_counts = self._run_update(states, due)
            counts.update(new_counts)
            pending = self._count_pending()
        self._store_update(states, changes, fingerprints, pending, has_run=bool(due))
        return counts

    def _run_update(
        self, states: Mapping[str, CollectionState], due: Sequence[CollectionChanges]
    ) -> tuple[Mapping[str, CollectionState], Mapping[str, Counts]]:
        """Run `qmd update`. Returns the new states, and the counts of the changes."""
        states = self._declare(states, due, self._usable_model())
        done = self._run("update", documents=sum(len(change.paths) for change in due))
        names = [change.collection.name for change in due]
        counts = _parse_counts(done.out, names)
        changed = {
            name: _count_change(change, counts) for name, change in zip(names, due, strict=True)
        }
        return with_documents(states, counts), changed

    def _store_update(
        self,
        states: Mapping[str, CollectionState],
        changes: Sequence[CollectionChanges],
        fingerprints: Mapping[str, str],
        pending: int,
        *,
        has_run: bool,
    ) -> None:
        """Store the bookmarks and counts of an update; `has_run`: whether qmd ran."""
        new_states = dict(states)
        for change in changes:
            name = change.collection.name
            old = new_states[name]
            bookmark = change.bookmark or old.bookmark
            new_states[name] = replace(old, seen=fingerprints[name], bookmark=bookmark)
        kinds = {name: state.kind for name, state in new_states.items()}
        touched = self._clock() if covers(changes, kinds) else self._state.touched
        model = self._model if has_run else self._state.model
        self._state_file.change(
            lambda state: replace(
                state,
                collections=new_states,
                touched=touched,
                pending=pending,
                model=model,
                begun=state.begun and state.model == model,
            )
        )

    def embed(
        self, collections: Sequence[str] = (), progress: Progress | None = None
    ) -> EmbedReport:
        """Embed every document that has no vectors. Raises EngineUnavailable without a model."""
        from sdd_hooks.engines.qmd.embedding import embed_collections

        started = self._clock()
        model = self._check_model()
        states = self._state.collections
        self._declare(states, (), model)
        if self._state.model != self._model:
            # Stored before the embed, which may be interrupted after some documents.
            missing = self._count_pending()
            self._state_file.change(
                lambda state: replace(state, pending=missing, model=self._model, begun=False)
            )
        selected = [name for name in states if name in collections]
        scopes = selected if collections and len(selected) < len(states) else [""]
        result = embed_collections(self._qmd, self._folder, self._environ, scopes, progress)
        pending = self._count_pending()
        self._state_file.change(
            lambda state: replace(
                state,
                pending=pending,
                model=self._model,
                begun=bool(result.embedded or (state.documents and not pending)),
            )
        )
        return EmbedReport(
            result.embedded,
            pending,
            self._clock() - started,
            self._model or DEFAULT_MODEL,
            result.device,
            result.failed,
            result.notes,
        )

    def search(self, query: Query) -> SearchResult:
        """Run a typed query.

        While a document has no vectors, by words alone: a hit must not depend on which part of the
        index is embedded.
        """
        states = self._state.collections
        names = [
            name
            for name, state in states.items()
            if state.documents and (not query.collections or name in query.collections)
        ]
        pending = self.coverage().pending
        if not names:
            return SearchResult((), pending)
        scope = SearchScope(
            self._qmd,
            self._folder,
            self._environ,
            {name: states[name].base for name in names},
            {name: self._collections[name] for name in names if name in self._collections},
        )
        model_error = ""
        try:
            self._check_model()
        except EngineUnavailable as error:
            model_error = str(error)
        try:
            return search(scope, query, pending, model_error)
        except IndexDamaged:
            self._state_file.require_full_update()
            raise

    def documents(self, collection: str) -> Sequence[IndexedDocument]:
        """Return every document of a collection, by path, with the current content of its file."""
        state = self._state.collections.get(collection)
        declared = self._collections.get(collection)
        if state is None or declared is None or not state.documents:
            return []
        listed = parse_listing(self._run("ls", collection).out, collection)
        paths = (repository_path(state.base, path, declared) for path in listed)
        return read_documents(self._folder.root, collection, filter(None, paths))

    def titles(self, collection: str) -> Sequence[tuple[str, str]]:
        """Return the path and title of every document of a collection, by path, from qmd's index.

        The first line of each document comes with them. A larger file has its name as title.
        """
        state = self._state.collections.get(collection)
        declared = self._collections.get(collection)
        if state is None or declared is None or not state.documents:
            return []
        every = f"qmd://{collection}/**"
        options = ("-l", "1", "--max-bytes", str(MAX_FILE_BYTES), "--format", "json")
        listed = parse_titles(self._run("multi-get", every, *options).out)
        paths = ((repository_path(state.base, path, declared), title) for path, title in listed)
        return sorted((path, title) for path, title in paths if path)

    def touched(self) -> float | None:
        """Return the time of the last check for changes (seconds since the epoch; None: never)."""
        return self._state.touched

    def coverage(self) -> Coverage:
        """Return how much of the index is embedded with the configured model, in documents."""
        state = self._state
        if state.model != self._model:
            return Coverage(False, state.documents)
        return Coverage(state.begun, state.pending)

    def device(self) -> str:
        """Return where qmd runs models. Raises EngineUnavailable if the model cannot run."""
        from sdd_hooks.engines.qmd.embedding import find_device

        self._check_model()
        return find_device(self._qmd, self._environ, self._folder)

    def status(self) -> IndexStatus:
        """Return the counts, freshness and location of the index. qmd counts no chunks."""
        from sdd_hooks.engines.qmd.installation import read_status

        states = self._state.collections
        documents: Mapping[str, int] = {}
        pending = 0
        if self._folder.database.exists() and states:
            status = read_status(self._qmd, self._folder, self._environ, _TIMEOUT)
            documents = status.collections
            if self._state.model == self._model:
                pending = status.pending
                self._correct_pending(pending)
            else:
                pending = status.documents
        collections = tuple(
            CollectionStatus(
                name,
                state.kind,
                state.module,
                documents.get(name, 0),
                None,
                None,
                state.bookmark,
            )
            for name, state in sorted(states.items())
        )
        files = (self._folder.database, self._folder.database.with_name("index.sqlite-wal"))
        return IndexStatus(
            self.name,
            collections,
            self.touched(),
            self._model or DEFAULT_MODEL,
            str(self._folder.path),
            sum(path.stat().st_size for path in files if path.exists()),
            pending,
        )

    def remove(self, collections: Sequence[str]) -> None:
        """Remove these collections, and the vectors that no other collection uses."""
        states = dict(self._state.collections)
        removed = [name for name in collections if states.pop(name, None) is not None]
        if not removed:
            return
        pending = self._state.pending
        if self._folder.database.exists() and self._folder.config.exists():
            # Written again, because qmd would act on changes by other programs.
            self._declare(self._state.collections, (), self._usable_model())
            for name in removed:
                self._run("collection", "remove", name)
            pending = self._count_pending()
        self._state_file.change(lambda state: replace(state, collections=states, pending=pending))

    def reset(self, reason: str) -> None:
        """Set the index aside for inspection, and start an empty one."""
        self._state_file.reset(reason)

    def check(self) -> list[str]:
        """Return the faults that SQLite finds in the index; none if it is sound."""
        from sdd_hooks.engines.qmd.index_folder import find_faults

        return find_faults(self._folder)

    def close(self) -> None:
        """Do nothing: no file is open."""

    def _run(self, *args: str, documents: int = 0) -> ProgramResult:
        """Run qmd with a timeout for the index and `documents` more. Raises on a failure."""
        timeout = _TIMEOUT + _SECONDS_PER_DOCUMENT * (documents + self._state.documents)
        done = run_qmd(self._qmd, self._folder, *args, timeout=timeout, environ=self._environ)
        if done.code:
            failure = explain_failure(args[0], done, self._folder)
            if isinstance(failure, IndexDamaged):
                self._state_file.require_full_update()
            raise failure
        return done

    def _declare(
        self,
        states: Mapping[str, CollectionState],
        changes: Sequence[CollectionChanges],
        model: str,
    ) -> Mapping[str, CollectionState]:
        """Write qmd's configuration. Returns the states of the collections after that."""
        from sdd_hooks.engines.qmd.declaration import declare_collections, write_declaration

        declared, new_states = declare_collections(
            self._git, self._folder, self._collections, states, changes
        )
        write_declaration(self._folder, declared, model)
        return new_states

    def _count_pending(self) -> int:
        pending = parse_pending(self._run("status").out)
        if pending is None:
            raise EngineUnavailable("qmd status does not report how many documents need embedding")
        return pending

    def _correct_pending(self, pending: int) -> None:
        """Store the count for searches, if it changed: a user may have run `qmd embed`."""
        if pending != self._state.pending:
            with suppress(StorageError):
                self._state_file.change(lambda state: replace(state, pending=pending))

    def _usable_model(self) -> str:
        """Return the configured model, or qmd's default ("") if an embed would refuse it."""
        try:
            return self._check_model()
        except EngineUnavailable:
            return ""


def _count_unchanged(root: Path, change: CollectionChanges) -> Counts:
    """Return the counts of a change for which qmd did not run."""
    return Counts(unchanged=sum(os.path.lexists(root / path) for path in change.paths))


def _parse_counts(out: str, names: Sequence[str]) -> dict[str, Counts]:
    """Parse the counts of an update. Raises EngineUnavailable if one of `names` is missing."""
    counts = parse_update(out)
    for name in names:
        if name not in counts:
            raise EngineUnavailable(
                f"qmd update reports nothing about {name}:"
                " sdd cannot read the output of this qmd, run `sdd doctor`"
            )
    return counts


def _count_change(change: CollectionChanges, counts: Mapping[str, Counts]) -> Counts:
    """Return the counts of one change from those of qmd, which include every document."""
    total = counts[change.collection.name]
    if change.complete:
        return total
    return total._replace(unchanged=max(0, len(change.paths) - total.changed))
