"""Fetching a source with real servers of git."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.external.fetch import FetchOptions, fetch_source
from sdd_hooks.external.records import read_external_records
from sdd_hooks.external.snapshots import Snapshot, read_snapshot, snapshot_git, source_directory
from sdd_hooks.project.external_sources import (
    DeclaredSources,
    ExternalSource,
    SourceAddress,
    parse_address,
)
from sdd_hooks.project.repository import Repository, discover
from tests.support.external import NOW, RECORDS, Handbook, record
from tests.support.git_server import https_server, publish
from tests.support.http2 import certificate
from tests.support.repos import Repo

NO_NETWORK = FetchOptions()


def source_at(url: str, *paths: str) -> ExternalSource:
    address = parse_address(url)
    assert isinstance(address, SourceAddress)
    return ExternalSource("acme", address, paths)


def fetch(
    repository: Repository, source: ExternalSource, options: FetchOptions = NO_NETWORK
) -> Snapshot:
    return fetch_source(repository, source, options, lambda: NOW)


def state_of(repo: Repo) -> list[str]:
    """What git knows of a clone: refs, objects, settings, files and their state."""
    settings = (repo.root / ".git/config").read_text()
    commands = (("for-each-ref",), ("count-objects", "-v"), ("status", "--porcelain"))
    return [settings, *(repo.git(*command) for command in commands)]


def objects_of(repository: Repository, source: ExternalSource) -> dict[str, bool]:
    """Each file of the fetched commit, and whether its content is here."""
    snapshot = read_snapshot(repository, source)
    assert snapshot is not None
    git = snapshot_git(repository, source, snapshot.commit)
    rows = git.output("ls-tree", "-r", snapshot.commit).decode().splitlines()
    paths = {row.partition("\t")[2]: row.split()[2] for row in rows}
    return {
        path: git.try_output("cat-file", "-e", blob) is not None for path, blob in paths.items()
    }


def test_the_decisions_are_fetched_and_nothing_else(handbook: Handbook, repo: Repo) -> None:
    repo.commit()
    before = state_of(repo)
    source = source_at(handbook.url)
    snapshot = fetch(repo.repository, source)
    assert snapshot == Snapshot(handbook.repo.head(), NOW)
    assert read_snapshot(repo.repository, source) == snapshot
    assert objects_of(repo.repository, source) == {
        **dict.fromkeys(RECORDS, True),
        "README.md": True,
        "src/large.bin": False,
    }
    assert state_of(repo) == before
    config = (snapshot_git(repo.repository, source, snapshot.commit).root / "config").read_text()
    assert handbook.url not in config


def test_only_the_named_directories_are_fetched(handbook: Handbook, repo: Repo) -> None:
    source = source_at(handbook.url, "docs/adr")
    fetch(repo.repository, source)
    assert objects_of(repo.repository, source)["README.md"] is False
    assert objects_of(repo.repository, source)["docs/adr/0001-use-kafka.md"] is True


def test_a_server_without_filters_sends_everything(handbook: Handbook, repo: Repo) -> None:
    handbook.publish({"a.txt": "a"}, filters=False)
    source = source_at(handbook.url)
    fetch(repo.repository, source)
    assert objects_of(repo.repository, source)["docs/adr/0001-use-kafka.md"] is True


def test_worktrees_share_what_was_fetched(handbook: Handbook, repo: Repo, tmp_path: Path) -> None:
    repo.commit()
    source = source_at(handbook.url)
    fetch(repo.repository, source)
    other = repo.worktree(tmp_path / "other", "other")
    assert read_snapshot(other.repository, source) is not None


def test_a_new_commit_replaces_the_old_one(handbook: Handbook, repo: Repo) -> None:
    source = source_at(handbook.url)
    commits = []
    for number in (4, 5, 6):
        text = record(f"ADR-000{number}: More", "We decide more.")
        handbook.publish({f"docs/adr/000{number}-more.md": text})
        commits.append(fetch(repo.repository, source).commit)
    assert commits[-1] == handbook.repo.head()
    # The last one may still be read by another process.
    names = {path.name for path in source_directory(repo.repository, source).glob("*.git")}
    assert names == {f"{commit}.git" for commit in commits[1:]}


def test_a_failure_keeps_what_was_fetched(handbook: Handbook, repo: Repo) -> None:
    source = source_at(handbook.url)
    snapshot = fetch(repo.repository, source)
    (handbook.base / "acme/handbook.git").rename(handbook.base / "gone.git")
    with pytest.raises(RemoteError, match=f"{handbook.url} refuses access"):
        fetch(repo.repository, source)
    assert read_snapshot(repo.repository, source) == snapshot
    assert not list(source_directory(repo.repository, source).glob("new-*"))


def test_a_repository_without_a_commit_is_an_error(handbook: Handbook, repo: Repo) -> None:
    empty = handbook.base / "acme/empty.git"
    handbook.repo.git("init", "--quiet", "--bare", str(empty))
    with pytest.raises(RemoteError, match="has no commit on its default branch"):
        fetch(repo.repository, source_at(f"{handbook.address}/acme/empty"))


def test_settings_of_the_clone_have_no_effect(
    handbook: Handbook, repo: Repo, tmp_path: Path
) -> None:
    witness = tmp_path / "witness"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch '{witness}'\nexit 1\n")
    script.chmod(0o755)
    (repo.root / ".git/config").write_text(
        (repo.root / ".git/config").read_text()
        + f'[url "ext::{script} "]\n\tinsteadOf = {handbook.address}\n'
        + f"[core]\n\tsshCommand = {script}\n\tgitProxy = {script}\n\thooksPath = {tmp_path}\n"
        + f'[credential]\n\thelper = "!{script}"\n'
    )
    fetch(repo.repository, source_at(handbook.url))
    assert not witness.exists()


@pytest.mark.parametrize("other", ["file://{}", "ext::sh -c true% {}", "{}"])
def test_a_setting_of_the_user_allows_no_other_transport(
    handbook: Handbook, repo: Repo, tmp_path: Path, other: str
) -> None:
    settings = tmp_path / "gitconfig"
    target = other.format(handbook.base)
    settings.write_text(f'[url "{target}"]\n\tinsteadOf = {handbook.address}\n')
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": str(settings), "GIT_ALLOW_PROTOCOL": "ext:file"}
    with pytest.raises(RemoteError, match="not allowed"):
        fetch(discover(repo.root, environ), source_at(handbook.url))


def test_too_many_files_are_refused(handbook: Handbook, repo: Repo) -> None:
    many = {f"notes/{number}.md": f"{number}" for number in range(5_001)}
    handbook.publish(many)
    with pytest.raises(RemoteError, match=r"has 5,005 documents, and 5,000 are fetched"):
        fetch(repo.repository, source_at(handbook.url))
    assert fetch(repo.repository, source_at(handbook.url, "docs/adr")).commit


def test_a_bomb_of_blobs_is_refused(handbook: Handbook, repo: Repo) -> None:
    text = b"# ADR\n" + b"a" * 30_000_000
    handbook.publish({"docs/adr/0008-a.md": text, "docs/adr/0009-b.md": text + b"b"})
    with pytest.raises(RemoteError, match="has over 50 MB of documents"):
        fetch(repo.repository, source_at(handbook.url))
    assert read_snapshot(repo.repository, source_at(handbook.url)) is None


@pytest.mark.parametrize("filters", [True, False])
def test_a_bomb_of_trees_is_refused(handbook: Handbook, repo: Repo, *, filters: bool) -> None:
    """Ten objects that list ten thousand million files."""
    commit_bomb(handbook, "notes", filters=filters)
    with pytest.raises(RemoteError, match="has too many files to list: name the directory"):
        fetch(repo.repository, source_at(handbook.url))
    assert read_snapshot(repo.repository, source_at(handbook.url)) is None


def test_a_bomb_of_trees_beside_the_named_directory_is_not_listed(
    handbook: Handbook, repo: Repo
) -> None:
    commit_bomb(handbook, "notes")
    source = source_at(handbook.url, "docs/adr")
    assert fetch(repo.repository, source).commit == handbook.repo.head()
    records = read_external_records(repo.repository, DeclaredSources((source,)))
    assert [one.path for one in records.corpus.artifacts] == [f"acme:{path}" for path in RECORDS]


def commit_bomb(handbook: Handbook, name: str, *, filters: bool = True) -> None:
    """Publish a directory of trees in which each has the next one ten times."""
    repo = handbook.repo
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"# ADR\n")
    entry = f"100644 blob {blob}"
    for _ in range(10):
        rows = "".join(f"{entry}\t{number}.md\n" for number in range(10))
        entry = f"040000 tree {repo.git('mktree', stdin=rows.encode())}"
    rows = repo.git("ls-tree", "HEAD") + f"\n{entry}\t{name}\n"
    tree = repo.git("mktree", stdin=rows.encode())
    commit = repo.git("commit-tree", "-p", "HEAD", "-m", "Bomb", tree)
    repo.git("update-ref", "HEAD", commit)
    publish(repo, handbook.base, handbook.path, filters=filters)


def test_a_large_pack_is_refused(handbook: Handbook, repo: Repo) -> None:
    large = {"large.bin": random.Random(1).randbytes(2_500_000)}
    handbook.publish(large, filters=False)
    small = FetchOptions(pack_bytes=2_000_000)
    with pytest.raises(RemoteError, match=r"sends over 2 MB: name a smaller repository"):
        fetch(repo.repository, source_at(handbook.url), small)
    assert read_snapshot(repo.repository, source_at(handbook.url)) is None
    handbook.publish(RECORDS)
    assert fetch(repo.repository, source_at(handbook.url), small).commit


def _https_repository(handbook: Handbook, repo: Repo, variables: Mapping[str, str]) -> Repository:
    publish(handbook.repo, handbook.base, "acme/handbook")
    return discover(repo.root, {**os.environ, **variables})


def _header(url: str, value: str) -> FetchOptions:
    """A token for one host, as the action gives it to git."""
    return FetchOptions(
        {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"http.{url}/.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {value}",
        }
    )


def test_https_gets_the_token_of_its_host_and_no_other(
    handbook: Handbook, repo: Repo, tmp_path: Path
) -> None:
    identity = certificate(tmp_path)
    with (
        https_server(handbook.base, identity) as own,
        https_server(handbook.base, identity) as other,
    ):
        repository = _https_repository(handbook, repo, own.variables)
        options = _header(own.url, "c2VjcmV0")
        fetch(repository, source_at(f"{own.url}/acme/handbook"), options)
        fetch(repository, source_at(f"{other.url}/acme/handbook"), options)
    assert {header for _, header in own.requests} == {"Basic c2VjcmV0"}
    assert {header for _, header in other.requests} == {""}


def test_a_redirect_is_not_followed(handbook: Handbook, repo: Repo, tmp_path: Path) -> None:
    identity = certificate(tmp_path)
    with (
        https_server(handbook.base, identity) as own,
        https_server(handbook.base, identity) as other,
    ):
        own.redirect = lambda path: f"{other.url}{path}"
        repository = _https_repository(handbook, repo, own.variables)
        with pytest.raises(RemoteError, match="cannot be reached"):
            fetch(
                repository,
                source_at(f"{own.url}/acme/handbook"),
                _header(own.url, "c2VjcmV0"),
            )
    assert own.requests
    assert not other.requests
