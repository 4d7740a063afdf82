"""The contract against the real Gitea, where there is one, as a job of its Actions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.forges.gitea import VENDOR
from sdd_hooks.forges.gitea_repository import Gitea
from sdd_hooks.forges.protocol import Run
from tests.forges.gitea_contract import LINES, PATH, Contract, OnLine
from tests.forges.gitea_desk import WRONG, open_gitea
from tests.support.gitea_runner import WORKFLOW, Job, register_runner
from tests.support.gitea_server import NEEDED, RealGitea, gitea_program, running_gitea
from tests.support.machines import Workplace

PROGRAM = gitea_program()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason=NEEDED)

CONTENT = "".join(f"line {number}\n" for number in range(1, LINES + 1))


@dataclass
class RealForge:
    """A repository of alice's that bob has forked, and jobs that run for it: a bench."""

    gitea: RealGitea
    name: str
    jobs: dict[str, Job]
    branches: Iterator[int]
    workplace: Workplace

    @property
    def home(self) -> str:
        return f"alice/{self.name}"

    def open(self, who: str = "job") -> Gitea:
        run = Run(self.gitea.url, f"{self.gitea.url}/api/v1", self.home, "pull_request")
        return open_gitea(run, self.workplace, self._token(who))

    def pull(self, title: str = "A change", body: str = "", *, fork: bool = False) -> int:
        branch, owner = f"branch-{next(self.branches)}", "bob" if fork else "alice"
        self.gitea.change(self.name, branch, PATH, CONTENT, owner=owner)
        asked = {"title": title, "body": body, "head": f"{owner}:{branch}", "base": "main"}
        return int(self._call("POST", "/pulls", asked, user=owner)["number"])

    def head(self, number: int) -> str:
        return str(self._call("GET", f"/pulls/{number}")["head"]["sha"])

    def say(self, number: int, body: str) -> None:
        self._call("POST", f"/issues/{number}/comments", {"body": body})

    def said(self, number: int) -> list[tuple[str, str]]:
        found = self._call("GET", f"/issues/{number}/comments")
        return [(one["user"]["login"], one["body"]) for one in found]

    def on_lines(self, number: int) -> list[OnLine]:
        shown = [one for one in self._reviews(number, "bob") if one["comments_count"]]
        found = [
            self._call("GET", f"/pulls/{number}/reviews/{one['id']}/comments") for one in shown
        ]
        said = [one for listed in found for one in listed]
        said.sort(key=lambda one: (one["position"], one["id"]))
        return [OnLine(one["position"], one["body"], one["resolver"] is not None) for one in said]

    def say_on_line(self, number: int, line: int, body: str) -> None:
        said = [{"path": PATH, "body": body, "new_position": line}]
        review = {"event": "COMMENT", "body": "", "comments": said}
        self._call("POST", f"/pulls/{number}/reviews", review)

    def resolve_first(self, number: int) -> None:
        (review,) = (one for one in self._reviews(number, "alice") if one["comments_count"])
        path = f"/pulls/{number}/reviews/{review['id']}/comments"
        first = min(one["id"] for one in self._call("GET", path))
        self._call("POST", f"/pulls/comments/{first}/resolve")

    def begin(self, number: int, who: str, body: str, *, commit: str = "") -> None:
        said = [{"path": PATH, "body": body, "new_position": 1}]
        review: dict[str, Any] = {"event": "PENDING", "body": body, "comments": said}
        if commit:
            review = {"event": "COMMENT", "body": "", "comments": said, "commit_id": commit}
        answer = self._as(who, "POST", f"/pulls/{number}/reviews", review)
        assert answer.status_code == (500 if commit else 200)

    def begun(self, number: int, who: str) -> int:
        found = self._as(who, "GET", f"/pulls/{number}/reviews").json()
        logins = {"job": "gitea-actions"}
        mine = [one for one in found if one["user"]["login"] == logins.get(who, who)]
        return sum(one["state"] == "PENDING" for one in mine)

    def statuses(self, sha: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._call("GET", f"/statuses/{sha}")
        # Those of its own Actions are there, too.
        found = [one for one in found if one["context"] == "sdd review"]
        return sorted(found, key=lambda one: -one["id"])

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
        return WRONG if who == "nobody" else self.gitea.tokens[who]


@pytest.fixture(scope="module")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealForge]:
    assert PROGRAM is not None
    with (
        running_gitea(PROGRAM, tmp_path_factory.mktemp("gitea"), actions=True) as gitea,
        Workplace(0.0) as workplace,
    ):
        name = gitea.repository()
        gitea.call("POST", f"/repos/alice/{name}/forks", {}, user="bob")
        forge = RealForge(gitea, name, {}, count(1), workplace)
        gitea.change(name, "main", ".gitea/workflows/review.yml", WORKFLOW)
        for who, event in (("job", "pull_request"), ("fork", "pull_request_target")):
            number = forge.pull(f"From {who}", fork=who == "fork")
            forge.jobs[who] = register_runner(gitea, name).job(event, number)
        yield forge


@pytest.fixture
def bench(forge: RealForge) -> RealForge:
    return forge


class TestRealGitea(Contract):
    """The contract, against the real one."""


def test_what_a_job_is_told(forge: RealForge, tmp_path: Path) -> None:
    job = forge.jobs["job"]
    context = {**job.context}
    event = tmp_path / "event.json"
    event.write_text(json.dumps(context.pop("event")), encoding="utf-8")
    environ = {f"GITHUB_{name.upper()}": str(value) for name, value in context.items()}
    run = VENDOR.here({**environ, "GITEA_ACTIONS": "true", "GITHUB_EVENT_PATH": str(event)})
    assert run is not None
    assert run.pull is not None
    now = forge.open().pull_request(run.pull.number)
    assert run.pull == now
    assert (run.web, run.api) == (forge.gitea.url, f"{forge.gitea.url}/api/v1")
    assert (run.repository, run.sha) == (forge.home, now.head)
    assert (run.default_branch, run.annotations) == ("main", False)
