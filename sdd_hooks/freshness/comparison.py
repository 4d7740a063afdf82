"""Compare a few indexed documents with their files, whatever git says.

git's answer about what changed is trusted at every refresh. A document that was missed once would
stay wrong, so each refresh samples some, and compares all documents after it found a wrong one.
"""

# Governing: ADR-0029 (an index is compared with the files now and then)

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sdd_hooks.engines.documents import content_digest
from sdd_hooks.engines.protocol import (
    Bookmark,
    CollectionChanges,
    Engine,
    IndexedDocument,
    SamplesDocuments,
)
from sdd_hooks.errors import SddError
from sdd_hooks.project.collections import OUTSIDE_GIT
from sdd_hooks.system.files import read_inside

_MAX_BYTES = 8_000_000

SAMPLE_SIZE = 8
"""Documents of a sample. Comparing them is a tenth of a refresh."""


def find_difference(
    root: Path, engine: Engine, changes: Sequence[CollectionChanges], since: float
) -> str | None:
    """Compare a sample of documents that `changes` do not compare with their files.

    A file that changed after `since` (seconds since the epoch) is left to the next refresh.
    Returns the path of a document that differs, None if there is none or the engine has no samples.
    """
    if not isinstance(engine, SamplesDocuments):
        return None
    known = {
        change.collection.name: frozenset(change.paths)
        for change in changes
        if change.collection.kind not in OUTSIDE_GIT and not change.complete
    }
    for document in engine.sample(SAMPLE_SIZE):
        paths = known.get(document.collection)
        if paths is None or document.path in paths:
            continue
        if _differs(root, document, since):
            return document.path
    return None


def forget_bookmarks(engine: Engine, changes: Sequence[CollectionChanges]) -> None:
    """Let the next scan compare every document of these collections."""
    unknown = Bookmark("", (), "")
    engine.update(
        [
            CollectionChanges(change.collection, (), False, unknown)
            for change in changes
            if change.collection.kind not in OUTSIDE_GIT
        ]
    )


def _differs(root: Path, document: IndexedDocument, since: float) -> bool:
    try:
        data = read_inside(root, document.path, _MAX_BYTES, follow=False)
    except (OSError, SddError):
        return True
    if f"sha256:{content_digest(data).hex()}" == document.content_hash:
        return False
    try:
        return (root / document.path).lstat().st_ctime <= since
    except OSError:
        return False
