"""A runner of the real Gitea's Actions that runs nothing: what a job is told, and its token.

It speaks the protocol of runners (runner.v1.RunnerService) as JSON.
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
    """A job that runs: what it is told about its event, and its token."""

    event: str
    context: Mapping[str, Any]
    token: str


@dataclass(frozen=True)
class Runner:
    """A runner of one repository."""

    gitea: RealGitea
    headers: Mapping[str, str]

    def job(self, event: str, number: int) -> Job:
        """The job that this event of a pull request starts. What comes before it is run, too."""
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
    """A new runner for a repository of alice's."""
    path = f"/repos/alice/{repository}/actions/runners/registration-token"
    asked = {"token": gitea.call("POST", path)["token"], "name": "one", "labels": ["here"]}
    made = _call(gitea, "Register", asked, {})["runner"]
    headers = {"x-runner-uuid": made["uuid"], "x-runner-token": made["token"]}
    _call(gitea, "Declare", {"version": "1", "labels": ["here"]}, headers)
    return Runner(gitea, headers)


_LONG_AGO = "2026-01-01T00:00:00Z"


def _call(gitea: RealGitea, method: str, body: object, headers: Mapping[str, str]) -> Any:
    url = f"{gitea.url}/api/actions/runner.v1.RunnerService/{method}"
    answer = gitea.http.post(url, json=body, headers=dict(headers))
    assert answer.is_success, f"{method}: {answer.status_code} {answer.text}"
    return answer.json()
