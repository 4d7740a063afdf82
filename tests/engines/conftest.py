"""The engines that every test of the contract runs with."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sdd_hooks.system.user_cache import write_cached
from tests.engines.subject import (
    Subject,
    subject_on_embedded,
    subject_on_postgres,
    subject_on_qmd,
)
from tests.support.citus_server import CitusServer
from tests.support.postgres_server import PostgresServer
from tests.support.qmd import RealQmd
from tests.support.repos import Repo
from tests.support.snapshots import Snapshot


@pytest.fixture(scope="session")
def quiet_qmd(real_qmd: RealQmd) -> RealQmd:
    """The real qmd with a cached release, so that no test asks the registry for a newer one."""
    now = time.time()
    write_cached("qmd-release", {"latest": "0.0.1", "told": now, "asked": now}, real_qmd.environ)
    return real_qmd


@pytest.fixture
def on_qmd(repo: Repo, quiet_qmd: RealQmd) -> Subject:
    """The qmd engine over an empty repository."""
    return subject_on_qmd(repo, quiet_qmd)


@pytest.fixture(scope="session")
def filled_on_qmd(
    quiet_qmd: RealQmd, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Mapping[str, str]], Subject]:
    """The qmd engine over a repository that it has indexed once, restored by each call."""
    made: dict[tuple[tuple[str, str], ...], tuple[Subject, Snapshot]] = {}

    def restored(files: Mapping[str, str]) -> Subject:
        key = tuple(files.items())
        if key not in made:
            repo = Repo.init(tmp_path_factory.mktemp("filled") / "repo")
            subject = subject_on_qmd(repo, quiet_qmd)
            subject.begin(files)
            subject.refresh()
            made[key] = subject, Snapshot(repo)
        subject, snapshot = made[key]
        snapshot.restore()
        return subject

    return restored


@pytest.fixture
def on_embedded(repo: Repo, tmp_path: Path) -> Subject:
    """The embedded engine over an empty repository."""
    return subject_on_embedded(repo, tmp_path / "tiny")


@pytest.fixture(scope="session")
def pgserver_dsn(pgserver: PostgresServer) -> str:
    """A database of pgserver for all tests: each has a repository of its own name."""
    return pgserver.dsn(pgserver.database())


@pytest.fixture(scope="session")
def debian_dsn(debian_postgres: PostgresServer) -> str:
    """A database of Debian's server for all tests: each has a repository of its own name."""
    return debian_postgres.dsn(debian_postgres.database())


@pytest.fixture(scope="session")
def citus_dsn(citus: CitusServer) -> str:
    """A database on two nodes for all tests, as its owner, whom row-level security limits."""
    return citus.dsn(citus.owned_database("contract_owner"), "contract_owner")


@pytest.fixture
def on_pgserver(repo: Repo, tmp_path: Path, pgserver_dsn: str) -> Subject:
    """The engine over PostgreSQL 16 with pgvector 0.6, for a repository with a remote."""
    return subject_on_postgres(repo, tmp_path / "tiny", pgserver_dsn)


@pytest.fixture
def on_debian(repo: Repo, tmp_path: Path, debian_dsn: str) -> Subject:
    """The engine over Debian's PostgreSQL with a newer pgvector."""
    return subject_on_postgres(repo, tmp_path / "tiny", debian_dsn)


@pytest.fixture
def on_citus(repo: Repo, tmp_path: Path, citus_dsn: str) -> Subject:
    """The engine over two nodes of Citus."""
    return subject_on_postgres(repo, tmp_path / "tiny", citus_dsn)


@pytest.fixture(params=["embedded", "pgserver", "debian", "citus", "qmd"])
def subject(request: pytest.FixtureRequest) -> Subject:
    """Each engine over an empty repository."""
    chosen: Subject = request.getfixturevalue(f"on_{request.param}")
    return chosen


@pytest.fixture(params=["embedded", "qmd"])
def local_subject(request: pytest.FixtureRequest) -> Subject:
    """Each engine whose index is a file in the work tree."""
    chosen: Subject = request.getfixturevalue(f"on_{request.param}")
    return chosen
