"""The embedded engine through its public methods."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.engines.embedded.database import open_database
from sdd_hooks.engines.embedded.engine import EmbeddedEngine, IndexFiles
from sdd_hooks.engines.embedded.schema import INDEX
from sdd_hooks.engines.protocol import (
    Bookmark,
    CollectionChanges,
    Counts,
    Hit,
    Query,
    Stopped,
    SubQuery,
)
from sdd_hooks.project.collections import Collection

ADRS = Collection("app-adrs", "adrs", "", "", ("docs",), (".md",), "", (), "Decisions of app.")
CODE = Collection("app-code", "code", "", "", ("",), (".py",), "", ("docs",), "Code of app.")
SESSIONS = (
    "---\nstatus: accepted\n---\n# Keep sessions in SQLite\n\n## Context\n\nWe need storage.\n\n"
    "## Decision Outcome\n\nWe store every session token in SQLite.\n"
)
CACHE = "# Cache pages in Redis\n\n## Decision Outcome\n\nPages are cached for an hour.\n"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[EmbeddedEngine]:
    opened = EmbeddedEngine(
        IndexFiles(tmp_path, tmp_path / ".sdd/search/index.db", tmp_path / "vectors.db"),
        clock=lambda: 1000.0,
        environ=os.environ,
    )
    yield opened
    opened.close()


def fill(
    engine: EmbeddedEngine,
    root: Path,
    files: dict[str, str | bytes | None],
    *,
    collection: Collection = ADRS,
    complete: bool = False,
    bookmark: Bookmark | None = None,
) -> Counts:
    """Write or delete (None) the files, and update the engine with their paths."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            target.unlink()
        else:
            target.write_bytes(content.encode() if isinstance(content, str) else content)
    engine.ensure([collection])
    changes = CollectionChanges(collection, tuple(files), complete, bookmark)
    return engine.update([changes])[collection.name]


def search(engine: EmbeddedEngine, text: str, **options: object) -> tuple[Hit, ...]:
    return engine.search(Query((SubQuery("lex", text),), **options)).hits  # type: ignore[arg-type]


def test_the_score_is_the_share_of_the_query_that_a_section_contains(
    engine: EmbeddedEngine, tmp_path: Path
) -> None:
    fill(engine, tmp_path, {"docs/a.md": SESSIONS, "docs/b.md": CACHE})
    whole = search(engine, "sessions SQLite")[0].score
    half = search(engine, "sessions kubernetes")[0].score
    assert 0.85 < whole <= 1.0
    assert 0 < half < 0.6
    assert search(engine, "sessions kubernetes", min_score=0.6) == ()


def test_the_title_counts_towards_the_length_of_a_section(
    engine: EmbeddedEngine, tmp_path: Path
) -> None:
    section = "\n\nHead.\n\n## Session\n\nIt is kept in Redis.\n"
    long = "# The lives of tokens and pages in every service that we run today and of those to come"
    fill(engine, tmp_path, {"docs/a.md": long + section, "docs/b.md": "# Lives" + section})
    for question in ("redis", "session redis"):
        assert [hit.path for hit in search(engine, question)] == ["docs/b.md", "docs/a.md"]


def test_an_update_counts_documents(engine: EmbeddedEngine, tmp_path: Path) -> None:
    assert fill(engine, tmp_path, {"docs/a.md": SESSIONS, "docs/b.md": CACHE}) == Counts(added=2)
    assert fill(engine, tmp_path, {"docs/a.md": SESSIONS}) == Counts(unchanged=1)
    assert fill(engine, tmp_path, {"docs/a.md": CACHE + "x"}) == Counts(updated=1)
    assert fill(engine, tmp_path, {"docs/a.md": None}) == Counts(removed=1)
    assert fill(engine, tmp_path, {"docs/c.md": SESSIONS}, complete=True) == Counts(
        added=1, removed=1
    )


@pytest.mark.parametrize("backwards", [False, True])
def test_a_moved_document_is_found_by_its_new_name(
    engine: EmbeddedEngine, tmp_path: Path, backwards: bool
) -> None:
    fill(engine, tmp_path, {"docs/old.md": SESSIONS})
    before = {hit.id.partition("#")[2]: hit for hit in search(engine, "SQLite")}
    changes: dict[str, str | bytes | None] = {"docs/new.md": SESSIONS, "docs/old.md": None}
    counts = fill(engine, tmp_path, dict(sorted(changes.items(), reverse=backwards)))
    assert counts == Counts(updated=1)
    assert {hit.path for hit in search(engine, "new")} == {"docs/new.md"}
    after = {hit.id.partition("#")[2]: hit for hit in search(engine, "SQLite")}
    assert {k: h.snippet for k, h in after.items()} == {k: h.snippet for k, h in before.items()}
    assert search(engine, "old") == ()


def test_documents_with_equal_content_are_separate(engine: EmbeddedEngine, tmp_path: Path) -> None:
    fill(engine, tmp_path, {"docs/a.md": SESSIONS, "docs/b.md": SESSIONS})
    assert [d.path for d in engine.documents("app-adrs")] == ["docs/a.md", "docs/b.md"]
    fill(engine, tmp_path, {"docs/a.md": None})
    assert [hit.path for hit in search(engine, "token")] == ["docs/b.md"]


def test_the_status_has_counts_and_the_time_of_the_update(
    engine: EmbeddedEngine, tmp_path: Path
) -> None:
    fill(engine, tmp_path, {"docs/a.md": SESSIONS, "docs/b.md": CACHE})
    status = engine.status()
    assert status.touched == 1000.0
    assert (status.collections[0].documents, status.collections[0].chunks) == (2, 5)
    assert status.pending == 5
    assert status.bytes > 0


def test_an_empty_document_is_a_document(engine: EmbeddedEngine, tmp_path: Path) -> None:
    assert fill(engine, tmp_path, {"docs/empty.md": ""}) == Counts(added=1)
    assert engine.documents("app-adrs")[0].title == "empty.md"


def test_a_stopped_update_of_many_documents_keeps_what_is_stored(
    engine: EmbeddedEngine, tmp_path: Path
) -> None:
    files = {f"docs/{n:05d}.md": f"# Number {n}\n" for n in range(4100)}
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(content)
    bookmark = Bookmark("b" * 40, (), "definition")
    fill(engine, tmp_path, {}, bookmark=bookmark)
    changes = CollectionChanges(ADRS, tuple(files), True, bookmark)

    def stop(_step: str, done: int, _total: int) -> bool:
        return done < 4050

    with pytest.raises(Stopped):
        engine.update([changes], stop)
    assert engine.bookmarks() == {"app-adrs": None}
    assert len(engine.documents("app-adrs")) == 4000
    assert engine.update([changes])["app-adrs"] == Counts(added=100, unchanged=4000)
    assert engine.bookmarks() == {"app-adrs": bookmark}


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe# \x00T\x00", "# Ü\r\n\r\ntext\r\n".encode("latin-1"), b"\xef\xbb\xbf# B\n"],
)
def test_any_encoding_is_indexed(engine: EmbeddedEngine, tmp_path: Path, content: bytes) -> None:
    assert fill(engine, tmp_path, {"docs/a.md": content}) == Counts(added=1)


def test_the_number_of_chunks_follows_every_change(engine: EmbeddedEngine, tmp_path: Path) -> None:
    def numbers() -> list[int | None]:
        engine.verify()
        return [one.chunks for one in engine.status().collections]

    fill(engine, tmp_path, {"docs/a.md": SESSIONS, "docs/b.md": CACHE})
    assert numbers() == [5]
    fill(engine, tmp_path, {"src/a.py": "def a(): ...\n"}, collection=CODE)
    assert numbers() == [5, 1]
    fill(engine, tmp_path, {"docs/a.md": CACHE, "docs/b.md": None, "docs/c.md": CACHE})
    assert numbers() == [4, 1]
    fill(engine, tmp_path, {"docs/a.md": None, "docs/c.md": None})
    assert numbers() == [0, 1]
    assert engine.search(Query((SubQuery("lex", "pages"),))).pending == 1
    engine.remove(["app-code"])
    assert numbers() == [0]


def test_another_number_of_chunks_is_a_fault(engine: EmbeddedEngine, tmp_path: Path) -> None:
    fill(engine, tmp_path, {"docs/a.md": CACHE})
    with open_database(tmp_path / ".sdd/search/index.db", INDEX) as index:
        index.execute("UPDATE collections SET chunks = 7")
    assert engine.check() == ["1 collections with another number of chunks"]
