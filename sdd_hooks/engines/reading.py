"""Read the documents of an update, and find those that have no file any more."""

# Governing: ADR-0008 (units of retrieval), ADR-0012 (untrusted input)

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sdd_hooks.engines.protocol import CollectionChanges, Counts
from sdd_hooks.engines.sampling import content_digest, with_line_feeds
from sdd_hooks.engines.stored_paths import is_storable
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.files import FileTooLarge, PathRefused, is_binary, read_inside

MAX_DOCUMENT_BYTES = 5 * 1024 * 1024
MAX_CODE_BYTES = 1024 * 1024


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
    """The content of a file, with the line ends that git stores, and its hash."""

    path: str
    data: bytes
    hash: bytes


def read_document(
    root: Path, path: str, changes: CollectionChanges, notes: list[str]
) -> FileContent | None:
    """Return the content of a file; None if it is missing, binary, too large, or refused.

    `notes` gets a line for a file that is left out for a reason that users should know.
    """
    if not is_storable(path):
        # A terminal could not display the name.
        notes.append(f"{path!a}: left out, its name is not printable text")
        return None
    try:
        limit = MAX_CODE_BYTES if changes.collection.kind == "code" else MAX_DOCUMENT_BYTES
        if changes.contents is not None:
            data = changes.contents[path]
        else:
            data = read_inside(root, path, limit, follow=False)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except (PathRefused, FileTooLarge) as error:
        notes.append(str(error))
        return None
    except OSError as error:
        notes.append(f"{path}: left out, cannot be read ({error.strerror})")
        return None
    if is_binary(data):
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
