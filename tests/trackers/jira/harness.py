"""A fake Jira with a project SHOP, and trackers of it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sdd_hooks.trackers.jira.vendor import VENDOR
from sdd_hooks.trackers.protocol import IssuePage, Since, TrackerLocation
from tests.support.jira import FakeJira, serving_jira
from tests.support.loopback import Request, Server
from tests.support.machines import TOKEN, ClientFactory
from tests.trackers.fetching import NOW, START

USER = "ana@acme.example"


BASIC = "Basic " + b64encode(f"{USER}:{TOKEN}".encode()).decode()


@dataclass
class Shop:
    """The project SHOP on a fake Jira, and trackers of it."""

    jira: FakeJira
    server: Server
    client_factory: ClientFactory

    def open(self, *, user: str = USER) -> Any:
        """A new tracker."""
        environment = self.client_factory.environment(VENDOR.label, user=user)
        return VENDOR.open(
            TrackerLocation(self.server.url + self.jira.path, "", "SHOP"), environment
        )

    def pages(
        self, since: Since | None = None, notes: dict[str, str] | None = None
    ) -> list[IssuePage]:
        """The pages of a fetch."""
        return list(self.open().fetch(since or Since(), {} if notes is None else notes))

    def searches(self) -> list[Request]:
        """The requests that are searches."""
        return [request for request in self.server.requests if is_search(request)]

    def sent(self, method: str, path: str) -> list[Any]:
        """The bodies of the requests to a path of the REST API."""
        asked = [one for one in self.server.requests if one.method == method]
        return [one.json() for one in asked if one.path.partition("/rest/api/")[2][2:] == path]


def is_search(request: Request) -> bool:
    return request.path.endswith(("/search", "/search/jql"))


def document(*texts: str) -> dict[str, Any]:
    paragraphs = [{"type": "paragraph", "content": [{"type": "text", "text": t}]} for t in texts]
    return {"version": 1, "type": "doc", "content": paragraphs}


@contextmanager
def jira_shop(*, cloud: bool) -> Iterator[Shop]:
    """The project in Cloud, or on a server below a path and in another time zone."""
    jira = FakeJira(NOW, cloud=cloud, path="" if cloud else "/jira", zone=0 if cloud else 2)
    with serving_jira(jira) as server, ClientFactory(NOW) as client_factory:
        yield Shop(jira, server, client_factory)


def places_of(data: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The places of every field of a response, and of the members of every list."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield (*at, name)
            yield from places_of(value, (*at, name))
    elif isinstance(data, list) and data:
        yield (*at, "*")
        yield from (place for one in data for place in places_of(one, (*at, "*")))


def filled(shop: Shop) -> list[str]:
    """Add issues with all fields, more than a page."""
    shop.jira.max_page_size = 4
    described = document("Text") if shop.jira.cloud else "Text"
    done = {"status": shop.jira.status("Done"), "resolutiondate": shop.jira.time(START)}
    full: dict[str, Any] = {"labels": ["bug"], "assignee": shop.jira.person("Bea"), **done}
    keys = [shop.jira.add(at=START + n // 5, description=described, **full) for n in range(9)]
    shop.jira.link(keys[0], keys[1])
    return keys
