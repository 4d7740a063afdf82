"""Decisions of a repository on the real Gitea, over TLS, with the token of its host."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.action.tokens import git_access
from sdd_hooks.errors import AccessRefused
from sdd_hooks.external.fetch import FetchOptions, fetch_source
from sdd_hooks.external.records import read_external_records
from sdd_hooks.external.snapshots import Snapshot, read_snapshot
from sdd_hooks.forges.gitea.vendor import VENDOR
from sdd_hooks.forges.protocol import JobContext
from sdd_hooks.forges.registry import CiJob
from sdd_hooks.project.external_sources import (
    DeclaredSources,
    ExternalSource,
    SourceAddress,
    parse_address,
)
from sdd_hooks.project.repository import Repository, discover
from tests.support.external import NOW, RECORDS
from tests.support.gitea_server import NEEDED, RealGitea, gitea_program, running_gitea
from tests.support.http2 import certificate
from tests.support.repos import Repo

PROGRAM = gitea_program()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason=NEEDED)


@pytest.fixture
def identity(tmp_path: Path) -> tuple[Path, Path]:
    return certificate(tmp_path)


@pytest.fixture
def gitea(tmp_path: Path, identity: tuple[Path, Path]) -> Iterator[RealGitea]:
    assert PROGRAM is not None
    with running_gitea(PROGRAM, tmp_path / "gitea", identity=identity) as server:
        yield server


@pytest.fixture
def clone(repo: Repo, identity: tuple[Path, Path]) -> Repository:
    """A repository whose git accepts the certificate."""
    repo.commit()
    return discover(repo.root, {**os.environ, "GIT_SSL_CAINFO": str(identity[0])})


def test_decisions_are_fetched_with_the_token_of_the_host(
    gitea: RealGitea, clone: Repository
) -> None:
    name = gitea.repository(private=True)
    for path, text in RECORDS.items():
        gitea.change(name, "main", path, text)
    gitea.change(name, "main", "src/large.txt", "no record\n" * 10_000)
    address = parse_address(f"{gitea.url}/alice/{name}")
    assert isinstance(address, SourceAddress)
    source = ExternalSource("alice", address, ("docs/adr",))
    context = JobContext(gitea.url, f"{gitea.url}/api/v1", f"alice/{name}", "pull_request")
    job = CiJob("gitea", VENDOR, context)

    def fetch(token: str) -> Snapshot:
        access = git_access(job, token, {}) if token else {}
        return fetch_source(clone, source, FetchOptions(access), lambda: NOW)

    for token in ("", "0" * 40):
        with pytest.raises(AccessRefused) as refused:
            fetch(token)
        assert "0" * 40 not in str(refused.value)
    assert read_snapshot(clone, source) is None

    head = gitea.call("GET", f"/repos/alice/{name}/branches/main")["commit"]["id"]
    assert fetch(gitea.tokens["alice"]) == Snapshot(head, NOW)
    records = read_external_records(clone, DeclaredSources((source,)))
    assert [one.path for one in records.corpus.artifacts] == [f"alice:{path}" for path in RECORDS]
    assert records.text("alice:docs/adr/0001-use-kafka.md").startswith("# ADR-0001: Use Kafka")
    files = [path for path in clone.shared_dir.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 50_000, "only the records were sent"
    assert all(gitea.tokens["alice"].encode() not in path.read_bytes() for path in files)
