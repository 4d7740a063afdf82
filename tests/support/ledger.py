"""The tracker of `tests/plugins/sdd_ledger.py`, installed, and its server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.support.plugins import SOURCES, install_distribution

MODULE = (SOURCES / "sdd_ledger.py").read_text()
POINTS = "[sdd_hooks.trackers]\nledger = sdd_ledger:VENDOR\n"


def install_ledger(folder: Path, module: str = MODULE, points: str = POINTS) -> dict[str, str]:
    """Install the distribution into `folder`. Returns the variables with which Python finds it."""
    return install_distribution(folder, "sdd-ledger", points, {"sdd_ledger": module})


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
