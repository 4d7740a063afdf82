"""Parsing the payloads of GitHub, with any field missing, null or of another type."""

from __future__ import annotations

import json
import re
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.json_fields import Json
from sdd_hooks.trackers.github.payloads import (
    is_pull,
    issue_of,
    linked_ids,
    listed_pull_of,
    pull_of,
)
from sdd_hooks.trackers.issue import Issue, LinkedPull
from sdd_hooks.trackers.protocol import IssueFilter
from tests.support.github import BASE, DESCRIPTIONS, GRAPHQL, FakeGitHub, Shop, open_shop
from tests.support.graphql import Schema
from tests.support.loopback import CannedResponse, Request
from tests.support.openapi import NEEDED, VENDOR_APIS, Description, damaged
from tests.trackers.fetching import NOW, START

RECORDED = VENDOR_APIS / "github/recorded"
ISSUES = f"{BASE}/repos/acme/shop/issues"

needs_descriptions = pytest.mark.skipif(not VENDOR_APIS.is_dir(), reason=NEEDED)


def _recorded(name: str) -> list[dict[str, Any]]:
    file = RECORDED / f"octokit-{name}.raw.json"
    return cast("list[dict[str, Any]]", json.loads(file.read_text(encoding="utf-8")))


def _server_with_all_fields() -> FakeGitHub:
    """A repository in which every field that can be null has a value."""
    github = FakeGitHub(NOW)
    github.add("First", at=START, body="Text", labels=("bug",), assignees=("bea",), state="closed")
    github.add_pull("Second", at=START, closes=(1,), files=("a.py",), merged=True, body="Fixes #1")
    github.block(1, by=1)
    made = github.add_milestone("Sprint 1")
    for item in github.items.values():
        item.entry |= {"milestone": made, "closed_by": item.entry["user"]}
    return github


def _assert_texts(parsed: object, kind: type) -> None:
    """Every text of an issue or a pull request can be encoded."""
    assert isinstance(parsed, kind)
    for value in vars(parsed).values():
        for text in value if isinstance(value, tuple) else (value,):
            assert isinstance(text, str | bool)
            str(text).encode()


@needs_descriptions
def test_every_field_of_the_listing_is_optional() -> None:
    described = Description.load(*DESCRIPTIONS, base=BASE)
    assert described
    data = [item.entry for item in _server_with_all_fields().items.values()]
    places = described.optional("GET", ISSUES, 200)
    count = 0
    for what, page in damaged(data, places):
        for entry in cast("list[Json]", page):
            if entry is None:
                assert issue_of(entry) is None
            elif is_pull(entry):
                _assert_texts(listed_pull_of(entry), LinkedPull)
            else:
                _assert_texts(issue_of(entry), Issue)
        assert isinstance(linked_ids(page, "acme/shop"), tuple), what
        count += 1
    assert count > 60


@needs_descriptions
def test_every_field_of_a_pull_request_is_optional() -> None:
    schema = Schema.load("github/schema.graphql")
    assert schema
    bodies: list[Any] = []
    with open_shop(NOW) as shop:
        shop.github.add_pull(at=START, closes=(1,), files=("a.py",))
        shop.pages()
        bodies += [request.json() for request in shop.requests(GRAPHQL)]
        data = json.loads(shop.github.answer(shop.requests(GRAPHQL)[0]).content)["data"]
    places = schema.optional(bodies[0]["query"])
    count = 0
    for _, answer in damaged(data, places):
        repository = cast("dict[str, Any]", answer).get("repository") or {}
        pull = pull_of(repository.get("p1"), "acme/shop")
        if repository.get("p1"):
            _assert_texts(pull, LinkedPull)
        else:
            assert pull is None
        count += 1
    assert count > 5


@needs_descriptions
def test_a_listing_in_which_everything_is_null() -> None:
    """Through the client, with the requests for pull requests and dependencies."""
    described = Description.load(*DESCRIPTIONS, base=BASE)
    assert described
    with open_shop(NOW) as shop:
        shop.github.items = _server_with_all_fields().items
        bare = json.loads(shop.github.answer(Request("GET", ISSUES, {"state": "all"}, {
            "accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28",
        }, b"")).content)  # fmt: skip
        for entry in bare:
            for key in entry:
                if key not in {"number", "pull_request", "issue_dependencies_summary"}:
                    entry[key] = None
        shop.server.fail(CannedResponse(200, bare))
        (page,) = shop.pages()
    assert [issue.id for issue in page.issues] == ["1"]
    assert [pull.number for pull in page.pulls] == ["2"]


@needs_descriptions
def test_recorded_issues() -> None:
    pages = [one for one in _recorded("paginate-issues") if one["method"] == "get"]
    found = [issue_of(entry) for page in pages for entry in page["response"]]
    assert [issue.title for issue in found if issue] == [
        f"Test issue {number}" for number in range(13, 0, -1)
    ]
    for issue in found:
        assert issue is not None
        assert issue.status == "open"
        assert re.fullmatch(r"2022-07-19T04:3\d:\d\dZ", issue.created)
        assert issue.url.startswith("https://github.com/octokit-fixture-org/")
        assert issue.author == "octokit-fixture-user-a"


@needs_descriptions
def test_recorded_pages_are_followed() -> None:
    """The recorded pages and links, replayed on loopback."""
    pages = {
        parse_qs(urlsplit(one["path"]).query).get("page", ["1"])[0]: one
        for one in _recorded("paginate-issues")
        if one["method"] == "get"
    }
    with open_shop(NOW) as shop:
        shop.server.faults.append(lambda request: _replayed(shop, pages, request))
        titles = [issue.title for issue in shop.open().query(IssueFilter())]
    assert titles == [f"Test issue {number}" for number in range(13, 0, -1)]
    assert len(shop.server.requests) == 5


def _replayed(shop: Shop, pages: dict[str, dict[str, Any]], request: Request) -> CannedResponse:
    page = pages[request.query.get("page", "1")]
    names = page["rawHeaders"][::2]
    headers = dict(zip(names, page["rawHeaders"][1::2], strict=True))
    link = headers.get("Link", "").replace("https://api.github.com", f"{shop.server.url}{BASE}")
    return CannedResponse(page["status"], page["response"], {"Link": link} if link else {})


@needs_descriptions
def test_recorded_search_results() -> None:
    (found,) = (one["response"] for one in _recorded("search-issues") if one["method"] == "get")
    issues = [issue_of(entry) for entry in found["items"]]
    assert [issue and issue.body for issue in issues] == [entry["body"] for entry in found["items"]]


@needs_descriptions
def test_the_message_of_a_recorded_error_is_reported() -> None:
    (refused,) = (one for one in _recorded("errors") if one["status"] == 422)
    with open_shop(NOW) as shop:
        shop.server.fail(CannedResponse(422, refused["response"]))
        with pytest.raises(RemoteError, match="Validation Failed"):
            shop.pages()


def _values() -> st.SearchStrategy[Json]:
    scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(
        st.characters(codec=None), max_size=9
    )  # fmt: skip
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
        max_leaves=12,
    )


KEYS = st.sampled_from(
    [
        "number", "title", "state", "body", "labels", "name", "assignees", "user", "login",
        "created_at", "closed_at", "updated_at", "html_url", "pull_request", "merged_at", "draft",
        "repository_url", "headRefName", "isDraft", "updatedAt", "files", "nodes", "path",
        "closingIssuesReferences", "repository", "nameWithOwner",
    ]
)  # fmt: skip


@given(_values())
def test_any_json_is_parsed_without_an_error(data: Json) -> None:
    issue, listed, pull = issue_of(data), listed_pull_of(data), pull_of(data, "acme/shop")
    if issue is not None:
        _assert_texts(issue, Issue)
        assert re.fullmatch("[1-9][0-9]*", issue.id)
    for one in (listed, pull):
        if one is not None:
            _assert_texts(one, LinkedPull)
    assert isinstance(linked_ids(data, "acme/shop"), tuple)


@pytest.mark.parametrize(
    ("body", "closes"),
    [
        ("Fixes #12", ("12",)),
        ("fixed #1, CLOSES: #2 and resolves acme/shop#3", ("1", "2", "3")),
        ("Closes Acme/Shop#4 and closes #4", ("4",)),
        ("closes other/shop#5, see #6, prefixes #7", ()),
        ("close#8", ()),
        ("Fixes #9a", ()),
        (None, ()),
    ],
)
def test_issues_after_closing_keywords(body: str | None, closes: tuple[str, ...]) -> None:
    api = "https://api.github.com/repos/acme/shop"
    found = listed_pull_of({"number": 3, "body": body, "repository_url": api})
    assert found is not None
    assert found.closes == closes


def test_labels_as_objects_and_as_strings() -> None:
    found = issue_of({"number": 1, "labels": ["a", {"name": "b"}, {"name": None}, None, 3, "a"]})
    assert found is not None
    assert found.labels == ("a", "b", "3")
