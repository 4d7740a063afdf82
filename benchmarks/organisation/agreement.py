"""How far the order of hits agrees between the two engines, on the words of a real repository."""

from __future__ import annotations

import random
import re
from contextlib import closing
from pathlib import Path

from sdd_hooks.config.settings import SearchSettings
from sdd_hooks.engines.embedded.engine import EmbeddedEngine, IndexFiles
from sdd_hooks.engines.postgres.address import DSN, find_address
from sdd_hooks.engines.postgres.connection import connect
from sdd_hooks.engines.postgres.engine import PostgresEngine, RepositoryOnServer
from sdd_hooks.engines.protocol import CollectionChanges, Engine, Query, SubQuery
from sdd_hooks.project.project import load_project

_QUERIES = 300
_BEST = 8


def compare(server: str, repository: Path, folder: Path) -> str:
    """Index the repository with both engines and return a table of how their hits agree."""
    with connect(find_address({DSN: f"{server} dbname=postgres"})) as connection:
        connection.execute("CREATE DATABASE agreement")
    address = find_address({DSN: f"{server} dbname=agreement"})
    project = load_project(repository, {})
    root = project.repository.root
    settings = SearchSettings()
    files = IndexFiles(root, folder / "state/index/index.db", folder / "state/vectors.db")
    with (
        closing(EmbeddedEngine(files, environ={}, settings=settings)) as embedded,
        closing(
            PostgresEngine(
                RepositoryOnServer(
                    root,
                    "git.example/team/real",
                    address,
                    project.repository.slug,
                    project.repository.git,
                    folder / "state",
                ),
                environ={},
                settings=settings,
                write=True,
            )
        ) as postgres,
    ):
        chunks = 0
        engines: tuple[Engine, Engine] = (embedded, postgres)
        for engine in engines:
            engine.ensure(project.collections)
            for collection in project.collections:
                listed = project.repository.git.output("ls-files", "-z").decode().split("\0")
                paths = tuple(path for path in listed if path and collection.contains(path))
                engine.update([CollectionChanges(collection, paths, True, None)])
            chunks = sum(one.chunks or 0 for one in engine.status().collections)
        queries = _queries(
            root, [one.path for c in project.collections for one in embedded.documents(c.name)]
        )
        same_first = same_best = same_scores = 0
        overlap = 0.0
        for text in queries:
            query = Query((SubQuery("lex", text),), limit=_BEST, snippets=0)
            one, other = (engine.search(query).hits for engine in engines)
            ids, others = [hit.id for hit in one], [hit.id for hit in other]
            same_first += ids[:1] == others[:1]
            same_best += ids == others
            same_scores += [hit.score for hit in one] == [hit.score for hit in other]
            overlap += len({*ids} & {*others}) / max(1, len({*ids} | {*others}))
    count = len(queries)
    return "\n".join(
        [
            f"| {count} queries, {chunks:,} chunks | share |",
            "| --- | ---: |",
            f"| the same first hit | {same_first / count:.1%} |",
            f"| the same first {_BEST} hits in the same order | {same_best / count:.1%} |",
            f"| with the same scores | {same_scores / count:.1%} |",
            f"| hits in both lists | {overlap / count:.1%} |",
        ]
    )


def _queries(root: Path, paths: list[str]) -> list[str]:
    """Return questions made of the words of random lines of the documents."""
    chance = random.Random(22)
    queries: list[str] = []
    for path in chance.choices(paths, k=20 * _QUERIES):
        lines = (root / path).read_text("utf-8", "replace").splitlines() or [""]
        words = re.findall(r"\w[\w.-]*", chance.choice(lines))
        if len(words) >= 2:
            queries.append(" ".join(words[: chance.randint(2, 8)]))
        if len(queries) == _QUERIES:
            break
    return queries
