"""A damaged file of vectors: words are found anyway, no wrong vector is used, an embed heals it."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from sdd_hooks.config.settings import SearchSettings
from sdd_hooks.engines.embedded.engine import EmbeddedEngine, IndexFiles
from sdd_hooks.engines.protocol import CollectionChanges, Query, SearchResult, SubQuery
from sdd_hooks.project.collections import Collection
from tests.adversarial.conftest import Rounds
from tests.support.models import WORDS, make_model

ADRS = Collection("app-adrs", "adrs", "", "", ("docs",), (".md",), "", (), "")
BOTH = Query((SubQuery("lex", "token cache"), SubQuery("vec", "database user page")), limit=60)
DOCUMENTS = 120
PAGE = 4096


def open_index(root: Path) -> EmbeddedEngine:
    return EmbeddedEngine(
        IndexFiles(root, root / ".sdd/search/index.db", root / "shared/vectors.db"),
        settings=SearchSettings(embed_model="./tiny"),
        environ=os.environ,
    )


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A work tree whose documents are embedded."""
    pytest.importorskip("onnxruntime", reason="needs the local extra")
    pytest.importorskip("tokenizers", reason="needs the local extra")
    root = tmp_path_factory.mktemp("damaged")
    make_model(root / "tiny")
    (root / "docs").mkdir()
    chance = random.Random(1)
    for number in range(DOCUMENTS):
        words = " ".join(chance.choices(WORDS[2:], k=6))
        (root / f"docs/n{number}.md").write_text(f"# Number {number}\n\n{words}\n")
    with closing(open_index(root)) as engine:
        engine.ensure([ADRS])
        paths = tuple(f"docs/n{number}.md" for number in range(DOCUMENTS))
        engine.update([CollectionChanges(ADRS, paths, True, None)])
        engine.embed()
    shutil.copytree(root / "shared", root / "sound")
    return root


def ranking(result: SearchResult) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in result.hits]


def search(root: Path) -> SearchResult:
    with closing(open_index(root)) as engine:
        return engine.search(BOTH)


def overwrite(file: Path, chance: random.Random) -> None:
    data = bytearray(file.read_bytes())
    for _ in range(chance.choice([1, 1, 3, 30])):
        at, length = chance.randrange(len(data)), chance.choice([1, 4, 100, PAGE])
        filler = chance.choice([bytes(length), b"\xff" * length, chance.randbytes(length)])
        data[at : at + length] = filler
    file.write_bytes(data)


def swap_pages(file: Path, chance: random.Random) -> None:
    data = file.read_bytes()
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    one, other = chance.randrange(len(pages)), chance.randrange(len(pages))
    pages[one], pages[other] = pages[other], pages[one]
    file.write_bytes(b"".join(pages))


def truncate(file: Path, chance: random.Random) -> None:
    os.truncate(file, chance.randrange(file.stat().st_size))


def append(file: Path, chance: random.Random) -> None:
    file.write_bytes(file.read_bytes() + chance.randbytes(chance.choice([1, PAGE])))


def replace_file(file: Path, chance: random.Random) -> None:
    file.unlink()
    kind = chance.choice(["empty", "text", "folder", "link", "pipe", "dangling", "other"])
    if kind == "empty":
        file.touch()
    elif kind == "text":
        file.write_text("no vectors\n" * chance.randrange(1, 2000))
    elif kind == "folder":
        file.mkdir()
    elif kind == "link":
        file.symlink_to(file.parent.parent / "sound/vectors.db")
    elif kind == "dangling":
        file.symlink_to(file.parent / "missing")
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        shutil.copy(file.parent.parent / ".sdd/search/index.db", file)


STATEMENTS = (
    "UPDATE vectors SET vector = randomblob(8) WHERE rowid_number % 3 = 0",
    "UPDATE vectors SET vector = (SELECT vector FROM vectors ORDER BY hash DESC LIMIT 1)",
    "UPDATE vectors SET checksum = checksum + 1",
    "UPDATE vectors SET model = 7",
    "UPDATE models SET dimensions = 384",
    "UPDATE models SET name = 'another'",
    "UPDATE models SET storage = 'float32'",
    "UPDATE models SET measured = 0, dimensions = 9",
    "DELETE FROM vectors",
    "DELETE FROM models",
    "DROP TABLE vectors",
    "DROP TABLE models",
    "ALTER TABLE vectors DROP COLUMN checksum",
    "ALTER TABLE vectors RENAME COLUMN vector TO other",
    "ALTER TABLE models ADD COLUMN other TEXT",
    "CREATE TRIGGER t AFTER INSERT ON vectors BEGIN DELETE FROM models; END",
    "CREATE TABLE other(a)",
    "DROP TABLE vectors; CREATE VIEW vectors AS SELECT 1 AS model, x'00' AS hash",
    "PRAGMA application_id = 1",
    "PRAGMA user_version = 0",
    "PRAGMA user_version = 1",
)


def change_rows(file: Path, chance: random.Random) -> None:
    with closing(apsw.Connection(str(file))) as store:
        statement = chance.choice(STATEMENTS)
        half = "hash > (SELECT hash FROM vectors LIMIT 1 OFFSET 60)"
        store.execute(statement.replace("rowid_number % 3 = 0", half))


DAMAGES: tuple[Callable[[Path, random.Random], None], ...] = (
    overwrite,
    overwrite,
    swap_pages,
    truncate,
    append,
    replace_file,
    change_rows,
    change_rows,
)


def restore(root: Path) -> Path:
    shutil.rmtree(root / "shared")
    shutil.copytree(root / "sound", root / "shared")
    return root / "shared/vectors.db"


def test_damaged_vectors_never_change_a_result(rounds: Rounds, root: Path) -> None:
    restore(root)
    whole = search(root)
    assert (whole.pending, whole.notes) == (0, ())
    restore(root).unlink()
    by_words = search(root)
    assert (by_words.pending, by_words.notes) == (DOCUMENTS, ())
    assert ranking(whole) != ranking(by_words) != []

    def case(chance: random.Random) -> None:
        file = restore(root)
        chance.choice(DAMAGES)(file, chance)
        first = search(root)
        assert ranking(first) == ranking(by_words if first.pending else whole)
        # Said once.
        second = search(root)
        assert ranking(second) == ranking(by_words if second.pending else whole)
        if not any("written by a newer sdd" in note for note in first.notes):
            assert second.notes == ()
        with closing(open_index(root)) as engine:
            report = engine.embed()
            assert (report.failed, report.remaining) == (0, 0)
            assert engine.check() == []
        healed = search(root)
        assert (ranking(healed), healed.notes) == (ranking(whole), ())

    rounds.run(case)
