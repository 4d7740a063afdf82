"""The contract against the real Gitea, if it is installed, with the token of a job."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.action.inputs import Inputs
from sdd_hooks.action.results import CommandResult
from sdd_hooks.action.review import review_pull
from sdd_hooks.action.tokens import client_factory, git_access
from sdd_hooks.forges.gitea.forge import GiteaForge
from sdd_hooks.forges.gitea.vendor import VENDOR
from sdd_hooks.forges.protocol import CommitStatus, JobContext, WriteDenied
from sdd_hooks.forges.registry import detect_job
from sdd_hooks.reporting.comment import has_marker
from tests.action.hosting import MEMORY, RECORD
from tests.forges.gitea.contract import BODY, HOSTILE, LINES, PATH, Contract, PostedLineComment
from tests.forges.gitea.harness import WRONG, open_gitea
from tests.support.gitea_runner import WORKFLOW, Job, register_runner
from tests.support.gitea_server import NEEDED, PASSWORD, RealGitea, gitea_program, running_gitea
from tests.support.machines import ClientFactory
from tests.support.repos import Repo

PROGRAM = gitea_program()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason=NEEDED)

TITLE = "A change"
BREAKS = "a = 1\n# Governing: ADR-0099\n"
CONTENT = "".join(f"line {number}\n" for number in range(1, LINES + 1))


@dataclass
class RealGiteaHarness:
    """A repository of alice with a fork of bob, and its jobs; see `ForgeHarness`."""

    gitea: RealGitea
    name: str
    jobs: dict[str, Job]
    branches: Iterator[int]
    client_factory: ClientFactory
    pulls: dict[bool, int] = field(default_factory=dict)

    @property
    def home(self) -> str:
        return f"alice/{self.name}"

    def open(self, who: str = "job") -> GiteaForge:
        run = JobContext(self.gitea.url, f"{self.gitea.url}/api/v1", self.home, "pull_request")
        return open_gitea(run, self.client_factory, self._token(who))

    def pull(self, title: str = TITLE, body: str = "", *, fork: bool = False) -> int:
        """Reset the existing pull request, which is faster than to create one."""
        if fork not in self.pulls:
            self.pulls[fork] = self.new_pull(CONTENT, fork=fork)
        number = self.pulls[fork]
        self._call("PATCH", f"/pulls/{number}", {"title": title, "body": body})
        for one in self._call("GET", f"/issues/{number}/comments"):
            self._call("DELETE", f"/issues/comments/{one['id']}")
        for one in self._reviews(number, "alice"):
            self._call("DELETE", f"/pulls/{number}/reviews/{one['id']}")
        return number

    def new_pull(self, content: str, title: str = TITLE, *, fork: bool = False) -> int:
        """Create a pull request that adds a file."""
        branch, owner = f"branch-{next(self.branches)}", "bob" if fork else "alice"
        self.gitea.change(self.name, branch, PATH, content, owner=owner)
        payload = {"title": title, "body": "", "head": f"{owner}:{branch}", "base": "main"}
        return int(self._call("POST", "/pulls", payload, user=owner)["number"])

    def head(self, number: int) -> str:
        return str(self._call("GET", f"/pulls/{number}")["head"]["sha"])

    def add_comment(self, number: int, body: str) -> None:
        self._call("POST", f"/issues/{number}/comments", {"body": body})

    def comments(self, number: int) -> list[tuple[str, str]]:
        found = self._call("GET", f"/issues/{number}/comments")
        return [(one["user"]["login"], one["body"]) for one in found]

    def line_comments(self, number: int) -> list[PostedLineComment]:
        shown = [one for one in self._reviews(number, "bob") if one["comments_count"]]
        found = [
            self._call("GET", f"/pulls/{number}/reviews/{one['id']}/comments") for one in shown
        ]
        said = [one for listed in found for one in listed]
        said.sort(key=lambda one: (one["position"], one["id"]))
        return [
            PostedLineComment(one["position"], one["body"], one["resolver"] is not None)
            for one in said
        ]

    def add_line_comment(self, number: int, line: int, body: str) -> None:
        said = [{"path": PATH, "body": body, "new_position": line}]
        review = {"event": "COMMENT", "body": "", "comments": said}
        self._call("POST", f"/pulls/{number}/reviews", review)

    def resolve_first(self, number: int) -> None:
        (review,) = (one for one in self._reviews(number, "alice") if one["comments_count"])
        path = f"/pulls/{number}/reviews/{review['id']}/comments"
        first = min(one["id"] for one in self._call("GET", path))
        self._call("POST", f"/pulls/comments/{first}/resolve")

    def begin_review(self, number: int, who: str, body: str, *, commit: str = "") -> None:
        said = [{"path": PATH, "body": body, "new_position": 1}]
        review: dict[str, Any] = {"event": "PENDING", "body": body, "comments": said}
        if commit:
            review = {"event": "COMMENT", "body": "", "comments": said, "commit_id": commit}
        answer = self._as(who, "POST", f"/pulls/{number}/reviews", review)
        assert answer.status_code == (500 if commit else 200)

    def count_pending_reviews(self, number: int, who: str) -> int:
        found = self._as(who, "GET", f"/pulls/{number}/reviews").json()
        logins = {"job": "gitea-actions"}
        mine = [one for one in found if one["user"]["login"] == logins.get(who, who)]
        return sum(one["state"] == "PENDING" for one in mine)

    def statuses(self, sha: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._call("GET", f"/statuses/{sha}")
        # The Actions of the server post statuses, too.
        found = [one for one in found if one["context"] == "sdd review"]
        return sorted(found, key=lambda one: -one["id"])

    def reviewing(
        self, folder: Path, number: int, event: str = "pull_request"
    ) -> Callable[[], CommandResult]:
        """A job that reviews a pull request from the checkout of its runner.

        With the event `workflow_run` it follows another job, and runs on `main`.
        """
        pull, repository = self._call("GET", f"/pulls/{number}"), self._call("GET", "")
        sha, ref = pull["head"]["sha"], f"refs/pull/{number}/head"
        payload: dict[str, Any] = {"number": number, "pull_request": pull, "repository": repository}
        if event == "workflow_run":
            run = {"event": "pull_request", "head_sha": sha, "path": f"review.yml@{ref}"}
            payload = {"action": "completed", "workflow_run": run, "repository": repository}
            sha, ref = pull["base"]["sha"], "refs/heads/main"
        described = folder / "event.json"
        described.write_text(json.dumps(payload), encoding="utf-8")
        environ = {
            "GITHUB_ACTIONS": "true",
            "GITEA_ACTIONS": "true",
            "GITHUB_SERVER_URL": f"{self.gitea.url}/",
            "GITHUB_API_URL": f"{self.gitea.url}/api/v1",
            "GITHUB_REPOSITORY": self.home,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(described),
            "GITHUB_SHA": sha,
            "GITHUB_REF": ref,
            "RUNNER_TEMP": str(folder),
        }
        found = detect_job(environ, [])
        token = self._token("job")
        reach = git_access(found, token, {})
        repo = Repo.init(folder / "checkout")
        repo.git("remote", "add", "origin", f"{self.gitea.url}/{self.home}")
        repo.git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", sha, env=reach)
        repo.git("checkout", "--quiet", "--detach", sha)
        inputs = Inputs("review", inline=True)
        project = repo.project(environ)
        return lambda: review_pull(project, found, inputs, client_factory(token), reach)

    def _reviews(self, number: int, user: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._call("GET", f"/pulls/{number}/reviews", user=user)
        return found

    def _call(self, method: str, path: str, body: object = None, *, user: str = "alice") -> Any:
        return self.gitea.call(method, f"/repos/{self.home}{path}", body, user=user)

    def _as(self, who: str, method: str, path: str, body: object = None) -> Any:
        url = f"{self.gitea.url}/api/v1/repos/{self.home}{path}"
        headers = {"Authorization": f"token {self._token(who)}"}
        return self.gitea.http.request(method, url, json=body, headers=headers)

    def _token(self, who: str) -> str:
        if who in self.jobs:
            return self.jobs[who].token
        if who == "scoped":
            payload = {"name": "narrow", "scopes": ["write:repository", "write:issue"]}
            url = f"{self.gitea.url}/api/v1/users/alice/tokens"
            made = self.gitea.http.post(url, json=payload, auth=("alice", PASSWORD)).json()
            return str(made["sha1"])
        return WRONG if who == "wrong" else self.gitea.tokens[who]


@pytest.fixture(scope="module")
def gitea(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealGitea]:
    assert PROGRAM is not None
    with running_gitea(PROGRAM, tmp_path_factory.mktemp("gitea"), actions=True) as gitea:
        yield gitea


@pytest.fixture(scope="module")
def forge(gitea: RealGitea) -> Iterator[RealGiteaHarness]:
    with ClientFactory(0.0) as client_factory:
        name = gitea.repository()
        forge = RealGiteaHarness(gitea, name, {}, count(1), client_factory)
        gitea.change(name, "main", "CLAUDE.md", MEMORY)
        gitea.change(name, "main", "docs/adrs/ADR-0001-events.md", RECORD)
        gitea.change(name, "main", ".gitea/workflows/review.yml", WORKFLOW)
        gitea.call("POST", f"/repos/alice/{name}/forks", {}, user="bob")
        for who, event in (("job", "pull_request"), ("fork", "pull_request_target")):
            number = forge.pull(fork=who == "fork")
            forge.jobs[who] = register_runner(gitea, name).job(event, number)
        yield forge


@pytest.fixture
def harness(forge: RealGiteaHarness) -> RealGiteaHarness:
    return forge


class TestRealGitea(Contract):
    """The contract against the real Gitea."""


def test_the_job_of_a_runner(forge: RealGiteaHarness, tmp_path: Path) -> None:
    job = forge.jobs["job"]
    context = {**job.context}
    event = tmp_path / "event.json"
    event.write_text(json.dumps(context.pop("event")), encoding="utf-8")
    environ = {f"GITHUB_{name.upper()}": str(value) for name, value in context.items()}
    run = VENDOR.detect_job({**environ, "GITEA_ACTIONS": "true", "GITHUB_EVENT_PATH": str(event)})
    assert run is not None
    assert run.pull is not None
    now = forge.open().pull_request(forge.pull())
    assert run.pull == now
    assert (run.web_url, run.api_url) == (forge.gitea.url, f"{forge.gitea.url}/api/v1")
    assert (run.repository, run.sha) == (forge.home, now.head)
    assert (run.default_branch, run.shows_annotations) == ("main", False)


def test_a_job_reviews_its_pull_request_from_a_shallow_checkout(
    forge: RealGiteaHarness, tmp_path: Path
) -> None:
    number = forge.new_pull(BREAKS, HOSTILE)
    forge.gitea.call("PATCH", f"/repos/{forge.home}", {"private": True})
    try:
        job = forge.reviewing(tmp_path, number)
        first = job()
        (said,) = forge.comments(number)
        (on_line,) = forge.gitea.call("GET", f"/repos/{forge.home}/pulls/{number}/reviews")
        assert said[0] == on_line["user"]["login"] == "gitea-actions"
        assert "ADR-0099" in said[1]
        assert (first.exit_code, first.notes, first.outputs["critical"]) == (0, (), "1")
        assert job() == first
        assert forge.comments(number) == [said]
        assert [on_line] == forge.gitea.call("GET", f"/repos/{forge.home}/pulls/{number}/reviews")
        (status,) = forge.statuses(forge.head(number))
        assert (status["status"], status["description"]) == ("success", "1 critical")
    finally:
        forge.gitea.call("PATCH", f"/repos/{forge.home}", {"private": False})


def test_of_two_pull_requests_that_take_a_number_the_later_one_is_told(
    forge: RealGiteaHarness, tmp_path: Path
) -> None:
    numbers = []
    for title in ("queues", "caches"):
        # The same text would be the same decision.
        record = RECORD.replace("ADR-0001: Events", f"ADR-0050: {title.title()}")
        path = f"docs/adrs/ADR-0050-{title}.md"
        forge.gitea.change(forge.name, title, path, record)
        payload = {"title": f"Decide on {title}", "body": "", "head": title, "base": "main"}
        made = forge.gitea.call("POST", f"/repos/{forge.home}/pulls", payload)
        numbers.append(made["number"])
    results = []
    for number in numbers:
        folder = tmp_path / str(number)
        folder.mkdir()
        results.append(forge.reviewing(folder, number)())
    first, later = results
    assert (first.outputs["critical"], later.outputs["critical"]) == ("0", "1")
    (said,) = (body for _, body in forge.comments(numbers[1]) if "ADR-0050" in body)
    assert f"in pull request {numbers[0]}, which is older" in said
    assert "docs/adrs/ADR-0050-queues.md" in said


def test_a_job_that_follows_another_reviews_the_pull_request_of_a_fork(
    forge: RealGiteaHarness, tmp_path: Path
) -> None:
    number = forge.new_pull(BREAKS, fork=True)
    result = forge.reviewing(tmp_path, number, "workflow_run")()
    assert (result.notes, result.outputs["critical"]) == ((), "1")
    ((author, body),) = forge.comments(number)
    assert author == "gitea-actions"
    assert "ADR-0099" in body
    assert [(one.line, one.is_resolved) for one in forge.line_comments(number)] == [(2, False)]


@pytest.mark.parametrize(
    ("permissions", "sets_status"),
    [
        ("{contents: read, pull-requests: write}", False),
        ("{contents: read, pull-requests: write, statuses: write}", False),
        ("{contents: write, pull-requests: write}", True),
    ],
)
def test_the_permissions_that_a_job_needs(
    gitea: RealGitea, permissions: str, sets_status: bool
) -> None:
    name = gitea.repository()
    workflow = WORKFLOW.replace("    steps:", f"    permissions: {permissions}\n    steps:")
    gitea.change(name, "main", ".gitea/workflows/review.yml", workflow)
    gitea.change(name, "change", PATH, CONTENT)
    payload = {"title": TITLE, "body": "", "head": "change", "base": "main"}
    pull = gitea.call("POST", f"/repos/alice/{name}/pulls", payload)
    job = register_runner(gitea, name).job("pull_request", pull["number"])
    run = JobContext(gitea.url, f"{gitea.url}/api/v1", f"alice/{name}", "pull_request")
    with ClientFactory(0.0) as client_factory:
        forge = open_gitea(run, client_factory, job.token)
        assert forge.upsert_comment(pull["number"], BODY, has_marker).action == "created"
        with nullcontext() if sets_status else pytest.raises(WriteDenied, match="contents: write"):
            forge.set_status(
                pull["head"]["sha"], CommitStatus("success", "sdd review", "All clear")
            )
