"""An index of another time, made by the engine itself with a clock of its own."""

from __future__ import annotations

import os
from contextlib import closing

from sdd_hooks.engines.embedded.engine import EmbeddedEngine
from sdd_hooks.engines.protocol import CollectionChanges, Engine
from sdd_hooks.engines.registry import open_engine
from tests.support.repos import Repo


def look_at(repo: Repo, moment: float) -> None:
    """Let the embedded engine note that it looked at everything at `moment`."""
    note_a_look(embedded_at(repo, moment), repo)


def embedded_at(repo: Repo, moment: float) -> EmbeddedEngine:
    """The repository's index, opened at `moment`."""
    found = repo.project().repository
    index, vectors = found.search_dir / "index.db", found.shared_dir / "vectors.db"
    return EmbeddedEngine(repo.root, index, vectors, clock=lambda: moment, environ=os.environ)


def note_a_look(engine: Engine, repo: Repo) -> None:
    """Let the engine look at everything and find nothing different, then close it."""
    with closing(engine):
        indexed = engine.bookmarks()
        engine.update(
            [
                CollectionChanges(one, (), complete=False, bookmark=None)
                for one in repo.project().collections
                if one.name in indexed
            ]
        )


def looked_at(repo: Repo) -> float | None:
    """When the index of a repository was last touched."""
    with closing(open_engine(repo.project())) as engine:
        return engine.touched()
