"""A damaged index never gives a silent wrong answer, and the advice of its error repairs it."""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import apsw

from sdd_hooks.engines.protocol import Engine
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import NotIndexed, SddError
from sdd_hooks.freshness.refresh import RefreshOptions, RefreshResult, refresh
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.search import HitLimits, search
from tests.adversarial.conftest import Rounds
from tests.support.oracle import assert_index_matches_scratch
from tests.support.repos import Repo

PAGE = 4096
QUERIES = ("database decision", "harbours", "login", "number rivers", "word 7")

SQL = (
    "DROP TABLE facts",
    "DROP TABLE words",
    "DROP INDEX chunks_by_document",
    "DELETE FROM words_data WHERE id > 10",
    "DELETE FROM words_docsize",
    "DELETE FROM words_config",
    "UPDATE words_data SET block = zeroblob(4) WHERE id = 1",
    "UPDATE words_docsize SET sz = x'ff'",
    "DELETE FROM documents WHERE id % 3 = 0",
    "DELETE FROM collections",
    "UPDATE chunks SET document = 99999 WHERE id % 2",
    "UPDATE collections SET bookmark = '{}'",
    "UPDATE collections SET bookmark = '[[[[' ",
    "PRAGMA user_version = 99",
    "PRAGMA application_id = 5",
    "CREATE TABLE more(x)",
    "CREATE TRIGGER t AFTER INSERT ON documents BEGIN DELETE FROM chunks; END",
    "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '')"
    " WHERE name IN ('documents', 'chunks', 'collections', 'facts')",
    "ALTER TABLE chunks RENAME COLUMN text TO body",
)


LAX = (
    "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql ="
    " replace(replace(sql, 'STRICT', ''), 'NOT NULL', '') WHERE sql LIKE '%STRICT%'"
)
VALUES = ("NULL", "x'ff00'", "-1", "9223372036854775807", "1e300", "'a'", "CAST(x'ff' AS TEXT)")
TABLES = (
    ("collections", ("name", "kind", "module", "context", "bookmark")),
    ("documents", ("collection", "path", "hash", "title")),
    (
        "chunks",
        ("document", "collection", "anchor", "section", "first_line", "last_line", "hash", "text"),
    ),
    ("words_docsize", ("id", "sz")),
    ("words_data", ("id", "block")),
    ("words_config", ("v",)),
)


def damage_bytes(path: Path, rng: random.Random) -> str:
    """Damage the bytes of a file as disks, copies and other programs do. Returns what was done."""
    data = bytearray(path.read_bytes())
    kind = rng.choice(("flip", "flip", "flip", "run", "zero", "cut", "copy", "grow", "text"))
    at = rng.randrange(max(1, len(data)))
    page = at - at % PAGE
    if kind == "flip" and data:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == "run":
        data[at : at + rng.choice((4, 100, 5000))] = rng.randbytes(rng.choice((4, 100, 5000)))
    elif kind == "zero":
        data[page : page + PAGE] = bytes(PAGE)
    elif kind == "cut":
        del data[at:]
    elif kind == "copy":
        other = rng.randrange(max(1, len(data) // PAGE)) * PAGE
        data[page : page + PAGE] = data[other : other + PAGE]
    elif kind == "grow":
        data += rng.randbytes(rng.choice((10, PAGE)))
    else:
        data[:] = b"not a database " * 300
    path.write_bytes(data)
    return f"{kind} at {at}"


def damage_rows(path: Path, rng: random.Random) -> str:
    """Change the file through SQLite, so that its checksums are right."""
    return run_statements(path, rng.choice(SQL))


def damage_types(path: Path, rng: random.Random) -> str:
    """Store values of wrong types, in tables that allow it, with the right checksums."""
    table, columns = rng.choice(TABLES)
    column, value = rng.choice(columns), rng.choice(VALUES)
    statement = f"UPDATE OR IGNORE {table} SET {column} = {value}"
    statement += rng.choice(("", f" WHERE rowid % {rng.randrange(2, 9)} = 0"))
    return run_statements(path, LAX, statement)


def run_statements(path: Path, *statements: str) -> str:
    """Run each statement in a connection with checksums, up to one that fails. Returns the last."""
    for statement in statements:
        connection = apsw.Connection(str(path), vfs="cksmvfs")
        try:
            connection.execute(statement)
        except apsw.Error as error:
            return f"{statements[-1]}: {error}"
        finally:
            connection.close()
    return statements[-1]


def replace_file(path: Path, rng: random.Random) -> str:
    """Put something else in the place of the file."""
    kind = rng.choice(("missing", "empty", "directory", "pipe", "utf-16"))
    path.unlink()
    if kind == "empty":
        path.touch()
    elif kind == "directory":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "utf-16":
        connection = apsw.Connection(str(path))
        connection.execute("PRAGMA encoding = 'UTF-16'; CREATE TABLE facts(name, value)")
        connection.close()
    return kind


def hits(project: Project, words: str) -> list[tuple[str, float, int, str]]:
    """What `sdd search` finds."""
    with closing(open_engine(project)) as engine:
        found = search(project, engine, words, project.collections, HitLimits(50, 0.0)).hits
        return [(hit.id, hit.score, hit.first_line, hit.snippet) for hit in found]


def follow_advice(project: Project) -> RefreshResult:
    """Run `sdd index update`, or `sdd index` where that is its advice."""
    try:
        return refresh(project)
    except NotIndexed:
        return refresh(project, collections=project.collections)


READS: tuple[Callable[[Engine], object], ...] = (
    lambda engine: engine.status(),
    lambda engine: engine.coverage(),
    lambda engine: engine.touched(),
    lambda engine: [engine.documents(name) for name in engine.bookmarks()],
    lambda engine: engine.check(),
)


class Damaged:
    """A repository with a sound index, which each case damages and repairs."""

    def __init__(self, repo: Repo, folder: Path) -> None:
        text = "# ADR-{0:04d}: Number {0}\n\nA database.\n\n## Decision\n\nWord {0}, {1}.\n"
        places = ("harbours", "rivers", "lakes")
        files = {
            f"docs/adrs/ADR-{number:04d}.md": text.format(number, places[number % 3]) * 3
            for number in range(1, 30)
        }
        files["src/app.py"] = "def login():\n    return 1\n"
        repo.commit("Start", files)
        project = repo.project()
        refresh(project, collections=project.collections)
        self.repo = repo
        self.search = project.repository.search_dir
        self.sound = folder / "sound"
        shutil.copytree(self.search, self.sound)
        self.expected = {words: hits(project, words) for words in QUERIES}

    def run(self, rng: random.Random) -> None:
        shutil.rmtree(self.search)
        shutil.copytree(self.sound, self.search)
        index = self.search / "index.db"
        kinds: tuple[Callable[[Path, random.Random], str], ...]
        kinds = (damage_bytes, damage_bytes, damage_bytes, damage_rows, damage_types, replace_file)
        done = rng.choice(kinds)(index, rng)
        try:
            self._check(done, rng)
        except BaseException:
            sys.stdout.write(f"{done}\n")
            raise

    def _check(self, done: str, rng: random.Random) -> None:
        project = self.repo.project()
        failed = False
        for operation in READS:
            with suppress(SddError), closing(open_engine(project)) as engine:
                operation(engine)
        if rng.random() < 0.5:
            # Without the marks that these left, the update has to find the damage itself.
            for mark in self.search.glob("*.damaged"):
                mark.unlink()
        for words in QUERIES:
            try:
                found = hits(project, words)
            except SddError as error:
                assert "un `sdd index" in str(error), error
                failed = not isinstance(error, NotIndexed)
            else:
                if not is_hostile(done):
                    assert found == self.expected[words], words
        if rng.random() < 0.3:
            self.repo.write("docs/adrs/ADR-0001.md", f"# ADR-0001: {rng.random()}\n")
        update = follow_advice(project)
        assert not failed or update.notes, "the repair was not said"
        if not failed or is_hostile(done):
            refresh(project, options=RefreshOptions(scan="full"))
        self.repo.git("checkout", "-q", "--", ".")
        refresh(project)
        assert_index_matches_scratch(self.repo)
        words = rng.choice(QUERIES)
        assert hits(project, words) == self.expected[words]


def is_hostile(done: str) -> bool:
    """Whether every page of the file is as a program wrote it, so that no checksum is wrong."""
    return not done.startswith(("flip", "run", "zero", "cut", "grow", "text"))


def test_damage_is_found_and_repaired(rounds: Rounds, tmp_path: Path) -> None:
    damaged = Damaged(Repo.init(tmp_path / "repo"), tmp_path)
    rounds.run(damaged.run)
