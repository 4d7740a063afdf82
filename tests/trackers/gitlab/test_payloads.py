"""Parsing the payloads of GitLab: damaged and generated ones, and closing keywords."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.errors import SddError
from sdd_hooks.trackers.gitlab.payloads import (
    closed_by_text,
    files_of,
    issue_of,
    links_of,
    pull_of,
)
from sdd_hooks.trackers.protocol import Since
from tests.support.gitlab import fields_of
from tests.support.openapi import damaged
from tests.trackers.fetching import START, fetched
from tests.trackers.gitlab.harness import HOME, GitLabHarness, open_harness


@pytest.fixture
def harness() -> Iterator[GitLabHarness]:
    with open_harness() as found:
        yield found


def test_any_field_may_be_null_or_missing(harness: GitLabHarness) -> None:
    gitlab = harness.gitlab
    first, second = (
        gitlab.add(labels=["a"], assignees=[{"username": "bea"}], state="closed", closed=1.0)
        for _ in range(2)
    )
    gitlab.block(first, second, kind="blocks")
    gitlab.merge(f"Closes #{first}")
    since = Since(START - 2.0, START - 2.0)
    responses: dict[str, Any] = {}
    tracker = harness.open()

    def record(path: str, data: Any) -> Any:
        responses[path] = copy.deepcopy(data)
        return data

    gitlab.spoil = record
    harness.pages(since)
    assert responses.keys() == {"issues", "merge_requests", "closes_issues", "diffs"}
    tried = 0
    for path, whole in responses.items():
        for what, data in damaged(whole, fields_of(whole[0])):
            gitlab.spoil = lambda asked, sent, path=path, data=data: data if asked == path else sent
            pages = list(tracker.fetch(since, {}))
            ids = {issue.id for page in pages for issue in page.issues}
            assert ids <= {first, second}, what
            assert ids or path == "issues", (path, what)
            tried += 1
    assert tried > 120


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


ENTRY = st.dictionaries(
    st.sampled_from(
        [
            "iid", "title", "description", "state", "labels", "assignees", "assignee", "author",
            "created_at", "updated_at", "closed_at", "web_url", "moved_to_id", "draft",
            "work_in_progress", "source_branch", "references", "project_id", "link_type",
            "old_path", "new_path", "changes",
        ]
    ),
    JSON,
)  # fmt: skip


@given(entry=ENTRY | JSON)
def test_any_json_is_parsed(entry: object) -> None:
    issue, pull = issue_of(entry), pull_of(entry, HOME)
    assert (issue is None) == (pull is None)
    assert issue is None or issue.id.isdecimal()
    assert all(isinstance(path, str) for path in files_of([entry]))
    assert all(isinstance(id, str) for ids in links_of([entry], 1) for id in ids)


@settings(max_examples=25)
@given(data=JSON | st.lists(ENTRY, max_size=3))
def test_any_json_as_a_page(data: object) -> None:
    """A page of any JSON gives issues or a one-line error."""
    with open_harness() as harness:
        harness.gitlab.spoil = lambda _path, _data: data
        try:
            fetched(harness.open())
        except SddError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("description", "closes"),
    [
        ("Closes #4", ("4",)),
        ("fixes: #4, #6 and #7", ("4", "6", "7")),
        ("Implements issue #4 and issues #5", ("4", "5")),
        ("Resolving acme/tools/shop#4", ("4",)),
        ("Closes shop#4", ("4",)),
        ("Closes acme/other#4", ()),
        ("Closes https://gitlab.example/acme/tools/shop/-/issues/4", ("4",)),
        ("Closes https://gitlab.example/acme/tools/shop/issues/4 and #5", ("4", "5")),
        ("Closes https://gitlab.example/acme/other/-/work_items/4", ()),
        ("Closes #4. Closes #4 and fixes #5", ("4", "5")),
        ("Related to #4", ()),
        ("Encloses #4, discloses #5", ()),
        ("Closes 4, closes # 5, closes#6", ()),
        ("`Closes #4`\n```\nCloses #5\n```", ()),
        ("", ()),
    ],
)
def test_issues_after_closing_keywords(description: str, closes: tuple[str, ...]) -> None:
    assert closed_by_text(description, HOME) == closes


@given(description=st.text(alphabet="closes fix#12,/-and:\n", max_size=60))
def test_any_description_is_parsed(description: str) -> None:
    assert all(id.isdecimal() for id in closed_by_text(description, HOME))


@pytest.mark.parametrize("part", ["closes ", "closes #1, ", "closes a/", "closes a", "fixes #"])
def test_a_long_description_is_parsed_in_linear_time(part: str) -> None:
    closed_by_text(part * 50_000, HOME)
