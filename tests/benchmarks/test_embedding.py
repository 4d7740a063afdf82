"""Both sides embed the same real prose; a measure without models is skipped with the reason."""

from __future__ import annotations

import os
import sqlite3
from array import array
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks import embedding
from benchmarks.__main__ import main
from benchmarks.corpus import records
from benchmarks.process import Run
from benchmarks.vectors import sum_of_sentences
from benchmarks.workbench import Sizes, Skipped, Workbench
from sdd_hooks.models.embedding_model import load_model
from tests.support.qmd import MISSING, installed


def test_the_prose_has_distinct_sentences() -> None:
    sentences = embedding.prose()
    assert len(sentences) == len(set(sentences)) > 200
    assert all(
        sentence[0].isupper() and sentence[-1] in ".!?" and "\n" not in sentence
        for sentence in sentences
    )


def test_records_of_prose_have_only_its_sentences() -> None:
    pool = embedding.prose()
    (record,) = records(1, pool=pool)
    body = [line for line in record.text.partition("\n# ")[2].splitlines()[1:] if line]
    left = "".join(line for line in body if not line.startswith("## "))
    for sentence in sorted(pool, key=len, reverse=True):
        left = left.replace(sentence, "")
    assert left.strip() == ""


@pytest.mark.parametrize(
    ("output", "count"),
    [
        ("embedded 600 chunks in 8.4 s with local:x on cpu\n", 600),
        ("\x1b[?25h███ 100%\n\n✓ Done! Embedded 1,252 chunks from 120 documents in 30s\n", 1252),
        ("nothing to embed (local:x)\n", 0),
    ],
)
def test_the_number_of_embedded_chunks_is_parsed_from_the_output(output: str, count: int) -> None:
    assert embedding.embedded(Run(1, 1, output)) == count


def test_without_a_model_the_measure_is_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--only", "embed", "--models", str(tmp_path), "--qmd", str(tmp_path / "q")]) == 0
    output = capsys.readouterr()
    assert f"skipped embed: needs a model as ONNX and as GGUF in {tmp_path}" in output.err
    assert output.out.rstrip().endswith("Not measured: embed.")
    assert not (tmp_path / "q").exists()


def test_a_model_for_one_side_only_is_not_enough(tmp_path: Path) -> None:
    (tmp_path / "x.gguf").touch()
    (tmp_path / "tokenizer.json").touch()
    with pytest.raises(Skipped, match="--models"):
        embedding.prepare(Workbench(tmp_path, Sizes(), tmp_path / "q", tmp_path), 3)


@pytest.fixture
def bench(tmp_path: Path, shared: Path) -> Workbench:
    """A workbench with the real qmd and the real model."""
    models = shared / "models/all-MiniLM-L6-v2"
    if not models.is_dir():
        pytest.skip("needs ../shared/models/all-MiniLM-L6-v2")
    directory = installed()
    if directory is None or not (directory.parent / "qmd.stamp").is_file():
        pytest.skip(MISSING)
    return Workbench(tmp_path, Sizes(), directory.parent, models)


def test_both_sides_get_vectors_without_embedding_each_record(bench: Workbench) -> None:
    sides, chunks = embedding.prepare_vectors(bench, 3)
    assert chunks == 15
    question = embedding.questions(1)[0]
    assert '"cosine": 0.' in sides.repository.sdd.search(question).output
    assert ".md" in sides.qmd.hybrid_search(question).output
    with closing(sqlite3.connect(sides.qmd.database)) as index:
        (rows,) = index.execute("SELECT count(*) FROM vectors_vec_rowids").fetchone()
    assert rows == 6
    # A given vector is near that of the model.
    first, second = embedding.prose()[:2]
    model = load_model(str(bench.models), bench.models, os.environ)
    given = array("f", sum_of_sentences(bench.models, [first, second])(f"{first} {second}"))
    embedded = array("f", model.embed([f"{first} {second}"])[0])
    assert sum(a * b for a, b in zip(given, embedded, strict=True)) > 0.8


def test_both_sides_embed_the_same_records(bench: Workbench) -> None:
    sides = embedding.prepare(bench, 2)
    # Four sections and the head of a record for sdd; twice as much as fits for qmd.
    for _ in range(2):
        assert embedding.embedded(sides.repository.sdd.embed()) == 10
    # Another run of qmd takes six seconds of CPU time: it says that it embeds everything again.
    ran = sides.qmd.embed()
    assert embedding.embedded(ran) == 4
    assert "clearing all vectors" in ran.output
    (question,) = embedding.questions(1)
    assert '"cosine": 0.' in sides.repository.sdd.search(question).output
    assert ".md" in sides.qmd.hybrid_search(question).output
    ours, theirs = embedding.tokens_read(sides)
    assert 2 * 700 < theirs <= 4 * 500
    assert theirs < ours < 2 * 1400
    assert [version for version in bench.versions() if version.startswith("qmd ")]
