"""The issues of a team in Linear.

Linear lists issues last updated first. Each page starts at the time of the last entry before it. An
issue that is edited meanwhile moves to the front, newer than the first page, and the order of the
others is unchanged. Pull requests are attachments, and a change of an attachment need not update
its issue, so issues with changed attachments are requested, too.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import (
    Json,
    field,
    flag,
    format_utc,
    number,
    parse_epoch,
    rows,
    text,
)
from sdd_hooks.text.display import one_line
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.issue import Issue, IssueDraft, joined
from sdd_hooks.trackers.linear import writer
from sdd_hooks.trackers.linear.payloads import (
    BRIEF_FRAGMENT,
    CLOSED,
    FULL_FRAGMENT,
    ISSUE_QUERY,
    LISTS,
    NAME,
    PAGE_QUERY,
    all_identifiers,
    is_trashed,
    issue_of,
    list_query,
)
from sdd_hooks.trackers.protocol import IssueFilter, IssuePage, Since, TrackerLocation

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

LABEL = "Linear"
PER_PAGE = 100
QUERY_PER_PAGE = 50

_UUID = lazy_regex(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_IDENTIFIER = lazy_regex(r"[A-Za-z0-9]{1,32}-[0-9]{1,18}", re.ASCII)
_STATES = {"open": "nin", "draft": "nin", "closed": "in", "merged": "in"}


class _ListingPage(NamedTuple):
    """A page of the listing, and the number of issues of the team."""

    nodes: list[Json]
    total: int | None


@dataclass(frozen=True)
class LinearTracker:
    """The issues of one team."""

    location: TrackerLocation
    client: Client

    name = NAME
    label = LABEL

    @property
    def identity(self) -> str:
        """Host and team in lower case: letter case has no meaning."""
        host = urlsplit(self.client.api).netloc.removeprefix("api.")
        return f"{host}/{self.location.project}".lower()

    @property
    def web_url(self) -> str:
        """The address of the team; of Linear if the workspace or the key of the team is unknown."""
        if not self.location.owner or _UUID.fullmatch(self.location.project):
            return self.location.url
        return f"{self.location.url}/{self.location.owner}/team/{self.location.project.upper()}"

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[IssuePage]:  # noqa: ARG002
        """Pages of changed issues with their pull requests, last updated first."""
        filters: dict[str, object] = {}
        if since.issues is not None:
            changed = {"updatedAt": {"gte": format_utc(since.issues)}}
            filters = {"or": [changed, {"attachments": {"some": changed}}]}
        at: float | None = None
        for listed in self._list(FULL_FRAGMENT, filters, "updatedAt", PER_PAGE):
            if at is None:
                # The time of the last update serves as the clock: later changes are newer.
                times = (*since, *(parse_epoch(text(node, "updatedAt")) for node in listed.nodes))
                at = max((0.0, *(time for time in times if time is not None)))
            yield self._page(listed, at, listed.total if since.issues is None else None)

    def inventory(self) -> Iterator[str | Issue]:
        """All issues that are not in the trash, without dependencies and pull requests."""
        for listed in self._list(BRIEF_FRAGMENT, {}, "createdAt", QUERY_PER_PAGE):
            for node in listed.nodes:
                issue = None if is_trashed(node) else issue_of(node)
                if issue is not None:
                    has_more = flag(node, "labels", "pageInfo", "hasNextPage")
                    yield issue.id if has_more else issue

    def issue(self, id: str) -> Issue:
        """One issue. Raises Missing, also for an issue in the trash, and with the new identifier of
        an issue that moved to another team."""
        unknown = f"{LABEL} has no issue {one_line(id)[:100]}, or does not show it"
        if not _IDENTIFIER.fullmatch(id):
            raise Missing(f"{unknown}: its issues have identifiers such as ENG-12")
        try:
            node = field(self.execute(ISSUE_QUERY, {"id": id.upper()}), "issue")
        except Missing:
            raise Missing(unknown) from None
        issue = issue_of(node)
        if issue is None or is_trashed(node):
            raise Missing(f"{unknown}: it is in the bin")
        if issue.id.upper() != id.upper():
            raise Missing(f"{LABEL}: {id} is {one_line(issue.id)[:100]} now", issue.id)
        return issue

    def query(self, filter: IssueFilter) -> Iterator[Issue]:
        """The issues that match, last updated first, without dependencies and pull requests."""
        filters: dict[str, object] = {}
        if filter.status in _STATES:
            filters["state"] = {"type": {_STATES[filter.status]: CLOSED}}
        if filter.labels:
            filters["and"] = [
                {"labels": {"some": {"name": {"eqIgnoreCase": label}}}} for label in filter.labels
            ]
        for listed in self._list(BRIEF_FRAGMENT, filters, "updatedAt", QUERY_PER_PAGE):
            for node in listed.nodes:
                issue = None if is_trashed(node) else issue_of(node)
                if issue is not None:
                    yield issue

    def create(self, draft: IssueDraft) -> Issue:
        """Create an issue, and the labels and the project that do not exist."""
        return self._written_issue(writer.create(self.execute, self.team, draft))

    def close(self, id: str) -> None:
        """Close an issue as completed."""
        writer.close(self.execute, id)

    def append(self, id: str, text: str) -> Issue:
        """Append to the body of an issue."""
        body = joined(self.issue(id).body, text)
        return self._written_issue(writer.replace_body(self.execute, id, body))

    def group_of(self, id: str) -> str:
        """The name of the project of an issue."""
        return writer.project_of(self.execute, id)

    def has_group(self, group: str) -> bool:
        """Whether the team has a project of that name."""
        return writer.has_project(self.execute, self.team, group)

    def group(self, id: str, group: str) -> None:
        """Assign an issue to the project of that name, created if missing."""
        writer.group(self.execute, id, group)

    def disconnect(self) -> None:
        """Close the connections."""
        self.client.close()

    @property
    def team(self) -> dict[str, object]:
        """The filter for the team, by its UUID or its key."""
        team = self.location.project
        return {"id": {"eq": team}} if _UUID.fullmatch(team) else {"key": {"eqIgnoreCase": team}}

    def execute(
        self, query: str, variables: Mapping[str, object], *, idempotent: bool = True
    ) -> Json:
        """The data of a query, or with `idempotent=False` of a mutation, which is not retried.

        Raises RemoteError, and Missing for an entity that Linear does not find.
        """
        from sdd_hooks.remote.graphql import execute

        try:
            return execute(self.client, "", query, variables, idempotent=idempotent)
        except RemoteError as error:
            # Linear returns no specific error code for a missing entity.
            if type(error) is RemoteError and "Entity not found" in str(error):
                raise Missing(f"{error}: check its identifier") from None
            raise

    def _list(
        self, fragment: str, filters: Mapping[str, object], order: str, size: int
    ) -> Iterator[_ListingPage]:
        """Pages of the team's issues that match `filters`, last by the time field `order` first.

        An issue between two pages may be on both. Raises Missing if the team does not exist.
        """
        until: int | None = None
        after: str | None = None
        seen: set[str] = set()
        while True:
            bound = {} if until is None else {order: {"lte": _timestamp(until)}}
            data = self.execute(
                PAGE_QUERY + fragment,
                {
                    "team": self.team,
                    "filter": {"team": self.team, **filters, **bound},
                    "first": size,
                    "after": after,
                    "order": order,
                },
            )
            if not rows(data, "teams", "nodes"):
                raise Missing(
                    f"{LABEL} has no team {self.location.project}, or does not show it: "
                    "check Team ID"
                )
            nodes = rows(data, "issues", "nodes")
            yield _ListingPage(nodes, number(rows(data, "teams", "nodes")[0], "issueCount"))
            if not flag(data, "issues", "pageInfo", "hasNextPage"):
                return
            identifiers = {text(node, "identifier") for node in nodes}
            times = [time for time in (parse_epoch(text(node, order)) for node in nodes) if time]
            # Linear's internal time may be more precise than its payload.
            last = int(min(times) * 1000) + 1 if times else until
            if last is not None and (until is None or last < until):
                until, after, seen = last, None, set()
                continue
            # More than a page has the same time.
            after = text(data, "issues", "pageInfo", "endCursor") or None
            if after is None or identifiers <= seen:
                raise RemoteError(f"{LABEL} lists the same page again and again: try again later")
            seen |= identifiers

    def _page(self, listed: _ListingPage, at: float, total: int | None) -> IssuePage:
        """A page of issues, with requests for the members of lists that were cut off."""
        kept = [node for node in listed.nodes if not is_trashed(node)]
        cut_off = [
            (index, name, text(node, name, "pageInfo", "endCursor"))
            for index, node in enumerate(kept)
            for name in LISTS
            if flag(node, name, "pageInfo", "hasNextPage")
        ]
        requests = ((text(kept[index], "id"), name, after) for index, name, after in cut_off)
        remaining = self.client.map_concurrently(
            lambda request: self._remaining_members(*request), requests
        )
        more: dict[int, dict[str, list[Json]]] = {}
        for (index, name, _), members in zip(cut_off, remaining, strict=True):
            more.setdefault(index, {})[name] = members
        issues = [issue_of(node, more.get(index)) for index, node in enumerate(kept)]
        left_out = issues.count(None)
        trashed = (node for node in listed.nodes if is_trashed(node))
        return IssuePage(
            tuple(issue for issue in issues if issue is not None),
            at,
            deleted=tuple(id for node in trashed for id in all_identifiers(node)),
            total=total,
            warnings=(
                (f"{LABEL} lists {left_out} issues without an identifier: left out",)
                if left_out
                else ()
            ),
        )

    def _remaining_members(self, id: str, name: str, after: str) -> list[Json]:
        """The members of a list of an issue after the cursor `after`."""
        members: list[Json] = []
        query = list_query(name)
        while True:
            data = self.execute(query, {"id": id, "after": after})
            members += rows(data, "issue", name, "nodes")
            if not flag(data, "issue", name, "pageInfo", "hasNextPage"):
                return members
            before, after = after, text(data, "issue", name, "pageInfo", "endCursor")
            if after in {before, ""}:
                raise RemoteError(f"{LABEL} lists the same page again and again: try again later")

    def _written_issue(self, node: Json) -> Issue:
        issue = issue_of(node)
        if issue is None:
            raise RemoteError(f"{LABEL} does not say which issue it wrote: look at {self.web_url}")
        return issue


def _timestamp(milliseconds: int) -> str:
    """A time in the format and precision of Linear's payloads."""
    return f"{format_utc(milliseconds // 1000)[:-1]}.{milliseconds % 1000:03}Z"
