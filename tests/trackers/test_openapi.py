"""Requests and responses are validated with the descriptions of the vendors' APIs."""

from __future__ import annotations

import json

import pytest

from tests.support.loopback import Request
from tests.support.openapi import NEEDED, VENDOR_APIS, Description, damaged, nulled, without

ISSUES = "/repos/a/b/issues"
JSON = {"content-type": "application/json"}

pytestmark = pytest.mark.skipif(not VENDOR_APIS.is_dir(), reason=NEEDED)


@pytest.fixture(scope="module")
def github() -> Description:
    found = Description.load("github/subset-issues.json", "github/forge.openapi3.json")
    assert found
    return found


def _posted(body: object) -> Request:
    return Request("POST", ISSUES, {}, JSON, json.dumps(body).encode())


def test_requests_that_the_description_allows(github: Description) -> None:
    query = {"state": "all", "since": "2026-05-01T14:22:00Z", "per_page": "100"}
    github.request(Request("GET", ISSUES, query, {}, b""))
    github.request(Request("GET", f"{ISSUES}/7/dependencies/blocked_by", {}, {}, b""))
    github.request(_posted({"title": "x", "body": "y", "labels": ["a"]}))


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (Request("GET", ISSUES, {"state": "al"}, {}, b""), "is not one of"),
        (Request("GET", ISSUES, {"sate": "all"}, {}, b""), "unknown parameter sate"),
        (Request("GET", ISSUES, {"per_page": "many"}, {}, b""), "integer"),
        (Request("GET", ISSUES, {"since": "1777645320"}, {}, b""), "date-time"),
        (Request("GET", f"{ISSUES}/x", {}, {}, b""), "integer"),
        (Request("GET", "/repos/a/b/isues", {}, {}, b""), "unknown path"),
        (Request("PUT", ISSUES, {}, {}, b""), "PUT is not described"),
        (Request("GET", ISSUES, {}, JSON, b"{}"), "wants no body"),
        (Request("POST", ISSUES, {}, {}, b""), "wants a body"),
        (Request("POST", ISSUES, {}, {"content-type": "text/plain"}, b"{}"), "Content-Type"),
        (_posted({"titel": "x"}), "title"),
        (_posted({"title": "x", "bdy": "y"}), "bdy"),
        (_posted({"title": "x", "labels": [3]}), "labels"),
    ],
)
def test_requests_that_the_description_does_not_allow(
    github: Description, request_: Request, why: str
) -> None:
    with pytest.raises(AssertionError, match=why):
        github.request(request_)


def test_responses_of_the_description(github: Description) -> None:
    github.response("GET", ISSUES, 200, [])
    github.response("GET", ISSUES, 404, {"message": "Not Found"})
    github.response("GET", ISSUES, 502, "anything")
    with pytest.raises(AssertionError, match="required"):
        github.response("GET", ISSUES, 200, [{"number": 7}])
    with pytest.raises(AssertionError, match="does not answer 204"):
        github.response("GET", ISSUES, 204, None)


def test_fields_that_may_be_null(github: Description) -> None:
    places = github.optional("GET", ISSUES, 200)
    assert ("*", "body") in places
    assert ("*", "milestone", "closed_at") in places
    assert ("*", "number") not in places


def test_recorded_responses_match_the_description() -> None:
    gitea = Description.load("gitea/subset-v1.openapi3.json")
    assert gitea
    recorded = json.loads((VENDOR_APIS / "gitea/recorded/gitea-1.17dev.json").read_text())
    for path, response in recorded.items():
        place = f"/api/v1/repos/alice/r{path.partition('?')[0]}"
        gitea.response("GET", place, int(response["status"]), response["body"])


def test_damaged_data() -> None:
    data = [{"a": {"b": 1}}, {"c": [1]}, None]
    assert nulled(data, ("*", "a", "b")) == [{"a": {"b": None}}, {"c": [1]}, None]
    assert without(data, ("*", "c")) == [{"a": {"b": 1}}, {}, None]
    assert nulled(data, ("*", "c", "*")) == [{"a": {"b": 1}}, {"c": [None]}, None]
    assert [damage for damage, _ in damaged(data, [("*", "c"), ("*", "d")])] == [
        "*.c null",
        "*.c missing",
    ]
