"""An index that was last touched at a chosen time, made by the engine with another clock."""

from __future__ import annotations

import os
from contextlib import closing

from sdd_hooks.engines.embedded.engine import EmbeddedEngine
from sdd_hooks.engines.protocol import CollectionChanges, Engine
from sdd_hooks.engines.registry import open_engine
from tests.support.repos import Repo


def set_touched(repo: Repo, moment: float) -> None:
    """Let the embedded engine compare every collection, without a change, at `moment`."""
    touch(embedded_at(repo, moment), repo)


def embedded_at(repo: Repo, moment: float) -> EmbeddedEngine:
    """The repository's index, opened at `moment`."""
    found = repo.project().repository
    index, vectors = found.search_dir / "index.db", found.shared_dir / "vectors.db"
    return EmbeddedEngine(repo.root, index, vectors, clock=lambda: moment, environ=os.environ)


def touch(engine: Engine, repo: Repo) -> None:
    """Let the engine compare every collection, without a change, then close it."""
    with closing(engine):
        indexed = engine.bookmarks()
        engine.update(
            [
                CollectionChanges(one, (), complete=False, bookmark=None)
                for one in repo.project().collections
                if one.name in indexed
            ]
        )


def touched_at(repo: Repo) -> float | None:
    """When the index of a repository was last touched."""
    with closing(open_engine(repo.project())) as engine:
        return engine.touched()
