"""Reading and writing the issues of a repository on a fake Gitea."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pytest

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.trackers.gitea.tracker import MAX_FILES
from sdd_hooks.trackers.gitea.vendor import VENDOR
from sdd_hooks.trackers.issue import IssueDraft
from sdd_hooks.trackers.protocol import IssueFilter, IssuePage, Since, TrackerLocation
from tests.support.gitea import HIDDEN, FakeGitea, serving_gitea
from tests.support.loopback import CannedResponse, Request, Server
from tests.support.machines import TOKEN, ClientFactory
from tests.trackers.fetching import NOW, START
from tests.trackers.gitea.contract import (
    Contract,
    ReadWrite,
    issues_of,
    open_gitea,
    pulls_of,
    warnings_of,
)


@dataclass
class Shop:
    """The repository acme/shop on a fake Gitea: the Project of the contract."""

    gitea: FakeGitea
    server: Server
    client_factory: ClientFactory
    hidden: list[tuple[int, int]] = field(default_factory=list)

    @property
    def home(self) -> str:
        return f"ana/{self.gitea.name}"

    def open(self, *, outsider: bool = False, token: str = "", user: str = "") -> ReadWrite:
        known = None if outsider else token or TOKEN
        environment = self.client_factory.environment(VENDOR.label, token=known, user=user)
        return open_gitea(TrackerLocation(self.server.url, "ana", self.gitea.name), environment)

    def requests(self, ending: str) -> list[Request]:
        """The requests for paths with that ending."""
        return [one for one in self.server.requests if one.path.endswith(ending)]

    def listed(self, path: str) -> tuple[list[Any], dict[str, str]]:
        path, _, query = path.partition("?")
        given = dict(part.split("=") for part in query.split("&"))
        where = f"/api/v1/repos/{self.home}{path}"
        answer = self.gitea.answer(Request("GET", where, given, {}, b""))
        assert isinstance(answer.data, list)
        return answer.data, {name.lower(): value for name, value in answer.headers.items()}

    def add(self, title: str, *, body: str = "", labels: tuple[str, ...] = ()) -> int:
        return self.gitea.add(title, body=body, labels=labels)

    def assign(self, number: int) -> str:
        made = self.gitea.add(assignees=("bea",))
        entry = self.gitea.items.pop(made).entry
        self.gitea.edit(number, assignees=entry["assignees"], assignee=entry["assignee"])
        return "bea"

    def close(self, number: int) -> None:
        self.gitea.edit(number, state="closed")

    def delete(self, number: int) -> None:
        self.gitea.delete(number)

    def block(self, number: int, by: int) -> None:
        self.gitea.block(number, by)

    def block_from(self, number: int, *, hidden: bool = False) -> str:
        self.gitea.items[number].blocked_by.append((HIDDEN if hidden else "ana/attic", 7))
        return "ana/attic#7"

    def without_dependencies(self) -> None:
        self.gitea.dependencies = False

    def without_pulls(self) -> None:
        self.gitea.pulls = False

    def pull(self, title: str, *, body: str, branch: str, path: str) -> int:
        draft = title.startswith("WIP:")
        return self.gitea.add_pull(title, body=body, branch=branch, files=(path,), draft=draft)

    def merge(self, number: int) -> None:
        self.gitea.merge(number)

    def private(self) -> None:
        self.gitea.token = TOKEN

    def milestone(self, number: int) -> str:
        found = self.gitea.items[number].entry["milestone"]
        return str(found["title"]) if found else ""


@pytest.fixture
def project() -> Iterator[Shop]:
    gitea = FakeGitea(NOW, owner="ana")
    with serving_gitea(gitea) as server, ClientFactory(NOW) as client_factory:
        yield Shop(gitea, server, client_factory)


class TestLoopback(Contract):
    """The contract, against the fake Gitea."""


def _pages(project: Shop, since: Since | None = None) -> list[IssuePage]:
    return list(project.open().fetch(since or Since(), {}))


def _ends_with(ending: str) -> Callable[[Request], bool]:
    return lambda request: request.path.endswith(ending)


def test_two_thousand_issues_without_dependencies(project: Shop) -> None:
    project.gitea.dependencies = project.gitea.checked = False
    for number in range(2000):
        project.gitea.add(at=START + number)
    assert len(issues_of(project.open())) == 2000
    # Pages overlap; without an overlap there would be 40.
    assert len(project.requests("/issues")) == 48
    assert len(project.server.requests) == 50


def test_details_are_requested_for_changed_issues_alone(project: Shop) -> None:
    for number in range(20):
        project.gitea.add(at=START + number)
    project.gitea.edit(3, at=START + 100)
    assert set(issues_of(project.open(), Since(START + 50, START))) == {"3"}
    assert {one.path.split("/")[-2] for one in project.requests("/dependencies")} == {"3"}
    assert {one.path.split("/")[-2] for one in project.requests("/blocks")} == {"3"}


def test_many_dependencies_of_one_issue(project: Shop) -> None:
    project.gitea.checked = False
    numbers = [project.gitea.add(at=START + number) for number in range(121)]
    for number in numbers[1:]:
        project.gitea.block(numbers[0], by=number)
    found = issues_of(project.open(), Since(NOW, NOW))
    assert set(found[str(numbers[0])].blocked_by) == set(map(str, numbers[1:]))


def test_an_issue_that_is_deleted_before_the_request_for_its_details(project: Shop) -> None:
    for number in range(3):
        project.gitea.add(at=START + number)

    def delete(request: Request) -> None:
        if request.path.endswith("/3/dependencies"):
            project.gitea.items.pop(3, None)

    project.server.faults.append(delete)
    assert set(issues_of(project.open())) == {"1", "2", "3"}
    assert project.requests("/2/blocks")


def test_missing_endpoints_of_an_old_server_are_tested_once_with_a_warning(project: Shop) -> None:
    project.gitea.old = True
    for number in range(120):
        project.gitea.add(at=START + number)
    for number in range(60):
        project.gitea.add_pull(body="Closes #1", at=START + number, files=("a",))
    tracker = project.open()
    assert len(issues_of(tracker)) == 120
    assert len(project.requests("/dependencies")) == len(project.requests("/files")) == 1
    pulls = pulls_of(tracker)
    assert {pull.closes for pull in pulls.values()} == {("1",)}
    assert {pull.files for pull in pulls.values()} == {()}
    dependencies, files = warnings_of(project.open())
    assert "block each other" in dependencies
    assert "files" in files
    assert "\n" not in dependencies + files


def test_issues_without_access_to_pull_requests(project: Shop) -> None:
    project.gitea.pulls_shown = False
    project.gitea.add(at=START)
    (warning,) = warnings_of(project.open())
    assert warning.startswith("without pull requests")
    assert set(issues_of(project.open())) == {"1"}


def test_access_to_pull_requests_that_is_lost_between_pages_is_an_error(project: Shop) -> None:
    for number in range(60):
        project.gitea.add_pull(at=START + number)
    gone = CannedResponse(404, {"message": "The target couldn't be found."})
    project.server.fail(
        gone, when=lambda one: _ends_with("/pulls")(one) and one.query["page"] == "2"
    )
    with pytest.raises(Missing):
        pulls_of(project.open())


@pytest.mark.parametrize("answer", [{"issues": []}, "issues", 7])
def test_an_invalid_listing(project: Shop, answer: object) -> None:
    project.server.fail(CannedResponse(200, answer), when=_ends_with("/issues"))
    with pytest.raises(RemoteError, match="without a list"):
        issues_of(project.open())


def test_the_files_of_pull_requests_that_close_an_issue(project: Shop) -> None:
    names = tuple(f"d/{number}.py" for number in range(400))
    project.gitea.add(at=START)
    project.gitea.add_pull("Fixes #1", files=names, at=START)
    project.gitea.add_pull("Other", files=("x",), at=START)
    found = pulls_of(project.open())
    assert found["2"].files == names[:MAX_FILES]
    assert found["3"].files == ()
    assert {one.path.split("/")[-2] for one in project.requests("/files")} == {"2"}


def test_a_pull_request_with_deleted_branches(project: Shop) -> None:
    project.gitea.add_pull("Fixes #9", files=("x",), at=START)
    broken = CannedResponse(500, {"message": "exit status 128"})
    project.server.fail(*[broken] * 2, when=_ends_with("/files"))
    assert pulls_of(project.open())["1"].files == ()
    assert project.client_factory.waits == []


def test_only_pages_with_changed_pull_requests_are_requested(project: Shop) -> None:
    project.gitea.checked = False
    for number in range(500):
        project.gitea.add_pull(at=START + number)
    assert len(pulls_of(project.open(), Since(NOW, START + 420))) == 80
    assert len(project.requests("/pulls")) == 2


def test_a_listing_is_read_to_its_end_without_total_and_links(project: Shop) -> None:
    project.gitea.max_page_size = 30
    project.gitea.dependencies = False
    for number in range(100):
        project.gitea.add(at=START + number)
    for totals, links in ((True, True), (True, False), (False, True)):
        project.gitea.totals, project.gitea.links = totals, links
        assert len(issues_of(project.open())) == 100


def test_an_issue_deleted_between_pages(project: Shop) -> None:
    """No issue is missed although later ones move up across the border of two pages."""
    project.gitea.dependencies = project.gitea.checked = False
    for number in range(200):
        project.gitea.add(at=START + number)
    gone = iter([200, 199, 198, 120, 119, 60])

    def delete(request: Request) -> None:
        if request.path.endswith("/issues") and len(project.requests("/issues")) > 1:
            for number in islice(gone, 2):
                project.gitea.delete(number)

    project.server.faults.append(delete)
    found = issues_of(project.open())
    assert set(map(str, project.gitea.items)) <= set(found)


def test_an_issue_edited_between_pages(project: Shop) -> None:
    project.gitea.dependencies = project.gitea.checked = False
    for number in range(150):
        project.gitea.add_pull(f"Fixes #{number}", at=START + number)
    moved = iter([1, 150, 75])

    def edit(request: Request) -> None:
        if request.path.endswith("/pulls"):
            for number in islice(moved, 1):
                project.gitea.edit(number, at=NOW + 1)

    project.server.faults.append(edit)
    found = pulls_of(project.open())
    missed = set(project.gitea.items) - set(map(int, found))
    assert all(project.gitea.items[one].entry["updated_at"] > "2026-05-02" for one in missed)


def test_a_wrong_token_may_look_like_a_missing_repository(project: Shop) -> None:
    project.gitea.add(at=START)
    gone = CannedResponse(404, {"message": "The target couldn't be found."})
    project.server.fail(gone, when=_ends_with("/issues"))
    with pytest.raises(Missing, match="a wrong token may look like a missing repository"):
        issues_of(project.open())


def test_a_renamed_repository(project: Shop) -> None:
    for _ in range(2):
        project.gitea.add(at=START)
    project.gitea.block(2, by=1, at=START)
    project.gitea.add_pull("Fixes ana/shop#1", body="Fixes ana/store#2", at=START)
    tracker = project.open()
    project.gitea.rename("store")
    found = issues_of(tracker)
    assert (found["1"].blocks, found["2"].blocked_by) == (("2",), ("1",))
    assert pulls_of(tracker)["3"].closes == ("1", "2")
    assert tracker.issue("1").id == "1"


def test_an_imported_issue_has_its_author(project: Shop) -> None:
    project.gitea.add(at=START, original_author="eve", original_author_id=7)
    assert issues_of(project.open())["1"].author == "eve"


def test_an_entry_without_a_number(project: Shop) -> None:
    project.gitea.checked = False
    project.gitea.add(at=START)
    project.gitea.items[1].entry["number"] = None
    (issues, _) = _pages(project)
    assert issues.issues == ()
    (warning,) = issues.warnings
    assert "without a number" in warning


def test_listings_in_which_everything_is_null(project: Shop) -> None:
    issue, pull = project.gitea.add(at=START), project.gitea.add_pull("Fixes #1", at=START)
    for path, query, number in (("/issues", "type=issues", issue), ("/pulls", "state=all", pull)):
        (entry,), _ = project.listed(f"{path}?{query}")
        bare = [{**dict.fromkeys(entry), "number": number}, dict.fromkeys(entry), None]
        project.server.fail(CannedResponse(200, bare), when=_ends_with(path))
    project.server.fail(CannedResponse(200, b"null"), when=_ends_with("/shop"))
    (issues, pulls) = _pages(project)
    assert [one.id for one in issues.issues] == [str(issue)]
    assert [one.number for one in pulls.pulls] == [str(pull)]
    assert len(issues.warnings) == 2


def test_a_label_with_a_comma_is_filtered_locally(project: Shop) -> None:
    project.gitea.add("a", labels=("x, y", "bug"), at=START)
    project.gitea.add("b", labels=("bug",), at=START)
    found = project.open().query(IssueFilter(labels=("x, y", "bug")))
    assert [issue.title for issue in found] == ["a"]
    assert project.server.requests[0].query["labels"] == "bug"


def test_a_label_of_the_organisation_is_reused(project: Shop) -> None:
    project.gitea.organisation_label("epic")
    made = project.open().create(IssueDraft("One", labels=("epic", "story")))
    assert made.labels == ("story", "epic")
    assert set(project.gitea.labels) == {"story"}


@pytest.mark.parametrize("body", [None, {}, [], {"number": "x"}])
def test_a_write_with_an_empty_response(project: Shop, body: object) -> None:
    tracker = project.open()
    project.server.fail(CannedResponse(201, body), when=lambda request: request.method == "POST")
    with pytest.raises(RemoteError, match="issues"):
        tracker.create(IssueDraft("One"))
    project.server.fail(CannedResponse(201, body), when=lambda request: request.method == "POST")
    with pytest.raises(RemoteError, match="labels"):
        tracker.create(IssueDraft("One", labels=("story",)))


def test_name_label_and_addresses(project: Shop) -> None:
    environment = project.client_factory.environment(VENDOR.label)
    tracker = VENDOR.open(
        TrackerLocation("https://Gitea.example:3000/git", "Acme", "Shop"), environment
    )
    assert (tracker.name, tracker.label) == ("gitea", "Gitea")
    assert tracker.web_url == "https://Gitea.example:3000/git/Acme/Shop"
    assert tracker.identity == "gitea.example:3000/git/acme/shop"
    tracker.disconnect()
