"""A fake tracker in memory, served over HTTP on loopback, with a clock that the test sets.

It implements the contract of a tracker and no more, for tests of the sync without a vendor.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

from sdd_hooks.errors import Missing
from sdd_hooks.project.project import Project
from sdd_hooks.remote.client import Client, Waiting
from sdd_hooks.remote.json_fields import format_utc
from sdd_hooks.trackers.detection import DetectedTracker, repository_context
from sdd_hooks.trackers.issue import Issue, LinkedPull
from sdd_hooks.trackers.protocol import (
    IssueFilter,
    IssuePage,
    Since,
    Tracker,
    TrackerLocation,
    TrackerVendor,
)
from sdd_hooks.trackers.source import TrackerSource
from tests.support.loopback import CannedResponse, Request, Server, serving

START = 1_770_000_000.0


class TrackerBackend:
    """The data of the tracker. `now` is its clock (epoch seconds), the time of every change.

    `size` is the number of entries of a page. `hook` is called with the number of each page before
    the response.
    """

    def __init__(self, size: int = 100) -> None:
        self.now = START
        self.size = size
        self.issues: dict[str, Issue] = {}
        self.pulls: dict[str, LinkedPull] = {}
        self.gone: list[tuple[str, str]] = []
        self.hook: Callable[[int], None] = lambda _page: None

    def add(self, id: str, title: str = "", **fields: Any) -> Issue:
        """Add an issue."""
        made = Issue(
            id=id,
            title=title or f"Issue {id}",
            status="open",
            labels=(),
            assignees=(),
            author="ada",
            created=format_utc(self.now),
            updated=format_utc(self.now),
            closed="",
            url=f"https://tracker.example/acme/shop/issues/{id}",
            tracker="fake",
            body=f"The body of {id}.",
        )
        self.issues[id] = replace(made, **fields)
        return self.issues[id]

    def edit(self, id: str, **fields: Any) -> Issue:
        """Change an issue."""
        self.issues[id] = replace(self.issues[id], **{"updated": format_utc(self.now), **fields})
        return self.issues[id]

    def delete(self, id: str) -> None:
        """Delete an issue; the tracker does not list it as gone."""
        del self.issues[id]

    def rename(self, id: str, to: str) -> None:
        """Change the id of an issue, as a change of its project does."""
        issue = self.issues.pop(id)
        self.issues[to] = replace(
            issue, id=to, updated=format_utc(self.now), formerly=(*issue.formerly, id)
        )

    def transfer(self, id: str) -> None:
        """Move an issue to another project; the tracker lists it as gone."""
        del self.issues[id]
        self.gone.append((format_utc(self.now), id))

    def pull(self, number: str, *closes: str, **fields: Any) -> None:
        """Add or change a pull request."""
        made = LinkedPull(number, f"feature/{number}", "open", (), format_utc(self.now), closes)
        self.pulls[number] = replace(made, **{"updated": format_utc(self.now), **fields})

    def answer(self, request: Request) -> CannedResponse:
        """The response to a request. A page starts after the last entry of the page before it."""
        if request.path == "/ids":
            return CannedResponse(
                data={"ids": [id for id, one in self.issues.items() if not one.archived]}
            )
        if request.path == "/issues/one":
            issue = self.issues.get(request.query["id"])
            return CannedResponse(data=asdict(issue)) if issue else CannedResponse(404)
        page = int(request.query.get("page", "1"))
        self.hook(page)
        kinds = {"issue": self.issues.values(), "pull": self.pulls.values()}
        rows = sorted(
            (row.updated, kind, getattr(row, "id", "") or getattr(row, "number", ""), row)
            for kind, entries in kinds.items()
            for row in entries
            if row.updated >= request.query.get(f"{kind}s", "")
            if not getattr(row, "archived", False)
        )
        after = json.loads(request.query.get("after", "[]"))
        remaining = [row for row in rows if list(row[:3]) > after]
        part = remaining[: self.size]
        gone = [id for when, id in self.gone if when >= request.query.get("issues", "")]
        return CannedResponse(
            data={
                "at": self.now,
                "issues": [asdict(row[3]) for row in part if row[1] == "issue"],
                "pulls": [asdict(row[3]) for row in part if row[1] == "pull"],
                "gone": gone if page == 1 else [],
                "total": sum(row[1] == "issue" for row in rows),
                "after": list(part[-1][:3]) if len(remaining) > len(part) else None,
            }
        )


class FakeTracker:
    """A client of the fake tracker. Without `lists` it has no inventory."""

    name = "fake"
    label = "Fake"
    web = ""

    def __init__(self, url: str, place: str = "tracker.example/acme/shop", *, lists: bool = True):
        self.identity = place
        self._lists = lists
        self._client = Client(url, label=self.label, waiting=Waiting(sleep=lambda _: None))

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[IssuePage]:
        """All pages."""
        query: dict[str, str | int] = {"page": 0}
        for kind, seconds in since._asdict().items():
            if seconds is not None:
                query[kind] = format_utc(seconds)
        while True:
            query["page"] = int(query["page"]) + 1
            data = self._client.get("all", query).json()
            notes["pages"] = str(query["page"])
            yield IssuePage(
                tuple(map(_issue, data["issues"])),
                data["at"],
                tuple(map(_pull, data["pulls"])),
                tuple(data["gone"]),
                data["total"],
            )
            if data["after"] is None:
                return
            query["after"] = json.dumps(data["after"])

    def inventory(self) -> Iterator[str] | None:
        """All ids, from a separate request."""
        return iter(self._ids()) if self._lists else None

    def issue(self, id: str) -> Issue:
        """One issue."""
        answer = self._client.get("issues/one", {"id": id}, allow=(404,))
        if answer.status == 404:
            raise Missing(f"Fake has no issue {id}")
        return _issue(answer.json())

    def query(self, filter: IssueFilter) -> Iterator[Issue]:
        """The issues that match, last updated first."""
        pages = self.fetch(Since(), {})
        found = sorted(
            (issue for page in pages for issue in page.issues), key=lambda issue: issue.updated
        )
        for issue in reversed(found):
            if filter.status in {None, issue.status} and set(filter.labels) <= set(issue.labels):
                yield issue

    def disconnect(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ids(self) -> Iterator[str]:
        yield from self._client.get("ids").json()["ids"]


def source_of(project: Project, open: Callable[[], Tracker], module: str = "") -> TrackerSource:
    """The source of a module ("" for the root), whose tracker `open` returns."""
    (collection,) = project.select(("issues",), module)
    location = TrackerLocation("https://tracker.example", "acme", "shop")
    vendor = TrackerVendor(
        FakeTracker.label,
        open=lambda _location, _environment: open(),
        locate=lambda _settings, _repository: location,
    )
    detected = DetectedTracker(FakeTracker.name, vendor, location)
    context = repository_context(project, module)
    return TrackerSource(project.repository.root, collection, detected, context)


def happen(backend: TrackerBackend, chance: random.Random, body: str = "") -> None:
    """Make a random change in a tracker."""
    backend.now += chance.choice([0, 0, 1, 60])
    if not backend.issues:
        backend.add(f"FIRST-{backend.now:.0f}")
    id = chance.choice(list(backend.issues))
    choice = chance.random()
    if choice < 0.5:
        backend.edit(id, title=f"Changed at {backend.now}")
    elif choice < 0.6:
        backend.delete(id)
    elif choice < 0.7:
        backend.transfer(id)
    elif choice < 0.8:
        backend.add(str(len(backend.issues) + 10_000 + chance.randrange(10**6)), body=body)
    else:
        number = str(chance.randrange(50_000, 50_100))
        backend.pull(
            number,
            *chance.sample(list(backend.issues), min(chance.randrange(3), len(backend.issues))),
        )


@contextmanager
def tracking(backend: TrackerBackend) -> Iterator[Server]:
    """Serve the tracker on loopback."""
    with serving(backend.answer) as server:
        yield server


def _issue(data: Any) -> Issue:
    tuples = {name: tuple(value) for name, value in data.items() if isinstance(value, list)}
    return Issue(**{**data, **tuples, "pulls": tuple(map(_pull, data["pulls"]))})


def _pull(data: Any) -> LinkedPull:
    return LinkedPull(**{**data, "files": tuple(data["files"]), "closes": tuple(data["closes"])})
