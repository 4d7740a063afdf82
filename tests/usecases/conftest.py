from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.freshness.refresh import refresh
from tests.planning.work.shop import FILES
from tests.support.clock import set_touched
from tests.support.repos import Repo
from tests.support.tracker import TrackerBackend, tracking
from tests.usecases.shop import NOW, Shop


@pytest.fixture
def shop(repo: Repo) -> Iterator[Shop]:
    """A decision, indexed and last touched at NOW, and a tracker with issue 7, not synced yet."""
    repo.commit("Start", {".gitignore": ".sdd/\n", "docs/adrs/ADR-0001-x.md": "# ADR-0001: X\n"})
    project = repo.project()
    refresh(project, collections=project.collections)
    set_touched(repo, NOW)
    backend = TrackerBackend()
    backend.add("7", "Sessions expire")
    with tracking(backend) as server:
        yield Shop(repo, backend, server)


BODY = """\
Resolve the user of a session.

- [ ] 1.1 parse the user id
- [ ] 1.2 session lookup

Blocked by: #8
"""


@pytest.fixture(scope="session")
def work_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository of the shop with its index, last touched at NOW."""
    repo = Repo.init(tmp_path_factory.mktemp("template") / "shop")
    repo.commit("Start", FILES)
    project = repo.project()
    refresh(project, collections=project.collections)
    set_touched(repo, NOW)
    return repo.root


@pytest.fixture
def work(work_template: Path, tmp_path: Path) -> Iterator[Shop]:
    """A copy of the repository, and a tracker whose issue 7 is about SPEC-0001."""
    shutil.copytree(work_template, tmp_path / "shop", symlinks=True)
    backend = TrackerBackend()
    backend.add("7", "Resolve user sessions by token", body=f"{BODY}\nSPEC-0001, SPEC-0099\n")
    backend.add("8", "Session expiry", body="SPEC-0001")
    backend.add("9", "Implement user sessions", labels=("epic",), body="SPEC-0001")
    with tracking(backend) as server:
        yield Shop(Repo(tmp_path / "shop"), backend, server)
