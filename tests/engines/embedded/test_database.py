"""Opening files that are new, old, newer, foreign, damaged, locked or read-only."""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from sdd_hooks.engines.embedded.database import (
    MAX_ASIDE,
    ImpossibleValue,
    open_database,
    open_or_replace,
    set_aside,
    translate_errors,
)
from sdd_hooks.engines.embedded.schema import INDEX, VECTORS, Schema
from sdd_hooks.errors import IndexDamaged, StorageError
from tests.support.programs import run_program
from tests.support.users import read_only_tree, without_rights_of_root

COUNT_DOCUMENTS = """
import sys
from pathlib import Path
from sdd_hooks.engines.embedded.database import open_database
from sdd_hooks.engines.embedded.schema import INDEX
print(open_database(Path(sys.argv[1]), INDEX).execute("SELECT count(*) FROM documents").get)
"""


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
    first = ("CREATE TABLE one(x)",)
    open_database(tmp_path / "a.db", Schema(7, first)).close()
    with pytest.raises(IndexDamaged, match="NONSENSE"):
        open_database(tmp_path / "a.db", Schema(7, (*first, "CREATE TABLE two(x); NONSENSE")))
    connection = open_database(tmp_path / "a.db", Schema(7, first))
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


def test_the_oldest_file_set_aside_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    for number in range(MAX_ASIDE):
        path.write_bytes(b"old")
        Path(f"{path}-wal").write_bytes(b"old")
        os.utime(set_aside(path), (number, number))
    os.utime(tmp_path / "index.db.aside-2", (0, 0))
    os.utime(tmp_path / "index.db.aside-1", (9, 9))
    path.write_bytes(b"new")
    assert set_aside(path).name == "index.db.aside-2"
    assert (tmp_path / "index.db.aside-2").read_bytes() == b"new"
    assert not (tmp_path / "index.db.aside-2-wal").exists()
    assert len(list(tmp_path.glob("index.db.aside-?"))) == MAX_ASIDE


def test_a_symlink_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.db"
    (tmp_path / "index.db").symlink_to(target)
    with pytest.raises(StorageError):
        open_database(tmp_path / "index.db", INDEX)
    assert not target.exists()


def test_a_trigger_in_the_file_does_not_run(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    connection = open_database(path, INDEX)
    planted = apsw.Connection(str(path))
    planted.execute(
        "CREATE TRIGGER t AFTER INSERT ON documents BEGIN DELETE FROM collections; END;"
        "INSERT INTO collections(name, kind, module, context) VALUES('a', 'adrs', '', '')"
    )
    planted.close()
    connection.execute("INSERT INTO documents(collection, path, hash, title) VALUES(1,'p',x'','')")
    assert connection.execute("SELECT count(*) FROM collections").get == 1
    connection.close()
    with pytest.raises(IndexDamaged, match="tables are not those of sdd"):
        open_database(path, INDEX)


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE facts",
        "DROP TABLE words",
        "DROP INDEX chunks_by_document",
        "CREATE VIEW more AS SELECT 1",
    ],
)
def test_a_file_with_other_tables_is_damaged(tmp_path: Path, change: str) -> None:
    path = tmp_path / "index.db"
    open_database(path, INDEX).close()
    planted = apsw.Connection(str(path))
    planted.execute(change)
    planted.close()
    with pytest.raises(IndexDamaged, match="run `sdd index update`"):
        open_database(path, INDEX)


def test_a_file_in_utf_16_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    planted = apsw.Connection(str(path))
    planted.execute("PRAGMA encoding = 'UTF-16le'")
    for script in INDEX.migrations:
        planted.execute(script)
    _mark_as_index(planted)
    planted.close()
    with pytest.raises(IndexDamaged, match="run `sdd index update`"):
        open_database(path, INDEX)


def test_a_directory_in_the_place_of_the_file_is_damage_that_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    path.mkdir()
    with pytest.raises(IndexDamaged, match="not a regular file"):
        open_database(path, INDEX)
    opened = open_or_replace(path, INDEX)
    assert opened.note.endswith("set aside as index.db.aside-1")
    opened.connection.close()


def test_a_file_without_checksums_gets_them(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    plain = apsw.Connection(str(path), vfs="unix")
    for script in INDEX.migrations:
        plain.execute(script)
    _mark_as_index(plain)
    plain.execute("INSERT INTO facts VALUES('touched', 5)")
    plain.close()
    opened = open_database(path, INDEX)
    assert opened.execute("SELECT value FROM facts").get == 5
    opened.close()
    assert path.read_bytes()[20] == 8


def test_every_changed_page_is_found(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    connection = open_database(path, INDEX)
    rows = [(name, bytes(3000)) for name in range(40)]
    connection.executemany("INSERT INTO facts VALUES(?, ?)", rows)
    connection.close()
    sound = path.read_bytes()
    for page in range(1, len(sound) // 4096):
        data = bytearray(sound)
        data[page * 4096 + 1000] ^= 1
        path.write_bytes(data)
        assert faults(path), page
    for size in range(len(sound) - 4095, len(sound), 455):
        path.write_bytes(sound[:size])
        # SQLite reads the end of a page that is cut off as zeros, without its checksum.
        assert faults(path), size


def _mark_as_index(connection: apsw.Connection) -> None:
    connection.execute(f"PRAGMA application_id={INDEX.application_id}")
    connection.execute(f"PRAGMA user_version={len(INDEX.migrations)}")


def faults(path: Path) -> list[str]:
    """What SQLite finds wrong with the file."""
    try:
        with closing(open_database(path, INDEX)) as opened, translate_errors(path):
            rows = opened.execute("PRAGMA integrity_check").fetchall()
    except IndexDamaged as error:
        return [str(error)]
    return [text for (text,) in rows if text != "ok"]


def test_a_changed_page_is_an_error_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    connection = open_database(path, INDEX)
    connection.execute("INSERT INTO facts VALUES('touched', ?)", ("word " * 100,))
    connection.close()
    path.write_bytes(path.read_bytes().replace(b"word word", b"word lord"))
    opened = open_database(path, INDEX)
    with pytest.raises(IndexDamaged, match="a page has changed"), translate_errors(path):
        opened.execute("SELECT value FROM facts").fetchall()
    opened.close()


def test_found_damage_is_repaired_by_the_next_writer(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    open_database(path, INDEX).close()
    with pytest.raises(IndexDamaged), translate_errors(path):
        raise ImpossibleValue("a row has the types NoneType")
    opened = open_or_replace(path, INDEX)
    assert opened.note == f"{path} was damaged; set aside as index.db.aside-1"
    opened.connection.close()
    again = open_or_replace(path, INDEX)
    assert again.note == ""
    again.connection.close()


def test_a_path_that_is_no_utf_8_works(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9 %3F") / "index.db"
    open_database(path, INDEX).close()
    assert path.is_file()


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


def test_a_read_only_index_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "place" / "index.db"
    open_database(path, INDEX).close()
    with read_only_tree(path.parent):
        done = run_program(
            *without_rights_of_root(sys.executable, "-c", COUNT_DOCUMENTS, str(path)), check=False
        )
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_a_hard_link_is_not_written_through(tmp_path: Path, suffix: str) -> None:
    """SQLite follows no symbolic link, but writes into a file with another name."""
    path = tmp_path / "index.db"
    open_database(path, INDEX).close()
    place = path.with_name(path.name + suffix)
    place.unlink(missing_ok=True)
    (tmp_path / "elsewhere").write_bytes(b"elsewhere")
    place.hardlink_to(tmp_path / "elsewhere")
    opened = open_or_replace(path, INDEX)
    opened.connection.execute("PRAGMA user_version")
    opened.connection.close()
    assert (opened.note != "") == (suffix == "")
    assert (tmp_path / "elsewhere").read_bytes() == b"elsewhere"
