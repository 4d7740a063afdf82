"""The fake server of each vendor with a project, changed by one set of methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sdd_hooks.trackers.gitea.vendor import VENDOR as GITEA
from sdd_hooks.trackers.linear.tracker import PER_PAGE as LINEAR_PAGE
from sdd_hooks.trackers.protocol import Tracker, TrackerLocation
from tests.support import github, gitlab, jira, linear
from tests.support.gitea import FakeGitea, serving_gitea
from tests.support.loopback import CannedResponse, Request, Server
from tests.support.machines import ClientFactory
from tests.trackers.fetching import NOW, START
from tests.trackers.gitlab import harness as gitlab_harness
from tests.trackers.jira.harness import is_search, jira_shop
from tests.trackers.linear import harness as linear_harness


@dataclass
class TrackerSite:
    """A project on the fake server of a vendor.

    `fake` has the clock of the server (`now`, epoch seconds), and `answer`, its response without a
    fault. `add` adds an issue and returns its id, `edit` sets a title; both at the time `at`, now
    for None. `relabel` gives a label without an update, `block` makes the first issue block the
    second, `delete` deletes one, `pull` adds a pull request for an issue. `ids` are those of all
    issues. `lists` is whether a request is for a page of the listing, which has at most `page`
    entries; `creates` is whether it creates an issue. A sync in which nothing changed takes
    `unchanged` requests. `limited(seconds)` are responses that report a rate limit for that long.
    """

    name: str
    fake: Any
    server: Server
    factory: ClientFactory
    open: Callable[[], Any]
    add: Callable[..., str]
    edit: Callable[..., object]
    relabel: Callable[[str, str], object]
    block: Callable[[str, str], object]
    delete: Callable[[str], object]
    ids: Callable[[], set[str]]
    page: int = 100
    pull: Callable[[str], object] = lambda _id: None
    lists: Callable[[Request], bool] = lambda request: (
        request.method == "GET" and request.path.endswith("/issues")
    )
    creates: Callable[[Request], bool] = lambda request: (
        request.method == "POST" and request.path.endswith(("/issues", "/issue"))
    )
    unchanged: int = 1
    limited: Callable[[int], list[CannedResponse]] = lambda _seconds: []
    edged: set[str] = field(default_factory=set)
    """The ids of the issues that block or are blocked: the deletion of such an issue changes others
    without an update."""

    @property
    def now(self) -> float:
        """The time of the server."""
        return float(self.fake.now)

    def fill(self, count: int) -> list[str]:
        """Add issues, updated a second apart from START on. Returns their ids."""
        return [self.add(at=START + number) for number in range(count)]

    def listings(self) -> int:
        """The number of requests for pages of the listing."""
        return sum(1 for request in self.server.requests if self.lists(request))

    def page_after(self, count: int) -> Callable[[Request], bool]:
        """Whether a request is for a page after the first `count` requests for pages."""
        return lambda request: self.lists(request) and self.listings() > count

    def respond(self, request: Request) -> CannedResponse:
        """The true response, at the time of the clients."""
        self.fake.now = max(self.fake.now, self.factory.now)
        answer: CannedResponse = self.fake.answer(request)
        return answer


def _numbered(fake: Any, **parts: Any) -> TrackerSite:
    """The site of a fake whose issues have numbers, and entries like those of GitHub."""

    def add(
        title: str = "An issue",
        at: float | None = None,
        labels: tuple[str, ...] = (),
        *,
        closed: bool = False,
    ) -> str:
        return str(fake.add(title, at=at, labels=labels, state="closed" if closed else "open"))

    def relabel(id: str, name: str) -> None:
        item = fake.items[int(id)]
        item.entry["labels"] = [{"id": 1, "name": name, "color": "cccccc"}]
        item.content = b""

    def block(id: str, other: str) -> None:
        fake.block(int(other), by=int(id))
        for end in (id, other):
            fake.edit(int(end))

    return TrackerSite(
        fake=fake,
        add=add,
        edit=lambda id, title, at=None: fake.edit(int(id), at=at, title=title),
        relabel=relabel,
        block=block,
        delete=lambda id: fake.delete(int(id)),
        ids=lambda: {str(number) for number, item in fake.items.items() if item.pull is None},
        **parts,
    )


@contextmanager
def _gitea() -> Iterator[TrackerSite]:
    fake = FakeGitea(NOW)
    with serving_gitea(fake) as server, ClientFactory(NOW) as factory:

        def open() -> Tracker:
            location = TrackerLocation(server.url, "acme", "shop")
            return GITEA.open(location, factory.environment(GITEA.label))

        yield _numbered(
            fake,
            name="gitea",
            server=server,
            factory=factory,
            open=open,
            page=50,
            unchanged=3,
            pull=lambda id: fake.add_pull(body=f"Closes #{id}", branch="b", files=("a.py",)),
        )


@contextmanager
def _github() -> Iterator[TrackerSite]:
    with github.open_shop(NOW) as shop:
        fake = shop.github
        yield _numbered(
            fake,
            name="github",
            server=shop.server,
            factory=shop.client_factory,
            open=shop.open,
            pull=lambda id: fake.add_pull(branch="b", closes=(int(id),), files=("a.py",)),
            limited=github.rate_limited(fake),
        )


def _dated(fake: Any, closed_state: str, open_state: str) -> dict[str, Any]:
    """How issues are added and edited whose times are fields in seconds."""

    def add(
        title: str = "An issue",
        at: float | None = None,
        labels: tuple[str, ...] = (),
        *,
        closed: bool = False,
    ) -> str:
        when = float(fake.now if at is None else at)
        state = closed_state if closed else open_state
        return str(fake.add(title, created=when, updated=when, labels=list(labels), state=state))

    def edit(id: str, title: str, at: float | None = None) -> None:
        fake.edit(id, title=title, updated=float(fake.now if at is None else at))

    return {"fake": fake, "add": add, "edit": edit, "block": fake.block, "delete": fake.delete}


@contextmanager
def _gitlab() -> Iterator[TrackerSite]:
    with gitlab_harness.open_harness() as harness:
        fake, factory = harness.gitlab, harness.client_factory
        fake.now = factory.now

        def relabel(id: str, name: str) -> None:
            fake.issues[int(id)]["labels"] = [name]

        yield TrackerSite(
            name="gitlab",
            server=harness.server,
            factory=factory,
            open=harness.open,
            relabel=relabel,
            pull=lambda id: fake.merge(f"Closes #{id}"),
            ids=lambda: {str(number) for number in fake.issues},
            unchanged=2,
            limited=lambda seconds: gitlab.rate_limited(seconds, factory.now),
            **_dated(fake, "closed", "opened"),
        )


@contextmanager
def _jira(*, cloud: bool) -> Iterator[TrackerSite]:
    with jira_shop(cloud=cloud) as shop:
        fake = shop.jira

        def add(
            title: str = "An issue",
            at: float | None = None,
            labels: tuple[str, ...] = (),
            *,
            closed: bool = False,
        ) -> str:
            status = fake.status("Done" if closed else "To Do")
            return fake.add(title, at=at, labels=list(labels), status=status)

        def relabel(id: str, name: str) -> None:
            fake.entry(id)["fields"]["labels"] = [name]

        def block(id: str, other: str) -> None:
            fake.link(id, other)
            for end in (id, other):
                fake.edit(end)

        yield TrackerSite(
            name="jira cloud" if cloud else "jira server",
            fake=fake,
            server=shop.server,
            factory=shop.client_factory,
            open=shop.open,
            add=add,
            edit=lambda id, title, at=None: fake.edit(id, at=at, summary=title),
            relabel=relabel,
            block=block,
            delete=fake.delete,
            ids=lambda: {entry["key"] for entry in fake.issues.values()},
            lists=is_search,
            limited=jira.rate_limited(fake),
        )


@contextmanager
def _linear() -> Iterator[TrackerSite]:
    with linear_harness.open_harness() as harness:
        fake, factory = harness.workspace, harness.client_factory
        fake.now = factory.now

        def relabel(id: str, name: str) -> None:
            fake.find(id)["labels"] = [fake.label(name)]

        yield TrackerSite(
            name="linear",
            server=harness.server,
            factory=factory,
            open=harness.open,
            relabel=relabel,
            ids=lambda: {issue["identifier"] for issue in fake.issues},
            page=LINEAR_PAGE,
            lists=lambda request: b"issues(filter" in request.body,
            creates=lambda request: b"issueCreate" in request.body,
            limited=lambda seconds: linear.rate_limited(seconds, factory.now),
            **_dated(fake, "completed", "unstarted"),
        )


SITES: dict[str, Callable[[], AbstractContextManager[TrackerSite]]] = {
    "gitea": _gitea,
    "github": _github,
    "gitlab": _gitlab,
    "jira cloud": partial(_jira, cloud=True),
    "jira server": partial(_jira, cloud=False),
    "linear": _linear,
}
"""Openers of a project without issues, for each vendor on hosts."""
