"""The qmd engine: the real qmd, on an index of this work tree alone."""

# Governing: ADR-0001 (two engines, chosen), ADR-0013 (hybrid search waits until every document has
# its vectors), ADR-0014 (the qmd engine), SPEC-0006 (qmd engine)

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from sdd_hooks.engines.bookmarks import covers
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
    report_progress,
)
from sdd_hooks.engines.qmd import answers, searching
from sdd_hooks.engines.qmd.failures import failure
from sdd_hooks.engines.qmd.folder import require_ours
from sdd_hooks.engines.qmd.installation import Installation
from sdd_hooks.engines.qmd.ledger import Ledger
from sdd_hooks.engines.qmd.model import DEFAULT, configured_model
from sdd_hooks.engines.qmd.output import parse_listing, parse_pending
from sdd_hooks.engines.qmd.process import ProgramResult, place_of, run
from sdd_hooks.engines.qmd.state import Held, State
from sdd_hooks.errors import EngineUnavailable, IndexDamaged, StorageError
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project

_QUICK = 60.0
"""Seconds for what qmd does in a fraction of one."""

_A_DOCUMENT = 0.05
"""Seconds more for each document: thirty times what indexing one takes on a laptop."""


class QmdEngine:
    """`Engine` over the command line of qmd. What it can tell from its own notes, it does not ask
    qmd for."""

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
        self._place = place_of(project.repository)
        self._model = project.configuration.search.embed_model
        self._declared = {one.name: one for one in project.collections}
        require_ours(self._git, self._place)
        self._ledger = Ledger(self._place, repair=repair)
        self.notes = self._ledger.notes

    @property
    def rebuilt(self) -> bool:
        """Whether the index was lost and is empty now."""
        return self._ledger.rebuilt

    @property
    def _state(self) -> State:
        return self._ledger.state

    def ensure(self, collections: Sequence[Collection]) -> None:
        """Create the collections that are missing; keep what describes them current."""
        self._declared.update({one.name: one for one in collections})
        held = dict(self._state.collections)
        for one in collections:
            known = held.get(one.name, Held(one.kind, one.module))
            held[one.name] = replace(known, kind=one.kind, module=one.module)
        if held != self._state.collections:
            self._ledger.keep(lambda state: replace(state, collections=held))

    def bookmarks(self) -> Mapping[str, Bookmark | None]:
        """Every collection here, with the state it reflects (None: never filled to the end)."""
        return {name: one.bookmark for name, one in sorted(self._state.collections.items())}

    def update(
        self, changes: Sequence[CollectionChanges], progress: Progress | None = None
    ) -> Mapping[str, Counts]:
        """Bring the collections with changed paths up to date, all of them at once.

        qmd looks at every file of every collection. Without a changed path it is not started.
        """
        from sdd_hooks.engines.qmd import updating

        held = dict(self._state.collections)
        # Before qmd reads a file, so that one that changes meanwhile is seen to have.
        seen = [updating.fingerprint(self._place.root, one) for one in changes]
        due = [
            one
            for one, now in zip(changes, seen, strict=True)
            if updating.is_due(one, now, held[one.collection.name].seen)
        ]
        counts = {one.collection.name: updating.nothing(self._place.root, one) for one in changes}
        pending = self._state.pending
        if due:
            for one in due:
                report_progress(progress, f"Indexing {one.collection.name}", 0, len(one.paths))
            held = updating.declare(
                self._git, self._place, self._declared, held, due, self._usable_model()
            )
            done = self._run("update", documents=sum(len(one.paths) for one in due))
            told = updating.told(done, [one.collection.name for one in due])
            counts.update({one.collection.name: updating.counted(one, told) for one in due})
            held = updating.filled(held, told)
            pending = self._ask_pending()
        for one, now in zip(changes, seen, strict=True):
            known = held[one.collection.name]
            held[one.collection.name] = replace(
                known, seen=now, bookmark=one.bookmark or known.bookmark
            )
        kinds = {name: one.kind for name, one in held.items()}
        touched = self._clock() if covers(changes, kinds) else self._state.touched
        model = self._model if due else self._state.model
        self._ledger.keep(
            lambda state: replace(
                state,
                collections=held,
                touched=touched,
                pending=pending,
                model=model,
                begun=state.begun and state.model == model,
            )
        )
        if due:
            self.notes += updating.outdated_contexts(self._git, self._place, self._declared, held)
        return counts

    def embed(
        self, collections: Sequence[str] = (), progress: Progress | None = None
    ) -> EmbedReport:
        """Give vectors to every document without. Raises EngineUnavailable without a model."""
        from sdd_hooks.engines.qmd import embedding, updating

        started = self._clock()
        model = configured_model(self._model, self._place.root)
        self._say_release()
        held = dict(self._state.collections)
        updating.declare(self._git, self._place, self._declared, held, (), model)
        if self._state.model != self._model:
            # Known from the start: an embed that is followed, or killed, has made some of them.
            missing = self._ask_pending()
            self._ledger.keep(
                lambda state: replace(state, pending=missing, model=self._model, begun=False)
            )
        wanted = [name for name in held if name in collections]
        scopes = wanted if collections and len(wanted) < len(held) else [""]
        done = embedding.embed(self._qmd, self._place, self._environ, scopes, progress)
        pending = self._ask_pending()
        self._ledger.keep(
            lambda state: replace(
                state,
                pending=pending,
                model=self._model,
                begun=bool(done.embedded or (state.documents and not pending)),
            )
        )
        return EmbedReport(
            done.embedded,
            pending,
            self._clock() - started,
            self._model or DEFAULT,
            done.device,
            done.failed,
            done.notes,
        )

    def search(self, query: Query) -> SearchResult:
        """Answer a typed query. While a document has no vectors, by words alone: a hit must not
        depend on which half of the index was embedded."""
        held = self._state.collections
        names = [
            name
            for name in held
            if held[name].documents and (not query.collections or name in query.collections)
        ]
        if not names:
            return SearchResult((), self.coverage().pending)
        scope = searching.Scope(
            self._qmd,
            self._place,
            self._environ,
            {name: held[name].base for name in names},
            {name: self._declared[name] for name in names if name in self._declared},
            whole=len(names) == len(held),
        )
        reason = ""
        try:
            configured_model(self._model, self._place.root)
        except EngineUnavailable as error:
            reason = str(error)
        try:
            return searching.search(scope, query, self.coverage().pending, reason)
        except IndexDamaged:
            self._ledger.distrust()
            raise

    def documents(self, collection: str) -> Sequence[IndexedDocument]:
        """Every document of a collection, by path, as its file is now."""
        held, declared = self._state.collections.get(collection), self._declared.get(collection)
        if held is None or declared is None or not held.documents:
            return []
        listed = parse_listing(self._run("ls", collection).out, collection)
        paths = (answers.inside(held.base, path, declared) for path in listed)
        return answers.documents(self._place.root, collection, filter(None, paths))

    def touched(self) -> float | None:
        """When it last looked for changes (seconds, epoch); None for never."""
        return self._state.touched

    def coverage(self) -> Coverage:
        """How far the index is embedded with the configured model, in documents."""
        state = self._state
        if state.model != self._model:
            return Coverage(False, state.documents)
        return Coverage(state.begun, state.pending)

    def device(self) -> str:
        """Where qmd runs models. Raises EngineUnavailable when the configured one cannot run."""
        from sdd_hooks.engines.qmd.device import device

        configured_model(self._model, self._place.root)
        return device(self._qmd, self._environ, self._place)

    def status(self) -> IndexStatus:
        """Counts, freshness and place of the index. qmd counts documents, not chunks."""
        from sdd_hooks.engines.qmd.mcp import index_status

        held, documents, pending = self._state.collections, {}, 0
        if self._place.database.exists() and held:
            self._say_release()
            told = index_status(self._qmd, self._place, self._environ, _QUICK)
            documents = dict(told.collections)
            if self._state.model == self._model:
                pending = told.pending
                self._correct(pending)
            else:
                pending = told.documents
        found = tuple(
            CollectionStatus(
                name, one.kind, one.module, documents.get(name, 0), None, None, one.bookmark
            )
            for name, one in sorted(held.items())
        )
        files = (self._place.database, self._place.database.with_name("index.sqlite-wal"))
        return IndexStatus(
            self.name,
            found,
            self.touched(),
            self._model or DEFAULT,
            str(self._place.directory),
            sum(path.stat().st_size for path in files if path.exists()),
            pending,
        )

    def remove(self, collections: Sequence[str]) -> None:
        """Forget these collections, and the vectors that no other has."""
        held = dict(self._state.collections)
        gone = [name for name in collections if held.pop(name, None) is not None]
        if not gone:
            return
        pending = self._state.pending
        if self._place.database.exists() and self._place.config.exists():
            from sdd_hooks.engines.qmd import updating

            # What somebody else changed in the file is not acted on.
            updating.declare(
                self._git,
                self._place,
                self._declared,
                self._state.collections,
                (),
                self._usable_model(),
            )
            for name in gone:
                self._run("collection", "remove", name)
            pending = self._ask_pending()
        self._ledger.keep(lambda state: replace(state, collections=held, pending=pending))

    def reset(self, reason: str) -> None:
        """Set the index aside, for a person to look at, and go on with an empty one."""
        self._ledger.reset(reason)

    def check(self) -> list[str]:
        """What SQLite finds wrong with the index, in its words; [] when sound."""
        from sdd_hooks.engines.qmd.soundness import faults

        return faults(self._place)

    def close(self) -> None:
        """Nothing is held open."""

    def _run(self, *args: str, documents: int = 0) -> ProgramResult:
        deadline = _QUICK + _A_DOCUMENT * (documents + self._state.documents)
        done = run(self._qmd, self._place, *args, deadline=deadline, environ=self._environ)
        if done.code:
            failed = failure(args[0], done, self._place)
            if isinstance(failed, IndexDamaged):
                self._ledger.distrust()
            raise failed
        return done

    def _ask_pending(self) -> int:
        pending = parse_pending(self._run("status").out)
        if pending is None:
            raise EngineUnavailable("qmd status does not say how many documents need embedding")
        return pending

    def _correct(self, pending: int) -> None:
        """Somebody may have called `qmd embed`: then searches are told, if that can be noted."""
        if pending != self._state.pending:
            with suppress(StorageError):
                self._ledger.keep(lambda state: replace(state, pending=pending))

    def _usable_model(self) -> str:
        """What the configuration says when it can be used; else nothing, as embed will say."""
        try:
            return configured_model(self._model, self._place.root)
        except EngineUnavailable:
            return ""

    def _say_release(self) -> None:
        from sdd_hooks.engines.qmd.release import banner

        note = banner(self._qmd, self._environ, self._clock())
        if note and note not in self.notes:
            self.notes.append(note)
