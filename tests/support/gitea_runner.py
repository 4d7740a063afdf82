"""A runner for the Actions of the real Gitea that fetches jobs with their tokens, and runs nothing.

It implements the protocol of runners (runner.v1.RunnerService) as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.support.gitea_server import RealGitea
from tests.support.waiting import until

WORKFLOW = """\
on: [push, pull_request, pull_request_target]
jobs:
  review:
    runs-on: here
    steps:
      - run: "true"
"""


class Job(NamedTuple):
    """A running job: the name of its event, the context of its expressions, and its token."""

    event: str
    context: Mapping[str, Any]
    token: str


@dataclass(frozen=True)
class Runner:
    """A runner of one repository."""

    gitea: RealGitea
    headers: Mapping[str, str]

    def job(self, event: str, number: int | None) -> Job:
        """Fetch the job of this event, of a pull request if numbered. Earlier jobs become done."""
        while True:
            task = until(self._task)
            context = task["context"]
            token = task["secrets"]["GITEA_TOKEN"]
            if (context["event_name"], context["event"].get("number")) == (event, number):
                return Job(event, context, token)
            state = {"id": task["id"], "result": "RESULT_SUCCESS", "stoppedAt": _LONG_AGO}
            _call(self.gitea, "UpdateTask", {"state": state}, self.headers)

    def _task(self) -> dict[str, Any]:
        answer = _call(self.gitea, "FetchTask", {"tasksVersion": "0"}, self.headers)
        task: dict[str, Any] = answer.get("task", {})
        return task


def register_runner(gitea: RealGitea, repository: str) -> Runner:
    """Register a runner for a repository of alice."""
    path = f"/repos/alice/{repository}/actions/runners/registration-token"
    registration = {"token": gitea.call("POST", path)["token"], "name": "one", "labels": ["here"]}
    runner = _call(gitea, "Register", registration, {})["runner"]
    headers = {"x-runner-uuid": runner["uuid"], "x-runner-token": runner["token"]}
    _call(gitea, "Declare", {"version": "1", "labels": ["here"]}, headers)
    return Runner(gitea, headers)


_LONG_AGO = "2026-01-01T00:00:00Z"


def _call(gitea: RealGitea, method: str, body: object, headers: Mapping[str, str]) -> Any:
    url = f"{gitea.url}/api/actions/runner.v1.RunnerService/{method}"
    answer = gitea.http.post(url, json=body, headers=dict(headers))
    assert answer.is_success, f"{method}: {answer.status_code} {answer.text}"
    return answer.json()
