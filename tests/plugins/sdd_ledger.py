"""A tracker: a server with one JSON document for each request."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING

from sdd_hooks.api import (
    Issue,
    IssueFilter,
    IssuePage,
    SddError,
    Since,
    TokenSources,
    TokenVariables,
    TrackedRepository,
    TrackerEnvironment,
    TrackerLocation,
    TrackerSettings,
    TrackerVendor,
    json_fields,
)

if TYPE_CHECKING:
    from sdd_hooks.api import Client

SOURCES = TokenSources(
    (TokenVariables(("LEDGER_TOKEN",), hosts=("LEDGER_HOST",)),),
    lambda secret: {"X-Ledger": secret.value},
    "set LEDGER_TOKEN",
)


class Ledger:
    """One project of the server."""

    name = "ledger"
    label = "Ledger"

    def __init__(self, location: TrackerLocation, client: Client) -> None:
        self.identity = f"{location.url.partition('//')[2]}/{location.project}"
        self.web_url = location.url
        self._project = location.project
        self._client = client

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[IssuePage]:
        """Request the issues that changed, all on one page."""
        parameters = {"since": int(since.issues or 0)}
        response = self._client.get(f"{self._project}/issues", parameters)
        issues = tuple(map(parse_issue, json_fields.rows(response.json())))
        yield IssuePage(issues, self._client.server_time(response), total=len(issues))

    def inventory(self) -> Iterator[str]:
        """Request the ids of all issues."""
        yield from json_fields.texts(self._client.get(f"{self._project}/ids").json())

    def issue(self, id: str) -> Issue:
        """Request one issue."""
        return parse_issue(self._client.get(f"{self._project}/issues/{id}").json())

    def query(self, filter: IssueFilter) -> Iterator[Issue]:
        """Request the issues of a status."""
        parameters = {"status": filter.status} if filter.status else None
        response = self._client.get(f"{self._project}/query", parameters)
        yield from map(parse_issue, json_fields.rows(response.json()))

    def disconnect(self) -> None:
        """Close the connections."""
        self._client.close()


def parse_issue(row: object) -> Issue:
    """Parse an issue of a response."""
    text, texts = json_fields.text, json_fields.texts
    return Issue(
        id=text(row, "id"),
        title=text(row, "title"),
        status="closed" if text(row, "status") == "closed" else "open",
        labels=texts(row, "labels"),
        assignees=(),
        author="ada",
        created="2026-05-01T00:00:00Z",
        updated=json_fields.utc(row, "updated"),
        closed="",
        url="",
        tracker="ledger",
        body=text(row, "body"),
    )


def open_ledger(location: TrackerLocation, environment: TrackerEnvironment) -> Ledger:
    """Open a project."""
    return Ledger(location, environment.connect(location.url, SOURCES))


def locate(settings: TrackerSettings, repository: TrackedRepository) -> TrackerLocation:
    """Complete the declared location from the remote."""
    url = settings.url or (repository.origin.web_base if repository.origin else "")
    if not url:
        line = "- **URL**: https://ledger.example.org"
        raise SddError(f"a ledger needs a URL: write `{line}` under `#### Tracker`")
    return TrackerLocation(url, "", settings.repo or "book")


def probe(repository: TrackedRepository, environment: TrackerEnvironment) -> TrackerLocation | None:
    """Ask the host of the remote whether it is a ledger."""
    if repository.origin is None:
        return None
    client = environment.connect(repository.origin.web_base, SOURCES)
    try:
        is_ledger = client.get("who", allow=(404,)).json() == "ledger"
    finally:
        client.close()
    if not is_ledger:
        return None
    return TrackerLocation(repository.origin.web_base, "", repository.origin.name)


VENDOR = TrackerVendor(
    "Ledger", open_ledger, locate, probe=probe, token_variables=("LEDGER_TOKEN",)
)
