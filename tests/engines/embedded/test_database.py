"""Opening files that are new, old, newer, foreign, damaged, locked or read-only."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import apsw
import pytest

from sdd_hooks.engines.embedded.database import open_database, set_aside, translate_errors
from sdd_hooks.engines.embedded.schema import INDEX, VECTORS, Schema
from sdd_hooks.errors import IndexDamaged, StorageError


def test_a_new_file_has_the_current_version(tmp_path: Path) -> None:
    connection = open_database(tmp_path / "new" / "index.db", INDEX)
    assert connection.execute("PRAGMA user_version").get == len(INDEX.migrations)
    assert connection.execute("PRAGMA journal_mode").get == "wal"
    connection.close()


def test_an_older_file_is_migrated_and_keeps_its_data(tmp_path: Path) -> None:
    first = Schema(0x1234, ("CREATE TABLE one(x)",))
    second = Schema(0x1234, (*first.migrations, "ALTER TABLE one ADD COLUMN y DEFAULT 5"))
    connection = open_database(tmp_path / "a.db", first)
    connection.execute("INSERT INTO one VALUES(1)")
    connection.close()
    connection = open_database(tmp_path / "a.db", second)
    assert connection.execute("SELECT x, y FROM one").fetchall() == [(1, 5)]
    connection.close()
    with pytest.raises(IndexDamaged, match="newer sdd"):
        open_database(tmp_path / "a.db", first)


def test_a_failed_migration_leaves_the_old_version(tmp_path: Path) -> None:
    open_database(tmp_path / "a.db", Schema(7, ("CREATE TABLE one(x)",))).close()
    with pytest.raises(apsw.SQLError):
        open_database(tmp_path / "a.db", Schema(7, ("", "CREATE TABLE two(x); NONSENSE")))
    connection = open_database(tmp_path / "a.db", Schema(7, ("CREATE TABLE one(x)",)))
    assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("one",)]
    connection.close()


@pytest.mark.parametrize("content", [b"not a database at all, really not" * 40, b"\0" * 5000])
def test_a_damaged_file_is_an_error_that_advises_an_update(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "index.db"
    path.write_bytes(content)
    with pytest.raises(IndexDamaged, match="run `sdd index update`"):
        open_database(path, INDEX)


def test_a_foreign_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE other(x)")
    connection.commit()
    connection.close()
    with pytest.raises(IndexDamaged, match="not an index of sdd"):
        open_database(path, INDEX)
    with pytest.raises(IndexDamaged):
        open_database(path, VECTORS)


def test_set_aside_files_are_numbered_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    for content in (b"one", b"two"):
        path.write_bytes(content)
        Path(f"{path}-wal").write_bytes(content)
        set_aside(path)
    assert (tmp_path / "index.db.aside-2-wal").read_bytes() == b"two"
    assert not Path(f"{path}-wal").exists()
    assert (tmp_path / "index.db.aside-1").read_bytes() == b"one"
    assert (tmp_path / "index.db.aside-2").read_bytes() == b"two"
    assert not path.exists()


def test_a_symlink_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.db"
    (tmp_path / "index.db").symlink_to(target)
    with pytest.raises(StorageError):
        open_database(tmp_path / "index.db", INDEX)
    assert not target.exists()


def test_a_trigger_in_the_file_does_not_run(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    open_database(path, INDEX).close()
    planted = apsw.Connection(str(path))
    planted.execute(
        "CREATE TRIGGER t AFTER INSERT ON documents BEGIN DELETE FROM collections; END;"
        "INSERT INTO collections(name, kind, module, context) VALUES('a', 'adrs', '', '')"
    )
    planted.close()
    connection = open_database(path, INDEX)
    connection.execute("INSERT INTO documents(collection, path, hash, title) VALUES(1,'p',x'','')")
    assert connection.execute("SELECT count(*) FROM collections").get == 1
    connection.close()


def test_errors_of_sqlite_become_errors_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    one = open_database(path, INDEX)
    two = open_database(path, INDEX)
    two.set_busy_timeout(1)
    one.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="locked by another process"), translate_errors(path):
        two.execute("BEGIN IMMEDIATE")
    one.close()
    two.execute("PRAGMA max_page_count = 1")
    with pytest.raises(StorageError, match="no space left"), translate_errors(path):
        two.execute("BEGIN; CREATE TABLE big(x); INSERT INTO big VALUES(zeroblob(1000000))")
    two.close()


@pytest.mark.skipif(
    os.getuid() == 0, reason="root can write to read-only files: read-only checkout"
)
def test_a_read_only_index_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "place" / "index.db"
    open_database(path, INDEX).close()
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        connection = open_database(path, INDEX)
        assert connection.execute("SELECT count(*) FROM documents").get == 0
        connection.close()
    finally:
        path.parent.chmod(0o700)
