"""A server that is killed in the middle of an index or an embed loses nothing that was stored."""

# Governing: SPEC-0032 REQ "Proportional update"

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.engines.protocol import Progress
from sdd_hooks.errors import StorageError
from tests.engines.subject import Subject, subject_on_postgres
from tests.support.postgres_server import PostgresServer, installed_postgres, running_postgres
from tests.support.repos import Repo

pytest.importorskip("psycopg")


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    # A server that commits asynchronously loses the last of what it said that it stored.
    settings = {"synchronous_commit": "on"}
    with running_postgres(installed_postgres("pgserver"), settings) as started:
        yield started


@pytest.fixture
def indexed(repo: Repo, tmp_path: Path, server: PostgresServer) -> Subject:
    """An index with five records, of a repository that has 400 more by now."""
    subject = subject_on_postgres(repo, tmp_path / "tiny", server.dsn(server.database()))
    subject.begin(records(range(5)))
    subject.refresh()
    subject.repo.commit("More", records(range(5, 405)))
    return subject


def records(numbers: range) -> dict[str, str]:
    return {
        f"docs/adrs/ADR-{number:04}-x.md": f"# Decision {number}\n\nWe choose heron{number}.\n"
        for number in numbers
    }


def killing(server: PostgresServer, at: int) -> Progress:
    """Kills the server when so much is done."""
    killed = []

    def progress(_step: str, done: int, _total: int) -> bool:
        if done >= at and not killed:
            killed.append(done)
            server.kill()
        return True

    return progress


def test_an_index_that_lost_its_server_is_the_former_one(
    server: PostgresServer, indexed: Subject
) -> None:
    # Behind the first documents that were written.
    with pytest.raises(StorageError) as caught:
        indexed.refresh(progress=killing(server, 300))
    assert len(str(caught.value).splitlines()) == 1
    assert str(server.folder) in str(caught.value)
    server.begin()
    with indexed.opened() as engine:
        assert len(engine.documents("repo-adrs")) == 5
        assert engine.check() == []
    assert indexed.paths("heron3") == ["docs/adrs/ADR-0003-x.md"]
    assert indexed.refresh()["adrs"].added == 400
    assert indexed.paths("heron404") == ["docs/adrs/ADR-0404-x.md"]
    with indexed.opened() as engine:
        assert engine.check() == []


def test_an_embed_that_lost_its_server_keeps_the_vectors_that_it_stored(
    server: PostgresServer, indexed: Subject
) -> None:
    indexed.refresh()
    with indexed.opened() as engine:
        chunks = engine.coverage().pending
        with pytest.raises(StorageError) as caught:
            engine.embed((), killing(server, 200))
    assert len(str(caught.value).splitlines()) == 1
    server.begin()
    with indexed.opened() as engine:
        left = engine.coverage().pending
        assert 0 < left < chunks
        report = engine.embed()
        assert (report.embedded, report.remaining) == (left, 0)
        assert engine.check() == []
