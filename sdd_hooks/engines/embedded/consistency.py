"""Check that documents, chunks and words belong together, beyond what SQLite itself checks."""

# Governing: ADR-0029 (damage is found when a page is read)

from __future__ import annotations

import os
from collections.abc import Iterator
from heapq import nlargest
from pathlib import Path

import apsw

from sdd_hooks.chunking.document import chunk_document, text_hash, text_to_embed
from sdd_hooks.code.cgg import finds_callables
from sdd_hooks.engines.documents import (
    content_digest,
    indexed_document,
    original_path,
    with_line_feeds,
)
from sdd_hooks.engines.embedded.database import ImpossibleValue, typed
from sdd_hooks.engines.protocol import IndexedDocument
from sdd_hooks.errors import SddError
from sdd_hooks.system.files import read_inside
from sdd_hooks.text.lazy_regex import lazy_regex

_WORD = lazy_regex(r"(?<![^\s])[A-Za-z]{3,20}(?![^\s])")
_WORDS = 4
_MAX_BYTES = 8_000_000

_COUNTS = (
    ("chunks of no document", "chunks", "document NOT IN (SELECT id FROM documents)"),
    (
        "chunks of another collection",
        "chunks",
        "collection IS NOT (SELECT collection FROM documents WHERE id = chunks.document)",
    ),
    ("chunks without words", "chunks", "id NOT IN (SELECT id FROM words_docsize)"),
    ("words of no chunk", "words_docsize", "id NOT IN (SELECT id FROM chunks)"),
    (
        "documents of no collection",
        "documents",
        "collection NOT IN (SELECT id FROM collections)",
    ),
    (
        "collections with another number of chunks",
        "collections",
        "chunks <> (SELECT count(*) FROM chunks WHERE collection = collections.id)",
    ),
)

_DOCUMENTS = (
    "SELECT documents.id, collections.name, path, title, hash"
    " FROM documents LEFT JOIN collections ON collections.id = documents.collection"
)


def sample_documents(connection: apsw.Connection, count: int) -> list[IndexedDocument]:
    """Return up to `count` random documents, each of which has consistent chunks.

    The words of one random chunk of each are looked up: a look-up takes longer than reading the
    document. Raises ImpossibleValue for a document that is not consistent.
    """
    last = connection.execute("SELECT max(id) FROM documents").get
    if last is None:
        return []
    found = {}
    for _ in range(count):
        first = int.from_bytes(os.urandom(8), "little") % int(last) + 1
        rows = connection.execute(
            f"{_DOCUMENTS} WHERE documents.id >= ? ORDER BY documents.id LIMIT 1", (first,)
        )
        for row in typed(rows, int, str, str, str, bytes):
            found[row[0]] = row
    return [_checked(connection, row, every_chunk=False) for row in found.values()]


def find_faults(connection: apsw.Connection) -> list[str]:
    """Return what SQLite finds wrong with the index, else what rows do not belong together.

    Reads the whole index.
    """
    rows = connection.execute("PRAGMA main.integrity_check")
    faults = [str(row[0]) for row in rows if row[0] != "ok"]
    if faults:
        return faults
    if not connection.readonly("main"):
        # The syntax of FTS5's check is an insert, which changes nothing.
        connection.execute("INSERT INTO words(words) VALUES('integrity-check')")
    for description, table, condition in _COUNTS:
        number = connection.execute(f"SELECT count(*) FROM {table} WHERE {condition}").get
        if number:
            faults.append(f"{number} {description}")
    if not faults:
        faults += _wrong_documents(connection)
    return faults


def find_wrong_chunks(connection: apsw.Connection, root: Path) -> Iterator[str]:
    """Yield a line for each document that has other chunks than its file below `root`.

    Documents whose files have another content are left to an update. Where the chunks depend on
    what is installed, either are right.
    """
    rows = connection.execute(f"{_DOCUMENTS} ORDER BY documents.id").fetchall()
    for document, _, stored, title, digest in typed(rows, int, str, str, str, bytes):
        path = original_path(stored)
        if finds_callables(path):
            continue
        try:
            data = read_inside(root, path, _MAX_BYTES, follow=False)
        except (OSError, SddError):
            continue
        if content_digest(data) != digest:
            continue
        expected = chunk_document(path, with_line_feeds(data))
        found = connection.execute(
            "SELECT anchor, section, first_line, last_line, text FROM chunks WHERE document = ?"
            " ORDER BY id",
            (document,),
        ).fetchall()
        if (title, found) != (expected.title, [tuple(chunk) for chunk in expected.chunks]):
            yield f"{stored}: its chunks are not those of the file"


def _wrong_documents(connection: apsw.Connection) -> Iterator[str]:
    rows = connection.execute(f"{_DOCUMENTS} ORDER BY documents.id")
    for row in typed(rows, int, str, str, str, bytes):
        try:
            _checked(connection, row, every_chunk=True)
        except ImpossibleValue as error:
            yield str(error)
            return


def _checked(
    connection: apsw.Connection, row: tuple[int, str, str, str, bytes], *, every_chunk: bool
) -> IndexedDocument:
    """The document of a row, whose chunks are as they were stored, with their words.

    Without `every_chunk`, only the words of a random one are looked up. Raises ImpossibleValue.
    """
    document, collection, path, title, digest = row
    rows = connection.execute(
        "SELECT id, section, text, hash FROM chunks WHERE document = ?", (document,)
    )
    chunks = list(typed(rows, int, str, str, bytes))
    for _, section, text, key in chunks:
        if text_hash(text_to_embed(title, section, text)) != key:
            raise ImpossibleValue(f"{path}: a chunk has another hash")
    if chunks and not every_chunk:
        looked_up = [chunks[int.from_bytes(os.urandom(4), "little") % len(chunks)]]
    else:
        looked_up = chunks
    if not all(_has_words(connection, chunk, text) for chunk, _, text, _ in looked_up):
        raise ImpossibleValue(f"{path}: a chunk has other words")
    return indexed_document(collection, path, title, digest, len(chunks))


def _has_words(connection: apsw.Connection, chunk: int, text: str) -> bool:
    """Whether a search for the longest words of the text finds the chunk.

    The longer a word is, the fewer other chunks it is usually in, which the search passes over.
    """
    words = nlargest(_WORDS, dict.fromkeys(_WORD.findall(text)), key=len)
    expression = " AND ".join(f'body:"{word}"' for word in words)
    if not expression:
        return True
    rows = connection.execute(
        "SELECT 1 FROM words WHERE words MATCH ? AND rowid = ?", (expression, chunk)
    )
    return rows.fetchone() is not None
