"""Vectors of texts that are made of known sentences, without embedding each text.

The vector of a text is the direction of the sum of its sentences' vectors, as a model of pooled
tokens would give it roughly. Embedding 10,000 sections takes both sides ten minutes together, and a
thousand sentences ten seconds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

SENTENCE = re.compile(r"(?<![\w.])[A-Z][^.!?|#\n]{40,300}[.!?](?=\s)")

_ROWS_OF_QMD = (
    "SELECT seq, pos, model, embed_fingerprint, total_chunks, embedded_at FROM content_vectors"
    " WHERE hash = (SELECT min(hash) FROM content_vectors) ORDER BY seq"
)
_TABLE_OF_QMD = "SELECT sql FROM sqlite_schema WHERE name = 'vectors_vec'"

VectorOf = Callable[[str], bytes]
"""The float32 vector of a text, of length 1."""


def sum_of_sentences(model: Path, sentences: Sequence[str]) -> VectorOf:
    """Return a function that gives the vector of a text made of `sentences`.

    A text without any of them gets the vector of one of them.
    """
    import numpy

    from sdd_hooks.models.embedding_model import load_model

    embedded = load_model(str(model), model, os.environ).embed(sentences)
    vectors = [numpy.frombuffer(vector, "<f4") for vector in embedded]
    known = dict(zip(sentences, vectors, strict=True))

    def vector_of(text: str) -> bytes:
        found = [known[one] for one in SENTENCE.findall(f"{text}\n") if one in known]
        total = sum(found) if found else vectors[len(text) % len(vectors)]
        return bytes((total / numpy.linalg.norm(total)).astype("<f4").tobytes())

    return vector_of


def give_vectors_to_sdd(root: Path, vector_of: VectorOf) -> int:
    """Give every chunk of the index of a repository a vector. Returns the number of vectors."""
    import apsw

    from sdd_hooks.engines.embedded.backend import ENGINE
    from sdd_hooks.engines.vector_exchange import pack_vector
    from sdd_hooks.project.project import load_project

    with closing(apsw.Connection(str(root / ".sdd/search/index.db"))) as index:
        texts: list[Any] = index.execute("SELECT hash, text FROM chunks").fetchall()
    with closing(ENGINE.open(load_project(root, os.environ))) as engine:
        exchange = engine.exchange()
        vectors = {key: pack_vector(vector_of(text), exchange.storage) for key, text in texts}
        return exchange.adopt(exchange.dimensions, list(vectors.items()))


def give_vectors_to_qmd(source: Path, target: Path, vector_of: VectorOf) -> int:
    """Give the documents of an index of qmd vectors, cut like a document of the index `source`.

    All documents have the same length. Returns the number of vectors.
    """
    import apsw

    from sdd_hooks.engines.embedded.vectors import load_extension

    with closing(apsw.Connection(str(source))) as embedded:
        load_extension(embedded)
        rows: list[Any] = embedded.execute(_ROWS_OF_QMD).fetchall()
        table = str(embedded.execute(_TABLE_OF_QMD).get)
    ends = [*(row[1] for row in rows[1:]), None]
    number = 0
    with closing(apsw.Connection(str(target))) as index:
        load_extension(index)
        documents: list[Any] = index.execute("SELECT hash, doc FROM content").fetchall()
        with index:
            index.execute(table)
            for digest, text in documents:
                for (seq, start, *columns), end in zip(rows, ends, strict=True):
                    index.execute(
                        "INSERT INTO content_vectors VALUES(?, ?, ?, ?, ?, ?, ?)",
                        (digest, seq, start, *columns),
                    )
                    vector = vector_of(text[start:end])
                    index.execute(
                        "INSERT INTO vectors_vec VALUES(?, ?)", (f"{digest}_{seq}", vector)
                    )
                    number += 1
    return number
