"""Which job of GitHub Actions runs, and what is asked of GitHub about a pull request."""

from __future__ import annotations

import json
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
from tests.forges.github.desk import desk
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
        1, "Keep sessions", "Because.", BASE, "main", HEAD, False, "refs/pull/1/head"
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


def test_one_of_a_fork(tmp_path: Path, pull: FakeGitHubForge) -> None:
    event = pull.event(2)
    assert run(tmp_path, "pull_request", event).pull == PullRequest(
        2, "From elsewhere", "", BASE, "main", HEAD, True, "refs/pull/2/head"
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
def test_what_is_no_branch(tmp_path: Path, ref: str) -> None:
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
    assert found.branch == "gh-readonly-queue/main/pr-7-abc"


@pytest.mark.parametrize(
    ("started", "head"),
    [("pull_request", HEAD), ("pull_request_target", HEAD), (None, HEAD), ("push", "")],
)
def test_a_job_after_another(tmp_path: Path, started: str | None, head: str) -> None:
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
def test_an_event_that_cannot_be_read(tmp_path: Path, content: str) -> None:
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
def test_an_event_that_is_not_there(tmp_path: Path, place: str) -> None:
    path = str(tmp_path / place) if place else ""
    environ = {"GITHUB_EVENT_PATH": path, "GITHUB_REF": "refs/pull/x/merge"}
    found = run(tmp_path, "pull_request", {}, **environ)
    assert found.pull == PullRequest(0, "", "", "", "", "", True, "refs/pull/0/head")


def test_an_event_is_read_within_bounds(tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_bytes(b"{}".ljust(MAX_EVENT_BYTES))
    assert read_event(str(path)) == {}
    path.write_bytes(b"{}".ljust(MAX_EVENT_BYTES + 1))
    assert read_event(str(path)) is None


def test_what_is_no_commit_and_no_branch_was_not_said(
    tmp_path: Path, pull: FakeGitHubForge
) -> None:
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
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just(HEAD),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "pull_request",
                    "issue",
                    "number",
                    "head",
                    "base",
                    "repo",
                    "id",
                    "sha",
                    "ref",
                    "before",
                    "repository",
                    "default_branch",
                    "merge_group",
                    "workflow_run",
                    "event",
                    "head_sha",
                    "base_sha",
                ]
            ),
            inner,
        )
    ),
)


@given(JSON, st.sampled_from(["pull_request", "push", "schedule", "workflow_run", "x"]))
def test_any_event_is_read(
    tmp_path_factory: pytest.TempPathFactory, event: object, name: str
) -> None:
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


def test_others_that_speak_its_language_are_not_it(tmp_path: Path) -> None:
    environ = FORGE.environ(tmp_path, "push", {})
    assert VENDOR.detect_job(environ)
    assert VENDOR.detect_job({**environ, "GITEA_ACTIONS": "true"}) is None
    assert VENDOR.detect_job({**environ, "FORGEJO_ACTIONS": "true"}) is None
    assert VENDOR.detect_job({**environ, "GITHUB_ACTIONS": ""}) is None
    assert VENDOR.detect_job({}) is None


def test_the_registry_knows_it(tmp_path: Path) -> None:
    broken: list[str] = []
    found = detect_job(FORGE.environ(tmp_path, "push", {}), broken)
    assert found is not None
    assert (found.name, found.vendor.label, broken) == ("github", "GitHub", [])


def test_in_the_cloud(tmp_path: Path) -> None:
    path = str(tmp_path / "gone")
    found = VENDOR.detect_job({"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": path})
    assert found is not None
    assert (found.web_url, found.api_url) == ("https://github.com", "https://api.github.com")


@pytest.mark.parametrize("name", ["", "shop", "acme/shop/x", "acme/..", "acme/sh op", "a/b?c"])
def test_a_repository_that_is_none(name: str) -> None:
    with desk() as one:
        open_run = JobContext(one.forge.url, one.forge.api, name, "push")
        with pytest.raises(RemoteError, match="GITHUB_REPOSITORY"):
            VENDOR.open(open_run, one.workplace.forge_clients(None))


def test_a_pull_request_as_it_is_now() -> None:
    with desk() as one:
        number = one.forge.add_pull("T", "B", base=BASE, head=HEAD, fork=True, state="closed")
        assert one.open().pull_request(number) == PullRequest(
            number, "T", "B", BASE, "main", HEAD, True, f"refs/pull/{number}/head", is_open=False
        )
        with pytest.raises(Missing):
            one.open().pull_request(77)


def test_whatever_is_left_out_of_a_pull_request() -> None:
    described = Description.load("github/forge.openapi3.json")
    if described is None:
        pytest.skip(NEEDED)
    with desk() as one:
        whole = one.forge.pulls[one.number]
        places = described.optional("GET", "/repos/acme/shop/pulls/1", 200)
        needed = [(end, *way) for end in ("head", "base") for way in ((), ("repo",), ("sha",))]
        forge = one.open()
        for _, data in damaged(whole, [*needed, ("title",), ("body",), *places][:40]):
            one.forge.server.fail(CannedResponse(200, data))
            found = forge.pull_request(one.number)
            assert found.number == one.number
            assert found.is_fork == (not same(data))


def same(data: object) -> bool:
    """Whether both ends of a pull request have a repository, and the same one."""
    assert isinstance(data, dict)
    repos = [(data.get(end) or {}).get("repo") or {} for end in ("head", "base")]
    return repos[0].get("id") is not None and repos[0].get("id") == repos[1].get("id")


@pytest.mark.parametrize(
    "data", [None, [], {}, {"number": "x"}, {"number": 0}, {"number": -1}, {"number": 1e300}]
)
def test_what_is_no_pull_request_is_one_line(data: object) -> None:
    with desk() as one:
        one.forge.server.fail(CannedResponse(200, json.dumps(data).encode()))
        with pytest.raises(RemoteError, match="without a pull request"):
            one.open().pull_request(one.number)


def test_a_status() -> None:
    with desk() as one:
        forge = one.open()
        forge.set_status(HEAD, CommitStatus("failure", "sdd review", "1 finding", "https://ci/1"))
        forge.set_status(HEAD, CommitStatus("success", "sdd review", "x" * 141))
        first, second = one.forge.statuses[HEAD]
        assert (first["state"], first["target_url"]) == ("failure", "https://ci/1")
        assert (first["context"], first["description"]) == ("sdd review", "1 finding")
        assert len(second["description"]) == MAX_DESCRIPTION
        assert second["description"].endswith("x…")
        assert second["target_url"] is None


def test_a_denied_status() -> None:
    with desk() as one, pytest.raises(WriteDenied):
        one.open(FORK).set_status(HEAD, CommitStatus("success", "sdd review", "Nothing"))


def test_where_files_are_shown() -> None:
    with desk() as one:
        assert one.open().file_links() == (f"{one.forge.url}/acme/shop/blob", "plain=1")


def test_nothing_is_asked_after_it_was_let_go() -> None:
    with desk() as one:
        forge = one.open()
        forge.disconnect()
        with pytest.raises(RemoteError, match="stopped"):
            forge.pull_request(one.number)
        assert not one.forge.server.asked
