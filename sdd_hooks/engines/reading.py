"""Read the documents of an update, and find those that have no file any more."""

# Governing: ADR-0008 (units of retrieval), ADR-0012 (untrusted input)

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

from sdd_hooks.chunking.document import chunk_document, chunk_hash
from sdd_hooks.code.cgg import finds_callables, has_cgg
from sdd_hooks.code.paths import has_sections
from sdd_hooks.engines.documents import (
    content_digest,
    is_storable,
    with_line_feeds,
    words_of_path,
)
from sdd_hooks.engines.protocol import CollectionChanges, Counts, Progress, report_progress
from sdd_hooks.engines.ranking.query_terms import identifier_parts, separate_unspaced
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.files import FileTooLarge, PathRefused, is_binary, read_inside
from sdd_hooks.text.decoding import is_text

MAX_DOCUMENT_BYTES = 5 * 1024 * 1024
MAX_CODE_BYTES = 1024 * 1024

ChunkRow = tuple[str, str, int, int, bytes, str]
"""Anchor, section, first line, last line, hash, and text of a chunk."""

WordsRow = tuple[str, str, str]
"""The fields of a chunk in which words are searched: titles, text, and parts of names."""


class ChunkFields:
    """Makes the fields of the chunks of one document."""

    def __init__(self, path: str, title: str) -> None:
        words = words_of_path(path)
        self._titles = separate_unspaced(f"{words} {identifier_parts(words)} {title}")

    def of_chunk(self, section: str, text: str) -> tuple[str, str, str]:
        """Return the titles, the text, and the words of its camelCase identifiers."""
        titles = f"{self._titles} {separate_unspaced(section)} {identifier_parts(section)}"
        return titles, separate_unspaced(text), identifier_parts(text)


class DocumentRows(NamedTuple):
    """The title of a document, and two rows for each chunk, in order."""

    title: str
    chunks: list[ChunkRow]
    words: list[WordsRow]


def cut_document(path: str, data: bytes) -> DocumentRows:
    """Cut a document with line feeds into chunks, and find their words. Raises nothing."""
    title, chunks = chunk_document(path, data)
    fields = ChunkFields(path, title)
    return DocumentRows(
        title,
        [
            (one.anchor, one.title, one.first_line, one.last_line, chunk_hash(title, one), one.text)
            for one in chunks
        ],
        [fields.of_chunk(one.title, one.text) for one in chunks],
    )


class Tally:
    """What an update has done to a collection so far, and a note for each skipped file."""

    def __init__(self) -> None:
        self.added = self.updated = self.removed = self.unchanged = 0
        self.notes: list[str] = []

    @property
    def counts(self) -> Counts:
        """What the update has done."""
        return Counts(self.added, self.updated, self.removed, self.unchanged)


class StoredDocument(NamedTuple):
    """The row id of a document, and the hash of its content."""

    id: int
    hash: bytes


class FileContent(NamedTuple):
    """The content of a file, with the line ends that git stores, and its hash.

    `rows` is what another process made of the content; `data` is empty then.
    """

    path: str
    data: bytes
    hash: bytes
    rows: DocumentRows | None = None


Read = Callable[[str, list[str]], FileContent | None]
"""Reads the document at a path. Adds a note for a file that is left out, and returns None."""


class Source(NamedTuple):
    """The changes of a collection below `root`.

    `read` is called for each path that is not gone, in order; None reads the files.
    """

    root: Path
    changes: CollectionChanges
    read: Read | None = None


class DocumentWriter(Protocol):
    """Stores what `store_changes` finds, inside a transaction that is open."""

    def pause(self, done: int) -> None:
        """Store in between what was written so far, where that is wanted after `done` paths."""
        ...

    def add(self, file: FileContent) -> None:
        """Store a new document."""
        ...

    def replace(self, document: StoredDocument, file: FileContent) -> None:
        """Store the new content of a document."""
        ...

    def move(self, document: StoredDocument, file: FileContent) -> None:
        """Change the path of a document whose content stays."""
        ...

    def delete(self, documents: Collection[StoredDocument]) -> None:
        """Delete documents."""
        ...


def store_changes(
    source: Source,
    stored: dict[str, StoredDocument],
    writer: DocumentWriter,
    progress: Progress | None,
) -> Tally:
    """Read the documents that may have changed, and let `writer` store what did.

    `stored` are the documents of the index at these paths, or all of them for a complete change;
    those that move are taken out. A new file with the content of a removed document is that
    document, which has moved. Raises Stopped.
    """
    root, changes, given = source
    read = given or partial(read_document, root, changes.collection.kind, changes.contents)
    tally, name = Tally(), changes.collection.name
    removed = find_removed(root, stored, changes)
    removed_by_hash = {document.hash: path for path, document in removed.items()}
    for done, path in enumerate(changes.paths):
        report_progress(progress, f"Indexing {name}", done, len(changes.paths))
        writer.pause(done)
        file = None
        if path not in changes.gone:
            file = read(path, tally.notes)
        document = stored.get(path)
        if file is None:
            if document is not None:
                removed[path] = document
            continue
        old_path = removed_by_hash.pop(file.hash, None) if document is None else None
        if document is not None and document.hash == file.hash:
            tally.unchanged += 1
        elif document is not None:
            writer.replace(document, file)
            tally.updated += 1
        elif old_path is not None and is_same_kind(old_path, path):
            removed.pop(old_path)
            # Its old path may come later: there is no document to remove any more.
            writer.move(stored.pop(old_path), file)
            tally.updated += 1
        else:
            writer.add(file)
            tally.added += 1
    writer.delete(removed.values())
    tally.removed = len(removed)
    return tally


def read_document(
    root: Path, kind: str, contents: Mapping[str, bytes] | None, path: str, notes: list[str]
) -> FileContent | None:
    """Return the content of a file; None if it is missing, binary, too large, or refused.

    `kind` is that of its collection, `contents` has the documents of one without files. `notes`
    gets a line for a file that is left out for a reason that users should know.
    """
    if not is_storable(path):
        # A terminal could not display the name.
        notes.append(f"{path!a}: left out, its name is not printable text")
        return None
    try:
        limit = MAX_CODE_BYTES if kind == "code" else MAX_DOCUMENT_BYTES
        if contents is not None:
            data = contents[path]
        else:
            data = read_inside(root, path, limit, follow=False)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except (PathRefused, FileTooLarge) as error:
        # Code that a symlink leads to is indexed under its own path.
        if kind != "code" or not (root / path).is_symlink():
            notes.append(str(error))
        return None
    except OSError as error:
        notes.append(f"{path}: left out, cannot be read ({error.strerror})")
        return None
    if is_binary(data) if kind == "code" else not is_text(data):
        if has_sections(path):
            notes.append(f"{path}: left out, it is not text")
        return None
    return FileContent(path, with_line_feeds(data), content_digest(data))


def find_removed(
    root: Path, stored: Mapping[str, StoredDocument], changes: CollectionChanges
) -> dict[str, StoredDocument]:
    """Return the stored documents that have no file any more. Reads no file."""
    if changes.complete or changes.contents is not None:
        current = frozenset(changes.paths)
        return {path: document for path, document in stored.items() if path not in current}
    return {
        path: document
        for path, document in stored.items()
        if path in changes.gone or not os.path.lexists(root / path)
    }


def is_same_kind(one: str, other: str) -> bool:
    """Whether files of these names are cut into chunks alike, by their suffixes."""
    return one.rpartition(".")[2] == other.rpartition(".")[2]


class CutBy(NamedTuple):
    """What has cut the documents of an index into chunks.

    `is_current` is whether it was this version of the chunker, `with_functions` whether an
    installation with the extra `callgraph` has cut those whose functions it finds. Installations
    with and without it then take turns without cutting anything again: a document is cut by the one
    that reads its change first.
    """

    is_current: bool
    with_functions: bool

    def is_due(self) -> bool:
        """Whether any document has to be cut again."""
        return not self.is_current or (not self.with_functions and has_cgg())

    def has_to_cut(self, path: str) -> bool:
        """Whether a document has to be cut again, where that is due."""
        return not self.is_current or finds_callables(path)

    def finds_functions(self) -> bool:
        """Whether the index will have the functions after that."""
        return self.with_functions or has_cgg()
