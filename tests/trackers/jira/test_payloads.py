"""Parsing the payloads of Jira."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.trackers.jira.payloads import issue_of
from tests.support.openapi import NEEDED, VENDOR_APIS, damaged
from tests.trackers.fetching import START
from tests.trackers.jira.harness import (
    Shop,
    document,
    filled,
    jira_shop,
    places_of,
)


@pytest.fixture(params=[True, False], ids=["cloud", "server"])
def shop(request: pytest.FixtureRequest) -> Iterator[Shop]:
    with jira_shop(cloud=request.param) as shop:
        yield shop


def test_an_issue_with_all_fields(shop: Shop) -> None:
    cloud = shop.jira.cloud
    key = shop.jira.add(
        " The cart forgets ",
        at=START,
        description=document("First *line*", "second") if cloud else "h1. First\r\n* second  \n",
        labels=["bug", "cart"],
        assignee=shop.jira.person("Bea"),
        status=shop.jira.status("Won't Do"),
        resolutiondate=shop.jira.time(START + 60),
        created=shop.jira.time(START - 86400),
    )
    (page,) = shop.pages()
    (issue,) = page.issues
    assert (issue.id, issue.title, issue.status) == (key, " The cart forgets ", "closed")
    assert issue.labels == ("bug", "cart")
    assert (issue.author, issue.assignees) == ("Ana", ("Bea",))
    assert issue.created == "2026-04-30T12:53:20Z"
    assert issue.updated == "2026-05-01T12:53:20Z"
    assert issue.closed == "2026-05-01T12:54:20Z"
    assert issue.url == f"{shop.server.url}{shop.jira.path}/browse/{key}"
    assert issue.tracker == "jira"
    assert issue.body == ("First \\*line\\*\n\nsecond" if cloud else "h1. First\r\n* second  \n")
    assert issue == shop.open().issue(key)
    assert issue == shop.open().issue(key.lower())
    assert page.total == 1
    assert page.warnings == ()


def test_a_time_in_another_zone(shop: Shop) -> None:
    shop.jira.zone = -3.5
    shop.jira.add(at=START)
    (page,) = shop.pages()
    assert page.issues[0].updated == "2026-05-01T12:53:20Z"


def test_done_without_a_resolution(shop: Shop) -> None:
    shop.jira.add(at=START, status=shop.jira.status("Done"))
    shop.jira.add(at=START, status=shop.jira.status("In Progress"), resolutiondate="2026-01-01")
    (page,) = shop.pages()
    done, going = page.issues
    assert done.status == "closed"
    assert done.closed == ("2026-05-01T12:53:20Z" if shop.jira.cloud else "")
    assert (going.status, going.closed) == ("open", "")


def test_names_of_link_types(shop: Shop) -> None:
    one, two, three, four, five = (shop.jira.add(at=START) for _ in range(5))
    shop.jira.link(one, two)
    shop.jira.link(one, three, name="Abhängigkeit", outward="Blocks ", inward="is blocked by")
    shop.jira.link(one, four, name="Blocks", outward="blockiert", inward="wird blockiert von")
    shop.jira.link(one, five, name="Relates", outward="relates to", inward="relates to")
    (page,) = shop.pages()
    found = {issue.id: (issue.blocks, issue.blocked_by) for issue in page.issues}
    assert found == {
        one: ((two, three, four), ()),
        two: ((), (one,)),
        three: ((), (one,)),
        four: ((), (one,)),
        five: ((), ()),
    }


def test_every_field_is_optional(shop: Shop) -> None:
    key = filled(shop)[0]
    whole = shop.jira.entry(key)
    for what, data in damaged(whole, list(dict.fromkeys(places_of(whole)))):
        found = issue_of(data, shop.server.url)
        if what.startswith("key "):
            assert found is None
        else:
            assert found
            assert found.id == key


@pytest.mark.skipif(not VENDOR_APIS.is_dir(), reason=NEEDED)
def test_the_examples_of_the_description() -> None:
    file = VENDOR_APIS / "jira/subset-search.json"
    paths = json.loads(file.read_text(encoding="utf-8"))["paths"]
    answers = []
    for path in ("/rest/api/3/search/jql", "/rest/api/3/issue/{issueIdOrKey}"):
        content = paths[path]["get"]["responses"]["200"]["content"]
        answers.append(json.loads(content["application/json"]["example"]))
    searched, one = answers
    for entry in (searched["issues"][0], one):
        found = issue_of(entry, "https://acme.atlassian.net")
        assert found
        assert (found.id, found.status, found.body) == ("ED-1", "open", "Main order flow broken")
        # A link "depends on" does not count as blocking.
        assert (found.blocks, found.blocked_by) == ((), ())


NAMES = st.sampled_from(
    ["status", "statusCategory", "key", "type", "name", "labels", "summary", "updated"]
)
LINKS = st.sampled_from(["issuelinks", "inward", "outward", "inwardIssue", "description"])
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES | LINKS, inner | st.just("blocks"), max_size=5)
    ),
)


@given(st.text(max_size=8) | st.just("SHOP-1"), ANY)
def test_any_json_is_parsed(key: str, fields: Any) -> None:
    found = issue_of({"key": key, "fields": fields}, "https://acme.example")
    assert found is None or re.fullmatch(r"[A-Z][A-Z0-9_]*-[0-9]+", found.id)
    assert found or key != "SHOP-1"
    issue_of(fields, "https://acme.example")
