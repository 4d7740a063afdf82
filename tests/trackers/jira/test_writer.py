"""Creating and changing issues in Jira."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.client import Client
from sdd_hooks.trackers.issue import IssueDraft
from sdd_hooks.trackers.jira.site import JiraSite
from sdd_hooks.trackers.jira.tracker import JiraTracker
from sdd_hooks.trackers.protocol import Unsupported
from tests.support.jira import EPIC_LINK, EPIC_NAME
from tests.support.loopback import CannedResponse
from tests.support.openapi import damaged
from tests.trackers.fetching import START
from tests.trackers.jira.harness import (
    Shop,
    jira_shop,
    places_of,
)


@pytest.fixture(params=[True, False], ids=["cloud", "server"])
def shop(request: pytest.FixtureRequest) -> Iterator[Shop]:
    with jira_shop(cloud=request.param) as shop:
        yield shop


def test_create(shop: Shop) -> None:
    body = "Some **bold**\n\n- [ ] one\n- [x] two"
    issue = shop.open().create(IssueDraft("A\ntitle", body, ("needs review", "story")))
    assert (issue.id, issue.title, issue.status) == ("SHOP-1", "A title", "open")
    assert issue.labels == ("needs-review", "story")
    assert issue.body == body
    (sent,) = shop.sent("POST", "issue")
    assert sent["fields"]["issuetype"] == {"id": "10002"}
    assert isinstance(sent["fields"]["description"], dict if shop.jira.cloud else str)
    plain = shop.open().create(IssueDraft("Nothing else"))
    assert (plain.body, plain.labels) == ("", ())


def test_a_project_without_tasks(shop: Shop) -> None:
    shop.jira.kinds = (
        {"id": "7", "name": "Epic"},
        {"id": "8", "name": "Bug"},
        {"id": "9", "name": "Story"},
    )
    shop.open().create(IssueDraft("A title"))
    assert shop.sent("POST", "issue")[0]["fields"]["issuetype"] == {"id": "9"}
    shop.jira.kinds = ({"id": "7", "name": "Epic"},)
    with pytest.raises(Unsupported):
        shop.open().create(IssueDraft("A title"))
    shop.jira.kinds = ()
    with pytest.raises(RemoteError, match="no issue can be made"):
        shop.open().create(IssueDraft("A title"))


def test_the_validation_errors_of_jira_are_reported(shop: Shop) -> None:
    with pytest.raises(RemoteError, match=r"summary: Summary must be less than 255") as caught:
        shop.open().create(IssueDraft("x" * 300))
    assert "\n" not in str(caught.value)
    assert len(shop.sent("POST", "issue")) == 1


def test_close(shop: Shop) -> None:
    key = shop.jira.add(at=START)
    shop.open().close(key)
    issue = shop.open().issue(key)
    assert issue.status == "closed"
    # The status for finished work is preferred to the one for abandoned work.
    assert shop.jira.entry(key)["fields"]["status"]["name"] == "Done"
    assert issue.closed
    shop.server.requests.clear()
    shop.open().close(key)
    assert shop.server.paths("POST") == []


def test_close_without_a_transition_to_done(shop: Shop) -> None:
    shop.jira.statuses = ("To Do", "In Progress")
    key = shop.jira.add(at=START)
    with pytest.raises(RemoteError, match="nothing leads SHOP-1 from 'To Do'"):
        shop.open().close(key)


def test_group(shop: Shop) -> None:
    one = shop.jira.add(at=START)
    tracker = shop.open()
    epic = tracker.create(IssueDraft("Implement carts", labels=("epic",))).id
    assert tracker.group_of(one) == ""
    tracker.group(one, epic)
    second = tracker.create(IssueDraft("Second", parent=epic))
    assert len(shop.jira.issues) == 3
    for key in (one, second.id):
        assert tracker.group_of(key) == epic
        fields = shop.jira.entry(key)["fields"]
        if shop.jira.cloud:
            assert fields["parent"] == {"key": epic}
        else:
            assert fields[EPIC_LINK] == epic


def test_a_draft_with_the_label_epic(shop: Shop) -> None:
    made = shop.open().create(IssueDraft("Implement carts", labels=("epic",)))
    fields = shop.jira.entry(made.id)["fields"]
    assert fields["issuetype"]["name"] == "Epic"
    assert fields.get(EPIC_NAME) == (None if shop.jira.cloud else "Implement carts")


def test_append_keeps_what_markdown_cannot_say(shop: Shop) -> None:
    """A panel, and a mention of a person, stay nodes of the document."""
    panel = {"type": "panel", "attrs": {"panelType": "info"}, "content": []}
    panel["content"] = [{"type": "paragraph", "content": [{"type": "text", "text": "Mind"}]}]
    old = {"type": "doc", "version": 1, "content": [panel]} if shop.jira.cloud else "{panel}Old"
    key = shop.jira.add(at=START, description=old)
    body = shop.open().append(key, "### Branch\n\n`feature/1`").body
    assert body.endswith("### Branch\n\n`feature/1`")
    new = shop.jira.entry(key)["fields"]["description"]
    if shop.jira.cloud:
        assert new["content"][0] == panel
        assert [node["type"] for node in new["content"][1:]] == ["heading", "paragraph"]
    else:
        assert new == "{panel}Old\n\n### Branch\n\n`feature/1`"


def test_append_to_nothing(shop: Shop) -> None:
    key = shop.jira.add(at=START)
    assert shop.open().append(key, "### Branch\n\n`feature/1`").body == (
        "### Branch\n\n`feature/1`"
    )


def test_every_field_of_the_responses_is_optional(shop: Shop) -> None:
    """One damaged response at a time, for each request of a write."""

    client = Client(shop.server.url + shop.jira.path, label="Jira")

    def write() -> None:
        tracker = JiraTracker(JiraSite(client.api, client), "SHOP")
        made = tracker.create(IssueDraft("A title", "Body", ("x",)))
        tracker.append(made.id, "More")
        tracker.close(made.id)

    write()
    kinds = {
        (one.method, one.path.rpartition("/")[2].partition("-")[0]) for one in shop.server.requests
    }
    for method, name in sorted(kinds):
        last = next(
            one
            for one in shop.server.requests
            if (one.method, one.path.rpartition("/")[2].partition("-")[0]) == (method, name)
        )
        whole = shop.jira.answer(last).data if method == "GET" else {"id": "1", "key": "SHOP-1"}
        for _, data in damaged(whole, list(dict.fromkeys(places_of(whole)))):
            shop.server.faults.clear()
            shop.server.fail(
                CannedResponse(200, data),
                when=lambda one, path=last.path, method=method: (
                    (one.path, one.method) == (path, method)
                ),
            )
            with suppress(RemoteError):
                write()
    client.close()
