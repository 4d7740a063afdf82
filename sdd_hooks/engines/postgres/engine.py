"""The engine over PostgreSQL: the part of the organisation's index that is one repository's."""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL), ADR-0001 (engines, chosen),
# ADR-0013 (hybrid search waits until every searched chunk has a vector)

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.config.settings import SearchSettings
from sdd_hooks.engines.documents import indexed_document
from sdd_hooks.engines.postgres import vectors
from sdd_hooks.engines.postgres.address import Address
from sdd_hooks.engines.postgres.commit_order import clone_id, indexed_commits, leave_out_older
from sdd_hooks.engines.postgres.connection import connect, hold_lock, snapshot, translate_errors
from sdd_hooks.engines.postgres.schema import prepare_schema
from sdd_hooks.engines.postgres.scope import find_scope
from sdd_hooks.engines.postgres.values import original_text, stored_text
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
    ReadOnlyIndex,
    SearchResult,
    covers,
    read_bookmark,
)
from sdd_hooks.engines.vector_exchange import VectorExchange
from sdd_hooks.errors import EngineUnavailable, StorageError
from sdd_hooks.models.embedding_model import ConfiguredModel
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.remote.urls import parse_remote
from sdd_hooks.system.git import Git

if TYPE_CHECKING:
    from psycopg import Connection

_WAIT_SECONDS = 60


def repository_identity(git: Git) -> str:
    """Return the identity of a repository, in lower case.

    Raises EngineUnavailable without a remote on another machine: two repositories without one
    could not be told apart.
    """
    address = (
        (git.try_output("remote", "get-url", "origin") or b"").decode("utf-8", "replace").strip()
    )
    remote = parse_remote(address)
    if remote is None:
        raise EngineUnavailable(
            "the engine postgres knows a repository by its remote `origin`, and this one has none"
            " on a server: run `git remote add origin URL`"
        )
    port = f":{remote.port}" if remote.port and remote.scheme in {"http", "https"} else ""
    return f"{remote.host}{port}/{remote.path}".lower()


class RepositoryOnServer(NamedTuple):
    """A repository in the organisation's index: its work tree and git, its identity, the server.

    `slug` is what its collections are called after on this machine. Names in the database are
    without it, since another clone may be in a directory of another name. `state` is the directory
    of what this clone knows about its index.
    """

    root: Path
    identity: str
    address: Address
    slug: str
    git: Git
    state: Path

    def stored_name(self, name: str) -> str:
        """Return the name of a collection in the database."""
        prefix = f"{self.slug}-"
        return name[len(prefix) :] if name.startswith(prefix) else f"={name}"

    def local_name(self, name: str) -> str:
        """Return the name on this machine of a collection in the database."""
        return name[1:] if name.startswith("=") else f"{self.slug}-{name}"


class PostgresEngine:
    """`Engine` over PostgreSQL. With `write`, other writers of the repository wait until `close`.

    Two jobs that index a repository at the same time each see what the other one has stored, so
    that the second one compares its files with the state that the first one has left.
    """

    name = "postgres"

    def __init__(
        self,
        place: RepositoryOnServer,
        *,
        environ: Mapping[str, str],
        settings: SearchSettings,
        write: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.notes: list[str] = []
        self.rebuilt = False
        self._place = place
        self._environ = environ
        self._model = ConfiguredModel(settings.embed_model, place.root, environ)
        self._storage = settings.vector_storage
        self._clock = clock
        self._lock: Connection | None = None
        self._connection: Connection = connect(place.address)
        try:
            with self._errors():
                prepare_schema(self._connection, write=write)
                if write:
                    self._require_writer()
                self._repository = self._find_repository(create=write)
                if write:
                    from sdd_hooks.engines.postgres.indexing import invalidate_other_chunks

                    self._lock = hold_lock(place.address, self._repository, "write", _WAIT_SECONDS)
                    invalidate_other_chunks(self._connection, self._repository)
        except BaseException:
            self.close()
            raise

    def _errors(self) -> AbstractContextManager[None]:
        return translate_errors(self._place.address)

    def _require_writer(self) -> None:
        """Raise ReadOnlyIndex if the role may only read the repository, or not even that."""
        name = stored_text(self._place.identity)
        row = self._connection.execute(
            "SELECT sdd.granted(true) && ARRAY[%s, '*']", (name,)
        ).fetchone()
        if not row or not row[0]:
            raise ReadOnlyIndex(
                f"this role may not write {self._place.identity} to {self._place.address.place}:"
                " a job with a writer's role indexes it"
            )

    def _find_repository(self, *, create: bool) -> int:
        """Return the id of the repository; 0 if the index does not know it."""
        name = stored_text(self._place.identity)
        find = "SELECT id FROM sdd.repositories WHERE name = %s"
        row = self._connection.execute(find, (name,)).fetchone()
        if row is None and create:
            add = "SELECT sdd.add_repository(%s)"
            row = self._connection.execute(add, (name,)).fetchone()
        return int(row[0]) if row else 0

    def ensure(self, collections: Sequence[Collection]) -> None:
        """Create the collections that are missing and store changed definitions."""
        with self._errors(), self._connection.transaction():
            self._repository = self._repository or self._find_repository(create=True)
            with self._connection.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO sdd.collections(repository, name, kind, module, context)"
                    " VALUES(%s, %s, %s, %s, %s) ON CONFLICT(repository, name) DO UPDATE"
                    " SET kind = excluded.kind, module = excluded.module,"
                    " context = excluded.context",
                    [
                        (self._repository, self._place.stored_name(c.name), *rest)
                        for c in collections
                        for rest in [(c.kind, c.module, stored_text(c.context))]
                    ],
                )

    def bookmarks(self) -> Mapping[str, Bookmark | None]:
        """Return every collection with the state it reflects (None: not complete yet)."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT name, bookmark FROM sdd.collections WHERE repository = %s ORDER BY name",
                (self._repository,),
            )
            return {self._place.local_name(name): _read_bookmark(text) for name, text in rows}

    def update(
        self, changes: Sequence[CollectionChanges], progress: Progress | None = None
    ) -> Mapping[str, Counts]:
        """Index the changed paths; each collection with its bookmark is one transaction."""
        from sdd_hooks.engines.postgres.indexing import StoredCollection, apply_changes

        counts = {change.collection.name: Counts() for change in changes}
        with self._errors():
            commits = indexed_commits(self._connection, self._repository)
            indexed = {self._place.local_name(name): commit for name, commit in commits.items()}
            ordered = leave_out_older(
                self._place.git, clone_id(self._place.state), changes, indexed
            )
            self.notes += [note for note in ordered.notes if note not in self.notes]
            for change, commit in ordered.changes:
                name = change.collection.name
                stored = change.collection._replace(name=self._place.stored_name(name))
                counts[name], notes = apply_changes(
                    self._connection,
                    StoredCollection(self._repository, self._place.root, commit),
                    change._replace(collection=stored),
                    progress,
                    self._environ,
                )
                self.notes += notes
            rows = self._connection.execute(
                "SELECT name, kind FROM sdd.collections WHERE repository = %s",
                (self._repository,),
            ).fetchall()
            kinds = {self._place.local_name(name): str(kind) for name, kind in rows}
            if covers([change for change, _ in ordered.changes], kinds):
                self._connection.execute(
                    "UPDATE sdd.repositories SET touched = %s WHERE id = %s",
                    (self._clock(), self._repository),
                )
        return counts

    def embed(
        self, collections: Sequence[str] = (), progress: Progress | None = None
    ) -> EmbedReport:
        """Embed every chunk that has no vector. Raises EngineUnavailable without a model."""
        from sdd_hooks.engines.embedding import embed_missing

        started = self._clock()
        model = self._model.load()
        with self._errors(), self._embed_lock():
            space = vectors.create_space(
                self._connection, model.id, self._storage, model.dimensions
            )
            store = vectors.RepositoryVectors(
                self._connection, self._repository, space, self._names(collections)
            )
            store.reuse()
            counts = embed_missing(store, model, progress=progress)
        return counts.report(model, self._clock() - started)

    @contextmanager
    def _embed_lock(self) -> Iterator[None]:
        from psycopg.errors import LockNotAvailable

        try:
            lock = hold_lock(self._place.address, self._repository, "embed", 0)
        except LockNotAvailable:
            raise StorageError(
                "another embed of this repository is running: run `sdd index embed` after it"
            ) from None
        with closing(lock):
            yield

    def search(self, query: Query) -> SearchResult:
        """Run a typed query.

        While a chunk of a searched collection has no vector, by words alone: a hit must not depend
        on which part of the collection is embedded.
        """
        from sdd_hooks.engines.postgres.search import embed_query, search

        with self._errors(), snapshot(self._connection):
            pending = self._count_pending(query.collections)
            space = None if pending else self._space()
            query_vectors = embed_query(query, space, self._model.load)
            names = self._names(query.collections) or ()
            scope = find_scope(self._connection, [self._repository], names)
            found = search(self._connection, scope, query, space, query_vectors)
        hits = tuple(
            one.hit._replace(collection=self._place.local_name(one.hit.collection)) for one in found
        )
        return SearchResult(hits, pending, query_vectors.notes)

    def similarities(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return the cosine (-1..1) of each text to the query."""
        return self._model.similarities(query, texts)

    def exchange(self) -> VectorExchange:
        """Return access to the vectors of the configured model."""
        with self._errors():
            space = self._space()
        dimensions = space.dimensions if space else self._model.dimensions_here()
        return vectors.RepositoryExchange(
            self._connection,
            self._place.address,
            self._repository,
            self._model.id,
            self._storage,
            dimensions,
        )

    def documents(self, collection: str) -> Sequence[IndexedDocument]:
        """Return every document of a collection, by path."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT path, title, hash, chunks FROM sdd.documents"
                ' WHERE repository = %s AND collection = %s ORDER BY path COLLATE "C"',
                (self._repository, self._place.stored_name(collection)),
            )
            return [
                indexed_document(
                    collection, original_text(path), original_text(title), bytes(digest), chunks
                )
                for path, title, digest, chunks in rows
            ]

    def touched(self) -> float | None:
        """Return the time of the last check for changes (seconds since the epoch; None: never)."""
        with self._errors():
            row = self._connection.execute(
                "SELECT touched FROM sdd.repositories WHERE id = %s", (self._repository,)
            ).fetchone()
        return row[0] if row else None

    def coverage(self) -> Coverage:
        """Return how much of the repository is embedded with the configured model."""
        with self._errors():
            space = self._space()
            begun = space is not None and vectors.has_vectors(
                self._connection, self._repository, space
            )
            return Coverage(begun, self._count_pending(()))

    def device(self) -> str:
        """Return where the configured model would run. Raises EngineUnavailable if it cannot."""
        return self._model.device()

    def status(self) -> IndexStatus:
        """Return the counts, freshness and location of the repository's part of the index."""
        with self._errors(), snapshot(self._connection):
            rows = self._connection.execute(
                "SELECT name, kind, module, bookmark, count(d.id), coalesce(sum(d.chunks), 0)"
                " FROM sdd.collections AS k LEFT JOIN sdd.documents AS d"
                " ON d.repository = k.repository AND d.collection = k.name"
                " WHERE k.repository = %s GROUP BY k.repository, k.name ORDER BY k.name",
                (self._repository,),
            ).fetchall()
            collections = tuple(
                CollectionStatus(
                    self._place.local_name(name),
                    kind,
                    module,
                    documents,
                    int(chunks),
                    self._count_pending((self._place.local_name(name),)),
                    _read_bookmark(bookmark),
                )
                for name, kind, module, bookmark, documents, chunks in rows
            )
            size = self._connection.execute(
                "SELECT coalesce(sum(pg_column_size(c.*)), 0) FROM sdd.chunks AS c"
                " WHERE repository = %s",
                (self._repository,),
            ).fetchone()
        return IndexStatus(
            self.name,
            collections,
            self.touched(),
            self._model.id,
            f"{self._place.address.place} {self._place.identity}",
            int(size[0]) if size else 0,
            sum(collection.pending or 0 for collection in collections),
        )

    def remove(self, collections: Sequence[str]) -> None:
        """Remove these collections. Vectors stay, by the hashes of their texts."""
        from sdd_hooks.engines.postgres.indexing import remove_collection

        with self._errors():
            for name in collections:
                remove_collection(self._connection, self._repository, self._place.stored_name(name))

    def reset(self, reason: str) -> None:
        """Remove what is stored of the repository, except vectors; nothing is kept aside."""
        self.notes.append(f"{reason.partition(': run')[0]}; removed and rebuilt")
        self.rebuilt = True
        self.remove(list(self.bookmarks()))

    def check(self) -> list[str]:
        """Return the faults of the repository's part; none if it is sound."""
        from sdd_hooks.engines.postgres.indexing import find_faults

        with self._errors(), snapshot(self._connection):
            return find_faults(self._connection, self._repository)

    def close(self) -> None:
        """Close the connections, which releases the lock."""
        if self._lock is not None:
            self._lock.close()
        self._connection.close()

    def _space(self) -> vectors.ModelSpace | None:
        return vectors.find_space(self._connection, self._model.id, self._storage)

    def _names(self, collections: Sequence[str]) -> list[str] | None:
        """Return the names of these collections in the database; None for no names."""
        return [self._place.stored_name(name) for name in collections] or None

    def _count_pending(self, collections: Sequence[str]) -> int:
        """Count the chunks of these collections (none: of all) that have no vector."""
        names = self._names(collections)
        space = self._space()
        if space is not None:
            return vectors.RepositoryVectors(
                self._connection, self._repository, space, names
            ).count_pending()
        row = self._connection.execute(
            "SELECT coalesce(sum(chunks), 0) FROM sdd.documents WHERE repository = %(repository)s"
            " AND (%(names)s::text[] IS NULL OR collection = ANY(%(names)s))",
            {"repository": self._repository, "names": names},
        ).fetchone()
        return int(row[0]) if row else 0


def _read_bookmark(text: str | None) -> Bookmark | None:
    return read_bookmark(None if text is None else original_text(text))
