"""The job that the variables of GitHub's runner describe, and requests about pull requests."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.forges.actions_event import MAX_EVENT_BYTES, read_event
from sdd_hooks.forges.github.forge import MAX_DESCRIPTION
from sdd_hooks.forges.github.vendor import VENDOR
from sdd_hooks.forges.protocol import CommitStatus, JobContext, PullRequest, WriteDenied
from sdd_hooks.forges.registry import detect_job
from tests.forges.github.harness import github_harness
from tests.support.github_forge import FORK, FakeGitHubForge
from tests.support.loopback import CannedResponse
from tests.support.openapi import NEEDED, Description, damaged

SHA, BASE, HEAD = "3" * 40, "1" * 40, "2" * 40
FORGE = FakeGitHubForge(url="https://git.acme.example")


def run(tmp_path: Path, name: str, event: object, **environ: str) -> JobContext:
    found = VENDOR.detect_job({**FORGE.environ(tmp_path, name, event, sha=SHA), **environ})
    assert found is not None
    return found


@pytest.fixture
def pull() -> FakeGitHubForge:
    forge = FakeGitHubForge(url="https://git.acme.example")
    forge.add_pull("Keep sessions", "Because.", base=BASE, head=HEAD)
    forge.add_pull("From elsewhere", base=BASE, head=HEAD, fork=True)
    return forge


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target", "pull_request_review"])
def test_a_pull_request(tmp_path: Path, pull: FakeGitHubForge, name: str) -> None:
    found = PullRequest(
        1,
        "Keep sessions",
        "Because.",
        BASE,
        "main",
        HEAD,
        False,
        "refs/pull/1/head",
        True,
        "feature",
    )
    assert run(tmp_path, name, pull.event(1)) == JobContext(
        web_url="https://git.acme.example",
        api_url="https://git.acme.example/api/v3",
        repository="acme/shop",
        event=name,
        sha=SHA,
        default_branch="main",
        pull=found,
        shows_annotations=True,
    )


def test_a_pull_request_from_a_fork(tmp_path: Path, pull: FakeGitHubForge) -> None:
    event = pull.event(2)
    assert run(tmp_path, "pull_request", event).pull == PullRequest(
        2, "From elsewhere", "", BASE, "main", HEAD, True, "refs/pull/2/head", True, "feature"
    )
    event["pull_request"]["head"]["repo"] = None
    found = run(tmp_path, "pull_request", event).pull
    assert found is not None
    assert found.is_fork
    event["pull_request"]["state"] = "closed"
    found = run(tmp_path, "pull_request", event).pull
    assert found is not None
    assert not found.is_open


def test_a_push(tmp_path: Path) -> None:
    event = {"before": BASE, "after": SHA, "repository": FORGE.repository()}
    found = run(tmp_path, "push", event, GITHUB_REF="refs/heads/feature/x")
    assert (found.pull, found.before, found.branch) == (None, BASE, "feature/x")
    assert (found.sha, found.default_branch, found.followed_sha) == (SHA, "main", "")


@pytest.mark.parametrize("ref", ["refs/tags/v1", "refs/heads/--upload-pack=x", ""])
def test_refs_that_are_not_branches(tmp_path: Path, ref: str) -> None:
    event = {"before": "0" * 40, "repository": FORGE.repository()}
    found = run(tmp_path, "push", event, GITHUB_REF=ref)
    assert (found.before, found.branch) == ("", "")


def test_a_schedule_runs_on_the_default_branch(tmp_path: Path) -> None:
    found = run(tmp_path, "schedule", {"schedule": "0 3 * * *"}, GITHUB_REF="refs/heads/trunk")
    assert (found.branch, found.default_branch, found.pull) == ("trunk", "trunk", None)
    found = run(tmp_path, "push", {}, GITHUB_REF="refs/heads/trunk")
    assert found.default_branch == ""


def test_a_merge_queue(tmp_path: Path) -> None:
    queue = "refs/heads/gh-readonly-queue/main/pr-7-abc"
    event = {"merge_group": {"base_sha": BASE, "head_sha": SHA, "head_ref": queue}}
    found = run(tmp_path, "merge_group", event, GITHUB_REF=queue)
    assert (found.pull, found.before, found.sha, found.is_unmerged) == (None, BASE, SHA, True)
    assert found.queued_behind == BASE
    assert found.branch == "gh-readonly-queue/main/pr-7-abc"


@pytest.mark.parametrize(
    ("started", "head"),
    [("pull_request", HEAD), ("pull_request_target", HEAD), (None, HEAD), ("push", "")],
)
def test_a_job_that_follows_another(tmp_path: Path, started: str | None, head: str) -> None:
    """Scenario "A job after another" of SPEC-0009."""
    event = {"workflow_run": {"event": started, "head_sha": HEAD, "head_branch": "x"}}
    found = run(tmp_path, "workflow_run", event)
    assert (found.followed_sha, found.pull, found.sha) == (head, None, SHA)


def test_a_comment_on_a_pull_request(tmp_path: Path) -> None:
    issue = {"number": 9, "title": "T", "body": "B", "pull_request": {"url": "x"}}
    found = run(tmp_path, "issue_comment", {"issue": issue})
    assert found.pull == PullRequest(9, "T", "B", "", "", "", True, "refs/pull/9/head")
    del issue["pull_request"]
    assert run(tmp_path, "issue_comment", {"issue": issue}).pull is None


UNREADABLE = ["", "{", "[]", "null", "\ud800", "[" * 100_000, '{"pull_request": 3}', "9" * 10_000]


@pytest.mark.parametrize("content", UNREADABLE, ids=range(len(UNREADABLE)))
def test_an_unreadable_event(tmp_path: Path, content: str) -> None:
    environ = FORGE.environ(tmp_path, "pull_request", {}, ref="refs/pull/12/merge")
    data = content.encode("utf-8", "surrogatepass")
    Path(environ["GITHUB_EVENT_PATH"]).write_bytes(data)
    found = VENDOR.detect_job({**environ, "GITHUB_BASE_REF": "main"})
    assert found is not None
    assert found.pull == PullRequest(12, "", "", "", "main", "", True, "refs/pull/12/head")
    found = VENDOR.detect_job({**environ, "GITHUB_EVENT_NAME": "push"})
    assert found is not None
    assert found.pull is None


@pytest.mark.parametrize("place", ["gone.json", "", "\0", "x" * 5000])
def test_a_missing_event_file(tmp_path: Path, place: str) -> None:
    path = str(tmp_path / place) if place else ""
    environ = {"GITHUB_EVENT_PATH": path, "GITHUB_REF": "refs/pull/x/merge"}
    found = run(tmp_path, "pull_request", {}, **environ)
    assert found.pull == PullRequest(0, "", "", "", "", "", True, "refs/pull/0/head")


def test_the_size_of_an_event_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_bytes(b"{}".ljust(MAX_EVENT_BYTES))
    assert read_event(str(path)) == {}
    path.write_bytes(b"{}".ljust(MAX_EVENT_BYTES + 1))
    assert read_event(str(path)) is None


def test_a_pipe_is_no_event(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read_event(str(tmp_path / "pipe")) is None


def test_invalid_commits_and_branches_are_left_out(tmp_path: Path, pull: FakeGitHubForge) -> None:
    event = pull.event(1)
    event["pull_request"]["head"] |= {"sha": "--output=x", "ref": "$(touch x)"}
    event["pull_request"]["base"] |= {"sha": "2" * 39, "ref": "-x"}
    event["repository"]["default_branch"] = "a b"
    found = run(tmp_path, "pull_request", event, GITHUB_SHA="HEAD")
    assert found.pull is not None
    assert (found.pull.head, found.pull.base, found.pull.base_ref) == ("", "", "")
    assert (found.sha, found.default_branch) == ("", "")


NAMES = (
    *("pull_request", "issue", "number", "head", "base", "repo", "id", "sha", "ref", "before"),
    *("repository", "default_branch", "merge_group", "workflow_run", "event", "head_sha"),
    "base_sha",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just(HEAD),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner),
)


@given(JSON, st.sampled_from(["pull_request", "push", "schedule", "workflow_run", "x"]))
def test_any_event_is_read(
    tmp_path_factory: pytest.TempPathFactory, event: object, name: str
) -> None:
    """Scenario "A hostile event" of SPEC-0009."""
    found = run(tmp_path_factory.getbasetemp(), name, event)
    pulls = () if found.pull is None else (found.pull,)
    ids = [
        found.sha,
        found.before,
        found.followed_sha,
        *(id for one in pulls for id in (one.base, one.head)),
    ]
    assert all(id == "" or len(id) == 40 for id in ids)
    names = [found.branch, found.default_branch, *(one.base_ref for one in pulls)]
    assert not any(one.startswith("-") or " " in one or "\n" in one for one in names)
    assert all(one.number >= 0 for one in pulls)
    assert name != "pull_request" or pulls


def test_runners_of_other_hosts_are_not_recognised(tmp_path: Path) -> None:
    environ = FORGE.environ(tmp_path, "push", {})
    assert VENDOR.detect_job(environ)
    assert VENDOR.detect_job({**environ, "GITEA_ACTIONS": "true"}) is None
    assert VENDOR.detect_job({**environ, "FORGEJO_ACTIONS": "true"}) is None
    assert VENDOR.detect_job({**environ, "GITHUB_ACTIONS": ""}) is None
    assert VENDOR.detect_job({}) is None


def test_the_registry_detects_the_job(tmp_path: Path) -> None:
    broken: list[str] = []
    found = detect_job(FORGE.environ(tmp_path, "push", {}), broken)
    assert found is not None
    assert (found.name, found.vendor.label, broken) == ("github", "GitHub", [])


def test_the_default_addresses_are_those_of_the_cloud(tmp_path: Path) -> None:
    path = str(tmp_path / "gone")
    found = VENDOR.detect_job({"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": path})
    assert found is not None
    assert (found.web_url, found.api_url) == ("https://github.com", "https://api.github.com")


@pytest.mark.parametrize("name", ["", "shop", "acme/shop/x", "acme/..", "acme/sh op", "a/b?c"])
def test_an_invalid_repository(name: str) -> None:
    with github_harness() as harness:
        open_run = JobContext(harness.forge.url, harness.forge.api, name, "push")
        with pytest.raises(RemoteError, match="GITHUB_REPOSITORY"):
            VENDOR.open(open_run, harness.client_factory.forge_clients(None))


def test_a_requested_pull_request() -> None:
    with github_harness() as harness:
        number = harness.forge.add_pull("T", "B", base=BASE, head=HEAD, fork=True, state="closed")
        assert harness.open().pull_request(number) == PullRequest(
            number, "T", "B", BASE, "main", HEAD, True, f"refs/pull/{number}/head", False, "feature"
        )
        with pytest.raises(Missing):
            harness.open().pull_request(77)


def test_open_pull_requests() -> None:
    with github_harness() as harness:
        add = harness.forge.add_pull
        add(state="closed")
        numbers = [harness.number, *(add(fork=True, base_ref="release") for _ in range(120))]
        forge = harness.open()
        listed = forge.open_pull_requests(500)
        assert [one.number for one in listed] == sorted(numbers, reverse=True)
        assert listed[-1] == forge.pull_request(harness.number)
        assert (listed[0].base_ref, listed[0].is_fork) == ("release", True)
        assert forge.open_pull_requests(3) == listed[:3]


def test_the_description_of_a_pull_request() -> None:
    with github_harness() as harness:
        number = harness.forge.add_pull("T", "Before")
        harness.open().edit_description(number, "After\r\n`x`")
        assert harness.open().pull_request(number).body == "After\r\n`x`"


def test_missing_fields_of_a_pull_request() -> None:
    described = Description.load("github/forge.openapi3.json")
    if described is None:
        pytest.skip(NEEDED)
    with github_harness() as harness:
        whole = harness.forge.pulls[harness.number]
        places = described.optional("GET", "/repos/acme/shop/pulls/1", 200)
        needed = [(end, *way) for end in ("head", "base") for way in ((), ("repo",), ("sha",))]
        forge = harness.open()
        for _, data in damaged(whole, [*needed, ("title",), ("body",), *places][:40]):
            harness.forge.server.fail(CannedResponse(200, data))
            found = forge.pull_request(harness.number)
            assert found.number == harness.number
            assert found.is_fork == (not same(data))


def same(data: object) -> bool:
    """Whether both ends of a pull request have a repository, and the same one."""
    assert isinstance(data, dict)
    repos = [(data.get(end) or {}).get("repo") or {} for end in ("head", "base")]
    return repos[0].get("id") is not None and repos[0].get("id") == repos[1].get("id")


@pytest.mark.parametrize(
    "data", [None, [], {}, {"number": "x"}, {"number": 0}, {"number": -1}, {"number": 1e300}]
)
def test_an_invalid_pull_request_is_an_error_of_one_line(data: object) -> None:
    with github_harness() as harness:
        harness.forge.server.fail(CannedResponse(200, json.dumps(data).encode()))
        with pytest.raises(RemoteError, match="without a pull request"):
            harness.open().pull_request(harness.number)


def test_a_status() -> None:
    with github_harness() as harness:
        forge = harness.open()
        forge.set_status(HEAD, CommitStatus("failure", "sdd review", "1 finding", "https://ci/1"))
        forge.set_status(HEAD, CommitStatus("success", "sdd review", "x" * 141))
        first, second = harness.forge.statuses[HEAD]
        assert (first["state"], first["target_url"]) == ("failure", "https://ci/1")
        assert (first["context"], first["description"]) == ("sdd review", "1 finding")
        assert len(second["description"]) == MAX_DESCRIPTION
        assert second["description"].endswith("x…")
        assert second["target_url"] is None


def test_a_denied_status() -> None:
    with github_harness() as harness, pytest.raises(WriteDenied):
        harness.open(FORK).set_status(HEAD, CommitStatus("success", "sdd review", "Nothing"))


def test_the_web_addresses_of_files() -> None:
    with github_harness() as harness:
        assert harness.open().file_links() == (f"{harness.forge.url}/acme/shop/blob", "plain=1")
