"""Times, sizes and recall of a generated organisation's index."""

from __future__ import annotations

import multiprocessing
import os
import statistics
import time
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from psycopg import Connection

from benchmarks.organisation.content import MODEL, Content, Size, load
from sdd_hooks.config.settings import SearchSettings
from sdd_hooks.engines.organisation import OrganisationGrant
from sdd_hooks.engines.postgres.access import grant
from sdd_hooks.engines.postgres.address import DSN, find_address
from sdd_hooks.engines.postgres.connection import connect, snapshot
from sdd_hooks.engines.postgres.engine import PostgresEngine, RepositoryOnServer
from sdd_hooks.engines.postgres.schema import migrate
from sdd_hooks.engines.postgres.scope import find_scope
from sdd_hooks.engines.postgres.search import QueryVectors, search
from sdd_hooks.engines.postgres.vectors import find_space, search_nearest
from sdd_hooks.engines.protocol import CollectionChanges, Query, SubQuery
from sdd_hooks.project.collections import Collection
from sdd_hooks.system.git import Git

CLIENTS = (1, 8, 32)
_NEAREST = 10


class Latency(NamedTuple):
    """The times of queries in milliseconds; `own` is the CPU time of a query in its client."""

    p50: float
    p95: float
    own: float


class Figures(NamedTuple):
    """What was measured of one size."""

    size: Size
    load_seconds: float
    queries: dict[int, Latency]
    one_repository: Latency
    refresh: Latency
    recall: float
    megabytes: dict[str, float]


def measure(server: str, database: str, size: Size, rounds: int, folder: Path) -> Figures:
    """Create, fill and measure a database. `server` is a DSN without a database."""
    with connect(find_address({DSN: f"{server} dbname=postgres"})) as connection:
        connection.execute(f"CREATE DATABASE {database}".encode())
        connection.execute(
            "DO $$ BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN END $$"
        )
    dsn = f"{server} dbname={database}"
    started = time.perf_counter()
    with connect(find_address({DSN: dsn})) as connection:
        migrate(connection)
        grant(connection, OrganisationGrant("reader", "*", "read"))
        load(connection, Content(), size)
        loaded = time.perf_counter() - started
        megabytes = _sizes(connection)
        recall = _recall(connection, max(5, min(20, rounds)))
    reader = dsn.replace("user=postgres", "user=reader")
    queries = {clients: _queries(reader, clients, rounds, None) for clients in CLIENTS}
    one = _queries(reader, 1, rounds, 1)
    refresh = _refresh(dsn, size, max(5, rounds // 2), folder)
    return Figures(size, loaded, queries, one, refresh, recall, megabytes)


def _queries(dsn: str, clients: int, rounds: int, repository: int | None) -> Latency:
    """Run hybrid queries from as many processes at once, over one repository or over all."""
    each = max(3, rounds // clients)
    context = multiprocessing.get_context("fork")
    with context.Pool(clients) as pool:
        jobs = [(dsn, each, number, repository) for number in range(clients)]
        results = [one for some in pool.map(_client, jobs, chunksize=1) for one in some]
    return _latency([wall for wall, _ in results], [own for _, own in results])


def _client(job: tuple[str, int, int, int | None]) -> list[tuple[float, float]]:
    dsn, rounds, seed, repository = job
    content = Content(1000 + seed)
    taken = []
    with connect(find_address({DSN: dsn})) as connection:
        for number in range(rounds + 1):
            text = content.query()
            vector = array("f", content.vectors(1)[0].tolist()).tobytes()
            query = Query((SubQuery("lex", text), SubQuery("vec", text)), snippets=3)
            started, own = time.perf_counter(), time.process_time()
            _search(connection, query, vector, repository)
            # The first one warms the connection.
            if number:
                taken.append((time.perf_counter() - started, time.process_time() - own))
    return taken


def _search(connection: Connection, query: Query, vector: bytes, repository: int | None) -> None:
    with snapshot(connection):
        scope = find_scope(connection, None if repository is None else [repository])
        space = find_space(connection, MODEL, "int8")
        vectors = QueryVectors({part.query: vector for part in query.searches})
        assert search(connection, scope, query, space, vectors)


def _recall(connection: Connection, rounds: int) -> float:
    """Return the share of the nearest chunks by comparing each that the index finds, too."""
    content = Content(7)
    space = find_space(connection, MODEL, "int8")
    assert space
    shares = []
    everything = find_scope(connection, None)
    with connection.transaction():
        for _ in range(rounds):
            vector = array("f", content.vectors(1)[0].tolist()).tobytes()
            # A scope of few chunks compares each of them.
            exact = everything._replace(repositories=_all(connection), chunks=1)
            by_index = everything._replace(repositories=None)
            nearest = {
                one.match.key for one in search_nearest(connection, exact, space, vector, _NEAREST)
            }
            # As in a search, of which the best are kept.
            wide = search_nearest(connection, by_index, space, vector, 240)[:_NEAREST]
            shares.append(len(nearest & {one.match.key for one in wide}) / max(1, len(nearest)))
    return statistics.fmean(shares)


def _all(connection: Connection) -> tuple[int, ...]:
    return tuple(row[0] for row in connection.execute("SELECT id FROM sdd.repositories"))


def _refresh(dsn: str, size: Size, rounds: int, folder: Path) -> Latency:
    """Change one document of the first repository, each time in a new process's connection."""
    content = Content(9)
    collection = Collection(
        "service-1-adrs", "adrs", "", "", ("docs/adrs",), (".md",), "", (), "adrs"
    )
    path = "docs/adrs/ADR-0000.md"
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    place = RepositoryOnServer(
        folder,
        "git.example/team/service-1",
        find_address({DSN: dsn}),
        "service-1",
        Git(folder, os.environ),
        folder,
    )
    engine = PostgresEngine(place, environ={DSN: dsn}, settings=SearchSettings(), write=True)
    walls, owns = [], []
    try:
        for _ in range(rounds):
            (folder / path).write_text(content.document(size.chunks // size.documents))
            started, own = time.perf_counter(), time.process_time()
            counts = engine.update([CollectionChanges(collection, (path,), False, None)])
            walls.append(time.perf_counter() - started)
            owns.append(time.process_time() - own)
            assert counts[collection.name].updated == 1
    finally:
        engine.close()
    return _latency(walls, owns)


def _sizes(connection: Connection) -> dict[str, float]:
    rows = connection.execute(
        "SELECT relname, pg_relation_size(c.oid) + coalesce(pg_relation_size(reltoastrelid), 0)"
        " FROM pg_class AS c WHERE relnamespace = 'sdd'::regnamespace"
        " AND relkind IN ('r', 'i') ORDER BY 2 DESC LIMIT 8"
    ).fetchall()
    found = {str(name): size / 1e6 for name, size in rows}
    row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return {**found, "whole database": row[0] / 1e6 if row else 0.0}


def _latency(walls: Sequence[float], owns: Sequence[float]) -> Latency:
    ordered = sorted(walls)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return Latency(statistics.median(ordered) * 1000, p95 * 1000, statistics.fmean(owns) * 1000)
