"""Parsing the payloads of Linear: damaged and generated ones."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.errors import Missing, SddError
from sdd_hooks.trackers.issue import Issue, LinkedPull
from sdd_hooks.trackers.linear.payloads import FULL_FRAGMENT, PAGE_QUERY, issue_of, pull_of
from tests.support.openapi import NEEDED, damaged
from tests.trackers.fetching import fetched
from tests.trackers.linear.harness import PULL, LinearHarness, open_harness


@pytest.fixture
def harness() -> Iterator[LinearHarness]:
    with open_harness() as found:
        yield found


def test_an_issue_with_all_fields(harness: LinearHarness) -> None:
    person = {"displayName": "ada", "name": "Ada Lovelace"}
    workspace = harness.workspace
    id = workspace.add(
        "A title",
        description="A body\r\nwith two  \nlines",
        labels=["Bug", "epic"],
        assignee=person,
        creator={"displayName": "", "name": "Bob"},
        state="completed",
    )
    (issue,) = fetched(harness.open()).values()
    assert issue == Issue(
        id=id,
        title="A title",
        status="closed",
        labels=("Bug", "epic"),
        assignees=("ada",),
        author="Bob",
        created="2026-05-01T12:53:20Z",
        updated="2026-05-01T12:53:20Z",
        closed="2026-05-01T12:53:20Z",
        url="https://linear.app/acme/issue/ENG-1",
        tracker="linear",
        body="A body\r\nwith two  \nlines",
    )


@pytest.mark.parametrize(
    ("type", "status"),
    [
        ("triage", "open"),
        ("backlog", "open"),
        ("unstarted", "open"),
        ("started", "open"),
        ("completed", "closed"),
        ("canceled", "closed"),
        ("duplicate", "closed"),
    ],
)
def test_every_type_of_state(harness: LinearHarness, type: str, status: str) -> None:
    id = harness.workspace.add(state=type)
    found = fetched(harness.open())[id]
    assert found.status == status
    assert bool(found.closed) == (status == "closed")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "open"),
        ({"draft": True}, "draft"),
        ({"status": "draft"}, "draft"),
        ({"status": "inReview"}, "open"),
        ({"status": "merged", "draft": True}, "merged"),
        ({"status": "closed"}, "closed"),
        ({"status": None, "mergedAt": "2026-05-02T10:00:00.000Z"}, "merged"),
        ({"status": None, "state": "opened"}, "open"),
    ],
)
def test_an_attached_pull_request(
    harness: LinearHarness, changes: dict[str, Any], status: Any
) -> None:
    id = harness.workspace.add()
    url = "https://github.com/acme/shop/pull/12"
    harness.workspace.attach(id, url, "github", {**PULL, **changes})
    (pull,) = fetched(harness.open())[id].pulls
    assert pull == LinkedPull("12", "ada/eng-1-x", status, (), "2026-05-02T10:00:00Z")


def test_an_attached_merge_request(harness: LinearHarness) -> None:
    id = harness.workspace.add()
    url = "https://gitlab.com/acme/tools/shop/-/merge_requests/7?tab=notes"
    harness.workspace.attach(id, url, "gitlab", {"state": "merged"})
    (pull,) = fetched(harness.open())[id].pulls
    assert (pull.number, pull.status, pull.updated) == ("7", "merged", "2026-05-01T12:53:20Z")


@pytest.mark.parametrize(
    ("url", "source", "metadata"),
    [
        ("https://github.com/acme/shop/pull/12", "github", {}),
        ("https://github.com/acme/shop/pull/12", "slack", PULL),
        ("https://github.com/acme/shop/pull/12", None, PULL),
        ("https://github.com/acme/shop/issues/12", "github", PULL),
        ("https://github.com/acme/shop/commit/12", "githubCommit", PULL),
    ],
)
def test_other_attachments_are_left_out(
    harness: LinearHarness, url: str, source: str | None, metadata: dict[str, Any]
) -> None:
    id = harness.workspace.add()
    harness.workspace.attach(id, url, source, metadata)
    assert fetched(harness.open())[id].pulls == ()


def test_any_field_may_be_null_or_missing(harness: LinearHarness) -> None:
    workspace = harness.workspace
    if workspace.schema is None:
        pytest.skip(NEEDED)
    person = {"displayName": "ada", "name": "Ada"}
    for number in range(2):
        workspace.add(
            assignee=person, creator=person, labels=["a"], state=("started", "canceled")[number]
        )
    workspace.block("ENG-1", "ENG-2")
    workspace.attach("ENG-1", "https://github.com/acme/shop/pull/12", "github", PULL)
    whole: list[Any] = []
    workspace.spoil = lambda data: whole.append(copy.deepcopy(data)) or data
    fetched(harness.open())
    places = workspace.schema.optional(PAGE_QUERY + FULL_FRAGMENT)
    assert ("issues", "nodes", "*", "assignee") in places
    spoilt = list(damaged(whole[0], places))
    tracker = harness.open()
    assert len(spoilt) > 15
    for what, data in spoilt:
        workspace.spoil = lambda _data, data=data: data
        try:
            found = fetched(tracker)
        except Missing as error:
            assert what.startswith("teams"), (what, error)
        else:
            assert set(found) <= {"ENG-1", "ENG-2"}, what


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


NODE = st.dictionaries(
    st.sampled_from(
        [
            "identifier", "title", "previousIdentifiers", "description", "state", "assignee",
            "creator", "botActor", "labels", "relations", "inverseRelations", "attachments", "url",
            "createdAt", "updatedAt", "completedAt", "canceledAt", "trashed",
        ]
    ),
    JSON | st.fixed_dictionaries({"nodes": JSON | st.lists(JSON, max_size=3)}),
)  # fmt: skip


@given(node=NODE | JSON)
def test_any_json_is_parsed(node: object) -> None:
    found = issue_of(node)
    if found is not None:
        assert found.id
        assert found.status in {"open", "closed"}
        assert replace(found) == found


@given(attachment=st.dictionaries(st.sampled_from(["url", "sourceType", "metadata"]), JSON) | JSON)
def test_any_attachment_is_parsed(attachment: object) -> None:
    assert pull_of(attachment) is None


@settings(max_examples=25)
@given(data=JSON)
def test_any_json_as_a_page(data: object) -> None:
    """A page of any JSON gives issues or a one-line error."""
    with open_harness() as harness:
        harness.workspace.spoil = lambda _data: data
        try:
            fetched(harness.open())
        except SddError as error:
            assert "\n" not in str(error)
