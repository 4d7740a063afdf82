"""Candidates of a search by words: among all repositories, and in one beside many others."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

from sdd_hooks.engines.postgres import word_search
from sdd_hooks.engines.postgres.address import DSN, find_address
from sdd_hooks.engines.postgres.connection import connect
from sdd_hooks.engines.postgres.schema import migrate
from sdd_hooks.engines.postgres.scope import OrganisationScope, find_scope
from sdd_hooks.engines.postgres.word_search import search_words
from sdd_hooks.engines.postgres.words import chunk_words
from sdd_hooks.engines.reading import ChunkFields
from tests.support.postgres_server import PostgresServer

if TYPE_CHECKING:
    from psycopg import Connection

psycopg = pytest.importorskip("psycopg")

EXACT = "We keep a kestrel beside the plinth."
BEGINNING = "We keep kestrelish plinthoid things."
QUERY = "kestrel plinth"


@pytest.fixture
def connection(pgserver: PostgresServer) -> Iterator[Connection]:
    database = pgserver.database()
    with connect(find_address({DSN: pgserver.dsn(database)})) as connection:
        migrate(connection)
        yield connection
    pgserver.drop_database(database)


def fill(connection: Connection, repository: int, texts: Sequence[str]) -> list[int]:
    """Store a repository with a document of one chunk for each text. Returns the chunks' ids."""
    chunks = []
    connection.execute(
        "INSERT INTO sdd.repositories(id, name, chunks, documents, length, tokens)"
        " VALUES(%s, %s, %s, %s, %s, %s)",
        (repository, f"git.example/x/{repository}", *[len(texts)] * 2, *[len(texts) * 7] * 2),
    )
    for number, text in enumerate(texts):
        path = f"docs/adrs/{number:04}.md"
        words = chunk_words(*ChunkFields(path, "Decision").of_chunk("", text))
        row = connection.execute(
            "WITH d AS (INSERT INTO sdd.documents(repository, collection, path, hash, title,"
            " chunks) VALUES(%(repository)s, 'adrs', %(path)s, 'x', '', 1) RETURNING id)"
            " INSERT INTO sdd.chunks(repository, document, collection, kind, anchor, section,"
            " first_line, last_line, hash, length, tokens, text, words)"
            " SELECT %(repository)s, d.id, 'adrs', 'adrs', '', '', 1, 2, 'x', %(length)s,"
            " %(tokens)s, %(text)s, %(words)s FROM d RETURNING id",
            {
                "repository": repository,
                "path": path,
                "length": words.length,
                "tokens": words.tokens,
                "text": text,
                "words": words.vector,
            },
        ).fetchone()
        assert row
        chunks.append(row[0])
    return chunks


def found(
    connection: Connection, scope: OrganisationScope, query: str, limit: int = 60
) -> list[tuple[int, float]]:
    with connection.transaction():
        return [(one.key, one.strength) for one in search_words(connection, scope, query, limit)]


@pytest.fixture
def small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every word is frequent: each list of candidates has five chunks at most."""
    monkeypatch.setattr(word_search, "_BUDGET", 5)


@pytest.mark.usefixtures("small_budget")
def test_chunks_with_the_words_themselves_come_before_those_with_longer_ones(
    connection: Connection,
) -> None:
    chunks = fill(connection, 1, [*[BEGINNING] * 10, *[EXACT] * 10])
    scope = find_scope(connection, None)._replace(repositories=None)
    keys = [key for key, _ in found(connection, scope, QUERY)]
    assert set(keys[:5]) <= set(chunks[10:])
    # There are too few of them, so that others follow.
    assert set(keys[5:]) & set(chunks[:10])


@pytest.mark.usefixtures("small_budget")
def test_words_that_no_chunk_has_together_are_found_by_their_beginnings(
    connection: Connection,
) -> None:
    chunks = fill(connection, 1, [*["The kestrel."] * 9, *["A plinth."] * 9, BEGINNING])
    scope = find_scope(connection, None)._replace(repositories=None)
    assert chunks[-1] in {key for key, _ in found(connection, scope, QUERY)}


@pytest.mark.parametrize("everywhere", [False, True])
def test_chunks_with_frequent_words_alone_are_left_out_only_where_they_cannot_be_best(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, everywhere: bool
) -> None:
    words = ["heron", "kestrel", "plinth", "lintel", "quoin", "gable"]
    chance = random.Random(1995)
    # The first words are in most of the chunks, the last ones in few, and some are repeated.
    texts = [
        " ".join(word for rank, word in enumerate(words) for _ in range(chance.randint(0, 3))
                 if chance.random() < 0.8 / (rank + 1))
        for _ in range(300)
    ]  # fmt: skip
    fill(connection, 1, texts)
    monkeypatch.setattr(word_search, "CANDIDATES", 10)
    scope = find_scope(connection, [1])
    if everywhere:
        monkeypatch.setattr(word_search, "_BUDGET", 150)
        scope = scope._replace(repositories=None)
    queries = [" ".join(chance.sample(words, chance.randint(1, 4))) for _ in range(40)]
    asked: list[str] = []
    match = word_search._Matcher.match
    monkeypatch.setattr(
        word_search._Matcher, "match",
        lambda self, candidate, budget: asked.append(candidate) or match(self, candidate, budget),
    )  # fmt: skip
    shortened = [found(connection, scope, query, limit=10) for query in queries]
    few = len(asked)
    monkeypatch.setattr(word_search, "_are_best", lambda *_: False)
    whole = [found(connection, scope, query, limit=10) for query in queries]
    assert shortened == whole
    assert few < len(asked) - few


def test_the_words_of_a_large_repository_are_counted(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(connection, 1, [EXACT, BEGINNING, "A kestrel.", "No word.", "The plinth and the plinth."])
    scope = find_scope(connection, [1])
    assert scope.is_small
    small = found(connection, scope, QUERY)
    monkeypatch.setattr("sdd_hooks.engines.postgres.scope._FEW_CHUNKS", 3)
    monkeypatch.setattr(word_search, "_BUDGET", 2)
    assert not scope.is_small
    assert found(connection, scope, QUERY) == small


def test_one_repository_is_ranked_alike_with_the_index_of_words_and_without(
    connection: Connection,
) -> None:
    fill(connection, 1, [EXACT, BEGINNING, "A kestrel.", "No word.", "The plinth and the plinth."])
    scope = find_scope(connection, [1])
    connection.execute("ANALYZE sdd.chunks")
    alone = found(connection, scope, QUERY)
    assert len(alone) == 4
    assert not reads_each(connection, "kestrel:*")
    fill(connection, 2, [BEGINNING] * 300)
    connection.execute("ANALYZE sdd.chunks")
    assert reads_each(connection, "kestrel:*")
    assert not reads_each(connection, "plinth")
    assert found(connection, scope, QUERY) == alone


def reads_each(connection: Connection, term: str) -> bool:
    row = connection.execute("SELECT sdd.reads_each(ARRAY[1], %s::tsquery)", (term,)).fetchone()
    return bool(row and row[0])
