"""Checks, files and merges of pull requests, on each forge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sdd_hooks.forges.gitea.vendor import VENDOR as GITEA
from sdd_hooks.forges.github.vendor import VENDOR as GITHUB
from sdd_hooks.forges.gitlab.vendor import VENDOR as GITLAB
from sdd_hooks.forges.protocol import (
    Checks,
    ForgeVendor,
    JobContext,
    MergeRefused,
    PullRequestMerger,
    WriteDenied,
)
from tests.support.loopback import CannedResponse, Server, serving
from tests.support.machines import TOKEN, ClientFactory
from tests.support.pull_host import MERGED_AT, Dialect, HostedPull, PullHost
from tests.support.repos import Repo

VENDORS: dict[Dialect, ForgeVendor] = {"github": GITHUB, "gitea": GITEA, "gitlab": GITLAB}


@dataclass
class Harness:
    host: PullHost
    server: Server
    forge: PullRequestMerger


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare repository with `main` and a branch that renames one file and adds another."""
    root = tmp_path_factory.mktemp("pulls")
    repo = Repo.init(root / "work")
    repo.commit("Begin", {"a.py": "a = 1\n" * 20, "b.py": "b = 1\n"})
    repo.git("switch", "--quiet", "--create", "feature/1-move")
    repo.git("mv", "a.py", "c.py")
    repo.commit("Move", {"d.py": "d = 1\n"})
    repo.git("switch", "--quiet", "main")
    repo.git("clone", "--quiet", "--bare", str(repo.root), str(root / "bare.git"))
    return root


@pytest.fixture(params=["github", "gitea", "gitlab"])
def harness(request: pytest.FixtureRequest, origin: Path, tmp_path: Path) -> Iterator[Harness]:
    bare = tmp_path / "shop.git"
    Repo(origin).git("clone", "--quiet", "--mirror", str(origin / "bare.git"), str(bare))
    host = PullHost(request.param, bare)
    vendor = VENDORS[host.dialect]
    host.open(HostedPull(1, "Move", "Closes #7", "feature/1-move"))
    with serving(host.answer) as server, ClientFactory(1_795_000_000.0) as clients:
        assert vendor.api_url is not None
        context = JobContext(server.url, vendor.api_url(server.url), "acme/shop", "")
        forge = vendor.open(context, clients.forge_clients(TOKEN))
        assert isinstance(forge, PullRequestMerger)
        yield Harness(host, server, forge)


def test_a_pull_request_without_checks(harness: Harness) -> None:
    (pull,) = harness.forge.open_pull_requests(10)
    assert (pull.number, pull.title, pull.head_ref, pull.base_ref) == (
        1, "Move", "feature/1-move", "main",
    )  # fmt: skip
    details = harness.forge.details(pull)
    assert details.checks == Checks("none")
    assert details.files is not None
    assert set(details.files) == {"a.py", "c.py", "d.py"}
    assert not pull.is_draft


def test_checks(harness: Harness) -> None:
    pull = harness.forge.pull_request(1)
    harness.host.check(1, lint="success")
    assert harness.forge.details(pull).checks.state == "success"
    harness.host.check(1, tests="pending")
    assert harness.forge.details(pull).checks.state == "pending"
    harness.host.check(1, build="failure")
    checks = harness.forge.details(pull).checks
    assert checks.state == "failure"
    if harness.host.dialect != "gitlab":
        assert (checks.failed, checks.pending) == (("build",), ("tests",))


def test_what_the_host_hides_does_not_count_as_passed(harness: Harness) -> None:
    harness.host.hidden = frozenset({"checks"})
    pull = harness.forge.pull_request(1)
    assert harness.forge.details(pull).checks == Checks("unknown")


@pytest.mark.parametrize("harness", ["gitea", "gitlab"], indirect=True)
def test_an_old_server_lists_no_files(harness: Harness) -> None:
    harness.host.hidden = frozenset({"files"})
    pull = harness.forge.pull_request(1)
    assert harness.forge.details(pull).files is None


@pytest.mark.parametrize("strategy", ["squash", "merge"])
def test_merge(harness: Harness, strategy: str) -> None:
    pull = harness.forge.pull_request(1)
    harness.forge.merge(pull, "squash" if strategy == "squash" else "merge")
    assert harness.host.merges == [(1, strategy)]
    merged = harness.forge.pull_request(1)
    assert (merged.is_open, merged.is_merged) == (False, True)
    assert harness.forge.open_pull_requests(10) == ()
    assert [one.number for one in harness.forge.merged_pull_requests(10)] == [1]
    assert merged.merged_at == MERGED_AT


def test_a_head_that_changed(harness: Harness) -> None:
    """Scenario "A push between the review and the merge" of SPEC-0009."""
    pull = harness.forge.pull_request(1)._replace(head="4" * 40)
    with pytest.raises(MergeRefused, match=r"does not merge 1 \(head out of date\): update its"):
        harness.forge.merge(pull, "squash")
    assert harness.host.merges == []


def test_a_merge_that_the_token_may_not_do(harness: Harness) -> None:
    pull = harness.forge.pull_request(1)
    harness.server.fail(
        CannedResponse(403, {"message": "no"}), when=lambda one: one.method != "GET"
    )
    with pytest.raises(WriteDenied):
        harness.forge.merge(pull, "squash")


def test_a_draft(harness: Harness) -> None:
    harness.host.pulls[1].draft = True
    assert harness.forge.pull_request(1).is_draft
