"""The fake server of each vendor with its tracker, changed by one set of methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sdd_hooks.trackers.gitea.vendor import VENDOR as GITEA
from sdd_hooks.trackers.protocol import Tracker, TrackerLocation
from tests.support.gitea import FakeGitea, serving_gitea
from tests.support.github import open_shop
from tests.support.loopback import CannedResponse, Request, Server
from tests.support.machines import TOKEN, ClientFactory
from tests.trackers.faults import NOW
from tests.trackers.gitlab import harness as gitlab
from tests.trackers.jira.harness import BASIC, jira_shop
from tests.trackers.linear import harness as linear


@dataclass
class TrackerSite:
    """A project on the fake server of a vendor.

    `fake` has the clock of the server (`now`). `add` adds an issue with a title and returns its id,
    `edit` sets a title, `relabel` gives labels without an update, `block` makes the first issue
    block the second, `delete` deletes one. `pull` adds a pull request for an issue. `ids` are those
    of all issues.
    """

    name: str
    server: Server
    factory: ClientFactory
    fake: Any
    answer: Callable[[Request], CannedResponse]
    open: Callable[[], Tracker]
    add: Callable[[str], str]
    edit: Callable[[str, str], object]
    relabel: Callable[[str, str], object]
    block: Callable[[str, str], object]
    delete: Callable[[str], object]
    pull: Callable[[str], object]
    ids: Callable[[], set[str]]
    edged: set[str] = field(default_factory=set)
    """The ids of the issues that block or are blocked: the deletion of such an issue changes others
    without an update."""

    def respond(self, request: Request) -> CannedResponse:
        """The true response, at the time of the clients."""
        self.fake.now = max(self.fake.now, self.factory.now)
        return self.answer(request)


@contextmanager
def _gitea() -> Iterator[TrackerSite]:
    fake = FakeGitea(NOW, token=TOKEN, max_page_size=20, checked=False)
    with serving_gitea(fake) as server, ClientFactory(NOW) as factory:

        def open() -> Tracker:
            location = TrackerLocation(server.url, "acme", "shop")
            return GITEA.open(location, factory.environment(GITEA.label))

        def relabel(id: str, name: str) -> None:
            fake.items[int(id)].entry["labels"] = [{"id": 1, "name": name, "color": "cccccc"}]

        def delete(id: str) -> None:
            fake.delete(int(id))

        yield TrackerSite(
            "gitea",
            server,
            factory,
            fake,
            fake.answer,
            open,
            lambda title: str(fake.add(title)),
            lambda id, title: fake.edit(int(id), title=title),
            relabel,
            lambda id, other: fake.block(int(other), by=int(id)),
            delete,
            lambda id: fake.add_pull(body=f"Closes #{id}", branch="b", files=("a.py",)),
            lambda: {str(number) for number, item in fake.items.items() if item.pull is None},
        )


@contextmanager
def _github() -> Iterator[TrackerSite]:
    with open_shop(NOW) as shop:
        fake = shop.github
        fake.checked = False

        def relabel(id: str, name: str) -> None:
            item = fake.items[int(id)]
            item.entry["labels"] = [{"id": 1, "name": name}]
            item.content = b""

        def block(id: str, other: str) -> None:
            fake.block(int(other), by=int(id))
            for end in (id, other):
                fake.edit(int(end))

        yield TrackerSite(
            "github",
            shop.server,
            shop.client_factory,
            fake,
            fake.answer,
            shop.open,
            lambda title: str(fake.add(title)),
            lambda id, title: fake.edit(int(id), title=title),
            relabel,
            block,
            lambda id: fake.delete(int(id)),
            lambda id: fake.add_pull(branch="b", closes=(int(id),), files=("a.py",)),
            lambda: {str(number) for number, item in fake.items.items() if item.pull is None},
        )


@contextmanager
def _gitlab() -> Iterator[TrackerSite]:
    with gitlab.open_harness() as harness:
        fake = harness.gitlab
        fake.now = harness.client_factory.now

        def relabel(id: str, name: str) -> None:
            fake.issues[int(id)]["labels"] = [name]

        yield TrackerSite(
            "gitlab",
            harness.server,
            harness.client_factory,
            fake,
            fake.answer,
            harness.open,
            fake.add,
            lambda id, title: fake.edit(id, title=title),
            relabel,
            fake.block,
            fake.delete,
            lambda id: fake.merge(f"Closes #{id}"),
            lambda: {str(number) for number in fake.issues},
        )


@contextmanager
def _jira(*, cloud: bool) -> Iterator[TrackerSite]:
    with jira_shop(cloud=cloud) as shop:
        fake = shop.jira
        fake.max_page_size, fake.authorization = 20, BASIC

        def relabel(id: str, name: str) -> None:
            fake.entry(id)["fields"]["labels"] = [name]

        def block(id: str, other: str) -> None:
            fake.link(id, other)
            for end in (id, other):
                fake.edit(end)

        yield TrackerSite(
            "jira cloud" if cloud else "jira server",
            shop.server,
            shop.client_factory,
            fake,
            fake.answer,
            shop.open,
            fake.add,
            lambda id, title: fake.edit(id, summary=title),
            relabel,
            block,
            fake.delete,
            lambda _id: None,
            lambda: {entry["key"] for entry in fake.issues.values()},
        )


@contextmanager
def _linear() -> Iterator[TrackerSite]:
    with linear.open_harness() as harness:
        fake = harness.workspace
        fake.now = harness.client_factory.now

        def relabel(id: str, name: str) -> None:
            fake.find(id)["labels"] = [fake.label(name)]

        yield TrackerSite(
            "linear",
            harness.server,
            harness.client_factory,
            fake,
            fake.answer,
            harness.open,
            fake.add,
            lambda id, title: fake.edit(id, title=title),
            relabel,
            fake.block,
            fake.delete,
            lambda _id: None,
            lambda: {issue["identifier"] for issue in fake.issues},
        )


SITES = (_gitea, _github, _gitlab, lambda: _jira(cloud=True), lambda: _jira(cloud=False), _linear)
"""Openers of a project without issues, for each vendor."""
