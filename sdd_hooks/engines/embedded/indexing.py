"""Bring documents up to date: read what may have changed, keep what has not."""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec), ADR-0008 (units of retrieval)

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from sdd_hooks.chunking.document import ChunkedDocument, chunk_document, chunk_hash
from sdd_hooks.engines.bookmarks import write_bookmark
from sdd_hooks.engines.embedded.database import transaction
from sdd_hooks.engines.protocol import CollectionChanges, Counts, Progress, report_progress
from sdd_hooks.engines.query_terms import identifier_parts, spaced
from sdd_hooks.system.files import FileTooLarge, PathRefused, is_binary, read_inside

LARGEST_DOCUMENT = 5 * 1024 * 1024
LARGEST_CODE = 1024 * 1024
_DOCUMENTS_A_TRANSACTION = 2000


@dataclass
class _Tally:
    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Known:
    id: int
    hash: bytes


def apply(
    connection: apsw.Connection,
    root: Path,
    changes: CollectionChanges,
    progress: Progress | None = None,
) -> tuple[Counts, list[str]]:
    """Apply one collection's changes. Returns the counts, and a note for each file left out.

    Up to 2,000 documents are one transaction together with the bookmark. More are several, the
    bookmark in the last: cut short, the work is found unfinished, and what is there is kept.
    """
    collection = _collection_id(connection, changes.collection.name)
    limit = LARGEST_CODE if changes.collection.kind == "code" else LARGEST_DOCUMENT
    tally = _Tally()
    with transaction(connection):
        known = _known(connection, collection, changes)
        gone = _gone(root, known, changes)
        by_hash = {one.hash: path for path, one in gone.items()}
        for done, path in enumerate(changes.paths):
            report_progress(
                progress, f"Indexing {changes.collection.name}", done, len(changes.paths)
            )
            if done and done % _DOCUMENTS_A_TRANSACTION == 0:
                # What is half done reflects no commit, should nobody come back to finish it.
                _mark(connection, changes.collection.name, None)
                connection.execute("COMMIT; BEGIN IMMEDIATE")
            data = _read(root, path, limit, tally)
            one = known.get(path)
            if data is None:
                if one is not None:
                    gone[path] = one
                continue
            digest = hashlib.sha256(data).digest()
            old = by_hash.pop(digest, None) if one is None else None
            if one is not None and one.hash == digest:
                tally.unchanged += 1
            elif one is not None:
                _forget_words(connection, one.id)
                _fill(connection, collection, one.id, path, digest, chunk_document(path, data))
                tally.updated += 1
            elif old is not None and _ending(old) == _ending(path):
                # The bytes of a document that is gone: the same document, moved.
                gone.pop(old)
                _move(connection, known.pop(old).id, path)
                tally.updated += 1
            else:
                document = _insert(connection, collection, path, digest)
                _fill(connection, collection, document, path, digest, chunk_document(path, data))
                tally.added += 1
        for one in gone.values():
            _delete(connection, one.id)
            tally.removed += 1
        if changes.bookmark is not None:
            _mark(connection, changes.collection.name, write_bookmark(changes.bookmark))
    return Counts(tally.added, tally.updated, tally.removed, tally.unchanged), tally.left_out


def _mark(connection: apsw.Connection, name: str, bookmark: str | None) -> None:
    connection.execute("UPDATE collections SET bookmark = ? WHERE name = ?", (bookmark, name))


def delete_collection(connection: apsw.Connection, name: str) -> None:
    """Forget a collection, its documents and their words. An unknown name changes nothing."""
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


def _collection_id(connection: apsw.Connection, name: str) -> int:
    return int(connection.execute("SELECT id FROM collections WHERE name = ?", (name,)).get)


def _known(
    connection: apsw.Connection, collection: int, changes: CollectionChanges
) -> dict[str, _Known]:
    rows: Iterable[tuple[str, int, bytes]]
    if changes.complete:
        rows = connection.execute(
            "SELECT path, id, hash FROM documents WHERE collection = ?", (collection,)
        )
    else:
        rows = _look_up(connection, collection, changes.paths)
    return {path: _Known(document, digest) for path, document, digest in rows}


def _look_up(
    connection: apsw.Connection, collection: int, paths: Iterable[str]
) -> Iterator[tuple[str, int, bytes]]:
    for path in paths:
        yield from connection.execute(
            "SELECT path, id, hash FROM documents WHERE collection = ? AND path = ?",
            (collection, path),
        )


def _read(root: Path, path: str, limit: int, tally: _Tally) -> bytes | None:
    """The file's bytes; None when it is gone, binary, too large, or not to be followed."""
    if not path.isprintable():
        # SQLite keeps text as UTF-8, and nobody could tell such a name on a terminal.
        tally.left_out.append(f"{path!a}: left out, its name is not printable text")
        return None
    try:
        data = read_inside(root, path, limit)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except (PathRefused, FileTooLarge) as error:
        tally.left_out.append(str(error))
        return None
    except OSError as error:
        tally.left_out.append(f"{path}: left out, cannot be read ({error.strerror})")
        return None
    return None if is_binary(data) else data


def _gone(root: Path, known: Mapping[str, _Known], changes: CollectionChanges) -> dict[str, _Known]:
    """The documents that are no more, as far as can be told without reading any."""
    if changes.complete:
        there = frozenset(changes.paths)
        return {path: one for path, one in known.items() if path not in there}
    return {path: one for path, one in known.items() if not os.path.lexists(root / path)}


def _ending(path: str) -> str:
    return path.rpartition(".")[2]


def _insert(connection: apsw.Connection, collection: int, path: str, digest: bytes) -> int:
    connection.execute(
        "INSERT INTO documents(collection, path, hash, title) VALUES(?, ?, ?, '')",
        (collection, path, digest),
    )
    return connection.last_insert_rowid()


def _fill(
    connection: apsw.Connection,
    collection: int,
    document: int,
    path: str,
    digest: bytes,
    cut: ChunkedDocument,
) -> None:
    """Write a document's chunks and words; those it had are gone already."""
    connection.execute(
        "UPDATE documents SET path = ?, hash = ?, title = ? WHERE id = ?",
        (path, digest, cut.title, document),
    )
    first = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM chunks").get
    connection.executemany(
        "INSERT INTO chunks(id, document, collection, anchor, section, first_line, last_line,"
        " hash, text) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                number,
                document,
                collection,
                chunk.anchor,
                chunk.title,
                chunk.first_line,
                chunk.last_line,
                chunk_hash(cut.title, chunk),
                chunk.text,
            )
            for number, chunk in enumerate(cut.chunks, first)
        ],
    )
    _write_words(
        connection,
        path,
        cut.title,
        [(number, chunk.title, chunk.text) for number, chunk in enumerate(cut.chunks, first)],
    )


def _write_words(
    connection: apsw.Connection, path: str, title: str, rows: Iterable[tuple[int, str, str]]
) -> None:
    where = spaced(f"{path} {title}")
    connection.executemany(
        "INSERT INTO words(rowid, title, body, parts) VALUES(?, ?, ?, ?)",
        [
            (number, f"{where} {spaced(section)}", spaced(text), identifier_parts(text))
            for number, section, text in rows
        ],
    )


def _move(connection: apsw.Connection, document: int, path: str) -> None:
    """Give a document another path; its chunks stay, their words name the new one."""
    title = connection.execute(
        "UPDATE documents SET path = ? WHERE id = ? RETURNING title", (path, document)
    ).get
    rows: list[Any] = connection.execute(
        "SELECT id, section, text FROM chunks WHERE document = ?", (document,)
    ).fetchall()
    connection.executemany("DELETE FROM words WHERE rowid = ?", [(row[0],) for row in rows])
    _write_words(connection, path, title, rows)


def _forget_words(connection: apsw.Connection, document: int) -> None:
    connection.execute(
        "DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE document = ?)", (document,)
    )
    connection.execute("DELETE FROM chunks WHERE document = ?", (document,))


def _delete(connection: apsw.Connection, document: int) -> None:
    _forget_words(connection, document)
    connection.execute("DELETE FROM documents WHERE id = ?", (document,))
