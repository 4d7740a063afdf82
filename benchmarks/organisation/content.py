"""Generated repositories in the organisation's index, loaded in bulk."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection

from benchmarks.corpus import sentences
from sdd_hooks.chunking.document import chunk_document, chunk_hash
from sdd_hooks.engines.postgres.vectors import ModelSpace, create_space
from sdd_hooks.engines.postgres.words import chunk_words
from sdd_hooks.engines.reading import ChunkFields

MODEL = "generated"
DIMENSIONS = 384
_CLUSTERS = 4_000
# As all-MiniLM-L6-v2 distributes the texts of `docs/`: the variance of the components in order, and
# the share of the square of a vector's length that all vectors have in common.
_DEVIATIONS = (10 + np.arange(DIMENSIONS, dtype=np.float32)) ** -0.75
_COMMON = 0.26
_VECTORS_AT_ONCE = 20_000
_KINDS = (("adrs", "docs/adrs/ADR-{:04}.md"), ("specs", "docs/openspec/specs/s{0}/spec.md"))
_INDEXES = ("chunks_by_document", "chunks_by_hash", "chunks_by_words")


class Size(NamedTuple):
    """How many repositories, documents in all, and chunks in all."""

    repositories: int
    documents: int
    chunks: int


class Content:
    """Deterministic documents, vectors and queries."""

    def __init__(self, seed: int = 22) -> None:
        self.chance = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.sentences = sentences()
        # The texts of all seeds are about the same subjects.
        self.centers = _directions(np.random.default_rng(0), _CLUSTERS)

    def document(self, chunks: int) -> str:
        """Return a decision record whose chunker makes `chunks` chunks of it."""
        pick = self.chance.choice
        parts = [
            f"# {pick(self.sentences)}\n\n{' '.join(self.chance.choices(self.sentences, k=4))}"
        ]
        for _ in range(chunks - 1):
            heading = " ".join(pick(self.sentences).split()[:3]).rstrip(".")
            parts.append(f"## {heading}\n\n{' '.join(self.chance.choices(self.sentences, k=6))}")
        return "\n\n".join(parts) + "\n"

    def vectors(self, count: int) -> NDArray[np.int8]:
        """Return vectors as int8, in clusters as those of texts are."""
        chosen = self.numbers.integers(0, _CLUSTERS, count)
        found = self.centers[chosen] + _directions(self.numbers, count)
        found *= np.sqrt((1 - _COMMON) / np.square(found).sum(axis=1, keepdims=True))
        found[:, -1] += np.sqrt(_COMMON)
        found *= 127 / np.abs(found).max(axis=1, keepdims=True)
        rounded: NDArray[np.int8] = np.rint(found).astype(np.int8)
        return rounded

    def query(self) -> str:
        """Return a question of two to five words, frequent and rare ones as texts have them."""
        words = re.findall(r"\w+", self.chance.choice(self.sentences))
        return " ".join(self.chance.sample(words, k=min(len(words), self.chance.randint(2, 5))))


def _directions(numbers: np.random.Generator, count: int) -> NDArray[np.float32]:
    values = numbers.standard_normal((count, DIMENSIONS), dtype=np.float32)
    values *= _DEVIATIONS
    return values


def load(connection: Connection, content: Content, size: Size) -> ModelSpace:
    """Fill the empty database. Indexes are built after the rows are there."""
    space = create_space(connection, MODEL, "int8", DIMENSIONS)
    definitions = _drop_indexes(connection)
    per_repository = size.documents // size.repositories
    chunks = size.chunks // size.documents
    connection.execute(
        "INSERT INTO sdd.repositories(id, name, chunker, touched) SELECT id,"
        " 'git.example/team/service-' || id, '', 0 FROM generate_series(1, %s) AS id",
        (size.repositories,),
    )
    connection.execute(
        "INSERT INTO sdd.collections(repository, name, kind, module, context)"
        " SELECT r.id, k, k, '', k"
        " FROM sdd.repositories AS r, unnest(ARRAY['adrs', 'specs']) AS k"
    )
    hashes = _load_texts(connection, content, (size.repositories, per_repository, chunks))
    _load_vectors(connection, content, space, hashes)
    for definition in definitions:
        connection.execute(definition.encode())
    connection.execute(
        "UPDATE sdd.repositories AS r SET chunks = n.chunks, length = n.length, tokens = n.tokens,"
        " documents = (SELECT count(*) FROM sdd.documents WHERE repository = r.id)"
        " FROM (SELECT repository, count(*) AS chunks, sum(length) AS length,"
        " sum(tokens) AS tokens FROM sdd.chunks"
        " GROUP BY repository) AS n WHERE n.repository = r.id"
    )
    connection.execute("ALTER TABLE sdd.chunks ALTER COLUMN words SET STATISTICS 1000")
    connection.execute("VACUUM ANALYZE")
    return space


def _drop_indexes(connection: Connection) -> list[str]:
    rows = connection.execute(
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'sdd'"
        " AND (indexname = ANY(%s) OR indexname LIKE 'vectors_of_model%%')",
        (list(_INDEXES),),
    ).fetchall()
    for name, _ in rows:
        connection.execute(f"DROP INDEX sdd.{name}".encode())
    return [definition for _, definition in rows]


def _load_texts(
    connection: Connection, content: Content, shape: tuple[int, int, int]
) -> list[tuple[int, bytes]]:
    """Copy documents and chunks. Returns the repository and the hash of each chunk."""
    repositories, documents, chunks = shape
    hashes: list[tuple[int, bytes]] = []
    number = 0
    for repository in range(1, repositories + 1):
        files = []
        rows: list[tuple[object, ...]] = []
        for index in range(documents):
            kind, pattern = _KINDS[index % len(_KINDS)]
            name, path = kind, pattern.format(index)
            text = content.document(chunks)
            number += 1
            cut = chunk_document(path, text.encode())
            digest = hashlib.sha256(text.encode()).digest()
            files.append((repository, number, name, path, digest, cut.title, len(cut.chunks)))
            fields = ChunkFields(path, cut.title)
            for chunk in cut.chunks:
                words = chunk_words(*fields.of_chunk(chunk.title, chunk.text))
                key = chunk_hash(cut.title, chunk)
                hashes.append((repository, key))
                place = (chunk.anchor, chunk.title, chunk.first_line, chunk.last_line)
                row = (*place, key, words.length, words.tokens, chunk.text, words.vector)
                rows.append((repository, number, name, kind, *row))
        _copy(connection, "documents(repository, id, collection, path, hash, title, chunks)", files)
        _copy(
            connection,
            "chunks(repository, document, collection, kind, anchor, section, first_line, last_line,"
            " hash, length, tokens, text, words)",
            rows,
        )
    connection.execute(
        "SELECT setval(pg_get_serial_sequence('sdd.documents', 'id'), %s)", (number,)
    )
    last = "SELECT setval(pg_get_serial_sequence('sdd.repositories', 'id'), %s)"
    connection.execute(last, (repositories,))
    return hashes


def _copy(connection: Connection, target: str, rows: Sequence[tuple[object, ...]]) -> None:
    with connection.cursor() as cursor, cursor.copy(f"COPY sdd.{target} FROM STDIN".encode()) as to:
        for row in rows:
            to.write_row(row)


def _load_vectors(
    connection: Connection,
    content: Content,
    space: ModelSpace,
    hashes: Sequence[tuple[int, bytes]],
) -> None:
    """Copy a vector for each hash, in the binary format of COPY and of pgvector's types."""
    component = ">f2" if space.type == "halfvec" else ">f4"
    integers = ("l1", "repository", "l2", "model", "l3")
    row = np.dtype(
        [
            ("fields", ">i2"),
            *((name, ">i4") for name in integers),
            ("hash", "V32"),
            ("l4", ">i4"),
            ("dimensions", ">i2"),
            ("unused", ">i2"),
            ("vector", component, (DIMENSIONS,)),
        ]
    )
    target = b"COPY sdd.vectors(repository, model, hash, vector) FROM STDIN (FORMAT binary)"
    with connection.cursor() as cursor, cursor.copy(target) as to:
        to.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
        for some in _batches(sorted(set(hashes)), _VECTORS_AT_ONCE):
            rows = np.zeros(len(some), row)
            rows["fields"], rows["l1"], rows["l2"], rows["l3"] = 4, 4, 4, 32
            rows["l4"] = 4 + DIMENSIONS * rows["vector"].dtype.itemsize
            rows["repository"] = [repository for repository, _ in some]
            rows["model"], rows["dimensions"] = space.model, DIMENSIONS
            rows["hash"] = np.frombuffer(b"".join(key for _, key in some), "V32")
            rows["vector"] = content.vectors(len(some))
            to.write(rows.tobytes())
        to.write(b"\xff\xff")


def _batches(
    items: Sequence[tuple[int, bytes]], size: int
) -> Iterator[Sequence[tuple[int, bytes]]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
