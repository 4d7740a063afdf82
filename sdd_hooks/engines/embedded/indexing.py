"""Index documents: read those that may have changed, and store their chunks and words."""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec), ADR-0008 (units of retrieval)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import apsw

from sdd_hooks.chunking.document import chunker_version
from sdd_hooks.engines.documents import is_storable, original_path, stored_path
from sdd_hooks.engines.embedded.database import transaction, typed
from sdd_hooks.engines.protocol import CollectionChanges, Counts, Progress, write_bookmark
from sdd_hooks.engines.reading import (
    ChunkFields,
    CutBy,
    DocumentRows,
    FileContent,
    Source,
    StoredDocument,
    WordsRow,
    cut_document,
    store_changes,
)
from sdd_hooks.engines.reading_ahead import is_bulk, reading_ahead
from sdd_hooks.named_tuple import NamedTuple

_CHUNKER = "chunks"
_FUNCTIONS = "functions"
"""Set once an installation with the extra `callgraph` has cut the documents that need it."""

# Earlier versions added the release of `cgg`.
_OPTIONAL = ", cgg"

_DOCUMENTS_PER_TRANSACTION = 2000

# FTS5 merges segments in fewer steps if it writes larger ones, and none before there are sixteen.
_BULK_SETTINGS = {"automerge": 0, "hashsize": 4 << 20}
_USUAL_SETTINGS = {"automerge": 4, "hashsize": 1 << 20}


def invalidate_other_chunks(connection: apsw.Connection) -> None:
    """Let the next update cut documents again that another version of the chunker has cut.

    So, too, those that the first installation with the extra `callgraph` cuts otherwise.
    """
    facts = dict(connection.execute("SELECT name, value FROM facts"))
    stored = str(facts.get(_CHUNKER, ""))
    cut_by = CutBy(
        stored.partition(_OPTIONAL)[0] == chunker_version(),
        _FUNCTIONS in facts or _OPTIONAL in stored,
    )
    if not cut_by.is_due():
        return
    with transaction(connection):
        set_fact = "INSERT OR REPLACE INTO facts VALUES(?, ?)"
        connection.execute(set_fact, (_CHUNKER, chunker_version()))
        if cut_by.finds_functions():
            connection.execute(set_fact, (_FUNCTIONS, "cgg"))
        rows = connection.execute("SELECT id, collection, path FROM documents").fetchall()
        due = [row[:2] for row in rows if cut_by.has_to_cut(str(row[2]))]
        connection.executemany(
            "UPDATE documents SET hash = zeroblob(32) WHERE id = ?", [row[:1] for row in due]
        )
        connection.executemany(
            "UPDATE collections SET bookmark = NULL WHERE id = ?", {row[1:] for row in due}
        )


def apply_changes(
    connection: apsw.Connection,
    root: Path,
    changes: CollectionChanges,
    progress: Progress | None = None,
    environ: Mapping[str, str] | None = None,
) -> tuple[Counts, list[str]]:
    """Index the changes of one collection. Returns the counts, and a note for each skipped file.

    Many new documents are read and cut by a second process, with `environ`; by this one without.

    Up to 2,000 documents are stored in one transaction with the bookmark. More take several, the
    last with the bookmark: after an interruption, the collection counts as incomplete, and the next
    update keeps what is stored. Raises Stopped.
    """
    name = changes.collection.name
    collection = _collection_id(connection, name)
    with transaction(connection):
        stored = _stored_documents(connection, collection, changes)
        writer = _Writer(connection, collection, name, is_bulk(changes, stored))
        writer.begin()
        with reading_ahead(root, changes, environ if writer.is_bulk else None) as read:
            tally = store_changes(Source(root, changes, read), stored, writer, progress)
        writer.end()
        if changes.bookmark is not None:
            _store_bookmark(connection, name, write_bookmark(changes.bookmark))
    return tally.counts, tally.notes


class _Writer(NamedTuple):
    """`DocumentWriter` of a collection."""

    connection: apsw.Connection
    collection: int
    name: str
    is_bulk: bool

    def begin(self) -> None:
        """Set the index of words up for many documents, until the end of the transaction."""
        if self.is_bulk:
            _configure_words(self.connection, _BULK_SETTINGS)

    def end(self) -> None:
        """Restore what `begin` has set."""
        if self.is_bulk:
            _configure_words(self.connection, _USUAL_SETTINGS)

    def pause(self, done: int) -> None:
        """Commit, and begin the next transaction, after each 2,000 documents."""
        if done and done % _DOCUMENTS_PER_TRANSACTION == 0:
            # Until the last transaction, the collection reflects no commit.
            _store_bookmark(self.connection, self.name, None)
            self.end()
            self.connection.execute("COMMIT; BEGIN IMMEDIATE")
            self.begin()

    def add(self, file: FileContent) -> None:
        """Store a new document."""
        rows = file.rows or cut_document(file.path, file.data)
        inserted = _insert(self.connection, self.collection, file, rows)
        _insert_rows(self.connection, (self.collection, inserted), rows)

    def replace(self, document: StoredDocument, file: FileContent) -> None:
        """Store the new content of a document."""
        rows = file.rows or cut_document(file.path, file.data)
        _delete_chunks(self.connection, self.collection, document.id)
        self.connection.execute(
            "UPDATE documents SET path = ?, hash = ?, title = ? WHERE id = ?",
            (stored_path(file.path), file.hash, rows.title, document.id),
        )
        _insert_rows(self.connection, (self.collection, document.id), rows)

    def move(self, document: StoredDocument, file: FileContent) -> None:
        """Change the path of a document. Its chunks stay."""
        _move(self.connection, document.id, file.path)

    def delete(self, documents: Iterable[StoredDocument]) -> None:
        """Delete documents with their chunks and words."""
        for document in documents:
            _delete_chunks(self.connection, self.collection, document.id)
            self.connection.execute("DELETE FROM documents WHERE id = ?", (document.id,))


def _configure_words(connection: apsw.Connection, settings: Mapping[str, int]) -> None:
    connection.executemany("INSERT INTO words(words, rank) VALUES(?, ?)", settings.items())


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


def _insert(
    connection: apsw.Connection, collection: int, file: FileContent, rows: DocumentRows
) -> int:
    connection.execute(
        "INSERT INTO documents(collection, path, hash, title) VALUES(?, ?, ?, ?)",
        (collection, stored_path(file.path), file.hash, rows.title),
    )
    return connection.last_insert_rowid()


def _insert_rows(connection: apsw.Connection, owner: tuple[int, int], rows: DocumentRows) -> None:
    """Store the chunks and words of a document that has none. `owner`: collection, document."""
    first = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM chunks").get
    collection, document_id = owner
    connection.executemany(
        "INSERT INTO chunks(id, document, collection, anchor, section, first_line, last_line,"
        " hash, text) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (row_id, document_id, collection, *chunk)
            for row_id, chunk in enumerate(rows.chunks, first)
        ],
    )
    _insert_words(connection, enumerate(rows.words, first))
    _add_to_count(connection, collection, len(rows.chunks))


def _add_to_count(connection: apsw.Connection, collection: int, number: int) -> None:
    """Keep the number of chunks of a collection; `number` is negative for deleted ones."""
    connection.execute(
        "UPDATE collections SET chunks = chunks + ? WHERE id = ?", (number, collection)
    )


def _insert_words(connection: apsw.Connection, rows: Iterable[tuple[int, WordsRow]]) -> None:
    connection.executemany(
        "INSERT INTO words(rowid, title, body, parts) VALUES(?, ?, ?, ?)",
        [(row_id, *words) for row_id, words in rows],
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
    fields = ChunkFields(path, title)
    words = [(row_id, fields.of_chunk(section, text)) for row_id, section, text in rows]
    _insert_words(connection, words)


def _delete_chunks(connection: apsw.Connection, collection: int, document_id: int) -> None:
    connection.execute(
        "DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE document = ?)",
        (document_id,),
    )
    connection.execute("DELETE FROM chunks WHERE document = ?", (document_id,))
    _add_to_count(connection, collection, -connection.changes())
