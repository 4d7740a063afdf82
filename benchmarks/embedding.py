"""Both sides with the same embedding model, on records of real prose.

The words of the other measures are made up, and a model's tokenizer cuts them into more pieces than
words that exist. These records are made of sentences of the documents in `quality/seeds`.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpus import create_repository
from benchmarks.process import Run
from benchmarks.qmd import TOKENS, Qmd
from benchmarks.vectors import SENTENCE, give_vectors_to_qmd, give_vectors_to_sdd, sum_of_sentences
from benchmarks.workbench import Repository, Skipped, Workbench

_PROSE = Path(__file__).parent / "quality/seeds/docs"
_MODEL_TOKENS = 512
_CONFIGURATION = "### SDD Configuration\n\n#### Search\n\n- **Embed Model**: {model}\n"


@dataclass(frozen=True)
class Sides:
    """A repository and a qmd that have indexed the same records, and the model's tokenizer file."""

    repository: Repository
    qmd: Qmd
    tokenizer: Path


def prose() -> list[str]:
    """The sentences, each once."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(_PROSE.rglob("*.md")))
    return list(dict.fromkeys(found for text in texts for found in SENTENCE.findall(text)))


def questions(count: int) -> list[str]:
    """The words of `count` sentences, without the punctuation that both sides parse."""
    return [" ".join(re.findall(r"\w+", sentence)) for sentence in prose()[:count]]


def prepare(bench: Workbench, count: int) -> Sides:
    """`count` records of prose, indexed by both sides, without vectors.

    Raises:
        Skipped: the directory of models has no ONNX file, no tokenizer or no GGUF.
    """
    gguf = next(iter(sorted(bench.models.glob("*.gguf"))), None)
    tokenizer = bench.models / "tokenizer.json"
    if gguf is None or not tokenizer.is_file() or not any(bench.models.rglob("*.onnx")):
        raise Skipped(f"needs a model as ONNX and as GGUF in {bench.models}, or --models DIR")
    sdd = bench.sdd(f"prose-{count}")
    paths = create_repository(sdd.root, count, sdd.environ, prose())
    configuration = _CONFIGURATION.format(model=bench.models)
    (sdd.root / "CLAUDE.md").write_text(configuration, encoding="utf-8")
    sdd.first_index()
    return Sides(Repository(sdd, paths), bench.indexed_by_qmd(sdd.root, gguf), tokenizer)


def prepare_vectors(bench: Workbench, count: int) -> tuple[Sides, int]:
    """Return `count` records of prose with the vectors of both sides, and sdd's number of chunks.

    The vectors are those of `benchmarks.vectors`: embedding the records takes ten minutes.

    Raises:
        Skipped: like `prepare`.
        ProcessFailed: a side cannot embed.
    """
    one = prepare(bench, 1)
    one.qmd.embed()
    sides = prepare(bench, count)
    vector_of = sum_of_sentences(bench.models, prose())
    chunks = give_vectors_to_sdd(sides.repository.sdd.root, vector_of)
    give_vectors_to_qmd(one.qmd.database, sides.qmd.database, vector_of)
    return sides, chunks


def embedded(run: Run) -> int:
    """The number of embedded chunks in the output of either side; 0 without one."""
    said = re.search(r"[Ee]mbedded (\d[\d,]*) chunks", run.output)
    return int(said[1].replace(",", "")) if said else 0


def tokens_read(sides: Sides) -> tuple[int, int]:
    """The number of tokens of the records that the model read: for sdd, and for qmd.

    A text that is too long for its engine counts with what the engine keeps of it.
    """
    return (
        _tokens(sides.tokenizer, _MODEL_TOKENS, _texts_of_sdd(sides.repository)),
        _tokens(sides.tokenizer, TOKENS, _texts_of_qmd(sides.qmd)),
    )


def _texts_of_sdd(repository: Repository) -> list[str]:
    from sdd_hooks.chunking.document import chunk_document, text_to_embed

    return [
        text_to_embed(found.title, chunk.title, chunk.text)
        for path in repository.paths
        for found in [chunk_document(path, (repository.sdd.root / path).read_bytes())]
        for chunk in found.chunks
    ]


def _texts_of_qmd(qmd: Qmd) -> list[str]:
    """What qmd has embedded, each chunk to the end of its document: its own chunks end later than
    the model reads, or there."""
    with closing(sqlite3.connect(qmd.database)) as connection:
        rows = connection.execute(
            "SELECT title, doc, pos FROM content_vectors JOIN content USING(hash)"
            " JOIN documents USING(hash)"
        )
        return [f"title: {title} | text: {text[start:]}" for title, text, start in rows]


def _tokens(tokenizer: Path, longest: int, texts: list[str]) -> int:
    from tokenizers import Tokenizer

    reader = Tokenizer.from_file(str(tokenizer))
    reader.enable_truncation(longest)
    reader.no_padding()
    return sum(len(encoding.ids) for encoding in reader.encode_batch(texts))
