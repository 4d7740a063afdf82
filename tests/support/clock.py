"""Set and read the time at which an index was last touched."""

from __future__ import annotations

import os
from contextlib import closing

from sdd_hooks.engines.embedded.engine import EmbeddedEngine, IndexFiles
from sdd_hooks.engines.protocol import CollectionChanges, Engine
from sdd_hooks.engines.registry import open_engine
from tests.support.repos import Repo


def set_touched(repo: Repo, moment: float) -> None:
    """Let the embedded engine update every collection without a change at `moment`."""
    touch(embedded_at(repo, moment), repo)


def embedded_at(repo: Repo, moment: float) -> EmbeddedEngine:
    """Open the index of a repository with a clock that returns `moment`."""
    repository = repo.project().repository
    index, vectors = repository.search_dir / "index.db", repository.shared_dir / "vectors.db"
    return EmbeddedEngine(
        IndexFiles(repo.root, index, vectors), clock=lambda: moment, environ=os.environ
    )


def touch(engine: Engine, repo: Repo) -> None:
    """Update every indexed collection without a change, then close the engine."""
    with closing(engine):
        indexed = engine.bookmarks()
        engine.update(
            [
                CollectionChanges(collection, (), complete=False, bookmark=None)
                for collection in repo.project().collections
                if collection.name in indexed
            ]
        )


def touched_at(repo: Repo) -> float | None:
    """Return when the index of a repository was last touched, in epoch seconds."""
    with closing(open_engine(repo.project())) as engine:
        return engine.touched()
