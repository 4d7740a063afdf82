"""Index documents: read those that may have changed, and store their chunks and words.

All of a collection is one transaction, whose cost is in proportion to what changed.
"""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL), ADR-0008 (units of retrieval)

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.chunking.document import chunker_version, text_hash, text_to_embed
from sdd_hooks.engines.postgres.commit_order import IndexedCommit
from sdd_hooks.engines.postgres.values import insert_rows, original_text, stored_text
from sdd_hooks.engines.postgres.words import chunk_words
from sdd_hooks.engines.protocol import CollectionChanges, Counts, Progress, write_bookmark
from sdd_hooks.engines.reading import (
    CutBy,
    FileContent,
    Source,
    StoredDocument,
    cut_document,
    store_changes,
)
from sdd_hooks.engines.reading_ahead import is_bulk, reading_ahead
from sdd_hooks.named_tuple import NamedTuple

if TYPE_CHECKING:
    from psycopg import Connection

_FUNCTIONS = " with functions"
"""Behind the version once an installation with the extra `callgraph` has cut the documents."""

_DOCUMENTS_PER_WRITE = 200
"""Documents whose chunks are in memory before they are written."""

_INSERT_CHUNKS = (
    "INSERT INTO sdd.chunks(repository, collection, kind, document, anchor, section, first_line,"
    " last_line, hash, length, tokens, text, words) VALUES {rows}"
)
_CHUNK = "(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::tsvector)"

_COUNTS = (
    (
        "chunks of no document",
        "sdd.chunks AS c WHERE c.repository = %(id)s AND NOT EXISTS (SELECT FROM sdd.documents"
        " WHERE repository = c.repository AND id = c.document AND collection = c.collection)",
    ),
    (
        "documents of no collection",
        "sdd.documents AS d WHERE d.repository = %(id)s AND NOT EXISTS (SELECT FROM"
        " sdd.collections WHERE repository = d.repository AND name = d.collection)",
    ),
    (
        "documents without all of their chunks",
        "sdd.documents AS d WHERE d.repository = %(id)s AND d.chunks <> (SELECT count(*) FROM"
        " sdd.chunks WHERE repository = d.repository AND document = d.id)",
    ),
    (
        "wrong numbers of the repository",
        "sdd.repositories AS r WHERE r.id = %(id)s AND (r.documents, r.chunks) <> (SELECT count(*),"
        " coalesce(sum(chunks), 0) FROM sdd.documents WHERE repository = %(id)s)",
    ),
)

_ROWS_AT_ONCE = 500


class _Cut(NamedTuple):
    """A document that is cut into chunks; `id` is None for a new one."""

    id: int | None
    path: str
    hash: bytes
    title: str
    rows: list[tuple[object, ...]]
    length: float
    tokens: int


class _Sums(NamedTuple):
    """How the numbers of a repository change."""

    documents: int = 0
    chunks: int = 0
    length: float = 0.0
    tokens: int = 0

    def plus(self, documents: int, chunks: int, length: float, tokens: int) -> _Sums:
        return _Sums(
            self.documents + documents,
            self.chunks + chunks,
            self.length + length,
            self.tokens + tokens,
        )


class StoredCollection(NamedTuple):
    """The repository of a collection, the root of its files, and the commit that they are of."""

    repository: int
    root: Path
    commit: IndexedCommit


def invalidate_other_chunks(connection: Connection, repository: int) -> None:
    """Let the next update cut documents of the repository again that another version of the chunker
    has cut, and those that the first installation with the extra `callgraph` cuts otherwise.
    """
    row = connection.execute(
        "SELECT chunker FROM sdd.repositories WHERE id = %s", (repository,)
    ).fetchone()
    stored = row[0] if row else ""
    is_current = stored.removesuffix(_FUNCTIONS) == chunker_version()
    cut_by = CutBy(is_current, stored.endswith(_FUNCTIONS))
    if not cut_by.is_due():
        return
    with connection.transaction():
        chunker = chunker_version() + (_FUNCTIONS if cut_by.finds_functions() else "")
        connection.execute(
            "UPDATE sdd.repositories SET chunker = %s WHERE id = %s", (chunker, repository)
        )
        rows = connection.execute(
            "SELECT id, collection, path FROM sdd.documents WHERE repository = %s", (repository,)
        ).fetchall()
        due = [row for row in rows if cut_by.has_to_cut(original_text(row[2]))]
        connection.execute(
            "UPDATE sdd.documents SET hash = %s WHERE repository = %s AND id = ANY(%s)",
            (bytes(32), repository, [row[0] for row in due]),
        )
        connection.execute(
            "UPDATE sdd.collections SET bookmark = NULL WHERE repository = %s AND name = ANY(%s)",
            (repository, list({row[1] for row in due})),
        )


def apply_changes(
    connection: Connection,
    target: StoredCollection,
    changes: CollectionChanges,
    progress: Progress | None = None,
    environ: Mapping[str, str] | None = None,
) -> tuple[Counts, list[str]]:
    """Index the changes of one collection in one transaction, with the bookmark.

    Many new documents are read and cut by a second process, with `environ`; by this one without.
    Returns the counts, and a note for each skipped file. Raises Stopped, and stores nothing then.
    """
    repository, root, commit = target
    with connection.transaction():
        # Another writer of the repository waits here until this one has finished.
        connection.execute("SELECT FROM sdd.repositories WHERE id = %s FOR UPDATE", (repository,))
        name, kind = changes.collection.name, changes.collection.kind
        writer = _Writer(connection, repository, name, kind)
        stored = writer.stored_documents(None if changes.complete else changes.paths)
        beside = environ if is_bulk(changes, stored) else None
        with reading_ahead(root, changes, beside) as read:
            tally = store_changes(Source(root, changes, read), stored, writer, progress)
        writer.finish()
        if changes.bookmark is not None:
            bookmark = stored_text(write_bookmark(changes.bookmark))
            connection.execute(
                "UPDATE sdd.collections SET bookmark = %s, committed = %s, clone = %s"
                " WHERE repository = %s AND name = %s",
                (bookmark, commit.committed, commit.clone, repository, name),
            )
    return tally.counts, tally.notes


def remove_collection(connection: Connection, repository: int, name: str) -> None:
    """Remove a collection with its documents. An unknown name changes nothing."""
    with connection.transaction():
        connection.execute("SELECT FROM sdd.repositories WHERE id = %s FOR UPDATE", (repository,))
        writer = _Writer(connection, repository, name, "")
        writer.delete(writer.stored_documents(None).values())
        writer.finish()
        connection.execute("SELECT sdd.delete_collection(%s, %s)", (repository, name))


class _Writer:
    """Writes documents of a collection in batches, inside a transaction."""

    def __init__(self, connection: Connection, repository: int, name: str, kind: str) -> None:
        self._connection, self._repository = connection, repository
        self._name, self._kind = name, kind
        self._sums = _Sums()
        self._batch: list[_Cut] = []

    def stored_documents(self, paths: Sequence[str] | None) -> dict[str, StoredDocument]:
        """Return the stored documents at these paths, by path; all of the collection for None."""
        query = "SELECT path, id, hash FROM sdd.documents WHERE repository = %s AND collection = %s"
        values: list[object] = [self._repository, self._name]
        if paths is not None:
            query += " AND path = ANY(%s)"
            values.append([stored_text(path) for path in paths])
        rows = self._connection.execute(query.encode(), values)
        return {
            original_text(path): StoredDocument(row_id, bytes(digest))
            for path, row_id, digest in rows
        }

    def pause(self, done: int) -> None:
        """Store nothing in between: a collection is one transaction."""

    def add(self, file: FileContent) -> None:
        """Store a new document."""
        self._write(None, file)

    def replace(self, document: StoredDocument, file: FileContent) -> None:
        """Store a document under its row id; its vectors stay, by the hashes of its texts."""
        self._write(document.id, file)

    move = replace

    def delete(self, documents: Iterable[StoredDocument]) -> None:
        """Delete documents with their chunks."""
        self._flush()
        row_ids = [document.id for document in documents]
        if row_ids:
            self._delete_chunks(row_ids)
            self._connection.execute(
                "SELECT sdd.delete_documents(%s, %s)", (self._repository, row_ids)
            )
            self._sums = self._sums.plus(-len(row_ids), 0, 0.0, 0)

    def finish(self) -> None:
        """Write what is left, and the numbers of the repository."""
        self._flush()
        if any(self._sums):
            self._connection.execute(
                "UPDATE sdd.repositories SET documents = documents + %s, chunks = chunks + %s,"
                " length = length + %s, tokens = tokens + %s WHERE id = %s",
                (*self._sums, self._repository),
            )

    def _write(self, row_id: int | None, file: FileContent) -> None:
        self._batch.append(_cut(row_id, file))
        if len(self._batch) >= _DOCUMENTS_PER_WRITE:
            self._flush()

    def _flush(self) -> None:
        batch, self._batch = self._batch, []
        if not batch:
            return
        self._delete_chunks([cut.id for cut in batch if cut.id is not None])
        ids = self._store_documents(batch)
        place = self._repository, self._name, self._kind
        rows = [(*place, ids[cut.path], *row) for cut in batch for row in cut.rows]
        insert_rows(self._connection, _INSERT_CHUNKS, _CHUNK, rows)
        self._sums = self._sums.plus(
            sum(cut.id is None for cut in batch),
            sum(len(cut.rows) for cut in batch),
            sum(cut.length for cut in batch),
            sum(cut.tokens for cut in batch),
        )

    def _store_documents(self, batch: Sequence[_Cut]) -> Mapping[str, int]:
        """Store the rows of documents. Returns their ids, by path."""
        ids = {cut.path: cut.id for cut in batch if cut.id is not None}
        with self._connection.cursor() as cursor:
            cursor.executemany(
                "UPDATE sdd.documents SET path = %s, hash = %s, title = %s, chunks = %s"
                " WHERE repository = %s AND id = %s",
                [
                    (
                        stored_text(cut.path),
                        cut.hash,
                        stored_text(cut.title),
                        len(cut.rows),
                        self._repository,
                        cut.id,
                    )
                    for cut in batch
                    if cut.id is not None
                ],
            )
        new = [cut for cut in batch if cut.id is None]
        results = insert_rows(
            self._connection,
            "INSERT INTO sdd.documents(repository, collection, path, hash, title, chunks)"
            " VALUES {rows} RETURNING path, id",
            "(%s, %s, %s, %s, %s, %s)",
            [
                (
                    self._repository,
                    self._name,
                    stored_text(cut.path),
                    cut.hash,
                    stored_text(cut.title),
                    len(cut.rows),
                )
                for cut in new
            ],
        )
        return ids | {original_text(path): row_id for rows in results for path, row_id in rows}

    def _delete_chunks(self, documents: Sequence[int]) -> None:
        if not documents:
            return
        row = self._connection.execute(
            "SELECT chunks, length, tokens FROM sdd.delete_chunks(%s, %s)",
            (self._repository, list(documents)),
        ).fetchone()
        if row is not None:
            self._sums = self._sums.plus(0, -row[0], -row[1], -row[2])


def _cut(row_id: int | None, file: FileContent) -> _Cut:
    document = file.rows or cut_document(file.path, file.data)
    rows: list[tuple[object, ...]] = []
    length, tokens = 0.0, 0
    for chunk, fields in zip(document.chunks, document.words, strict=True):
        anchor, section, first_line, last_line, digest, text = chunk
        words = chunk_words(*fields)
        length, tokens = length + words.length, tokens + words.tokens
        rows.append(
            (
                stored_text(anchor),
                stored_text(section),
                first_line,
                last_line,
                digest,
                words.length,
                words.tokens,
                stored_text(text),
                stored_text(words.vector),
            )
        )
    return _Cut(row_id, file.path, file.hash, document.title, rows, length, tokens)


def find_faults(connection: Connection, repository: int) -> list[str]:
    """Return a line for each kind of fault; none when the repository's part is sound.

    The caller has opened a transaction.
    """
    faults = []
    for name, condition in _COUNTS:
        row = connection.execute(
            f"SELECT count(*) FROM {condition}".encode(), {"id": repository}
        ).fetchone()
        if row and row[0]:
            faults.append(f"{row[0]} {name}: run `sdd index update --full`")
    wrong = 0
    with connection.cursor("sdd_check") as cursor:
        cursor.itersize = _ROWS_AT_ONCE
        cursor.execute(
            "SELECT c.hash, d.title, c.section, c.text FROM sdd.chunks AS c"
            " JOIN sdd.documents AS d ON d.repository = c.repository AND d.id = c.document"
            " WHERE c.repository = %s",
            (repository,),
        )
        for key, *texts in cursor:
            wrong += text_hash(text_to_embed(*map(original_text, texts))) != bytes(key)
    if wrong:
        faults.append(f"{wrong} chunks with a wrong hash: run `sdd index update --full`")
    return faults
