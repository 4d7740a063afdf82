"""Which token is sent to which tracker, recorded by the hosts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sdd_hooks.action.inputs import Inputs
from sdd_hooks.action.results import CommandResult
from sdd_hooks.action.upkeep import sync
from sdd_hooks.forges.registry import detect_job
from sdd_hooks.trackers.source import NoTracker
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks
from tests.support.github import FakeGitHub, serving_github
from tests.support.loopback import CannedResponse, Server
from tests.support.repos import Repo, only_git

NOW = 1_800_000_000.0
OWN, TRACKERS = "t0ken-of-the-job", "t0ken-of-the-tracker"
MODULES = """
## Architecture Context

### Workspace Modules

| Module | Root |
|---|---|
| api | api |
"""
BOTH = Inputs("sync", token=OWN, tracker_token=TRACKERS)


@dataclass
class TwoHosts:
    """A repository with a tracker at the host `home`, another one at `away`, and jobs that sync."""

    repo: Repo
    home: Server
    away: Server
    environ: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def job(self, server: Server) -> None:
        """Run the next jobs on that host."""
        self.environ |= {
            "GITHUB_ACTIONS": "true",
            "GITHUB_SERVER_URL": server.url,
            "GITHUB_API_URL": f"{server.url}/api/v3",
            "GITHUB_REPOSITORY": "acme/shop",
            "GITHUB_EVENT_NAME": "schedule",
        }

    def declare(self, server: Server, folder: str = "") -> str:
        """Declare the tracker at that host. Returns the text of the memory file."""
        text = (
            "## SDD Configuration\n\n#### Tracker\n\n- **Type**: github\n"
            f"- **URL**: {server.url}\n- **Owner**: acme\n- **Repo**: shop\n"
        )
        self.repo.write(f"{folder}CLAUDE.md", text)
        return text

    def add_module(self) -> None:
        """Add a module with the other tracker; the jobs run on the host of the first."""
        text = self.declare(self.home)
        self.repo.write("CLAUDE.md", f"{text}{MODULES}")
        self.declare(self.away, "api/")
        self.job(self.home)

    def sync(self, inputs: Inputs) -> CommandResult:
        before = dict(self.environ)
        project = self.repo.project(self.environ)
        callbacks = SyncCallbacks(self.notes.append, lambda _step, _done, _total: None)
        try:
            return sync(project, detect_job(self.environ, []), inputs, NOW, callbacks)
        finally:
            assert self.environ == before


def tokens(server: Server) -> set[str]:
    """The tokens that were sent to a host, "" for a request without one."""
    sent = {one.headers.get("authorization", "").removeprefix("Bearer ") for one in server.requests}
    server.requests.clear()
    return sent


@pytest.fixture
def hosts(repo: Repo, tmp_path: Path) -> Iterator[TwoHosts]:
    with ExitStack() as stack:
        fakes = [FakeGitHub(NOW, checked=False) for _ in range(2)]
        for number, tracker in enumerate(fakes, 1):
            for _ in range(number):
                tracker.add()
        home, away = (stack.enter_context(serving_github(fake)) for fake in fakes)
        # Only git: neither bd, nor a program that has a token.
        environ = {"PATH": only_git(tmp_path / "programs"), "HOME": str(tmp_path)}
        hosts = TwoHosts(repo, home, away, environ)
        hosts.declare(home)
        yield hosts


def test_the_token_of_the_job_is_sent_to_the_tracker_of_its_host(hosts: TwoHosts) -> None:
    hosts.job(hosts.home)
    done = hosts.sync(Inputs("sync", token=OWN))
    assert (done.outputs, done.exit_code) == ({"issues-synced": "1"}, 0)
    assert done.log == ("issues of GitHub in repo-issues: 1 added",)
    assert hosts.notes == ["Syncing 1 issues from GitHub…"]
    assert tokens(hosts.home) == {OWN}
    again = hosts.sync(Inputs("sync", token=OWN))
    assert again.outputs == {"issues-synced": "0"}
    assert again.log == ("issues of GitHub in repo-issues: none changed",)


def test_the_token_of_the_tracker_has_priority(hosts: TwoHosts) -> None:
    hosts.job(hosts.home)
    hosts.environ["GITHUB_TOKEN"] = "another-one"
    hosts.sync(BOTH)
    assert tokens(hosts.home) == {TRACKERS}


def test_the_token_of_the_job_is_sent_to_no_other_host(hosts: TwoHosts) -> None:
    hosts.job(hosts.away)
    # Also where the environment names that host.
    hosts.environ["GH_HOST"] = hosts.home.url
    hosts.sync(Inputs("sync", token=OWN))
    assert tokens(hosts.home) == {""}
    hosts.sync(BOTH)
    assert tokens(hosts.home) == {TRACKERS}
    assert tokens(hosts.away) == set()


def test_a_host_of_the_repository_alone_gets_no_token(hosts: TwoHosts) -> None:
    hosts.job(hosts.away)
    hosts.sync(BOTH)
    assert tokens(hosts.home) == {""}


@pytest.mark.parametrize("runner", ["GITEA_ACTIONS", "FORGEJO_ACTIONS"])
def test_the_token_of_github_on_a_runner_of_gitea(hosts: TwoHosts, runner: str) -> None:
    hosts.job(hosts.away)
    hosts.environ |= {runner: "true", "GITHUB_TOKEN": "giteas", "GH_HOST": hosts.home.url}
    hosts.sync(BOTH)
    assert tokens(hosts.home) == {TRACKERS}


def test_the_tracker_of_a_module_on_another_host_gets_no_token(hosts: TwoHosts) -> None:
    hosts.add_module()
    hosts.environ["GH_HOST"] = hosts.away.url
    done = hosts.sync(BOTH)
    assert done.outputs == {"issues-synced": "3"}
    assert tokens(hosts.home) == {TRACKERS}
    assert tokens(hosts.away) == {""}


def test_one_of_two_trackers_fails(hosts: TwoHosts) -> None:
    hosts.add_module()
    hosts.home.faults.append(lambda _request: CannedResponse(403, {"message": f"not {OWN}"}))
    done = hosts.sync(Inputs("sync", token=OWN))
    assert (done.outputs, done.exit_code) == ({"issues-synced": "2"}, 8)
    (error,) = done.errors
    assert error.startswith("GitHub")
    assert OWN not in repr(done)


def test_a_refused_token_is_named_as_the_job_calls_it(hosts: TwoHosts) -> None:
    """The variable of the vendor, which names the host, is set already."""
    hosts.environ["GITEA_URL"] = hosts.home.url
    memory = hosts.declare(hosts.home).replace("github", "gitea")
    hosts.repo.write("CLAUDE.md", memory)
    hosts.home.faults.append(lambda _request: CannedResponse(401, {"message": "bad token"}))
    done = hosts.sync(BOTH)
    (error,) = done.errors
    assert error.startswith("Gitea refuses SDD_TRACKER_TOKEN (401, ")
    assert error.endswith(": check that SDD_TRACKER_TOKEN is valid and may access it")


def test_a_missing_tracker_is_an_error_of_sync_alone(hosts: TwoHosts) -> None:
    hosts.repo.write("CLAUDE.md", "# Shop\n")
    with pytest.raises(NoTracker):
        hosts.sync(Inputs("sync"))
    done = hosts.sync(Inputs("all"))
    assert (done.outputs, done.exit_code) == ({"issues-synced": "0"}, 0)
    assert done.notes[0].startswith("no issues: no tracker is known for repo")


def test_a_note_names_a_tracker_that_takes_no_token(hosts: TwoHosts) -> None:
    hosts.repo.write("CLAUDE.md", "## SDD Configuration\n\n#### Tracker\n\n- **Type**: tasks.md\n")
    hosts.repo.commit("Plan", {"docs/openspec/specs/pay/tasks.md": "## 1. Pay\n\n- [ ] 1.1 Ask\n"})
    done = hosts.sync(BOTH)
    assert done.outputs == {"issues-synced": "1"}
    assert done.notes == ("tracker-token was not used: tasks.md takes none",)
