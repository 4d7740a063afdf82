"""Each text is embedded once, for all work trees, and a killed embed is continued."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from sdd_hooks.config.settings import SearchSettings
from sdd_hooks.engines.embedded.engine import EmbeddedEngine, IndexFiles
from sdd_hooks.engines.embedding import MIN_BATCH
from sdd_hooks.engines.protocol import CollectionChanges, EmbedReport, Query, SubQuery
from sdd_hooks.errors import EngineUnavailable, StorageError
from sdd_hooks.project.collections import Collection
from sdd_hooks.system.locks import hold_lock
from tests.support.models import make_model
from tests.support.programs import run_python

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
    """Open the engine of one of several work trees that share their vectors."""
    return EmbeddedEngine(
        IndexFiles(root, root / tree / ".sdd/search/index.db", root / "shared/vectors.db"),
        settings=SearchSettings(embed_model=model),
        environ=os.environ,
    )


def indexed(root: Path, *, tree: str = "one", model: str = "./tiny") -> EmbeddedEngine:
    engine = open_at(root, tree=tree, model=model)
    engine.ensure([ADRS])
    paths: Sequence[str] = sorted(str(p.relative_to(root)) for p in root.glob("docs/*.md"))
    engine.update([CollectionChanges(ADRS, tuple(paths), True, None)])
    return engine


def add_documents(root: Path) -> None:
    """Add documents until there are 45 chunks, more than a batch."""
    for number in range(40):
        (root / f"docs/n{number}.md").write_text(f"# Number {number}\n\nuser {number}\n")


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


def test_only_changed_chunks_are_embedded(root: Path) -> None:
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


def test_search_by_meaning_finds_documents_without_the_words(root: Path) -> None:
    embed(indexed(root))
    engine = open_at(root)
    query = Query((SubQuery("lex", "nothing"), SubQuery("vec", "user database")))
    result = engine.search(query)
    engine.close()
    assert result.pending == 0
    assert result.hits[0].id == "docs/b.md#one"
    assert (result.hits[0].cosine or 0) > max(hit.cosine or 0 for hit in result.hits[1:])


def test_the_first_sub_query_has_double_weight_whether_words_or_meaning(root: Path) -> None:
    embed(indexed(root))
    engine = open_at(root)
    words, meaning = SubQuery("lex", "cache page"), SubQuery("vec", "user database")
    results = [
        engine.search(Query((words, meaning))).hits,
        engine.search(Query((meaning, words))).hits,
    ]
    engine.close()
    scores = [{hit.id: hit.score for hit in hits} for hits in results]
    assert scores[0]["docs/a.md#two"] > scores[1]["docs/a.md#two"]
    assert scores[0]["docs/b.md#one"] < scores[1]["docs/b.md#one"]


def test_while_a_chunk_has_no_vector_the_search_is_by_words(root: Path) -> None:
    embed(indexed(root))
    (root / "docs/c.md").write_text("# C\n\nnew text\n")
    engine = indexed(root)
    result = engine.search(Query((SubQuery("lex", "nothing"), SubQuery("vec", "user database"))))
    engine.close()
    assert result.pending == 1
    assert result.hits == ()


def test_a_model_that_cannot_run_fails_an_embed_but_not_a_search(root: Path) -> None:
    embed(indexed(root))
    (root / "tiny/tokenizer.json").unlink()
    engine = open_at(root)
    with pytest.raises(EngineUnavailable):
        engine.embed()
    result = engine.search(Query((SubQuery("lex", "token"), SubQuery("vec", "token"))))
    engine.close()
    assert [hit.path for hit in result.hits] == ["docs/a.md"]
    assert result.notes[0].startswith("searched by words only: ")


def test_a_second_embed_at_the_same_time_is_refused(root: Path) -> None:
    engine = indexed(root)
    (root / "shared").mkdir(exist_ok=True)
    with (
        hold_lock(root / "shared/embed.lock", 0) as is_locked,
        pytest.raises(StorageError, match="another embed"),
    ):
        assert is_locked
        engine.embed()
    engine.close()


def test_damaged_vectors_are_set_aside_by_an_embed(root: Path) -> None:
    (root / "shared").mkdir()
    (root / "shared/vectors.db").write_bytes(b"no vectors " * 1000)
    engine = indexed(root)
    report = engine.embed()
    assert report.embedded == 5
    assert report.notes[0].startswith(f"{root}/shared/vectors.db is damaged (")
    assert report.notes[0].endswith("; set aside as vectors.db.aside-1, 0 of its vectors are kept")
    engine.close()


@pytest.fixture
def picky(root: Path) -> Path:
    """The same, with a model that fails on the word `grue`."""
    refuse(root / "tiny", "grue")
    return root


def refuse(model: Path, word: str) -> None:
    """Make a model fail on a word: add it to the tokenizer, but not to the graph."""
    file = model / "tokenizer.json"
    tokenizer = json.loads(file.read_text())
    tokenizer["model"]["vocab"][word] = 9_999
    file.write_text(json.dumps(tokenizer))


def test_a_text_that_the_model_refuses_does_not_fail_the_others(picky: Path) -> None:
    for number in (1, 2, 3):
        (picky / f"docs/g{number}.md").write_text(f"# G\n\nuser grue {number // 2}\n")
    steps = []
    engine = indexed(picky)
    report = engine.embed(progress=lambda _, *count: steps.append(count) or True)
    assert (report.embedded, report.failed) == (5, 2)
    # Two of the three chunks are the same text.
    assert report.remaining == engine.status().pending == 3
    assert [note.partition(": ")[0] for note in report.notes] == [
        "docs/g1.md#file has no vector",
        "docs/g2.md#file has no vector",
    ]
    assert steps[-1] == (7, 7)
    assert engine.search(Query((SubQuery("lex", "cache"),))).hits
    engine.close()


def test_an_embed_of_only_refused_texts_does_not_fail(picky: Path) -> None:
    (picky / "docs/g.md").write_text("# G\n\nuser grue\n")
    embed(indexed(picky))
    report = embed(open_at(picky))
    assert (report.embedded, report.failed, report.remaining) == (0, 1, 1)


def test_only_the_first_failures_are_named(picky: Path) -> None:
    for number in range(40):
        (picky / f"docs/g{number}.md").write_text(f"# G {number}\n\ngrue {number}\n")
    report = embed(indexed(picky))
    assert (report.embedded, report.failed, report.remaining) == (5, 40, 40)
    assert len(report.notes) == 6
    assert report.notes[-1] == "35 more have no vector"


def test_a_model_that_refuses_every_text_fails_the_embed(root: Path) -> None:
    for word in ("A", "B"):
        refuse(root / "tiny", word)
    with pytest.raises(EngineUnavailable, match=r"the model local:tiny:.* failed"):
        embed(indexed(root))
    engine = open_at(root)
    assert engine.status().pending == 5
    engine.close()


BREAKING = """
import os, sys
from pathlib import Path
import llm
from sdd_hooks.errors import EngineUnavailable
from tests.engines.embedded.test_embedding import open_at

class Breaking(llm.EmbeddingModel):
    model_id = "breaking"
    count = 0
    def embed_batch(self, items):
        items = list(items)
        self.count += len(items)
        if self.count > 33:
            raise ConnectionError("gone")
        return [[1.0, 0.0] for _ in items]

class Plugin:
    @llm.hookimpl
    def register_embedding_models(self, register):
        register(Breaking())

llm.plugins.pm.register(Plugin())
engine = open_at(Path(sys.argv[1]), model="breaking")
try:
    engine.embed()
except EngineUnavailable as error:
    print(error, engine.status().pending)
"""


def test_a_model_that_fails_midway_ends_the_embed_and_keeps_stored_vectors(root: Path) -> None:
    pytest.importorskip("llm", reason="needs the extra llm")
    add_documents(root)
    indexed(root, model="breaking").close()
    done = run_python(BREAKING, str(root), env={**os.environ, "LLM_USER_PATH": str(root)})
    assert done.stdout == f"the model breaking failed: gone {45 - MIN_BATCH}\n"


KILLED = """
import os, sys
from pathlib import Path
from tests.engines.embedded.test_embedding import open_at

def die(step, done, total):
    if done:
        os.kill(os.getpid(), 9)
    return True

open_at(Path(sys.argv[1])).embed(progress=die)
"""


def test_a_killed_embed_is_continued(root: Path) -> None:
    add_documents(root)
    indexed(root).close()
    killed = subprocess.run([sys.executable, "-c", KILLED, str(root)], check=False)
    assert killed.returncode == -9
    assert embed(open_at(root)).embedded == 45 - MIN_BATCH


def edit_during_an_embed(root: Path, path: Path, text: str | None) -> EmbedReport:
    """Embed, and replace (None: delete) a file when the first batch is done. Index it at once."""
    engine = indexed(root)

    def edit(_step: str, done: int, total: int) -> bool:
        if 0 < done < total:
            path.write_text(text) if text is not None else path.unlink(missing_ok=True)
            indexed(root).close()
        return True

    try:
        return engine.embed(progress=edit)
    finally:
        engine.close()


def test_a_vector_is_stored_under_the_hash_of_the_text_that_was_embedded(root: Path) -> None:
    add_documents(root)
    # The longest text is embedded last, and its chunk has the highest id.
    last = root / "docs/z.md"
    old = "# Z\n\n" + "token session " * 20 + "\n"
    last.write_text(old)
    report = edit_during_an_embed(root, last, "# Z\n\n" + "cache page " * 20 + "\n")
    assert report.remaining == 0
    last.write_text(old)
    embed(indexed(root))
    engine = open_at(root)
    cosines = {
        hit.id: hit.cosine
        for hit in engine.search(Query((SubQuery("vec", "Z token session"),), limit=60)).hits
    }
    engine.close()
    assert max(cosines, key=lambda name: cosines[name] or 0) == "docs/z.md#file"


def test_a_document_that_is_deleted_during_an_embed_is_left_out(root: Path) -> None:
    add_documents(root)
    last = root / "docs/z.md"
    last.write_text("# Z\n\n" + "token session " * 20 + "\n")
    report = edit_during_an_embed(root, last, None)
    assert (report.embedded, report.failed, report.remaining) == (45, 0, 0)


def test_a_text_that_does_not_match_its_hash_gets_no_vector(root: Path) -> None:
    indexed(root).close()
    with closing(apsw.Connection(str(root / "one/.sdd/search/index.db"))) as index:
        index.execute("UPDATE chunks SET text = 'other' WHERE text LIKE '%database%'")
    report = embed(open_at(root))
    assert (report.embedded, report.failed, report.remaining) == (4, 1, 1)
    assert report.notes == (
        "docs/b.md#one has no vector: the index is damaged there, run `sdd index update --full`",
    )
