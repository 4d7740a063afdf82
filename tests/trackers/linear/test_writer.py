"""Creating and changing issues in Linear."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.trackers.issue import IssueDraft
from tests.trackers.linear.harness import LinearHarness, open_harness


@pytest.fixture
def harness() -> Iterator[LinearHarness]:
    with open_harness() as found:
        yield found


def test_create_append_and_group(harness: LinearHarness) -> None:
    workspace = harness.workspace
    workspace.label("Bug")
    tracker = harness.open()
    made = tracker.create(IssueDraft("New", "Body", ("bug", "epic")))
    assert (made.title, made.body, made.labels) == ("New", "Body", ("Bug", "epic"))
    assert workspace.colours == {"epic": "#6E40C9"}
    changed = tracker.append(made.id, "### A")
    assert changed == tracker.issue(made.id)
    assert (changed.title, changed.body, changed.labels) == ("New", "Body\n\n### A", made.labels)
    other = tracker.create(IssueDraft("Other", parent=made.id))
    assert workspace.find(other.id)["parent"] == made.id
    tracker.group(made.id, "The epic")
    tracker.group(other.id, "the EPIC")
    assert len(workspace.projects) == 1
    assert tracker.group_of(other.id) == "The epic"
    assert tracker.group_of(tracker.create(IssueDraft("Third")).id) == ""
    assert tracker.append(other.id, "### B").body == "### B"
    assert workspace.find(other.id)["project"] is workspace.projects[0]


def test_close(harness: LinearHarness) -> None:
    workspace = harness.workspace
    open_one, canceled = workspace.add(), workspace.add(state="canceled")
    tracker = harness.open()
    tracker.close(open_one)
    tracker.close(canceled)
    states = workspace.teams[0]["states"]
    assert workspace.find(open_one)["state"] is states[4], "the first that means completed"
    assert workspace.find(canceled)["state"]["type"] == "canceled"


def test_a_label_group_is_not_used_as_a_label(harness: LinearHarness) -> None:
    harness.workspace.label("Type")["isGroup"] = True
    made = harness.open().create(IssueDraft("New", labels=("Bug",)))
    assert made.labels == ("Bug",)


@pytest.mark.parametrize(
    "write",
    [
        lambda tracker: tracker.append("ENG-99", "x"),
        lambda tracker: tracker.close("ENG-99"),
        lambda tracker: tracker.group("ENG-99", "x"),
    ],
)
def test_writing_a_missing_issue(harness: LinearHarness, write: Any) -> None:
    with pytest.raises(Missing):
        write(harness.open())
    assert harness.workspace.projects == harness.workspace.labels == []


def test_a_mutation_without_success_is_an_error(harness: LinearHarness) -> None:
    harness.workspace.add()
    harness.workspace.spoil = lambda data: (
        {"issueCreate": {"success": False}} if "issueCreate" in data else data
    )
    with pytest.raises(RemoteError, match="did not execute"):
        harness.open().create(IssueDraft("New"))


def test_writes_with_an_empty_response(harness: LinearHarness) -> None:
    harness.workspace.add()
    harness.workspace.spoil = lambda data: (
        {"issueUpdate": {"success": True, "issue": None}} if "issueUpdate" in data else data
    )
    with pytest.raises(RemoteError, match="which issue it wrote"):
        harness.open().append("ENG-1", "x")
    harness.workspace.spoil = lambda data: data
    with pytest.raises(Missing, match="Team ID"):
        harness.open("NONE").create(IssueDraft("New"))
    harness.workspace.teams[0]["states"] = harness.workspace.teams[0]["states"][:3]
    with pytest.raises(RemoteError, match="completed"):
        harness.open().close("ENG-1")
