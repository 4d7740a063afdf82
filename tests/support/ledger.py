"""A tracker of a plug-in distribution outside the package, and its server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.loopback import CannedResponse, Request, Server, serving

MODULE = """
from sdd_hooks.errors import SddError
from sdd_hooks.remote.credentials import TokenSources, TokenVariables
from sdd_hooks.remote import json_fields as fields
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.protocol import IssuePage, TrackerLocation, TrackerVendor

SOURCES = TokenSources(
    (TokenVariables(("LEDGER_TOKEN",), hosts=("LEDGER_HOST",)),),
    lambda secret: {"X-Ledger": secret.value},
    "set LEDGER_TOKEN",
)


class Ledger:
    name = "ledger"
    label = "Ledger"

    def __init__(self, location, client):
        self.identity = f"{location.url.partition('//')[2]}/{location.project}"
        self.web_url = location.url
        self.project = location.project
        self.client = client

    def fetch(self, since, notes):
        answer = self.client.get(f"{self.project}/issues", {"since": int(since.issues or 0)})
        found = tuple(map(issue_of, answer.json()))
        yield IssuePage(found, self.client.server_time(answer), total=len(found))

    def inventory(self):
        yield from self.client.get(f"{self.project}/ids").json()

    def issue(self, id):
        return issue_of(self.client.get(f"{self.project}/issues/{id}").json())

    def query(self, filter):
        asked = {"status": filter.status} if filter.status else None
        for row in self.client.get(f"{self.project}/query", asked).json():
            yield issue_of(row)

    def disconnect(self):
        self.client.close()


def issue_of(row):
    text, texts = fields.text, fields.texts
    status = "closed" if text(row, "status") == "closed" else "open"
    return Issue(
        text(row, "id"), text(row, "title"), status, texts(row, "labels"), (), "ada",
        "2026-05-01T00:00:00Z", fields.utc(row, "updated"), "", "", "ledger", text(row, "body"),
    )


def open_ledger(location, environment):
    return Ledger(location, environment.connect(location.url, SOURCES))


def locate(settings, repository):
    url = settings.url or (repository.origin.web_base if repository.origin else "")
    if not url:
        raise SddError("a ledger needs a URL: add it to `#### Tracker`")
    return TrackerLocation(url, "", settings.repo or "book")


def probe(repository, environment):
    client = environment.connect(repository.origin.web_base, SOURCES)
    try:
        said = client.get("who", allow=(404,)).json()
    finally:
        client.close()
    return location_of(repository) if said == "ledger" else None


def location_of(repository):
    return TrackerLocation(repository.origin.web_base, "", repository.origin.name)


VENDOR = TrackerVendor("Ledger", open_ledger, locate, probe=probe)
"""


def install_ledger(folder: Path, module: str = MODULE) -> dict[str, str]:
    """Install the distribution into `folder`. Returns the variables with which Python finds it."""
    (folder / "ledger-1.0.dist-info").mkdir(parents=True)
    (folder / "sdd_ledger.py").write_text(module)
    (folder / "ledger-1.0.dist-info/METADATA").write_text("Name: ledger\nVersion: 1.0\n")
    (folder / "ledger-1.0.dist-info/entry_points.txt").write_text(
        "[sdd_hooks.trackers]\nledger = sdd_ledger:VENDOR\n"
    )
    return {"PYTHONPATH": str(folder)}


@dataclass
class Book:
    """One project of the server: issues by id, each with the time of its update."""

    issues: dict[str, dict[str, object]] = field(default_factory=dict)
    now: int = 1_777_593_600

    def write(self, id: str, title: str, **more: object) -> None:
        """Add or change an issue, a second after the last write."""
        self.now += 1
        self.issues[id] = {"id": id, "title": title, "at": self.now, **more}


@dataclass
class LedgerServer:
    """The running server and its projects."""

    server: Server
    books: dict[str, Book]

    @property
    def url(self) -> str:
        """The address of the server."""
        return self.server.url

    def requests(self) -> list[str]:
        """The requested paths since the last call."""
        paths = self.server.paths()
        self.server.requests.clear()
        return paths


@contextmanager
def ledger() -> Iterator[LedgerServer]:
    """A server with one project, `book`."""
    books = {"book": Book()}

    def answer(request: Request) -> CannedResponse:
        if request.path == "/who":
            return CannedResponse(data="ledger")
        _, project, what, *id = request.path.split("/")
        if project not in books:
            return CannedResponse(404)
        book = books[project]
        rows = [{**one, "updated": _stamp(one["at"])} for one in book.issues.values()]
        if what == "ids":
            return CannedResponse(data=list(book.issues))
        if what == "query":
            status = request.query.get("status")
            return CannedResponse(data=[one for one in rows if status in {None, one.get("status")}])
        if id:
            found = [one for one in rows if one["id"] == id[0]]
            return CannedResponse(data=found[0]) if found else CannedResponse(404)
        since = int(request.query["since"])
        headers = {"Date": _date(book.now)}
        return CannedResponse(data=[one for one in rows if one["at"] >= since], headers=headers)

    with serving(answer) as server:
        yield LedgerServer(server, books)


def _stamp(seconds: object) -> str:
    from sdd_hooks.remote.json_fields import format_utc

    assert isinstance(seconds, int)
    return format_utc(seconds)


def _date(seconds: int) -> str:
    from email.utils import formatdate

    return formatdate(seconds, usegmt=True)
