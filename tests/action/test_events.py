from __future__ import annotations

import pytest

from sdd_hooks.action.events import ON_PUSHES, Plan, plan
from sdd_hooks.action.inputs import COMMANDS, Command
from sdd_hooks.forges.protocol import JobContext, PullRequest

PULL = PullRequest(7, "", "", "", "main", "", is_fork=True, ref="refs/pull/7/head")
PUSH = JobContext("https://forge.example", "https://forge.example/api", "acme/shop", "push")
ABOUT_PULLS = [
    PUSH._replace(pull=PULL),
    PUSH._replace(followed_sha="a" * 40),
    PUSH._replace(is_unmerged=True),
]


@pytest.mark.parametrize("run", [None, PUSH])
@pytest.mark.parametrize("command", COMMANDS)
def test_elsewhere_everything_runs(command: Command, run: JobContext | None) -> None:
    assert plan(command, run) == Plan(ON_PUSHES if command == "all" else (command,))


@pytest.mark.parametrize("run", ABOUT_PULLS)
@pytest.mark.parametrize("command", COMMANDS)
def test_on_a_pull_request_only_a_review_runs(command: Command, run: JobContext) -> None:
    found = plan(command, run)
    assert found.commands == (("review",) if command in {"review", "all"} else ())
    assert bool(found.note) == (command != "review")


def test_what_is_left_out_is_said() -> None:
    assert plan("sync", ABOUT_PULLS[0]).note == (
        "left out on a pull request, which must not decide where tokens go: sync"
        " (for pushes and schedules)"
    )
