"""Vectors are made once, survive a kill, and are shared by the work trees of a repository."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sdd_hooks.engines.embedded.engine import EmbeddedEngine
from sdd_hooks.engines.protocol import CollectionChanges, EmbedReport, Query, SubQuery
from sdd_hooks.errors import EngineUnavailable, StorageError
from sdd_hooks.freshness.lock import held
from sdd_hooks.project.collections import Collection
from tests.support.models import make_model

ADRS = Collection("app-adrs", "adrs", "", "", ("docs",), (".md",), "", (), "")
DOCUMENTS = {
    "docs/a.md": "# A\n\n## One\n\ntoken session\n\n## Two\n\ncache page\n",
    "docs/b.md": "# B\n\n## One\n\ndatabase user\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_model(tmp_path / "tiny")
    for path, text in DOCUMENTS.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def open_at(root: Path, *, tree: str = "one", model: str = "./tiny") -> EmbeddedEngine:
    """The engine of one of several work trees that share their vectors."""
    return EmbeddedEngine(
        root, root / tree / ".sdd/search/index.db", root / "shared/vectors.db", model=model
    )


def indexed(root: Path, *, tree: str = "one", model: str = "./tiny") -> EmbeddedEngine:
    engine = open_at(root, tree=tree, model=model)
    engine.ensure([ADRS])
    paths: Sequence[str] = sorted(str(p.relative_to(root)) for p in root.glob("docs/*.md"))
    engine.update([CollectionChanges(ADRS, tuple(paths), True, None)])
    return engine


def embed(engine: EmbeddedEngine) -> EmbedReport:
    try:
        return engine.embed()
    finally:
        engine.close()


def test_every_chunk_gets_a_vector_once(root: Path) -> None:
    report = embed(indexed(root))
    assert (report.embedded, report.remaining, report.device) == (5, 0, "cpu")
    assert report.model.startswith("local:tiny:")
    assert embed(indexed(root)).embedded == 0


def test_only_what_changed_is_embedded(root: Path) -> None:
    embed(indexed(root))
    path = root / "docs/a.md"
    path.write_text(path.read_text().replace("cache page", "cache user"))
    (root / "docs/b.md").rename(root / "docs/c.md")
    assert embed(indexed(root)).embedded == 1


def test_another_work_tree_embeds_nothing(root: Path) -> None:
    embed(indexed(root))
    other = indexed(root, tree="two")
    assert other.status().pending == 0
    assert embed(other).embedded == 0


def test_search_by_meaning_finds_what_words_do_not(root: Path) -> None:
    embed(indexed(root))
    engine = open_at(root)
    query = Query((SubQuery("lex", "nothing"), SubQuery("vec", "user database")))
    result = engine.search(query)
    engine.close()
    assert result.pending == 0
    assert result.hits[0].id == "docs/b.md#one"
    assert (result.hits[0].cosine or 0) > max(hit.cosine or 0 for hit in result.hits[1:])


def test_the_first_sub_query_weighs_double_whatever_its_kind(root: Path) -> None:
    embed(indexed(root))
    engine = open_at(root)
    words, meaning = SubQuery("lex", "cache page"), SubQuery("vec", "user database")
    first = [
        engine.search(Query((words, meaning))).hits,
        engine.search(Query((meaning, words))).hits,
    ]
    engine.close()
    scores = [{hit.id: hit.score for hit in hits} for hits in first]
    assert scores[0]["docs/a.md#two"] > scores[1]["docs/a.md#two"]
    assert scores[0]["docs/b.md#one"] < scores[1]["docs/b.md#one"]


def test_while_a_chunk_has_no_vector_only_words_count(root: Path) -> None:
    embed(indexed(root))
    (root / "docs/c.md").write_text("# C\n\nnew text\n")
    engine = indexed(root)
    result = engine.search(Query((SubQuery("lex", "nothing"), SubQuery("vec", "user database"))))
    engine.close()
    assert result.pending == 1
    assert result.hits == ()


def test_a_model_that_cannot_run_stops_an_embed_and_not_a_search(root: Path) -> None:
    embed(indexed(root))
    (root / "tiny/tokenizer.json").unlink()
    engine = open_at(root)
    with pytest.raises(EngineUnavailable):
        engine.embed()
    result = engine.search(Query((SubQuery("lex", "token"), SubQuery("vec", "token"))))
    engine.close()
    assert [hit.path for hit in result.hits] == ["docs/a.md"]
    assert result.notes[0].startswith("searched by words only: ")


def test_a_second_embed_is_not_a_second_computation(root: Path) -> None:
    engine = indexed(root)
    (root / "shared").mkdir(exist_ok=True)
    with (
        held(root / "shared/embed.lock", 0) as mine,
        pytest.raises(StorageError, match="another embed"),
    ):
        assert mine
        engine.embed()
    engine.close()


def test_damaged_vectors_are_set_aside_by_an_embed(root: Path) -> None:
    (root / "shared").mkdir()
    (root / "shared/vectors.db").write_bytes(b"no vectors " * 1000)
    engine = indexed(root)
    assert engine.embed().embedded == 5
    assert any("set aside" in note for note in engine.notes)
    engine.close()


KILLED = """
import os, sys
from pathlib import Path
from tests.engines.embedded.test_embedding import open_at

def die(what, done, total):
    if done:
        os.kill(os.getpid(), 9)

open_at(Path(sys.argv[1])).embed(progress=die)
"""


def test_a_killed_embed_is_continued(root: Path) -> None:
    for number in range(40):
        (root / f"docs/n{number}.md").write_text(f"# Number {number}\n\nuser {number}\n")
    indexed(root).close()
    killed = subprocess.run([sys.executable, "-c", KILLED, str(root)], check=False)
    assert killed.returncode == -9
    assert embed(open_at(root)).embedded == 45 - 32
