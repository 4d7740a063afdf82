"""An index and vectors that an earlier version wrote are read without a rebuild.

`recorded/` has both files of a repository with the two documents below, three chunks, and a vector
of two components for each, of the model `llm:recorded`. `vectors-1.db.gz` is the file of vectors in
its first version, which had no checksums.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from sdd_hooks.chunking.document import chunker_version
from sdd_hooks.config.settings import SearchSettings
from sdd_hooks.engines.embedded.engine import EmbeddedEngine, IndexFiles
from sdd_hooks.engines.protocol import Bookmark, CollectionChanges, Counts, Query, SubQuery
from sdd_hooks.project.collections import Collection

ADRS = Collection("app-adrs", "adrs", "", "", ("docs",), (".md",), "", (), "Decisions of app.")
DOCUMENTS = {
    "docs/a.md": "# Keep sessions in SQLite\n\n## Decision Outcome\n\nEach user has a token.\n",
    "docs/b.md": "# Cache pages\n\nA page is kept for an hour.\n",
}
BOOKMARK = Bookmark("a" * 40, ("docs/b.md",), "definition")


def open_index(root: Path) -> EmbeddedEngine:
    return EmbeddedEngine(
        IndexFiles(root, root / "index.db", root / "vectors.db"),
        settings=SearchSettings(embed_model="llm:recorded"),
        repair=True,
        environ=os.environ,
    )


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[EmbeddedEngine]:
    (tmp_path / "docs").mkdir()
    for path, text in DOCUMENTS.items():
        (tmp_path / path).write_text(text)
    for name in ("index.db", "vectors.db"):
        recorded = Path(__file__).with_name("recorded") / f"{name}.gz"
        (tmp_path / name).write_bytes(gzip.decompress(recorded.read_bytes()))
    index = apsw.Connection(str(tmp_path / "index.db"))
    # A change of the chunker is the one reason to chunk documents again.
    index.execute("UPDATE facts SET value = ? WHERE name = 'chunks'", (chunker_version(),))
    index.close()
    opened = open_index(tmp_path)
    yield opened
    opened.close()


def test_nothing_is_rebuilt(engine: EmbeddedEngine) -> None:
    assert (engine.rebuilt, engine.notes) == (False, [])
    assert engine.bookmarks() == {"app-adrs": BOOKMARK}
    assert engine.touched() == 1000.0
    changes = CollectionChanges(ADRS, tuple(DOCUMENTS), True, None)
    assert engine.update([changes]) == {"app-adrs": Counts(unchanged=2)}
    assert engine.check() == []


def test_documents_and_vectors_are_found(engine: EmbeddedEngine) -> None:
    (hit,) = engine.search(Query((SubQuery("lex", "token"),))).hits
    assert (hit.id, hit.context) == ("docs/a.md#decision-outcome", "Decisions of app.")
    assert (engine.coverage().begun, engine.coverage().pending) == (True, 0)


def test_new_chunks_of_the_same_text_have_the_same_vectors(
    engine: EmbeddedEngine, tmp_path: Path
) -> None:
    keys = engine.exchange().keys()
    (tmp_path / "index.db").unlink()
    fresh = open_index(tmp_path)
    fresh.ensure([ADRS])
    fresh.update([CollectionChanges(ADRS, tuple(DOCUMENTS), True, None)])
    assert fresh.exchange().keys() == keys
    assert fresh.coverage().pending == 0
    fresh.close()


def test_vectors_of_the_first_version_are_computed_again(
    engine: EmbeddedEngine, tmp_path: Path
) -> None:
    engine.close()
    recorded = Path(__file__).with_name("recorded") / "vectors-1.db.gz"
    (tmp_path / "vectors.db").write_bytes(gzip.decompress(recorded.read_bytes()))
    later = open_index(tmp_path)
    assert (later.coverage().begun, later.coverage().pending) == (False, 3)
    assert later.check() == []
    later.close()
