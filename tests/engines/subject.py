"""Either engine on a real repository, used as `freshness` uses it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from sdd_hooks.engines.protocol import Counts, Engine, Hit, Progress, Query, SubQuery
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import IndexDamaged
from sdd_hooks.freshness.index_changes import ScanScope, issue_changes, start_scan
from sdd_hooks.project.project import Project
from tests.support.models import make_model
from tests.support.qmd import RealQmd
from tests.support.repos import Repo

CONFIGURATION = """\
## Architecture Context

### SDD Configuration

#### Search

- **Engine**: {engine}
- **Embed Model**: {model}
"""


@dataclass(frozen=True)
class Subject:
    """The engine `name` on `repo` with a model for it, in the environment `environ`."""

    name: str
    repo: Repo
    model: str
    environ: Mapping[str, str]

    def begin(self, files: Mapping[str, str | bytes]) -> None:
        """Commit the files and a configuration that chooses the engine."""
        self.configure(self.model)
        self.repo.commit("Start", {".gitignore": ".sdd/\n", **files})

    def configure(self, model: str) -> None:
        """Write a configuration with the engine and this model, without a commit."""
        self.repo.write("CLAUDE.md", CONFIGURATION.format(engine=self.name, model=model))

    @property
    def project(self) -> Project:
        return self.repo.project(self.environ)

    @property
    def index(self) -> Path:
        """The file of the index."""
        search = self.repo.root / ".sdd/search"
        return search / ("index.db" if self.name == "embedded" else "qmd/index.sqlite")

    def open(self, *, repair: bool = False) -> Engine:
        """Open the engine. The caller closes it."""
        return open_engine(self.project, repair=repair)

    @contextmanager
    def opened(self, *, repair: bool = False) -> Iterator[Engine]:
        """Open the engine for the block."""
        with closing(self.open(repair=repair)) as engine:
            yield engine

    def refresh(
        self, *kinds: str, scope: ScanScope = "all", progress: Progress | None = None
    ) -> dict[str, Counts]:
        """Refresh the collections of these kinds (none: all). Returns their counts by kind."""
        with self.opened(repair=True) as engine:
            try:
                return self.update(engine, *kinds, scope=scope, progress=progress)
            except IndexDamaged as error:
                engine.reset(str(error))
                return self.update(engine, *kinds, scope=scope, progress=progress)

    def update(
        self,
        engine: Engine,
        *kinds: str,
        scope: ScanScope = "all",
        progress: Progress | None = None,
    ) -> dict[str, Counts]:
        """Refresh them with an open engine."""
        project = self.project
        collections = project.select(kinds)
        bookmarks = engine.bookmarks()
        engine.ensure(collections)
        changes = []
        issues = [collection for collection in collections if collection.kind == "issues"]
        files = [collection for collection in collections if collection.kind != "issues"]
        for repository in dict.fromkeys(collection.repository for collection in collections):
            scan = start_scan(project.repository.git, repository, scope)
            try:
                scanned = [entry for entry in files if entry.repository == repository]
                changes += scan.changes(scanned, bookmarks, engine.documents)
            finally:
                scan.close()
        for collection in issues:
            issue_change = issue_changes(project.repository.root, collection, scope)
            changes += [issue_change] if issue_change else []
        counts = engine.update(changes, progress)
        return {
            collection.kind: counts[collection.name]
            for collection in collections
            if collection.name in counts
        }

    def search(
        self, text: str, *kinds: str, meaning: str = "", limit: int = 8, min_score: float = 0.0
    ) -> tuple[Hit, ...]:
        """Search for a text by words, and for `meaning` by meaning."""
        searches = [SubQuery("lex", text)] if text else []
        searches += [SubQuery("vec", meaning)] if meaning else []
        names = tuple(collection.name for collection in self.project.select(kinds))
        with self.opened() as engine:
            return engine.search(Query(tuple(searches), names, "", limit, min_score)).hits

    def paths(self, text: str, *kinds: str) -> list[str]:
        """Return the paths of the hits for a text, sorted, each once."""
        return sorted({hit.path for hit in self.search(text, *kinds, limit=100)})


def subject_on_qmd(repo: Repo, qmd: RealQmd) -> Subject:
    """Return the qmd engine over a repository."""
    return Subject("qmd", repo, str(qmd.model), qmd.environ)


def subject_on_embedded(repo: Repo, model: Path) -> Subject:
    """Return the embedded engine over a repository, with a new model at `model`."""
    return Subject("embedded", repo, str(make_model(model)), os.environ)


def subject_on_postgres(repo: Repo, model: Path, dsn: str) -> Subject:
    """Return the engine over PostgreSQL, for a repository that gets a remote of its own name."""
    repo.git("remote", "add", "origin", f"https://git.example/team/{uuid4().hex}.git")
    environ = {**os.environ, "SDD_POSTGRES_DSN": dsn}
    return Subject("postgres", repo, str(make_model(model)), environ)
