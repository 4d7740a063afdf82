"""Parsing the payloads of Gitea: recorded, damaged, and generated."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.remote.json_fields import Json
from sdd_hooks.trackers.gitea.payloads import (
    closed_by,
    closing_words,
    is_pull,
    issue_of,
    number_of,
    pull_of,
    references,
)
from sdd_hooks.trackers.issue import Issue, LinkedPull
from tests.support.gitea import BASE, DESCRIPTIONS, FakeGitea
from tests.support.loopback import Request
from tests.support.openapi import NEEDED, VENDOR_APIS, Description, damaged
from tests.trackers.fetching import NOW, START

WEB = "https://gitea.example/acme/shop"
HOME = frozenset({"acme/shop"})
CLOSING = closing_words("https://gitea.example")
REPOSITORY = f"{BASE}/repos/acme/shop"
RECORDED = VENDOR_APIS / "gitea/recorded/gitea-1.17dev.json"

needs_descriptions = pytest.mark.skipif(not VENDOR_APIS.is_dir(), reason=NEEDED)


def _recorded(path: str) -> Any:
    return json.loads(RECORDED.read_text(encoding="utf-8"))[path]["body"]


def _assert_texts(parsed: object, kind: type) -> None:
    """Every text of an issue or a pull request can be encoded."""
    assert isinstance(parsed, kind)
    for value in vars(parsed).values():
        for text in value if isinstance(value, tuple) else (value,):
            assert isinstance(text, str | bool)
            str(text).encode()


def _server_with_all_fields() -> FakeGitea:
    """A repository in which every field that can be null has a value."""
    gitea = FakeGitea(NOW)
    gitea.add("First", at=START, body="Text", labels=("bug",), assignees=("bea",))
    gitea.edit(1, at=START, state="closed")
    gitea.add_pull("Second", at=START, body="Fixes #1", files=("a.py",), labels=("bug",))
    gitea.merge(2, at=START)
    gitea.block(1, by=2)
    return gitea


def _response_data(gitea: FakeGitea, path: str) -> object:
    query = {"state": "all"} if path in {"/issues", "/pulls"} else {}
    return gitea.answer(Request("GET", f"{REPOSITORY}{path}", query, {}, b"")).data


@needs_descriptions
@pytest.mark.parametrize("path", ["/issues", "/pulls", "/issues/1/dependencies"])
def test_every_field_is_optional(path: str) -> None:
    described = Description.load(*DESCRIPTIONS)
    assert described
    data = _response_data(_server_with_all_fields(), path)
    count = 0
    for what, page in damaged(data, described.optional("GET", f"{REPOSITORY}{path}", 200)):
        entries = cast("list[Json]", page)
        for entry in entries:
            if number_of(entry) is None:
                assert issue_of(entry, WEB) is None
                assert pull_of(entry, CLOSING, HOME) is None
            else:
                _assert_texts(issue_of(entry, WEB), Issue)
                _assert_texts(pull_of(entry, CLOSING, HOME), LinkedPull)
        assert isinstance(references(entries, HOME), tuple), what
        count += 1
    assert count > 50


@needs_descriptions
def test_recorded_issues() -> None:
    entries = _recorded("/issues?state=all&type=issues&limit=3&page=1")
    found = [issue_of(entry, WEB) for entry in entries]
    assert [issue and issue.id for issue in found] == ["118", "117", "116"]
    assert found[0] == Issue(
        id="118",
        title="Issue 120 SPEC-0010",
        status="open",
        labels=("story",),
        assignees=(),
        author="alice",
        created="2026-11-21T20:13:09Z",
        updated="2026-11-21T20:13:09Z",
        closed="",
        url="http://127.0.0.1:4300/alice/r/issues/118",
        tracker="gitea",
        body="body 120\nBlocked by: #1",
    )
    closed = issue_of(_recorded("/issues/3"), WEB)
    assert closed
    assert (closed.status, closed.closed) == ("closed", "2026-11-21T20:13:17Z")


@needs_descriptions
def test_a_recorded_pull_request() -> None:
    assert pull_of(_recorded("/pulls/119"), CLOSING, {"alice/r"}) == LinkedPull(
        number="119",
        branch="feat",
        status="merged",
        files=(),
        updated="2026-11-21T20:13:17Z",
        closes=("3",),
    )
    (named,) = [
        event["ref_issue"]
        for event in _recorded("/issues/3/timeline")
        if event["type"] == "pull_ref"
    ]
    assert is_pull(named)
    assert references([named], {"alice/r"}) == ("119",)
    assert references([named], HOME) == ("alice/r#119",)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = (
    "number", "title", "body", "state", "labels", "assignees", "assignee", "user", "head", "draft",
    "merged", "html_url", "created_at", "updated_at", "closed_at", "original_author", "repository",
    "pull_request",
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(NAMES), JSON) | JSON)
def test_any_json_is_parsed_as_an_issue_or_none(entry: Json) -> None:
    issue, pull = issue_of(entry, WEB), pull_of(entry, CLOSING, HOME)
    if number_of(entry) is None:
        assert issue is None
        assert pull is None
    else:
        _assert_texts(issue, Issue)
        _assert_texts(pull, LinkedPull)
    for id in references([entry], HOME):
        id.encode()


@pytest.mark.parametrize("number", [0, -1, None, "7", 7.0, True, [], {}])
def test_invalid_numbers(number: object) -> None:
    assert issue_of({"number": number, "title": "x"}, WEB) is None


def test_the_address_of_an_issue_without_html_url() -> None:
    issue = issue_of({"number": 7, "html_url": None}, WEB)
    assert issue
    assert issue.url == "https://gitea.example/acme/shop/issues/7"


def test_the_single_assignee_of_an_old_server() -> None:
    issue = issue_of({"number": 7, "assignee": {"login": "bea"}, "assignees": None}, WEB)
    assert issue
    assert issue.assignees == ("bea",)


@pytest.mark.parametrize(
    ("entry", "status"),
    [
        ({"state": "open"}, "open"),
        ({"state": "closed"}, "closed"),
        ({"state": "closed", "merged": True}, "merged"),
        ({"state": "open", "draft": True}, "draft"),
        ({"state": "closed", "draft": True}, "closed"),
        ({"state": "open", "title": "WIP: x"}, "draft"),
        ({"state": "open", "title": "[wip] x"}, "draft"),
        ({"state": "open", "title": "WIP: x", "draft": False}, "open"),
        ({}, "open"),
    ],
)
def test_the_status_of_a_pull_request(entry: dict[str, object], status: str) -> None:
    pull = pull_of({"number": 1, **entry}, CLOSING, HOME)
    assert pull
    assert pull.status == status


@pytest.mark.parametrize(
    ("head", "branch"),
    [
        ({"label": "feat", "ref": "feat"}, "feat"),
        ({"label": "feat", "ref": "refs/pull/1/head"}, "feat"),
        ({"label": "", "ref": "refs/pull/1/head"}, "refs/pull/1/head"),
        ({"label": "feat", "ref": None}, "feat"),
        (None, ""),
    ],
)
def test_the_branch_of_a_pull_request(head: object, branch: str) -> None:
    pull = pull_of({"number": 1, "head": head}, CLOSING, HOME)
    assert pull
    assert pull.branch == branch


@pytest.mark.parametrize(
    ("markdown", "ids"),
    [
        ("closes #1", ("1",)),
        ("Closes: #1, fixes #2; RESOLVED #3.", ("1", "2", "3")),
        ("fix #1 fixed #2 fixes #3 close #4 closed #5 resolve #6 resolves #7", tuple("1234567")),
        ("(closes #1)", ("1",)),
        ("[Fixes #1]", ("1",)),
        ("Fix: #12", ("12",)),
        ("closes !4", ("4",)),
        ("Closes acme/shop#1 and closes Acme/SHOP#2", ("1", "2")),
        ("closes acme/attic#1", ()),
        ("closes https://gitea.example/acme/shop/issues/9", ("9",)),
        ("closes http://gitea.example/acme/shop/pulls/9.", ("9",)),
        ("closes [it](https://gitea.example/acme/shop/issues/9)", ("9",)),
        ("closes https://gitea.example/acme/attic/issues/9", ()),
        ("closes https://elsewhere.example/acme/shop/issues/9", ()),
        ("closes #1 and #2", ("1",)),
        ("see #1", ()),
        ("encloses #1", ()),
        ("closes  #1", ()),
        ("closes\n#1", ()),
        ("closes#1", ()),
        ("closes #1.5", ()),
        ("closes #1a", ()),
        ("closes #007", ("7",)),
        ("**closes #1**, _fixes #2_, ~~fixes #3~~", ("1", "2", "3")),
        ("Closes **#1**, **closes** #2", ()),
        ("<div>closes #1</div>", ()),
        ("closes #1 closes #1", ("1",)),
        ("`closes #1`", ()),
        ("```\ncloses #1\n```\ncloses #2", ("2",)),
        ("<!-- closes #1 -->\nfixes #2", ("2",)),
        ("closes #1\r\ncloses #2", ("1", "2")),
        ("", ()),
    ],
)
def test_issues_after_closing_keywords(markdown: str, ids: tuple[str, ...]) -> None:
    assert closed_by(markdown, CLOSING, HOME) == ids


@given(st.text(alphabet="closesfix #1!/[]()`\n\r<->:htpga.exmlr", max_size=300))
def test_any_text_closes_valid_numbers(markdown: str) -> None:
    assert all(id.isdecimal() for id in closed_by(markdown, CLOSING, HOME))


def test_a_server_below_a_path() -> None:
    closing = closing_words("https://example.org:3000/git")
    markdown = "closes https://example.org:3000/git/acme/shop/issues/9"
    assert closed_by(markdown, closing, HOME) == ("9",)
    assert closed_by("closes https://example.org/acme/shop/issues/9", closing, HOME) == ()


def test_a_long_text_is_parsed_in_linear_time() -> None:
    for part in ("closes ", "[" * 50, "`", "``` ", "closes [", "fix https://gitea.example/"):
        assert closed_by(part * (200_000 // len(part)) + " closes #1", CLOSING, HOME) in {
            (),
            ("1",),
        }
