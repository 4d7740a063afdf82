"""What is changed in Linear."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.trackers.issue import IssueDraft, IssueEdit
from tests.support.loopback import CannedResponse
from tests.trackers.linear.harness import Bench, opened


@pytest.fixture
def bench() -> Iterator[Bench]:
    with opened() as found:
        yield found


def test_writing(bench: Bench) -> None:
    workspace = bench.workspace
    workspace.label("Bug")
    tracker = bench.open()
    made = tracker.create(IssueDraft("New", "Body", ("bug", "fresh"), "The epic"))
    assert (made.title, made.body, made.labels) == ("New", "Body", ("Bug", "fresh"))
    assert workspace.find(made.id)["project"]["name"] == "The epic"
    changed = tracker.edit(made.id, IssueEdit(title="Newer", labels=()))
    assert (changed.title, changed.body, changed.labels) == ("Newer", "Body", ())
    assert tracker.edit(made.id, IssueEdit(body="")).body == ""
    tracker.comment(made.id, "Said *so*")
    assert workspace.comments == [{"issue": made.id, "body": "Said *so*"}]
    other = tracker.create(IssueDraft("Other"))
    tracker.group(other.id, "the EPIC")
    assert len(workspace.projects) == 1
    assert workspace.find(other.id)["project"] is workspace.projects[0]


def test_closing(bench: Bench) -> None:
    workspace = bench.workspace
    open_one, canceled = workspace.add(), workspace.add(state="canceled")
    tracker = bench.open()
    tracker.close(open_one)
    tracker.close(canceled)
    states = workspace.teams[0]["states"]
    assert workspace.find(open_one)["state"] is states[4], "the first that means completed"
    assert workspace.find(canceled)["state"]["type"] == "canceled"


def test_a_group_of_labels_is_no_label(bench: Bench) -> None:
    bench.workspace.label("Type")["isGroup"] = True
    made = bench.open().create(IssueDraft("New", labels=("Bug",)))
    assert made.labels == ("Bug",)


@pytest.mark.parametrize(
    "write",
    [
        lambda tracker: tracker.edit("ENG-99", IssueEdit(title="x")),
        lambda tracker: tracker.edit("ENG-99", IssueEdit(labels=("x",))),
        lambda tracker: tracker.close("ENG-99"),
        lambda tracker: tracker.comment("ENG-99", "x"),
        lambda tracker: tracker.group("ENG-99", "x"),
    ],
)
def test_writing_to_what_is_not_there(bench: Bench, write: Any) -> None:
    with pytest.raises(Missing):
        write(bench.open())
    assert bench.workspace.projects == bench.workspace.labels == []


def test_what_was_not_done_is_told(bench: Bench) -> None:
    bench.workspace.add()
    bench.workspace.spoil = lambda _data: {"commentCreate": {"success": False}}
    with pytest.raises(RemoteError, match="did not do"):
        bench.open().comment("ENG-1", "x")


def test_answers_that_say_nothing(bench: Bench) -> None:
    bench.workspace.add()
    bench.workspace.spoil = lambda _data: {"issueUpdate": {"success": True, "issue": None}}
    with pytest.raises(RemoteError, match="which issue it wrote"):
        bench.open().edit("ENG-1", IssueEdit(title="x"))
    bench.workspace.spoil = lambda data: data
    with pytest.raises(Missing, match="Team ID"):
        bench.open("NONE").create(IssueDraft("New"))
    bench.workspace.teams[0]["states"] = bench.workspace.teams[0]["states"][:3]
    with pytest.raises(RemoteError, match="completed"):
        bench.open().close("ENG-1")


def test_a_write_is_done_once(bench: Bench) -> None:
    bench.workspace.add()
    bench.server.fail(
        CannedResponse(502, b""), when=lambda request: b"commentCreate" in request.body
    )
    with pytest.raises(RemoteError):
        bench.open().comment("ENG-1", "x")
    assert len(bench.server.asked) == 1
