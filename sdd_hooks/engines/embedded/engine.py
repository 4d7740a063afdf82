"""The default engine: one SQLite file a work tree, one of vectors a repository."""

# Governing: ADR-0001 (two engines, chosen), ADR-0002 (apsw, FTS5 and sqlite-vec),
# ADR-0013 (hybrid search waits until every searched chunk has a vector)

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw

from sdd_hooks.engines.bookmarks import covers, read_bookmark
from sdd_hooks.engines.embedded import lexical, vectors
from sdd_hooks.engines.embedded.database import (
    open_database,
    set_aside,
    transaction,
    translated,
)
from sdd_hooks.engines.embedded.hits import hits
from sdd_hooks.engines.embedded.schema import INDEX, VECTORS
from sdd_hooks.engines.fusion import Found, fuse
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
    VectorExchange,
)
from sdd_hooks.errors import EngineUnavailable, IndexDamaged, StorageError
from sdd_hooks.models.model import load_model, model_device, model_id
from sdd_hooks.project.collections import Collection
from sdd_hooks.system.files import refuse_links

_CANDIDATES = 60
"""Chunks each sub-query contributes: enough that fusion rarely misses what a longer list holds."""


class EmbeddedEngine:
    """`Engine` over SQLite. One process writes at a time; any number may read meanwhile."""

    name = "embedded"

    def __init__(
        self,
        root: Path,
        index: Path,
        store: Path,
        *,
        environ: Mapping[str, str],
        model: str = "",
        storage: str = "int8",
        repair: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.notes: list[str] = []
        self.rebuilt = False
        self._root = root
        self._environ = environ
        self._index = index
        self._store = store
        self._model = model
        self._storage = storage
        self._clock = clock
        self._attached = False
        refuse_links(index, index.parent, index.parent.parent)
        self._connection = self._open(repair)

    def _open(self, repair: bool) -> apsw.Connection:
        try:
            connection = open_database(self._index, INDEX)
        except IndexDamaged as error:
            if not repair:
                raise
            self._set_index_aside(str(error))
            connection = open_database(self._index, INDEX)
        if repair:
            with translated(self._index):
                _agree_on_chunks(connection)
        return connection

    def _set_index_aside(self, reason: str) -> None:
        aside = set_aside(self._index)
        self.notes.append(f"{reason.partition(': run')[0]}; set aside as {aside.name} and rebuilt")
        self.rebuilt = True

    def ensure(self, collections: Sequence[Collection]) -> None:
        """Create the collections that are missing; keep what describes them current."""
        with translated(self._index), transaction(self._connection):
            self._connection.executemany(
                "INSERT INTO collections(name, kind, module, context) VALUES(?, ?, ?, ?)"
                " ON CONFLICT(name) DO UPDATE SET kind = excluded.kind, module = excluded.module,"
                " context = excluded.context",
                [(c.name, c.kind, c.module, c.context) for c in collections],
            )

    def bookmarks(self) -> Mapping[str, Bookmark | None]:
        """Every collection here, with the state it reflects (None: never filled to the end)."""
        with translated(self._index):
            rows = self._connection.execute("SELECT name, bookmark FROM collections ORDER BY name")
            return {name: read_bookmark(text) for name, text in rows}

    def update(
        self, changes: Sequence[CollectionChanges], progress: Progress | None = None
    ) -> Mapping[str, Counts]:
        """Bring the changed paths up to date, collection by collection, each with its bookmark."""
        from sdd_hooks.engines.embedded import indexing

        counts = {}
        with translated(self._index):
            for change in changes:
                name = change.collection.name
                counts[name], left_out = indexing.apply(
                    self._connection, self._root, change, progress
                )
                self.notes += left_out
            kinds = dict(self._connection.execute("SELECT name, kind FROM collections"))
            if covers(changes, kinds):
                self._connection.execute(
                    "INSERT OR REPLACE INTO facts VALUES('touched', ?)", (self._clock(),)
                )
        return counts

    def embed(
        self, collections: Sequence[str] = (), progress: Progress | None = None
    ) -> EmbedReport:
        """Give a vector to every chunk without one. Raises EngineUnavailable without a model."""
        from sdd_hooks.engines.embedded.embedding import embed_missing

        started = self._clock()
        self._attach(create=True)
        model = load_model(self._model, self._root, self._environ)
        with translated(self._store):
            done = embed_missing(
                self._connection,
                self._store.with_name("embed.lock"),
                model,
                self._storage,
                self._ids(collections),
                progress,
            )
        return EmbedReport(
            done.embedded,
            done.remaining,
            self._clock() - started,
            model.id,
            model.device,
            done.failed,
            done.notes,
        )

    def search(self, query: Query) -> SearchResult:
        """Answer a typed query. While a chunk of a searched collection has no vector, by words
        alone: a hit must not depend on which half of the collection was embedded."""
        self._attach()
        # One transaction: a refresh that ends meanwhile does not change half of the answer.
        with translated(self._index), transaction(self._connection, "DEFERRED"):
            collections = self._ids(query.collections)
            pending = sum(self._pending(collection) for collection in collections)
            lists, notes = self._lists(query, collections, pending)
            ranked = [one for one in fuse(lists) if one.score >= query.min_score]
            found = hits(self._connection, ranked[: query.limit], query.text)
        return SearchResult(found, pending, tuple(notes))

    def _lists(
        self, query: Query, collections: Sequence[int], pending: int
    ) -> tuple[list[tuple[float, list[Found[int]]]], list[str]]:
        lists, notes = [], []
        limit = max(_CANDIDATES, query.limit)
        where = None if pending else self._space()
        meant = [one.query for one in query.searches if one.type != "lex"]
        asked: dict[str, bytes] = {}
        if meant and where is not None:
            try:
                model = load_model(self._model, self._root, self._environ)
                asked = dict(zip(meant, model.embed(meant), strict=True))
            except EngineUnavailable as error:
                notes.append(f"searched by words only: {error}")
        for number, one in enumerate(query.searches):
            weight = 1.0 if number else 2.0
            if one.type == "lex":
                found = lexical.find(self._connection, one.query, collections, limit)
                lists.append((weight, found))
            elif where is not None and one.query in asked:
                vector = asked[one.query]
                found = vectors.nearest(self._connection, where, vector, collections, limit)
                lists.append((weight, found))
        return lists, notes

    def exchange(self) -> VectorExchange:
        """The vectors of the configured model, for other machines and from them."""
        from sdd_hooks.engines.embedded.exchange import Exchange

        with translated(self._store):
            self._attach(create=True)
            name, where = model_id(self._model, self._root), self._space()
        dimensions = where.dimensions if where else 0
        return Exchange(self._connection, self._store, name, self._storage, dimensions)

    def documents(self, collection: str) -> Sequence[IndexedDocument]:
        """Every document of a collection, by path."""
        with translated(self._index):
            rows = self._connection.execute(
                "SELECT path, title, hash,"
                " (SELECT count(*) FROM chunks WHERE document = documents.id)"
                " FROM documents WHERE collection ="
                " (SELECT id FROM collections WHERE name = ?) ORDER BY path",
                (collection,),
            )
            return [
                IndexedDocument(
                    f"{path}#file",
                    collection,
                    path,
                    title or path.rpartition("/")[2],
                    f"sha256:{digest.hex()}",
                    chunks,
                )
                for path, title, digest, chunks in rows
            ]

    def touched(self) -> float | None:
        """When it last looked for changes (seconds, epoch); None for never."""
        with translated(self._index):
            value = self._connection.execute("SELECT value FROM facts WHERE name = 'touched'").get
        # The file may be somebody else's work.
        return float(value) if isinstance(value, (int, float)) else None

    def coverage(self) -> Coverage:
        """How far the whole index is embedded with the configured model."""
        with translated(self._index):
            pending = sum(map(self._pending, self._ids(())))
            return Coverage(self._space() is not None, pending)

    def device(self) -> str:
        """Where the configured model would run. Raises EngineUnavailable when it cannot."""
        return model_device(self._model, self._root, self._environ)

    def status(self) -> IndexStatus:
        """Counts, freshness and place of the index."""
        with translated(self._index):
            rows: list[Any] = self._connection.execute(
                "SELECT id, name, kind, module, bookmark,"
                " (SELECT count(*) FROM documents WHERE collection = collections.id),"
                " (SELECT count(*) FROM chunks WHERE collection = collections.id)"
                " FROM collections ORDER BY name"
            ).fetchall()
            found = tuple(
                CollectionStatus(
                    name, kind, module, documents, chunks, self._pending(collection), read
                )
                for collection, name, kind, module, bookmark, documents, chunks in rows
                for read in [read_bookmark(bookmark)]
            )
        size = sum(
            path.stat().st_size
            for path in (self._index, Path(f"{self._index}-wal"))
            if path.exists()
        )
        return IndexStatus(
            self.name,
            found,
            self.touched(),
            model_id(self._model, self._root),
            str(self._index),
            size,
            sum(one.pending or 0 for one in found),
        )

    def reset(self, reason: str) -> None:
        """Set the index aside, for a person to look at, and go on with an empty one."""
        self._connection.close()
        self._attached = False
        self._set_index_aside(reason)
        self._connection = self._open(repair=True)

    def check(self) -> list[str]:
        """What SQLite finds wrong with the index and the vectors, in its words; [] when sound."""
        found = []
        try:
            with translated(self._index):
                self._attach()
                for schema in ("main", "store")[: 2 if self._attached else 1]:
                    rows = self._connection.execute(f"PRAGMA {schema}.integrity_check")
                    found += [str(row[0]) for row in rows if row[0] != "ok"]
                if not self._connection.readonly("main"):
                    # FTS5 takes its own check as an insert, which changes nothing.
                    self._connection.execute("INSERT INTO words(words) VALUES('integrity-check')")
        except StorageError as error:
            found.append(str(error))
        return found

    def remove(self, collections: Sequence[str]) -> None:
        """Forget these collections. Vectors stay: another work tree may use them."""
        from sdd_hooks.engines.embedded import indexing

        with translated(self._index):
            for name in collections:
                indexing.delete_collection(self._connection, name)

    def close(self) -> None:
        """Release the files."""
        self._connection.close()

    def _ids(self, names: Sequence[str]) -> list[int]:
        rows = self._connection.execute("SELECT id, name FROM collections ORDER BY id")
        return [number for number, name in rows if not names or name in names]

    def _pending(self, collection: int) -> int:
        where = self._space()
        if where is not None:
            return vectors.pending(self._connection, where, collection)
        return int(
            self._connection.execute(
                "SELECT count(*) FROM chunks WHERE collection = ?", (collection,)
            ).get
        )

    def _space(self) -> vectors.Space | None:
        self._attach()
        if not self._attached:
            return None
        return vectors.space(self._connection, model_id(self._model, self._root), self._storage)

    def _attach(self, *, create: bool = False) -> None:
        """Attach the vectors. A file of vectors that cannot be used is set aside by an embed."""
        if self._attached or not (create or self._store.exists()):
            return
        try:
            store = open_database(self._store, VECTORS)
        except IndexDamaged as error:
            if not create:
                raise
            aside = set_aside(self._store)
            self.notes.append(f"{str(error).partition(': run')[0]}; set aside as {aside.name}")
            store = open_database(self._store, VECTORS)
        # On a read-only file system SQLite reads a file only when told that nobody writes it.
        where = f"{self._store.as_uri()}?immutable=1" if store.readonly("main") else self._store
        store.close()
        with translated(self._store):
            self._connection.execute("ATTACH DATABASE ? AS store", (str(where),))
        self._attached = True


def _agree_on_chunks(connection: apsw.Connection) -> None:
    """Chunks cut another way are not comparable: let the next update look at every document."""
    from sdd_hooks.chunking.document import chunker_version

    cut = connection.execute("SELECT value FROM facts WHERE name = 'chunks'").fetchone()
    if cut == (chunker_version(),):
        return
    with transaction(connection):
        connection.execute("INSERT OR REPLACE INTO facts VALUES('chunks', ?)", (chunker_version(),))
        connection.execute("UPDATE documents SET hash = zeroblob(32)")
        connection.execute("UPDATE collections SET bookmark = NULL")
