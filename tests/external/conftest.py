"""A repository of decisions on a real server, and a repository that declares it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.external import Handbook
from tests.support.git_server import git_daemon
from tests.support.repos import Repo


@pytest.fixture
def handbook(tmp_path: Path) -> Iterator[Handbook]:
    """`acme/handbook` with three decisions, served by git's daemon."""
    repo = Repo.init(tmp_path / "work" / "handbook")
    base = tmp_path / "served"
    base.mkdir()
    with git_daemon(base) as address:
        served = Handbook(repo, base, address)
        served.publish_first()
        yield served
