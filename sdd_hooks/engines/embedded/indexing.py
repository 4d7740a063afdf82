"""Index documents: read those that may have changed, and store their chunks and words."""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec), ADR-0008 (units of retrieval)

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import apsw

from sdd_hooks.chunking.document import ChunkedDocument, chunk_document, chunk_hash
from sdd_hooks.engines.bookmarks import write_bookmark
from sdd_hooks.engines.chunk_fields import ChunkFields
from sdd_hooks.engines.embedded.database import transaction, typed
from sdd_hooks.engines.protocol import CollectionChanges, Counts, Progress
from sdd_hooks.engines.reading import FileContent, StoredDocument, store_changes
from sdd_hooks.engines.stored_paths import is_storable, original_path, stored_path
from sdd_hooks.named_tuple import NamedTuple

_DOCUMENTS_PER_TRANSACTION = 2000


def apply_changes(
    connection: apsw.Connection,
    root: Path,
    changes: CollectionChanges,
    progress: Progress | None = None,
) -> tuple[Counts, list[str]]:
    """Index the changes of one collection. Returns the counts, and a note for each skipped file.

    Up to 2,000 documents are stored in one transaction with the bookmark. More take several, the
    last with the bookmark: after an interruption, the collection counts as incomplete, and the next
    update keeps what is stored. Raises Stopped.
    """
    name = changes.collection.name
    collection = _collection_id(connection, name)
    with transaction(connection):
        stored = _stored_documents(connection, collection, changes)
        writer = _Writer(connection, collection, name)
        tally = store_changes(root, changes, stored, writer, progress)
        if changes.bookmark is not None:
            _store_bookmark(connection, name, write_bookmark(changes.bookmark))
    return tally.counts, tally.notes


class _Writer(NamedTuple):
    """`DocumentWriter` of a collection."""

    connection: apsw.Connection
    collection: int
    name: str

    def pause(self, done: int) -> None:
        """Commit, and begin the next transaction, after each 2,000 documents."""
        if done and done % _DOCUMENTS_PER_TRANSACTION == 0:
            # Until the last transaction, the collection reflects no commit.
            _store_bookmark(self.connection, self.name, None)
            self.connection.execute("COMMIT; BEGIN IMMEDIATE")

    def add(self, file: FileContent) -> None:
        """Store a new document."""
        inserted = _insert(self.connection, self.collection, file)
        _fill(self.connection, self.collection, inserted, file)

    def replace(self, document: StoredDocument, file: FileContent) -> None:
        """Store the new content of a document."""
        _delete_chunks(self.connection, document.id)
        _fill(self.connection, self.collection, document.id, file)

    def move(self, document: StoredDocument, file: FileContent) -> None:
        """Change the path of a document. Its chunks stay."""
        _move(self.connection, document.id, file.path)

    def delete(self, documents: Iterable[StoredDocument]) -> None:
        """Delete documents with their chunks and words."""
        for document in documents:
            _delete(self.connection, document.id)


def delete_collection(connection: apsw.Connection, name: str) -> None:
    """Delete a collection with its documents and words. An unknown name changes nothing."""
    row = connection.execute("SELECT id FROM collections WHERE name = ?", (name,)).fetchone()
    if row is None:
        return
    with transaction(connection):
        connection.execute(
            "DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE collection = ?)", row
        )
        for table in ("chunks", "documents"):
            connection.execute(f"DELETE FROM {table} WHERE collection = ?", row)
        connection.execute("DELETE FROM collections WHERE id = ?", row)


def _store_bookmark(connection: apsw.Connection, name: str, bookmark: str | None) -> None:
    connection.execute("UPDATE collections SET bookmark = ? WHERE name = ?", (bookmark, name))


def _collection_id(connection: apsw.Connection, name: str) -> int:
    return int(connection.execute("SELECT id FROM collections WHERE name = ?", (name,)).get)


def _stored_documents(
    connection: apsw.Connection, collection: int, changes: CollectionChanges
) -> dict[str, StoredDocument]:
    """Return the stored documents at the changed paths, by path; all of a complete change."""
    rows: Iterable[tuple[str, int, bytes]]
    if changes.complete:
        rows = connection.execute(
            "SELECT path, id, hash FROM documents WHERE collection = ?", (collection,)
        )
    else:
        rows = _look_up(connection, collection, changes.paths)
    checked = typed(rows, str, int, bytes)
    return {
        original_path(path): StoredDocument(document, digest) for path, document, digest in checked
    }


def _look_up(
    connection: apsw.Connection, collection: int, paths: Iterable[str]
) -> Iterator[tuple[str, int, bytes]]:
    for path in filter(is_storable, paths):
        yield from connection.execute(
            "SELECT path, id, hash FROM documents WHERE collection = ? AND path = ?",
            (collection, stored_path(path)),
        )


def _insert(connection: apsw.Connection, collection: int, file: FileContent) -> int:
    connection.execute(
        "INSERT INTO documents(collection, path, hash, title) VALUES(?, ?, ?, '')",
        (collection, stored_path(file.path), file.hash),
    )
    return connection.last_insert_rowid()


def _fill(
    connection: apsw.Connection, collection: int, document_id: int, file: FileContent
) -> None:
    """Store the chunks and words of a document that has none."""
    document = chunk_document(file.path, file.data)
    connection.execute(
        "UPDATE documents SET path = ?, hash = ?, title = ? WHERE id = ?",
        (stored_path(file.path), file.hash, document.title, document_id),
    )
    first = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM chunks").get
    _insert_chunks(connection, collection, document_id, document, first)
    _insert_words(
        connection,
        file.path,
        document.title,
        [(row_id, chunk.title, chunk.text) for row_id, chunk in enumerate(document.chunks, first)],
    )


def _insert_chunks(
    connection: apsw.Connection,
    collection: int,
    document_id: int,
    document: ChunkedDocument,
    first: int,
) -> None:
    connection.executemany(
        "INSERT INTO chunks(id, document, collection, anchor, section, first_line, last_line,"
        " hash, text) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                row_id,
                document_id,
                collection,
                chunk.anchor,
                chunk.title,
                chunk.first_line,
                chunk.last_line,
                chunk_hash(document.title, chunk),
                chunk.text,
            )
            for row_id, chunk in enumerate(document.chunks, first)
        ],
    )


def _insert_words(
    connection: apsw.Connection, path: str, title: str, rows: Iterable[tuple[int, str, str]]
) -> None:
    fields = ChunkFields(path, title)
    connection.executemany(
        "INSERT INTO words(rowid, title, body, parts) VALUES(?, ?, ?, ?)",
        [(row_id, *fields.of_chunk(section, text)) for row_id, section, text in rows],
    )


def _move(connection: apsw.Connection, document_id: int, path: str) -> None:
    """Change the path of a document. Its chunks stay, and its words contain the new path."""
    title = connection.execute(
        "UPDATE documents SET path = ? WHERE id = ? RETURNING title",
        (stored_path(path), document_id),
    ).get
    found = connection.execute(
        "SELECT id, section, text FROM chunks WHERE document = ?", (document_id,)
    )
    rows = list(typed(found, int, str, str))
    connection.executemany("DELETE FROM words WHERE rowid = ?", [(row[0],) for row in rows])
    _insert_words(connection, path, title, rows)


def _delete_chunks(connection: apsw.Connection, document_id: int) -> None:
    connection.execute(
        "DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE document = ?)",
        (document_id,),
    )
    connection.execute("DELETE FROM chunks WHERE document = ?", (document_id,))


def _delete(connection: apsw.Connection, document_id: int) -> None:
    _delete_chunks(connection, document_id)
    connection.execute("DELETE FROM documents WHERE id = ?", (document_id,))
