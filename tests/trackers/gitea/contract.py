"""Tests of the tracker that run both against the fake Gitea and against a real Gitea."""

from __future__ import annotations

from typing import Any, Protocol

import pytest

from sdd_hooks.errors import AccessRefused, Missing, RemoteError
from sdd_hooks.remote.json_fields import parse_epoch
from sdd_hooks.trackers.gitea.tracker import GiteaTracker
from sdd_hooks.trackers.gitea.vendor import VENDOR
from sdd_hooks.trackers.issue import Issue, IssueDraft, LinkedPull
from sdd_hooks.trackers.protocol import (
    IssueFilter,
    Since,
    Tracker,
    TrackerEnvironment,
    TrackerLocation,
    TrackerWriter,
)
from tests.trackers.fetching import listed


class ReadWrite(Tracker, TrackerWriter, Protocol):
    """A tracker with reading and writing methods."""


class Project(Protocol):
    """A new repository on a Gitea, and actions of its users."""

    home: str
    """Owner and name."""

    def open(self, *, outsider: bool = False, token: str = "") -> ReadWrite:
        """A tracker for its owner, for an outsider (another user or none), or for a token."""
        ...

    def listed(self, path: str) -> tuple[list[Any], dict[str, str]]:
        """A listing of the API below the repository, and its headers with lower-case names."""
        ...

    def add(self, title: str, *, body: str = "", labels: tuple[str, ...] = ()) -> int:
        """Create an issue."""
        ...

    def assign(self, number: int) -> str:
        """Assign an issue to a user. Returns the name of the user."""
        ...

    def close(self, number: int) -> None:
        """Close an issue."""
        ...

    def delete(self, number: int) -> None:
        """Delete an issue."""
        ...

    def block(self, number: int, by: int) -> None:
        """Make one issue block another."""
        ...

    def block_from(self, number: int, *, hidden: bool = False) -> str:
        """Make an issue of another repository block an issue, and return the id of the former.

        Outsiders have no access to a `hidden` repository.
        """
        ...

    def without_dependencies(self) -> None:
        """Disable dependencies."""
        ...

    def without_pulls(self) -> None:
        """Disable pull requests."""
        ...

    def pull(self, title: str, *, body: str, branch: str, path: str) -> int:
        """Create a pull request for a branch that adds a file."""
        ...

    def merge(self, number: int) -> None:
        """Merge a pull request and delete its branch."""
        ...

    def private(self) -> None:
        """Make the repository private."""
        ...

    def milestone(self, number: int) -> str:
        """The milestone of an issue, "" if it has none."""
        ...


def open_gitea(location: TrackerLocation, environment: TrackerEnvironment) -> ReadWrite:
    """Open a repository as a tracker for reading and writing."""
    tracker = VENDOR.open(location, environment)
    assert isinstance(tracker, GiteaTracker)
    return tracker


def issues_of(tracker: Tracker, since: Since | None = None) -> dict[str, Issue]:
    """The issues of a fetch, by id."""
    pages = tracker.fetch(since or Since(), {})
    return {issue.id: issue for page in pages for issue in page.issues}


def pulls_of(tracker: Tracker, since: Since | None = None) -> dict[str, LinkedPull]:
    """The pull requests of a fetch, by number."""
    pages = tracker.fetch(since or Since(), {})
    return {pull.number: pull for page in pages for pull in page.pulls}


def warnings_of(tracker: Tracker) -> list[str]:
    """The warnings of a fetch."""
    return [warning for page in tracker.fetch(Since(), {}) for warning in page.warnings]


class Contract:
    """A subclass has a fixture `project`: a new repository for each test."""

    def test_a_page_is_newest_first_and_has_at_most_fifty_entries(self, project: Project) -> None:
        numbers = [project.add(f"Issue {number}") for number in range(52)]
        entries, headers = project.listed("/issues?type=issues&state=all&limit=100")
        assert [entry["number"] for entry in entries] == numbers[:1:-1]
        assert headers["x-total-count"] == "52"
        assert 'rel="next"' in headers["link"]
        assert entries[0]["closed_at"] is None
        assert entries[0]["assignees"] is None
        assert entries[0]["pull_request"] is None

    def test_an_issue_with_all_fields(self, project: Project) -> None:
        body = "First\r\n\r\n---\nsecond  \n🙂"
        number = project.add("The cart: *forgets* #1", body=body, labels=("bug", "a b"))
        login = project.assign(number)
        project.close(number)
        tracker = project.open()
        (issue,) = issues_of(tracker).values()
        assert issue.id == str(number)
        assert issue.title == "The cart: *forgets* #1"
        assert issue.body == body
        assert issue.status == "closed"
        assert set(issue.labels) == {"bug", "a b"}
        assert issue.assignees == (login,)
        assert issue.author == project.home.partition("/")[0]
        assert parse_epoch(issue.created) is not None
        assert issue.closed
        assert issue.created <= issue.closed <= issue.updated
        assert issue.url == f"{tracker.web_url}/issues/{number}"
        assert issue.tracker == "gitea"
        assert tracker.issue(issue.id) == issue

    def test_many_pages(self, project: Project) -> None:
        numbers = {str(project.add(f"Issue {number}")) for number in range(120)}
        project.without_dependencies()
        tracker = project.open()
        first = next(iter(tracker.fetch(Since(), {})))
        assert first.total == 120
        assert set(issues_of(tracker)) == numbers
        found = list(listed(tracker))
        assert len(found) == len(set(found))
        assert set(found) == numbers

    def test_since_is_inclusive_to_the_second(self, project: Project) -> None:
        number = project.add("One")
        tracker = project.open()
        updated = parse_epoch(tracker.issue(str(number)).updated)
        assert updated is not None
        assert set(issues_of(tracker, Since(updated, updated))) == {str(number)}
        assert issues_of(tracker, Since(updated + 1, updated + 1)) == {}

    def test_the_time_of_a_page_is_the_servers(self, project: Project) -> None:
        number = project.add("One")
        tracker = project.open()
        first = next(iter(tracker.fetch(Since(), {})))
        updated = parse_epoch(tracker.issue(str(number)).updated)
        assert updated is not None
        assert 0 <= first.at - updated < 60

    def test_both_ends_of_a_dependency(self, project: Project) -> None:
        first, second, third = (project.add(f"Issue {number}") for number in range(3))
        project.block(second, by=first)
        project.block(third, by=second)
        found = issues_of(project.open())
        assert found[str(first)].blocks == (str(second),)
        assert found[str(second)].blocked_by == (str(first),)
        assert found[str(second)].blocks == (str(third),)
        assert found[str(third)].blocked_by == (str(second),)

    def test_a_dependency_changes_both_of_its_ends(self, project: Project) -> None:
        first, second = project.add("One"), project.add("Two")
        before, _ = project.listed("/issues?type=issues")
        project.block(second, by=first)
        after, _ = project.listed("/issues?type=issues")
        for old, new in zip(before, after, strict=True):
            assert old["updated_at"] <= new["updated_at"]
        tracker = project.open()
        updated = min(parse_epoch(entry["updated_at"]) or 0 for entry in after)
        assert set(issues_of(tracker, Since(updated))) == {str(first), str(second)}

    def test_a_dependency_on_another_repository(self, project: Project) -> None:
        number = project.add("One")
        id = project.block_from(number)
        assert "#" in id
        assert issues_of(project.open())[str(number)].blocked_by == (id,)

    def test_a_hidden_dependency(self, project: Project) -> None:
        number, other = project.add("One"), project.add("Two")
        project.block(number, by=other)
        project.block_from(number, hidden=True)
        found = issues_of(project.open(outsider=True))
        assert found[str(number)].blocked_by == (str(other),)

    def test_without_dependencies(self, project: Project) -> None:
        number = project.add("One")
        project.without_dependencies()
        tracker = project.open()
        assert issues_of(tracker)[str(number)].blocked_by == ()
        assert warnings_of(tracker) == []

    def test_the_issues_that_a_pull_request_closes(self, project: Project) -> None:
        one, two = project.add("One"), project.add("Two")
        number = project.pull(
            f"Fix #{one}", body=f"Closes #{two}, see #99", branch="feature/1-x", path="a/b.py"
        )
        tracker = project.open()
        (pull,) = pulls_of(tracker).values()
        assert pull.number == str(number)
        assert pull.branch == "feature/1-x"
        assert pull.status == "open"
        assert pull.files == ("a/b.py",)
        assert set(pull.closes) == {str(one), str(two)}
        assert set(issues_of(tracker)) == {str(one), str(two)}
        assert set(listed(tracker)) == {str(one), str(two)}
        with pytest.raises(Missing):
            tracker.issue(str(number))
        assert warnings_of(tracker) == []

    def test_a_merged_pull_request(self, project: Project) -> None:
        one = project.add("One")
        number = project.pull("A change", body=f"Fixes #{one}", branch="gone", path="c.py")
        project.merge(number)
        (pull,) = pulls_of(project.open()).values()
        assert pull.status == "merged"
        assert pull.branch == "gone"
        assert pull.files == ("c.py",)

    def test_a_draft(self, project: Project) -> None:
        project.pull("WIP: a change", body="", branch="b", path="d.py")
        (pull,) = pulls_of(project.open()).values()
        assert pull.status == "draft"
        assert pull.closes == pull.files == ()

    def test_pull_requests_since(self, project: Project) -> None:
        project.pull("A change", body="", branch="b", path="e.py")
        tracker = project.open()
        (pull,) = pulls_of(tracker).values()
        updated = parse_epoch(pull.updated)
        assert updated is not None
        assert set(pulls_of(tracker, Since(None, updated))) == {pull.number}
        assert pulls_of(tracker, Since(None, updated + 1)) == {}

    def test_without_pull_requests(self, project: Project) -> None:
        project.add("One")
        project.without_pulls()
        tracker = project.open()
        assert pulls_of(tracker) == {}
        assert warnings_of(tracker) == []

    def test_a_deleted_issue(self, project: Project) -> None:
        one, two = project.add("One"), project.add("Two")
        project.block(two, by=one)
        project.delete(one)
        tracker = project.open()
        assert list(listed(tracker)) == [str(two)]
        assert issues_of(tracker)[str(two)].blocked_by == ()
        with pytest.raises(Missing):
            tracker.issue(str(one))

    def test_an_empty_repository(self, project: Project) -> None:
        tracker = project.open()
        (first, *_) = tracker.fetch(Since(), {})
        assert (first.issues, first.total) == ((), 0)
        assert list(listed(tracker)) == []

    @pytest.mark.parametrize(
        ("filter", "found"),
        [
            (IssueFilter(), {"a", "b", "c"}),
            (IssueFilter("open"), {"a", "b"}),
            (IssueFilter("closed"), {"c"}),
            (IssueFilter(labels=("bug",)), {"a", "c"}),
            (IssueFilter("open", ("bug",)), {"a"}),
            (IssueFilter(labels=("bug", "late")), {"c"}),
            (IssueFilter(labels=("unused label",)), set()),
        ],
    )
    def test_a_live_query(self, project: Project, filter: IssueFilter, found: set[str]) -> None:
        project.add("a", labels=("bug",))
        project.add("b")
        project.close(project.add("c", labels=("bug", "late")))
        assert {issue.title for issue in project.open().query(filter)} == found

    def test_a_private_repository_is_refused_or_missing(self, project: Project) -> None:
        number = project.add("One")
        project.private()
        for tracker in (project.open(outsider=True), project.open(token="0" * 40)):
            with pytest.raises((AccessRefused, Missing), match="GITEA_TOKEN"):
                issues_of(tracker)
            with pytest.raises((AccessRefused, Missing)):
                tracker.issue(str(number))

    def test_create(self, project: Project) -> None:
        project.add("Old", labels=("bug",))
        tracker = project.open()
        made = tracker.create(IssueDraft("New", "Body\r\n", ("bug", "story")))
        assert (made.title, made.body, set(made.labels)) == ("New", "Body\r\n", {"bug", "story"})
        assert tracker.issue(made.id) == made
        assert tracker.create(IssueDraft("Plain")).labels == ()

    def test_close(self, project: Project) -> None:
        id = str(project.add("One"))
        tracker = project.open()
        tracker.close(id)
        tracker.close(id)
        assert tracker.issue(id).status == "closed"

    def test_close_a_blocked_issue(self, project: Project) -> None:
        one, two = project.add("One"), project.add("Two")
        project.block(two, by=one)
        tracker = project.open()
        with pytest.raises(RemoteError, match="block"):
            tracker.close(str(two))
        assert tracker.issue(str(two)).status == "open"

    def test_append(self, project: Project) -> None:
        number = str(project.add("One", body="First\r\n"))
        tracker = project.open()
        assert tracker.append(number, "### A\n\nb").body == "First\r\n\r\n### A\r\n\r\nb"

    def test_a_milestone(self, project: Project) -> None:
        one, two = project.add("One"), project.add("Two")
        tracker = project.open()
        for number in (one, two):
            assert tracker.group_of(str(number)) == ""
            tracker.group(str(number), "Epic: carts")
            assert tracker.group_of(str(number)) == "Epic: carts"
        assert project.milestone(one) == project.milestone(two) == "Epic: carts"
        milestones, _ = project.listed("/milestones?state=all")
        assert len(milestones) == 1
