"""Both sides embed the same real prose; a measure without models is skipped with the reason."""

from __future__ import annotations

import pytest

from benchmarks import embedding
from benchmarks.corpus import records
from benchmarks.process import Run


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
