from __future__ import annotations

from collections.abc import Iterator

import pytest

from sdd_hooks.freshness.refresh import refresh
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
