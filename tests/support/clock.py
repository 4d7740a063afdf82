"""An index of another time, made by the engine itself with a clock of its own."""

from __future__ import annotations

from contextlib import closing

from sdd_hooks.engines import open_engine
from sdd_hooks.engines.embedded.engine import EmbeddedEngine
from sdd_hooks.engines.protocol import CollectionChanges
from sdd_hooks.project.project import load_project
from tests.support.repos import Repo


def look_at(repo: Repo, moment: float) -> None:
    """Let the embedded engine note that it looked at everything at `moment`, and found nothing."""
    project = load_project(repo.root)
    search, shared = project.repository.search_dir, project.repository.shared_dir
    engine = EmbeddedEngine(
        repo.root, search / "index.db", shared / "vectors.db", clock=lambda: moment
    )
    with closing(engine):
        indexed = engine.bookmarks()
        engine.update(
            [
                CollectionChanges(one, (), complete=False, bookmark=None)
                for one in project.collections
                if one.name in indexed
            ]
        )


def looked_at(repo: Repo) -> float | None:
    """When the index of a repository was last touched."""
    with closing(open_engine(load_project(repo.root))) as engine:
        return engine.touched()
