"""Damaged vectors are rebuilt from their sound rows, and a search goes on by words."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from sdd_hooks.engines.embedded import vector_file
from sdd_hooks.engines.embedded.database import open_database
from sdd_hooks.engines.embedded.engine import EmbeddedEngine
from sdd_hooks.engines.embedded.schema import VECTORS
from sdd_hooks.engines.protocol import Query, SearchResult, SubQuery
from sdd_hooks.errors import StorageError
from sdd_hooks.system.locks import hold_lock
from tests.engines.embedded.test_embedding import DOCUMENTS, embed, indexed, open_at
from tests.support.models import make_model

BOTH = Query((SubQuery("lex", "token"), SubQuery("vec", "user database")))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A work tree whose five chunks are embedded."""
    make_model(tmp_path / "tiny")
    for path, text in DOCUMENTS.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    embed(indexed(tmp_path))
    return tmp_path


def change(root: Path, statement: str) -> None:
    with closing(apsw.Connection(str(root / "shared/vectors.db"))) as store:
        store.execute(statement)


def search(root: Path) -> SearchResult:
    with closing(open_at(root)) as engine:
        return engine.search(BOTH)


def test_only_the_damaged_vectors_are_computed_again(root: Path) -> None:
    whole = search(root)
    change(
        root,
        "UPDATE vectors SET vector = x'7f02030405060708' WHERE hash IN"
        " (SELECT hash FROM vectors LIMIT 2)",
    )
    first = search(root)
    assert first.pending == 5 - kept(first.notes[0])
    assert [hit.id for hit in first.hits] == ["docs/a.md#one"]
    assert first.notes[0].startswith(
        f"{root}/shared/vectors.db is damaged (a vector does not match its checksum);"
        " set aside as vectors.db.aside-1, "
    )
    assert search(root).notes == ()
    assert embed(open_at(root)).embedded == first.pending
    assert search(root) == whole


def kept(note: str) -> int:
    return int(note.rpartition("aside-1, ")[2].split()[0])


@pytest.mark.parametrize(
    "use", [lambda engine: engine.status().pending, lambda engine: engine.coverage().pending]
)
def test_a_report_counts_no_damaged_file(root: Path, use: Callable[[EmbeddedEngine], int]) -> None:
    (root / "shared/vectors.db").write_bytes(b"no vectors " * 1000)
    with closing(open_at(root)) as engine:
        assert use(engine) == 5
        assert engine.check() == [f"{root}/shared/vectors.db is damaged (file is not a database)"]
    assert not list((root / "shared").glob("*.aside-*"))


def test_while_an_embed_runs_a_search_repairs_nothing(root: Path) -> None:
    change(root, "UPDATE vectors SET checksum = 0")
    with hold_lock(root / "shared/embed.lock", 0):
        result = search(root)
    assert len(result.hits) == 1
    assert result.notes == (
        f"searched by words only: {root}/shared/vectors.db is damaged (a vector does not match its"
        " checksum), and another process embeds: try again after it",
    )
    assert not list((root / "shared").glob("*.aside-*"))


def test_the_file_of_a_newer_version_is_left_alone(root: Path) -> None:
    change(root, "CREATE TABLE newer(a)")
    change(root, "PRAGMA user_version = 9")
    (note,) = search(root).notes
    assert note == f"searched by words only: {root}/shared/vectors.db was written by a newer sdd"
    with closing(open_at(root)) as engine, pytest.raises(StorageError, match="update this one"):
        engine.embed()
    assert not list((root / "shared").glob("*.aside-*"))


def test_a_file_is_checked_again_when_it_changes_and_after_a_week(root: Path) -> None:
    path = root / "shared/vectors.db"
    assert vector_file.find_fault(path) == ""
    state = vector_file.file_state(path)
    vector_file.mark_checked(path, state, 1000.0)
    assert vector_file.is_checked(path, 1000.0)
    assert vector_file.is_checked(path, 1000.0 + vector_file.MAX_AGE_SECONDS)
    assert not vector_file.is_checked(path, 1001.0 + vector_file.MAX_AGE_SECONDS)
    assert not vector_file.is_checked(path, 999.0)
    os.utime(path, ns=(1, 1))
    assert not vector_file.is_checked(path, 1000.0)


@pytest.mark.parametrize("text", [b"", b"x", b"\xff" * 9, b"1.1.1 nan", b"0" * 10_000])
def test_an_invalid_record_of_a_check_counts_as_none(root: Path, text: bytes) -> None:
    (root / "shared" / vector_file.CHECKED).write_bytes(text)
    assert not vector_file.is_checked(root / "shared/vectors.db", 1000.0)


def test_a_missing_file_has_no_fault_and_no_state(tmp_path: Path) -> None:
    assert vector_file.find_fault(tmp_path / "vectors.db") == ""
    assert vector_file.file_state(tmp_path / "vectors.db") == ""


def test_a_sound_file_is_not_checked_again_after_an_embed(root: Path) -> None:
    assert vector_file.is_checked(root / "shared/vectors.db", 1e10) is False
    record = (root / "shared" / vector_file.CHECKED).read_bytes()
    search(root)
    assert (root / "shared" / vector_file.CHECKED).read_bytes() == record


def test_a_rebuilt_file_has_the_tables_of_this_version(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    open_database(path, VECTORS).close()
    with closing(apsw.Connection(str(path))) as store:
        store.execute("DROP TABLE vectors")
    fault = vector_file.find_fault(path)
    assert fault == f"{path} is damaged (its tables are not those of sdd)"
    note = vector_file.rebuild(path, fault)
    assert note == f"{fault}; set aside as vectors.db.aside-1, 0 of its vectors are kept"
    assert vector_file.find_fault(path) == ""


def test_vectors_that_cannot_be_reached_leave_the_words(root: Path) -> None:
    (root / "shared").rename(root / "elsewhere")
    (root / "shared").write_text("no directory")
    result = search(root)
    assert [hit.id for hit in result.hits] == ["docs/a.md#one"]
    [note] = result.notes
    assert note == (
        f"searched by words only: cannot use {root}/shared/vectors.db (Not a directory):"
        " check its directory"
    )
