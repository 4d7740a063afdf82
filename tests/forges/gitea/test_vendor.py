"""The job that the variables of a runner of Gitea or Forgejo describe."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.forges.gitea.vendor import VENDOR
from sdd_hooks.forges.protocol import JobContext, PullRequest
from sdd_hooks.forges.registry import detect_job
from tests.support.gitea_forge import FakeGiteaForge

BASE, HEAD = "1" * 40, "2" * 40


@pytest.fixture
def forge() -> FakeGiteaForge:
    found = FakeGiteaForge(url="https://git.acme.example/below")
    found.add_pull("Keep sessions", "It says **why**.", base=BASE, head=HEAD)
    return found


def run_of(environ: dict[str, str]) -> JobContext:
    run = VENDOR.detect_job(environ)
    assert run is not None
    return run


def test_a_pull_request(forge: FakeGiteaForge, tmp_path: Path) -> None:
    pull = PullRequest(
        number=1,
        title="Keep sessions",
        body="It says **why**.",
        base=BASE,
        base_ref="main",
        head=HEAD,
        is_fork=False,
        ref="refs/pull/1/head",
        head_ref="feature",
    )
    assert run_of(forge.environ(tmp_path, 1)) == JobContext(
        web_url="https://git.acme.example/below",
        api_url="https://git.acme.example/below/api/v1",
        repository="acme/shop",
        event="pull_request",
        sha=HEAD,
        default_branch="main",
        pull=pull,
        shows_annotations=False,
    )


def test_a_push(forge: FakeGiteaForge, tmp_path: Path) -> None:
    pushed = {"ref": "refs/heads/main", "before": BASE, "after": HEAD, "total_commits": 1}
    environ = forge.job(tmp_path, "push", pushed, sha=HEAD, ref="refs/heads/main")
    run = run_of(environ)
    assert (run.event, run.before, run.sha, run.branch) == ("push", BASE, HEAD, "main")
    assert run.pull is None


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"GITEA_ACTIONS": "true"}, "gitea"),
        ({"FORGEJO_ACTIONS": "true"}, "gitea"),
        ({"GITEA_ACTIONS": "true", "FORGEJO_ACTIONS": "true"}, "gitea"),
        ({"GITEA_ACTIONS": "false"}, None),
        ({"GITEA_ACTIONS": ""}, None),
        ({}, None),
    ],
)
def test_its_variable_distinguishes_it_from_github(
    forge: FakeGiteaForge, tmp_path: Path, settings: dict[str, str], found: str | None
) -> None:
    environ = forge.environ(tmp_path, 1)
    del environ["GITEA_ACTIONS"]
    run = VENDOR.detect_job({**environ, **settings})
    assert (run is not None) == (found is not None)
    if found:
        broken: list[str] = []
        job = detect_job({**environ, **settings}, broken)
        assert job is not None
        assert (job.name, job.vendor) == (found, VENDOR)


def test_a_runner_that_does_not_name_the_api(forge: FakeGiteaForge, tmp_path: Path) -> None:
    environ = forge.environ(tmp_path, 1)
    for silent in ({"GITHUB_API_URL": ""}, {"GITHUB_API_URL": f"{forge.url}/api/v1/"}):
        assert run_of({**environ, **silent}).api_url == "https://git.acme.example/below/api/v1"
    nothing = run_of({**environ, "GITHUB_API_URL": "", "GITHUB_SERVER_URL": ""})
    assert (nothing.web_url, nothing.api_url) == ("", "")
