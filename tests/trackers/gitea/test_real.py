"""The contract against the real Gitea, and tests that need the real one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.remote.urls import parse_remote
from sdd_hooks.trackers.gitea.vendor import VENDOR
from sdd_hooks.trackers.protocol import TrackedRepository, TrackerLocation
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.stored_issues import read_issues
from sdd_hooks.trackers.sync import sync
from tests.support.gitea_server import NEEDED, PASSWORD, RealGitea, gitea_program, running_gitea
from tests.support.machines import ClientFactory
from tests.trackers.gitea.contract import Contract, ReadWrite, issues_of, open_gitea, pulls_of

PROGRAM = gitea_program()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason=NEEDED)


@pytest.fixture(scope="module")
def gitea(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealGitea]:
    assert PROGRAM is not None
    with running_gitea(PROGRAM, tmp_path_factory.mktemp("gitea")) as found:
        yield found


@dataclass
class RealProject:
    """A repository of alice."""

    gitea: RealGitea
    name: str
    client_factory: ClientFactory

    @property
    def home(self) -> str:
        return f"alice/{self.name}"

    def open(self, *, outsider: bool = False, token: str = "", user: str = "") -> ReadWrite:
        token = token or self.gitea.tokens["bob" if outsider else "alice"]
        environment = self.client_factory.environment(VENDOR.label, token=token, user=user)
        return open_gitea(TrackerLocation(self.gitea.url, "alice", self.name), environment)

    def call(self, method: str, path: str, body: object = None) -> Any:
        return self.gitea.call(method, f"/repos/{self.home}{path}", body)

    def listed(self, path: str) -> tuple[list[Any], dict[str, str]]:
        answer = self.gitea.answer("GET", f"/repos/{self.home}{path}")
        return answer.json(), {name.lower(): value for name, value in answer.headers.items()}

    def add(self, title: str, *, body: str = "", labels: tuple[str, ...] = ()) -> int:
        known = {label["name"]: label["id"] for label in self.call("GET", "/labels")}
        for label in labels:
            if label not in known:
                made = self.call("POST", "/labels", {"name": label, "color": "#ff0000"})
                known[label] = made["id"]
        ids = [known[label] for label in labels]
        made = self.call("POST", "/issues", {"title": title, "body": body, "labels": ids})
        return int(made["number"])

    def assign(self, number: int) -> str:
        self.call("PATCH", f"/issues/{number}", {"assignees": ["alice"]})
        return "alice"

    def close(self, number: int) -> None:
        self.call("PATCH", f"/issues/{number}", {"state": "closed"})

    def delete(self, number: int) -> None:
        self.call("DELETE", f"/issues/{number}")

    def block(self, number: int, by: int) -> None:
        self._block(number, self.name, by)

    def _block(self, number: int, repository: str, by: int) -> None:
        end = {"owner": "alice", "repo": repository, "index": by}
        self.call("POST", f"/issues/{number}/dependencies", end)

    def block_from(self, number: int, *, hidden: bool = False) -> str:
        repository = self.gitea.repository(private=hidden)
        by = self.gitea.call("POST", f"/repos/alice/{repository}/issues", {"title": "Elsewhere"})
        self._block(number, repository, by["number"])
        return f"alice/{repository}#{by['number']}"

    def without_dependencies(self) -> None:
        self.call("PATCH", "", {"internal_tracker": {"enable_issue_dependencies": False}})

    def without_pulls(self) -> None:
        self.call("PATCH", "", {"has_pull_requests": False})

    def pull(self, title: str, *, body: str, branch: str, path: str) -> int:
        self.gitea.change(self.name, branch, path)
        asked = {"title": title, "body": body, "head": branch, "base": "main"}
        return int(self.call("POST", "/pulls", asked)["number"])

    def merge(self, number: int) -> None:
        self.gitea.merge(self.name, number)

    def private(self) -> None:
        self.call("PATCH", "", {"private": True})

    def milestone(self, number: int) -> str:
        found = self.call("GET", f"/issues/{number}")["milestone"]
        return str(found["title"]) if found else ""


@pytest.fixture
def project(gitea: RealGitea) -> Iterator[RealProject]:
    # A change on the server is slightly older than the date of its response.
    with ClientFactory(0.0) as client_factory:
        yield RealProject(gitea, gitea.repository(), client_factory)


class TestRealGitea(Contract):
    """The contract, against the real Gitea."""


def test_a_password_is_accepted_like_a_token(project: RealProject) -> None:
    project.private()
    number = project.add("One")
    tokens = (PASSWORD, project.gitea.tokens["alice"])
    for token in tokens:
        tracker = project.open(token=token, user="alice")
        assert tracker.issue(str(number)).title == "One"


def test_a_server_is_recognised(project: RealProject) -> None:
    origin = parse_remote(f"{project.gitea.url}/{project.home}.git")
    around = TrackedRepository(Path("/nonexistent"), (), lambda: origin, {})
    found = VENDOR.probe(around, project.client_factory.environment(VENDOR.label))
    assert found == TrackerLocation(project.gitea.url, "alice", project.name)


def test_a_server_that_requires_a_token_is_recognised(tmp_path: Path) -> None:
    assert PROGRAM is not None
    with (
        running_gitea(PROGRAM, tmp_path, strict=True) as gitea,
        ClientFactory(0.0) as client_factory,
    ):
        origin = parse_remote(f"{gitea.url}/alice/shop.git")
        around = TrackedRepository(Path("/nonexistent"), (), lambda: origin, {})
        found = VENDOR.probe(around, client_factory.environment(VENDOR.label))
        assert found == TrackerLocation(gitea.url, "alice", "shop")


def test_a_renamed_repository(project: RealProject) -> None:
    one, two = project.add("One"), project.add("Two")
    project.block(two, by=one)
    project.call("PATCH", "", {"name": f"{project.name}-now"})
    tracker = project.open()
    assert tracker.issue(str(one)).title == "One"
    assert issues_of(tracker)[str(two)].blocked_by == (str(one),)


def test_sync_into_a_folder(project: RealProject, tmp_path: Path) -> None:
    one, two = project.add("One"), project.add("Two")
    pull = project.pull("A change", body=f"Closes #{one}", branch="b", path="a.py")
    folder = IssueFolder(tmp_path, ".sdd/issues")
    tracker = project.open()
    assert sync(tracker, folder).added == 2
    assert sync(tracker, folder).changed == ()
    project.merge(pull)
    project.delete(two)
    sync(project.open(), folder, full=True)
    (issue,) = read_issues(folder)
    assert issue.id == str(one)
    assert [found.status for found in issue.pulls] == ["merged"]
    assert issue.status in {"merged", "open"}


# Since 1.27 addresses of issues are closed, too.
CLOSING = (
    "Closes #{}",
    "(fixes #{})",
    "[Resolved #{}]",
    "Fix: #{}.",
    "closes !{}",
    "closes {home}#{}",
    "closes alice/elsewhere#{}",
    "closes #{}; and so on",
    "see #{}",
    "encloses #{}",
    "closes  #{}",
    "closes#{}",
    "closes #{}.5",
    "`closes #{}`",
    "```\ncloses #{}\n```",
    "<!-- closes #{} -->",
    "> closes #{}",
    "- closes #{}",
    "**closes #{}**",
    "Closes **#{}**",
    "_closes #{}_, so",
    "~~closes #{}~~",
    "**Closes**: #{}",
    "**Closes** #{}",
    "**Closes:** #{}",
    "# Closes #{}",
    "closes [#{}](https://elsewhere.example)",
    "| closes #{} | x |",
    "- [x] closes #{}",
    "1. closes #{}",
    "    closes #{}",
    "closes \\#{}",
    "closes `#{}`",
    "closes '#{}'",
    "<div>closes #{}</div>",
    "closes:#{}",
    "FIXED #{}",
)


def test_closed_issues_are_the_same_as_the_servers(project: RealProject) -> None:
    numbers = [project.add(f"Issue {one}") for one in range(len(CLOSING))]
    sentences = [
        text.format(number, home=project.home)
        for text, number in zip(CLOSING, numbers, strict=True)
    ]
    project.pull("A change", body="\n\n".join(sentences), branch="b", path="a")
    meant = set()
    for number in numbers:
        events = project.call("GET", f"/issues/{number}/timeline") or []
        if any(event["ref_action"] == "closes" for event in events):
            meant.add(str(number))
    (pull,) = pulls_of(project.open()).values()
    texts = dict(zip(map(str, numbers), sentences, strict=True))
    assert {texts[id] for id in pull.closes} == {texts[id] for id in meant}
