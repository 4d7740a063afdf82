"""Jira as a tracker, against a Cloud and a Server on loopback."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.errors import AccessRefused, Missing, RemoteError, SddError
from sdd_hooks.project.settings import TrackerSettings
from sdd_hooks.remote.answer import Answer, Wait
from sdd_hooks.remote.client import Client, Limits
from sdd_hooks.remote.credentials import Sources, find_secret
from sdd_hooks.trackers.issue import Draft, Edit
from sdd_hooks.trackers.jira import VENDOR, rate_limit
from sdd_hooks.trackers.jira_json import issue_of
from sdd_hooks.trackers.jira_project import INDEXED_AFTER, PER_PAGE
from sdd_hooks.trackers.jira_project import Jira as Project
from sdd_hooks.trackers.jira_site import TURNS, Site
from sdd_hooks.trackers.protocol import Around, Filter, Machine, Page, Since, Unsupported, Where
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync import Synced, sync
from tests.support.jira import DESCRIPTIONS, EPIC_LINK, EPIC_NAME, Jira, limited, serving_jira
from tests.support.loopback import Request, Response, Server
from tests.support.machines import TOKEN, Workplace
from tests.support.openapi import Description, damaged
from tests.trackers.faults import NOW, START, FaultTable, Stand, fetched

USER = "ana@acme.example"
BASIC = "Basic " + b64encode(f"{USER}:{TOKEN}".encode()).decode()


@dataclass
class Shop:
    """The project SHOP on a loopback Jira, and trackers of it."""

    jira: Jira
    server: Server
    workplace: Workplace

    def open(self, *, user: str = USER) -> Any:
        """The tracker, connected anew."""
        machine = self.workplace.machine(VENDOR.label, user=user)
        return VENDOR.open(Where(self.server.url + self.jira.path, "", "SHOP"), machine)

    def pages(self, since: Since | None = None, notes: dict[str, str] | None = None) -> list[Page]:
        """What a fetch brings."""
        return list(self.open().fetch(since or Since(), {} if notes is None else notes))

    def searches(self) -> list[Request]:
        """The searches that there were."""
        return [one for one in self.server.asked if is_search(one)]

    def sent(self, method: str, path: str) -> list[Any]:
        """The bodies that were sent to a path of the REST API."""
        asked = [one for one in self.server.asked if one.method == method]
        return [one.json() for one in asked if one.path.partition("/rest/api/")[2][2:] == path]


def is_search(request: Request) -> bool:
    return request.path.endswith(("/search", "/search/jql"))


@pytest.fixture(params=["cloud", "server"])
def shop(request: pytest.FixtureRequest) -> Iterator[Shop]:
    cloud = request.param == "cloud"
    jira = Jira(NOW, cloud=cloud, path="" if cloud else "/jira", zone=0 if cloud else 2)
    with serving_jira(jira) as server, Workplace(NOW) as workplace:
        yield Shop(jira, server, workplace)


@pytest.fixture
def stand(shop: Shop) -> Stand:
    return Stand(
        server=shop.server,
        answer=shop.jira.answer,
        workplace=shop.workplace,
        open=shop.open,
        add=lambda at: shop.jira.add(at=at),
        edit=lambda id, at: shop.jira.edit(id, at=at, summary="Edited"),
        lists=is_search,
        page=PER_PAGE,
        limited=limited(shop.jira),
    )


class TestFaults(FaultTable):
    """The faults that every tracker behind HTTP must survive."""


def document(*texts: str) -> dict[str, Any]:
    paragraphs = [{"type": "paragraph", "content": [{"type": "text", "text": t}]} for t in texts]
    return {"version": 1, "type": "doc", "content": paragraphs}


def test_an_issue_with_everything(shop: Shop) -> None:
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


def test_a_time_of_another_zone(shop: Shop) -> None:
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


def test_links_of_many_names(shop: Shop) -> None:
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


def test_what_is_asked_for(shop: Shop) -> None:
    for number in range(PER_PAGE + 20):
        shop.jira.add(at=START + number)
    notes: dict[str, str] = {}
    assert [page.total for page in shop.pages(notes=notes)] == [PER_PAGE + 20] * 2
    asked = [one.query["jql"] for one in shop.searches()]
    last = (START + PER_PAGE - 1) * 1000
    assert asked == [
        'project = "SHOP" ORDER BY updated ASC, key ASC',
        f'project = "SHOP" AND updated >= {last} ORDER BY updated ASC, key ASC',
    ]
    # Who answers is asked once, and not again when that is known.
    assert [one.path for one in shop.server.asked].count(
        f"{shop.jira.path}/rest/api/2/serverInfo"
    ) == 1
    assert notes == {"deployment": "cloud" if shop.jira.cloud else "server"}
    shop.server.asked.clear()
    (page,) = shop.pages(Since(NOW - 10.0), notes)
    assert page.issues == ()
    (request,) = shop.server.asked
    assert f"updated >= {NOW - 10}000 " in request.query["jql"]


def test_the_time_of_a_page_leaves_the_index_some_time(shop: Shop) -> None:
    shop.jira.add(at=START)
    (page,) = shop.pages()
    assert page.at == NOW - INDEXED_AFTER


def test_a_server_that_gives_smaller_pages(shop: Shop) -> None:
    shop.jira.most = 7
    keys = [shop.jira.add(at=START + number // 20) for number in range(50)]
    assert sorted(fetched(shop.open())) == sorted(keys)
    assert {*shop.open().inventory()} == {*keys}


def test_the_inventory(shop: Shop) -> None:
    shop.jira.most = 10
    keys = [shop.jira.add(at=START + number) for number in range(35)]
    shop.jira.edit(keys[0], at=NOW)
    shop.jira.delete(keys[7])
    gone = shop.jira.transfer(keys[8], "ATTIC")
    shop.server.asked.clear()
    found = list(shop.open().inventory())
    assert {*found} == {*keys} - {keys[7], keys[8]}
    assert gone not in found
    assert {one.query["fields"] for one in shop.searches()} == {"created"}


def test_an_issue_is_deleted_while_the_inventory_is_taken(shop: Shop) -> None:
    shop.jira.most = 10
    keys = [shop.jira.add(at=START) for _ in range(35)]
    found = []
    for key in shop.open().inventory():
        if len(found) == 3:
            shop.jira.delete(keys[0])
        found.append(key)
    assert {*keys[1:]} <= {*found}


def test_an_issue_leaves_a_second_while_that_is_read(shop: Shop) -> None:
    shop.jira.most = 10
    keys = [shop.jira.add(at=START) for _ in range(35)]
    found = {}
    for count, page in enumerate(shop.open().fetch(Since(), {})):
        found |= {issue.id: issue for issue in page.issues}
        if count == 1:
            shop.jira.edit(keys[2], at=NOW)
    assert {*found} == {*keys}


def test_a_second_that_never_comes_to_rest(shop: Shop) -> None:
    if shop.jira.cloud:
        return
    shop.jira.most = 10
    keys = [shop.jira.add(at=START) for _ in range(35)]
    with pytest.raises(RemoteError, match="something else each time"):
        for page in shop.open().fetch(Since(), {}):
            if page.issues[0].id == keys[0]:
                shop.jira.delete(keys.pop(0))
    assert len(shop.searches()) <= 2 * TURNS + 1


def test_a_moved_issue(shop: Shop) -> None:
    key, other = shop.jira.add(at=START), shop.jira.add(at=START)
    gone = shop.jira.transfer(key, "ATTIC")
    with pytest.raises(Missing, match=gone) as caught:
        shop.open().issue(key)
    assert caught.value.moved == gone
    back = shop.jira.transfer(gone, "SHOP")
    shop.jira.former[key] = shop.jira.former[gone]
    found = shop.open().issue(key)
    assert (found.id, found.formerly) == (back, (key,))
    shop.jira.delete(other)
    with pytest.raises(Missing):
        shop.open().issue(other)


def test_a_project_with_a_new_key(shop: Shop) -> None:
    shop.jira.add(at=START)
    shop.jira.add(at=START)
    shop.jira.rename("STORE")
    (page,) = shop.pages()
    assert [issue.id for issue in page.issues] == ["STORE-1", "STORE-2"]
    assert page.warnings == ("Jira calls the project SHOP STORE now: correct Project Key",)


def test_a_project_that_is_not_there(shop: Shop) -> None:
    shop.jira.project = "OTHER"
    with pytest.raises(RemoteError, match="does not exist for the field 'project'"):
        shop.pages()


def test_who_asks(shop: Shop) -> None:
    shop.jira.add(at=START)
    shop.jira.authorization = BASIC
    assert len(shop.pages()[0].issues) == 1
    with pytest.raises(AccessRefused):
        list(shop.open(user="").fetch(Since(), {}))
    shop.jira.authorization = f"Bearer {TOKEN}"
    assert len(next(iter(shop.open(user="").fetch(Since(), {}))).issues) == 1


def test_a_token_that_has_run_out(shop: Shop) -> None:
    """Cloud shows what everybody may see: nobody must take that for all there is."""
    shop.jira.add(at=START)
    shop.jira.expired = True
    for ask in (shop.pages, lambda: list(shop.open().inventory())):
        with pytest.raises(AccessRefused, match="AUTHENTICATED_FAILED") as caught:
            ask()
        assert TOKEN not in repr(caught.value)


def test_a_server_that_moved_to_cloud() -> None:
    """What was learnt of it holds no longer: its old search answers 410."""
    jira = Jira(NOW)
    with serving_jira(jira) as server, Workplace(NOW) as workplace:
        shop = Shop(jira, server, workplace)
        keys = [jira.add(at=START + number) for number in range(3)]
        notes = {"deployment": "server"}
        assert [issue.id for page in shop.pages(notes=notes) for issue in page.issues] == keys
        assert notes == {"deployment": "cloud"}
        assert [one.path for one in server.asked] == [
            "/rest/api/2/search",
            "/rest/api/3/search/jql",
        ]


def test_a_page_without_a_way_on(shop: Shop) -> None:
    if not shop.jira.cloud:
        return
    shop.jira.add(at=START)
    shop.server.fail(Response(200, {"issues": [], "isLast": False}), when=is_search)
    with pytest.raises(RemoteError, match="where its list goes on"):
        shop.pages()
    shop.server.fail(Response(200, {"isLast": True}), when=is_search)
    with pytest.raises(RemoteError, match="without a list"):
        shop.pages()


def test_a_server_that_counts_more_than_it_gives(shop: Shop) -> None:
    if shop.jira.cloud:
        return
    shop.server.fail(Response(200, {"issues": [], "total": 9, "startAt": 0}), when=is_search)
    with pytest.raises(RemoteError, match="fewer issues than it has"):
        shop.pages()


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        (Filter(), ["SHOP-4", "SHOP-3", "SHOP-2", "SHOP-1"]),
        (Filter("open"), ["SHOP-4", "SHOP-1"]),
        (Filter("closed"), ["SHOP-3", "SHOP-2"]),
        (Filter("closed", ("bug",)), ["SHOP-2"]),
        (Filter(None, ('say-"hi"\\',)), ["SHOP-4"]),
        (Filter(None, ("a\nb",)), []),
        (Filter("merged"), []),
        (Filter("draft"), []),
    ],
)
def test_a_live_query(shop: Shop, filter: Filter, expected: list[str]) -> None:
    done = shop.jira.status("Done")
    shop.jira.add(at=START, labels=["bug"])
    shop.jira.add(at=START + 1, labels=["bug", "cart"], status=done)
    shop.jira.add(at=START + 2, status=done)
    shop.jira.add(at=START + 3, labels=['say-"hi"\\'])
    shop.jira.most = 3
    assert [issue.id for issue in shop.open().query(filter)] == expected


def test_a_live_query_is_lazy(shop: Shop) -> None:
    for number in range(250):
        shop.jira.add(at=START + number)
    first = next(shop.open().query(Filter()))
    assert first.id == "SHOP-250"
    assert len(shop.searches()) == 1


def test_what_it_is_called(shop: Shop) -> None:
    tracker = shop.open()
    host = shop.server.url.removeprefix("http://") + shop.jira.path
    assert (tracker.name, tracker.label) == ("jira", "Jira")
    assert tracker.place == f"{host}/SHOP"
    assert tracker.web == f"http://{host}/browse/SHOP"


def test_a_new_issue(shop: Shop) -> None:
    body = "Some **bold**\n\n- [ ] one\n- [x] two"
    issue = shop.open().create(Draft("A\ntitle", body, ("needs review", "story")))
    assert (issue.id, issue.title, issue.status) == ("SHOP-1", "A title", "open")
    assert issue.labels == ("needs-review", "story")
    assert issue.body == body
    (sent,) = shop.sent("POST", "issue")
    assert sent["fields"]["issuetype"] == {"id": "10002"}
    assert isinstance(sent["fields"]["description"], dict if shop.jira.cloud else str)
    plain = shop.open().create(Draft("Nothing else"))
    assert (plain.body, plain.labels) == ("", ())


def test_a_project_without_tasks(shop: Shop) -> None:
    shop.jira.kinds = (
        {"id": "7", "name": "Epic"},
        {"id": "8", "name": "Bug"},
        {"id": "9", "name": "Story"},
    )
    shop.open().create(Draft("A title"))
    assert shop.sent("POST", "issue")[0]["fields"]["issuetype"] == {"id": "9"}
    shop.jira.kinds = ({"id": "7", "name": "Epic"},)
    with pytest.raises(Unsupported):
        shop.open().create(Draft("A title"))
    shop.jira.kinds = ()
    with pytest.raises(RemoteError, match="no issue can be made"):
        shop.open().create(Draft("A title"))


def test_what_jira_does_not_accept(shop: Shop) -> None:
    with pytest.raises(RemoteError, match=r"summary: Summary must be less than 255") as caught:
        shop.open().create(Draft("x" * 300))
    assert "\n" not in str(caught.value)
    assert len(shop.sent("POST", "issue")) == 1


def test_a_connection_that_is_lost_after_an_issue_was_sent(shop: Shop) -> None:
    shop.server.fail(
        Response(201, {"key": "SHOP-1"}, cut=3),
        when=lambda request: request.method == "POST" and request.path.endswith("/issue"),
    )
    with pytest.raises(RemoteError, match="look before you try again"):
        shop.open().create(Draft("Once"))
    assert len(shop.sent("POST", "issue")) == 1


def test_an_edit(shop: Shop) -> None:
    key = shop.jira.add("Before", at=START, labels=["old"])
    issue = shop.open().edit(key, Edit(title="After", labels=("new",)))
    assert (issue.title, issue.body, issue.labels) == ("After", "", ("new",))
    assert shop.open().edit(key, Edit(body="Text")).body == "Text"
    assert shop.open().edit(key, Edit(body="")).body == ""
    shop.server.asked.clear()
    assert shop.open().edit(key, Edit()).title == "After"
    assert shop.server.paths("PUT") == []


def test_closing(shop: Shop) -> None:
    key = shop.jira.add(at=START)
    shop.open().close(key)
    issue = shop.open().issue(key)
    assert issue.status == "closed"
    # Finished, where there is also a way to give it up.
    assert shop.jira.entry(key)["fields"]["status"]["name"] == "Done"
    assert issue.closed
    shop.server.asked.clear()
    shop.open().close(key)
    assert shop.server.paths("POST") == []


def test_closing_what_nothing_closes(shop: Shop) -> None:
    shop.jira.statuses = ("To Do", "In Progress")
    key = shop.jira.add(at=START)
    with pytest.raises(Unsupported, match="nothing leads SHOP-1 from 'To Do'"):
        shop.open().close(key)


def test_a_comment(shop: Shop) -> None:
    key = shop.jira.add(at=START)
    shop.open().comment(key, "Seen by **me**")
    ((where, said),) = shop.jira.comments
    assert where == key
    if shop.jira.cloud:
        (paragraph,) = said["content"]
        assert [one["text"] for one in paragraph["content"]] == ["Seen by ", "me"]
    else:
        assert said == "Seen by **me**"


def test_an_epic(shop: Shop) -> None:
    one, two = shop.jira.add(at=START), shop.jira.add(at=START)
    tracker = shop.open()
    tracker.group(one, "Implement carts")
    tracker.group(two, "Implement carts")
    third = tracker.create(Draft("Third", group="Implement carts"))
    shop.open().group(two, "Implement carts")
    epics = [e for e in shop.jira.issues.values() if e["fields"]["issuetype"]["name"] == "Epic"]
    (epic,) = epics
    assert epic["fields"]["summary"] == "Implement carts"
    for key in (one, two, third.id):
        fields = shop.jira.entry(key)["fields"]
        if shop.jira.cloud:
            assert fields["parent"] == {"key": epic["key"]}
        else:
            assert fields[EPIC_LINK] == epic["key"]
            assert epic["fields"][EPIC_NAME] == "Implement carts"


def test_a_project_without_epics(shop: Shop) -> None:
    key = shop.jira.add(at=START)
    shop.jira.kinds = ({"id": "9", "name": "Story"},)
    with pytest.raises(Unsupported, match="no epics"):
        shop.open().group(key, "Implement carts")


AROUND = Around(Path("/nonexistent"), (), None, {})


@pytest.mark.parametrize(
    ("settings", "environ", "where"),
    [
        (("SHOP", "https://acme.atlassian.net"), {}, "https://acme.atlassian.net"),
        (("shop", "acme.atlassian.net/"), {}, "https://acme.atlassian.net"),
        (
            ("SHOP", "https://acme.atlassian.net/jira/software/projects/SHOP/boards/1?x=y"),
            {},
            "https://acme.atlassian.net",
        ),
        (
            ("SHOP", "https://Acme.example:8443/jira/browse/SHOP-1"),
            {},
            "https://acme.example:8443/jira",
        ),
        (("SHOP", "https://acme.example/a/b/"), {}, "https://acme.example/a/b"),
        (("SHOP", ""), {"JIRA_URL": "https://acme.example"}, "https://acme.example"),
        (("SHOP", ""), {"JIRA_BASE_URL": "acme.example"}, "https://acme.example"),
    ],
)
def test_what_is_declared(
    settings: tuple[str, str], environ: Mapping[str, str], where: str
) -> None:
    key, url = settings
    told = TrackerSettings("jira", project_key=key, url=url)
    assert VENDOR.declared(told, AROUND._replace(environ=environ)) == Where(where, "", "SHOP")


@pytest.mark.parametrize(
    ("key", "url", "why"),
    [
        ("", "https://acme.atlassian.net", "Project Key"),
        ("", "", "Project Key"),
        ('SHOP" OR project = "HR', "https://acme.atlassian.net", "Project Key"),
        ("SHOP-1", "https://acme.atlassian.net", "Project Key"),
        ("Ａ", "https://acme.atlassian.net", "Project Key"),
        ("SHOP", "", "URL"),
        ("SHOP", "https://u:p@acme.example", "URL"),
        ("SHOP", "file:///etc/passwd", "URL"),
        ("SHOP", "https://acme.example/../x", "URL"),
        ("SHOP", "https://acme.example/a b", "URL"),
    ],
)
def test_what_cannot_be_meant(key: str, url: str, why: str) -> None:
    with pytest.raises(SddError, match=why) as caught:
        VENDOR.declared(TrackerSettings("jira", project_key=key, url=url), AROUND)
    assert "\n" not in str(caught.value)


def _sources(url: str) -> Sources:
    found: list[Sources] = []

    def connect(api: str, sources: Sources | None, limits: Limits | None = None) -> Client:
        assert (api, limits) == (url, rate_limit)
        assert sources is not None
        found.append(sources)
        return Client(api, label="Jira")

    VENDOR.open(Where(url, "", "SHOP"), Machine(AROUND, connect)).disconnect()
    return found[0]


CLOUD = "https://acme.atlassian.net"
OWN = "https://jira.acme.example"
BOTH = {"JIRA_EMAIL": USER, "JIRA_API_TOKEN": "one"}


@pytest.mark.parametrize(
    ("url", "environ", "header"),
    [
        (CLOUD, BOTH, "Basic " + b64encode(f"{USER}:one".encode()).decode()),
        (CLOUD, {"JIRA_API_TOKEN": "one"}, None),
        (CLOUD, {"JIRA_PAT": "two"}, None),
        (OWN, BOTH, None),
        (OWN, {**BOTH, "JIRA_URL": CLOUD}, None),
        (OWN, {"JIRA_PAT": "two", "JIRA_URL": f"{OWN}/jira"}, "Bearer two"),
        (OWN, {"JIRA_PAT": "two", "JIRA_BASE_URL": OWN}, "Bearer two"),
        (OWN, {"JIRA_PAT": "two"}, None),
        ("https://acme.atlassian.net.evil.example", BOTH, None),
        ("https://atlassian.net.evil.example", {**BOTH, "JIRA_PAT": "two"}, None),
    ],
)
def test_whose_token_it_takes(
    url: str, environ: Mapping[str, str], header: str | None, tmp_path: Path
) -> None:
    sources = _sources(url)
    clean = {"PATH": "", "HOME": str(tmp_path), **environ}
    secret = find_secret(sources, url, around_origin=None, root=tmp_path, environ=clean)
    assert (sources.headers(secret)["Authorization"] if secret else None) == header


@pytest.mark.parametrize(
    ("status", "headers", "limit"),
    [
        (429, {}, Wait()),
        (429, {"x-ratelimit-reset": "2026-05-01T14:22Z"}, Wait(1777645320.0)),
        (429, {"x-ratelimit-reset": "soon"}, Wait()),
        (403, {"x-ratelimit-reset": "2026-05-01T14:22Z"}, None),
        (200, {"x-ratelimit-remaining": "0"}, None),
    ],
)
def test_what_a_limit_looks_like(
    status: int, headers: Mapping[str, str], limit: Wait | None
) -> None:
    assert rate_limit(Answer(status, headers, b"", f"{CLOUD}/rest"), 1000.0) == limit


def _places(data: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every field of an answer, and the members of every list."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield (*at, name)
            yield from _places(value, (*at, name))
    elif isinstance(data, list) and data:
        yield (*at, "*")
        yield from (place for one in data for place in _places(one, (*at, "*")))


def _full(shop: Shop) -> list[str]:
    """Issues with everything there is in them, more than a page."""
    shop.jira.most = 4
    described = document("Text") if shop.jira.cloud else "Text"
    done = {"status": shop.jira.status("Done"), "resolutiondate": shop.jira.time(START)}
    full: dict[str, Any] = {"labels": ["bug"], "assignee": shop.jira.person("Bea"), **done}
    keys = [shop.jira.add(at=START + n // 5, description=described, **full) for n in range(9)]
    shop.jira.link(keys[0], keys[1])
    return keys


def test_a_search_of_which_anything_may_be_missing(shop: Shop) -> None:
    keys = _full(shop)
    shop.pages()
    first = next(one for one in shop.searches() if "updated" in one.query["jql"])
    whole = shop.jira.answer(first).data
    places = list(dict.fromkeys(_places(whole)))
    if shop.jira.cloud and (described := Description.load(*DESCRIPTIONS, base="")):
        places += described.optional("GET", "/rest/api/3/search/jql", 200)
    assert len(places) > 40
    refused = set()
    tracker = shop.open()
    for what, data in damaged(whole, list(dict.fromkeys(places))):
        shop.server.faults.clear()
        shop.server.fail(Response(200, data), when=is_search)
        try:
            found = fetched(tracker)
        except RemoteError:
            refused.add(what.partition(" ")[0])
            continue
        left_out = what.startswith(("issues.* ", "issues.*.key "))
        assert {*found} <= {*keys}, what
        assert {*found} == {*keys} or left_out, what
    assert refused <= {"issues", "issues.*", "nextPageToken", "total"}


def test_an_issue_of_which_anything_may_be_missing(shop: Shop) -> None:
    key = _full(shop)[0]
    whole = shop.jira.entry(key)
    for what, data in damaged(whole, list(dict.fromkeys(_places(whole)))):
        found = issue_of(data, shop.server.url)
        if what.startswith("key "):
            assert found is None
        else:
            assert found
            assert found.id == key


def test_answers_to_what_is_written_of_which_anything_may_be_missing(shop: Shop) -> None:
    """One damaged answer at a time, of every kind that writing asks for."""

    client = Client(shop.server.url + shop.jira.path, label="Jira")

    def write() -> None:
        tracker = Project(Site(client.api, client), "SHOP")
        made = tracker.create(Draft("A title", "Body", ("x",), "Implement carts"))
        tracker.edit(made.id, Edit(title="Another"))
        tracker.close(made.id)

    write()
    kinds = {
        (one.method, one.path.rpartition("/")[2].partition("-")[0]) for one in shop.server.asked
    }
    for method, name in sorted(kinds):
        last = next(
            one
            for one in shop.server.asked
            if (one.method, one.path.rpartition("/")[2].partition("-")[0]) == (method, name)
        )
        whole = shop.jira.answer(last).data if method == "GET" else {"id": "1", "key": "SHOP-1"}
        for _, data in damaged(whole, list(dict.fromkeys(_places(whole)))):
            shop.server.faults.clear()
            shop.server.fail(
                Response(200, data),
                when=lambda one, path=last.path, method=method: (
                    (one.path, one.method) == (path, method)
                ),
            )
            with suppress(RemoteError):
                write()
    client.close()


def _synced(shop: Shop, root: Path, **options: Any) -> Synced:
    return sync(shop.open(), IssueFolder(root, ".sdd/issues"), clock=lambda: NOW, **options)


def _stored(root: Path) -> dict[str, str]:
    folder = root / ".sdd/issues"
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("SHOP-*.md")}


def test_issues_as_files(shop: Shop, tmp_path: Path) -> None:
    keys = [shop.jira.add(f"Issue {n}", at=START + n) for n in range(PER_PAGE + 30)]
    assert _synced(shop, tmp_path).added == len(keys)
    assert {*_stored(tmp_path)} == {*keys}
    shop.jira.now += 3600
    shop.jira.edit(keys[3], summary="Edited")
    again = _synced(shop, tmp_path)
    assert (again.added, again.updated, again.removed) == (0, 1, 0)
    assert 'title: "Edited"' in _stored(tmp_path)[keys[3]]
    shop.server.asked.clear()
    assert _synced(shop, tmp_path).changed == ()
    assert len(shop.server.asked) == 1
    shop.jira.delete(keys[5])
    shop.jira.transfer(keys[6], "ATTIC")
    assert _synced(shop, tmp_path, full=True).removed == 2
    assert {*_stored(tmp_path)} == {*keys} - {keys[5], keys[6]}


def test_edits_between_the_pages_of_a_sync(shop: Shop, tmp_path: Path) -> None:
    keys = [shop.jira.add(at=START + n // 40) for n in range(3 * PER_PAGE)]
    listings = 0

    def meanwhile(request: Request) -> None:
        nonlocal listings
        listings += is_search(request)
        if is_search(request) and listings in {2, 3}:
            shop.jira.now += 1
            shop.jira.edit(keys[listings], summary="Edited meanwhile")
            shop.jira.edit(keys[200 + listings], summary="Edited meanwhile")
            keys.append(shop.jira.add("Added meanwhile"))

    shop.server.faults.append(meanwhile)
    _synced(shop, tmp_path)
    shop.jira.now += 3600
    _synced(shop, tmp_path)
    stored = _stored(tmp_path)
    assert {*stored} == {*keys}
    assert sum("meanwhile" in text for text in stored.values()) == 6


def test_a_sync_that_fails_on_its_second_page(shop: Shop, tmp_path: Path) -> None:
    keys = [shop.jira.add(at=START + n) for n in range(PER_PAGE + 5)]
    stand_in = [Response(500, {})] * 4
    shop.server.fail(*stand_in, when=lambda one: is_search(one) and len(shop.searches()) > 1)
    with pytest.raises(RemoteError):
        _synced(shop, tmp_path)
    _synced(shop, tmp_path)
    assert {*_stored(tmp_path)} == {*keys}


def test_a_change_that_the_index_finds_late(shop: Shop, tmp_path: Path) -> None:
    first, late = shop.jira.add(at=NOW - 300), shop.jira.add(at=NOW - 300)
    _synced(shop, tmp_path)
    shop.jira.edit(first, at=NOW + 30, summary="Soon")
    shop.jira.now = NOW + 31
    _synced(shop, tmp_path)
    shop.jira.edit(late, at=NOW + 25, summary="Late")
    shop.jira.now = NOW + 40
    _synced(shop, tmp_path)
    assert "Late" in _stored(tmp_path)[late]
