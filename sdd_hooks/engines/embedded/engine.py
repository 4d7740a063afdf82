"""The default engine: a SQLite file for each work tree, and one of vectors for each repository."""

# Governing: ADR-0001 (two engines, chosen), ADR-0002 (apsw, FTS5 and sqlite-vec),
# ADR-0013 (hybrid search waits until every searched chunk has a vector),
# ADR-0028 (a vector is used only if it is sound)

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import apsw

from sdd_hooks.config.settings import SearchSettings
from sdd_hooks.engines.documents import indexed_document
from sdd_hooks.engines.embedded.attached_vectors import AttachedVectors
from sdd_hooks.engines.embedded.database import (
    ImpossibleValue,
    is_marked,
    mark_damaged,
    open_database,
    open_or_replace,
    remove_mark,
    replace_note,
    transaction,
    translate_errors,
    typed,
)
from sdd_hooks.engines.embedded.schema import INDEX
from sdd_hooks.engines.embedded.vector_file import find_fault
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
    read_bookmark,
)
from sdd_hooks.engines.vector_exchange import VectorExchange
from sdd_hooks.errors import EngineUnavailable, IndexDamaged, StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.system.files import refuse_links

if TYPE_CHECKING:
    from sdd_hooks.engines.embedded.vectors import VectorSpace
    from sdd_hooks.engines.embedding import EmbedCounts
    from sdd_hooks.engines.ranking.fusion import RankedMatch
    from sdd_hooks.models.embedding_model import ConfiguredModel, EmbeddingModel

_Result = TypeVar("_Result")

_DEFAULT_SETTINGS = SearchSettings()


class IndexFiles(NamedTuple):
    """The top of a work tree, the file of its index, and the file of the shared vectors."""

    root: Path
    database: Path
    vectors: Path


class EmbeddedEngine:
    """`Engine` over SQLite. One process writes at a time, while any number read."""

    name = "embedded"

    def __init__(
        self,
        files: IndexFiles,
        *,
        environ: Mapping[str, str],
        settings: SearchSettings = _DEFAULT_SETTINGS,
        repair: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.notes: list[str] = []
        self.rebuilt = False
        self._root, self._index, self._store = files
        self._settings = settings
        self._storage = settings.vector_storage
        self._environ = environ
        self._clock = clock
        self._measured = 0
        refuse_links(files.database, files.database.parent, files.database.parent.parent)
        self._connection = self._open(repair)
        self._vectors = AttachedVectors(self._connection, self._store, clock)

    @cached_property
    def _model(self) -> ConfiguredModel:
        # Without vectors no search asks for it, and the import takes as long as opening the index.
        from sdd_hooks.models.embedding_model import ConfiguredModel

        return ConfiguredModel(self._settings.embed_model, self._root, self._environ)

    def _open(self, repair: bool) -> apsw.Connection:
        if not repair:
            return open_database(self._index, INDEX)
        connection, note = open_or_replace(self._index, INDEX)
        if note:
            self._report_rebuild(note)
        from sdd_hooks.engines.embedded.indexing import invalidate_other_chunks

        try:
            with translate_errors(self._index):
                invalidate_other_chunks(connection)
        except IndexDamaged as error:
            connection.close()
            self._report_rebuild(replace_note(self._index, _reason(error)))
            return self._open(repair=True)
        return connection

    def _report_rebuild(self, note: str) -> None:
        self.notes.append(f"{note} and rebuilt")
        self.rebuilt = True

    def ensure(self, collections: Sequence[Collection]) -> None:
        """Create the collections that are missing and store changed definitions."""
        with translate_errors(self._index), transaction(self._connection):
            self._connection.executemany(
                "INSERT INTO collections(name, kind, module, context) VALUES(?, ?, ?, ?)"
                " ON CONFLICT(name) DO UPDATE SET kind = excluded.kind, module = excluded.module,"
                " context = excluded.context",
                [(c.name, c.kind, c.module, c.context) for c in collections],
            )

    def bookmarks(self) -> Mapping[str, Bookmark | None]:
        """Return every collection with the state it reflects (None: not complete yet)."""
        with translate_errors(self._index):
            rows = self._connection.execute("SELECT name, bookmark FROM collections ORDER BY name")
            return {name: read_bookmark(text) for name, text in typed(rows, str, str | None)}

    def update(
        self, changes: Sequence[CollectionChanges], progress: Progress | None = None
    ) -> Mapping[str, Counts]:
        """Index the changed paths, collection by collection, each with its bookmark."""
        from sdd_hooks.engines.embedded.indexing import apply_changes

        counts = {}
        with translate_errors(self._index):
            for change in changes:
                name = change.collection.name
                counts[name], notes = apply_changes(
                    self._connection, self._root, change, progress, self._environ
                )
                self.notes += notes
            kinds = dict(self._connection.execute("SELECT name, kind FROM collections"))
            if covers(changes, kinds):
                self._connection.execute(
                    "INSERT OR REPLACE INTO facts VALUES('touched', ?)", (self._clock(),)
                )
        return counts

    def embed(
        self, collections: Sequence[str] = (), progress: Progress | None = None
    ) -> EmbedReport:
        """Embed every chunk that has no vector. Raises EngineUnavailable without a model."""
        started = self._clock()
        model = self._model.load()
        counts = self._with_sound_vectors(lambda: self._embed(model, collections, progress))
        report = counts.report(model, self._clock() - started)
        return report._replace(notes=(*self._vectors.take_notes(), *report.notes))

    def _embed(
        self, model: EmbeddingModel, collections: Sequence[str], progress: Progress | None
    ) -> EmbedCounts:
        from sdd_hooks.engines.embedded.vectors import MissingVectors, create_space
        from sdd_hooks.engines.embedding import embed_missing
        from sdd_hooks.system.locks import hold_lock

        self._vectors.create()
        self._vectors.require_sound()
        with translate_errors(self._store), hold_lock(self._vectors.lock, 0.0) as is_locked:
            if not is_locked:
                raise StorageError(
                    "another embed of this repository is running: run `sdd index embed` after it"
                )
            space = create_space(self._connection, model.id, self._storage, model.dimensions)
            missing = MissingVectors(self._connection, space, self._row_ids(collections))
            return embed_missing(missing, model, progress=progress)

    def search(self, query: Query) -> SearchResult:
        """Run a typed query.

        While a chunk of a searched collection has no vector, by words alone: a hit must not depend
        on which part of the collection is embedded. So, too, while the vectors cannot be used.
        """
        result = self._with_sound_vectors(lambda: self._search(query))
        return result._replace(notes=(*self._vectors.take_notes(), *result.notes))

    def _search(self, query: Query) -> SearchResult:
        from sdd_hooks.engines.embedded.search import read_hits
        from sdd_hooks.engines.ranking.fusion import fuse

        self._vectors.attach()
        # A transaction, so that all queries see the same state of the index.
        with translate_errors(self._index), transaction(self._connection, "DEFERRED"):
            collections = self._filled(query.collections)
            pending = sum(self._count_pending(collection) for collection in collections)
            lists, notes = self._rank(query, collections, pending)
            matches = [match for match in fuse(lists) if match.score >= query.min_score]
            hits = read_hits(self._connection, matches[: query.limit], query)
        if self._measured:
            self._store_dimensions(self._measured)
        return SearchResult(hits, pending, tuple(notes))

    def _store_dimensions(self, measured: int) -> None:
        """Store the dimensions that the model gives: pulled vectors of others count as missing."""
        from sdd_hooks.engines.embedded.vectors import create_space

        with suppress(StorageError), translate_errors(self._store):
            create_space(self._connection, self._model.id, self._storage, measured)

    def _with_sound_vectors(self, operation: Callable[[], _Result]) -> _Result:
        """Run the operation, and again after damaged vectors were rebuilt."""
        was_marked = is_marked(self._index)
        try:
            return operation()
        except IndexDamaged:
            if not self._vectors.repair():
                raise
        # A query that reads both files does not say which one is damaged.
        if not was_marked:
            remove_mark(self._index)
        return operation()

    def _without_damaged_vectors(self, operation: Callable[[], _Result]) -> _Result:
        """Run the operation, and again without vectors if they are damaged: it only reports."""
        was_marked = is_marked(self._index)
        try:
            return operation()
        except IndexDamaged:
            if not (fault := find_fault(self._store)):
                raise
        self._vectors.give_up(fault)
        if not was_marked:
            remove_mark(self._index)
        return operation()

    def _rank(
        self, query: Query, collections: Sequence[int], pending: int
    ) -> tuple[list[tuple[float, list[RankedMatch[int]]]], list[str]]:
        """Return the weighted list of each sub-query that can run, and notes."""
        from sdd_hooks.engines.embedded.search import search_words, weigh_chunks
        from sdd_hooks.engines.ranking.fusion import CANDIDATES, WIDER, weight_of

        limit = max(CANDIDATES, query.limit)
        space = None if pending else self._space()
        query_vectors, notes = ({}, []) if space is None else self._embed_query(query, space)
        if query_vectors:
            self._vectors.require_sound()
        lists = []
        for index, search in enumerate(query.searches):
            if search.type == "lex":
                matches = search_words(self._connection, search.query, collections, limit)
            elif space is not None and search.query in query_vectors:
                from sdd_hooks.engines.embedded.vectors import search_nearest

                vector = query_vectors[search.query]
                near = search_nearest(self._connection, space, vector, collections, WIDER * limit)
                matches = weigh_chunks(self._connection, near, query.text)[:limit]
            else:
                continue
            lists.append((weight_of(index), matches))
        return lists, notes

    def _embed_query(self, query: Query, space: VectorSpace) -> tuple[dict[str, bytes], list[str]]:
        """Return the vector of each sub-query that has one; a note if the model cannot run."""
        texts = [search.query for search in query.searches if search.type != "lex"]
        if not texts:
            return {}, []
        try:
            model = self._model.load()
            if model.dimensions == space.dimensions:
                return dict(zip(texts, model.embed(texts), strict=True)), []
        except EngineUnavailable as error:
            return {}, [f"searched by words only: {error}"]
        differ = f"the stored vectors have {space.dimensions} dimensions, not {model.dimensions}"
        if space.measured:
            return {}, [f"searched by words only: {differ}: give the model another name"]
        self._measured = model.dimensions
        return {}, [f"searched by words only: {differ}: run `sdd index embed`"]

    def similarities(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return the cosine (-1..1) of each text to the query."""
        return self._model.similarities(query, texts)

    def exchange(self) -> VectorExchange:
        """Return access to the vectors of the configured model."""
        exchange = self._with_sound_vectors(self._exchange)
        self.notes += self._vectors.take_notes()
        return exchange

    def _exchange(self) -> VectorExchange:
        from sdd_hooks.engines.embedded.vectors import StoredVectors

        self._vectors.create()
        self._vectors.require_sound()
        with translate_errors(self._store):
            name, space = self._model.id, self._space()
        measured = space.dimensions if space and space.measured else self._model.dimensions_here()
        if measured and space and not space.measured:
            self._store_dimensions(measured)
        dimensions = measured or (space.dimensions if space else 0)
        return StoredVectors(
            self._connection, self._store, name, self._storage, dimensions, bool(measured)
        )

    def documents(self, collection: str) -> Sequence[IndexedDocument]:
        """Return every document of a collection, by path."""
        with translate_errors(self._index):
            rows = self._connection.execute(
                "SELECT path, title, hash,"
                " (SELECT count(*) FROM chunks WHERE document = documents.id)"
                " FROM documents WHERE collection ="
                " (SELECT id FROM collections WHERE name = ?) ORDER BY path",
                (collection,),
            )
            return [
                indexed_document(collection, path, title, digest, chunks)
                for path, title, digest, chunks in typed(rows, str, str, bytes, int)
            ]

    def touched(self) -> float | None:
        """Return the time of the last check for changes (seconds since the epoch; None: never)."""
        with translate_errors(self._index):
            value = self._connection.execute("SELECT value FROM facts WHERE name = 'touched'").get
        # The file is untrusted: the value may be of any type.
        return float(value) if isinstance(value, (int, float)) else None

    def coverage(self) -> Coverage:
        """Return how much of the index is embedded with the configured model."""
        return self._without_damaged_vectors(self._coverage)

    def _coverage(self) -> Coverage:
        with translate_errors(self._index):
            pending = sum(map(self._count_pending, self._row_ids(())))
            return Coverage(self._space() is not None, pending)

    def device(self) -> str:
        """Return where the configured model would run. Raises EngineUnavailable if it cannot."""
        return self._model.device()

    def status(self) -> IndexStatus:
        """Return the counts, freshness and location of the index."""
        return self._without_damaged_vectors(self._status)

    def _status(self) -> IndexStatus:
        if self._vectors.attach():
            self._vectors.require_sound()
        with translate_errors(self._index):
            rows = self._connection.execute(
                "SELECT id, name, kind, module, bookmark,"
                " (SELECT count(*) FROM documents WHERE collection = collections.id), chunks"
                " FROM collections ORDER BY name"
            )
            types = (int, str, str, str, str | None, int, int)
            collections = tuple(
                CollectionStatus(
                    name,
                    kind,
                    module,
                    documents,
                    chunks,
                    self._count_pending(row_id),
                    read_bookmark(bookmark),
                )
                for row_id, name, kind, module, bookmark, documents, chunks in typed(rows, *types)
            )
        files = (self._index, Path(f"{self._index}-wal"))
        return IndexStatus(
            self.name,
            collections,
            self.touched(),
            self._model.id,
            str(self._index),
            sum(path.stat().st_size for path in files if path.exists()),
            sum(collection.pending or 0 for collection in collections),
        )

    def reset(self, reason: str) -> None:
        """Set the index aside for inspection, and start an empty one."""
        self._connection.close()
        self._report_rebuild(replace_note(self._index, reason.partition(": run")[0]))
        self._connection = self._open(repair=True)
        self._vectors = AttachedVectors(self._connection, self._store, self._clock)

    def sample(self, count: int) -> Sequence[IndexedDocument]:
        """Return up to `count` random documents. Raises IndexDamaged for an inconsistent one."""
        from sdd_hooks.engines.embedded.consistency import sample_documents

        with translate_errors(self._index), transaction(self._connection, "DEFERRED"):
            return sample_documents(self._connection, count)

    def check(self) -> list[str]:
        """Return the faults of the index and the vectors; none if sound.

        A faulty index is marked, so that the next refresh replaces it.
        """
        from sdd_hooks.engines.embedded.consistency import find_faults

        faults = []
        try:
            with translate_errors(self._index):
                faults += find_faults(self._connection)
        except StorageError as error:
            faults.append(str(error))
        if faults:
            mark_damaged(self._index, faults[0])
        try:
            if fault := find_fault(self._store):
                faults.append(fault)
        except StorageError as error:
            faults.append(str(error))
        return faults

    def verify(self) -> None:
        """Check the whole index, and the chunks of each file. Raises IndexDamaged."""
        from sdd_hooks.engines.embedded.consistency import find_faults, find_wrong_chunks

        with translate_errors(self._index):
            faults = find_faults(self._connection)
            for fault in faults or find_wrong_chunks(self._connection, self._root):
                raise ImpossibleValue(fault)

    def remove(self, collections: Sequence[str]) -> None:
        """Remove these collections. Vectors stay: other work trees may use them."""
        from sdd_hooks.engines.embedded.indexing import delete_collection

        with translate_errors(self._index):
            for name in collections:
                delete_collection(self._connection, name)

    def close(self) -> None:
        """Close the files."""
        self._connection.close()
        self._vectors.close()

    def _row_ids(self, names: Sequence[str]) -> list[int]:
        """Return the row ids of the collections with these names; of all for no names."""
        rows = self._connection.execute("SELECT id, name FROM collections ORDER BY id")
        return [row_id for row_id, name in typed(rows, int, str) if not names or name in names]

    def _filled(self, names: Sequence[str]) -> list[int]:
        """Like `_row_ids`, without the collections that have no chunk: nothing can be found."""
        rows = self._connection.execute("SELECT id FROM collections WHERE chunks <> 0")
        filled = {row_id for (row_id,) in typed(rows, int)}
        return [row_id for row_id in self._row_ids(names) if row_id in filled]

    def _count_pending(self, collection: int) -> int:
        space = self._space()
        if space is not None:
            from sdd_hooks.engines.embedded.vectors import count_pending

            return count_pending(self._connection, space, collection)
        return int(
            self._connection.execute(
                "SELECT chunks FROM collections WHERE id = ?", (collection,)
            ).get
        )

    def _space(self) -> VectorSpace | None:
        if not self._vectors.attach():
            return None
        from sdd_hooks.engines.embedded.vectors import find_space

        return find_space(self._connection, self._model.id, self._storage)


def _reason(error: IndexDamaged) -> str:
    return str(error).partition(": run")[0]
