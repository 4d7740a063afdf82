"""A team of Linear as a tracker.

Linear lists issues with the last update first. A page is asked for by the time at which the one
before ended: an issue that is edited meanwhile goes to the front, newer than what the first page
began with, and no other changes its place. Pull requests are attachments, and a change of one need
not be an update of its issue, so issues with changed attachments are asked for as well.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.remote.json_fields import Json, epoch, field, flag, number, rows, stamp, text
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.issue import Draft, Edit, Issue
from sdd_hooks.trackers.linear import writer as linear_write
from sdd_hooks.trackers.linear.payloads import (
    BRIEF,
    CLOSED,
    IDENTIFIER,
    LISTS,
    NAME,
    ONE,
    PAGE,
    WHOLE,
    former_ids,
    is_trashed,
    issue_of,
    rest_query,
)
from sdd_hooks.trackers.protocol import Filter, Page, Since, Where

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

LABEL = "Linear"
PER_PAGE = 100
PER_LIVE_PAGE = 50
PER_INVENTORY = 250

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z0-9]{1,32}-[0-9]{1,18}", re.ASCII)
_STATES = {"open": "nin", "draft": "nin", "closed": "in", "merged": "in"}


class _Listed(NamedTuple):
    """A page of the listing, and how many issues the team has."""

    nodes: list[Json]
    total: int | None


@dataclass(frozen=True)
class Linear:
    """The issues of one team. Reads and writes."""

    where: Where
    client: Client

    name = NAME
    label = LABEL

    @property
    def place(self) -> str:
        """The host and the team; letter case means nothing."""
        host = urlsplit(self.client.api).netloc.removeprefix("api.")
        return f"{host}/{self.where.project}".lower()

    @property
    def web(self) -> str:
        """The address of the team, as far as its workspace and its key are known."""
        if not self.where.owner or _UUID.fullmatch(self.where.project):
            return self.where.url
        return f"{self.where.url}/{self.where.owner}/team/{self.where.project.upper()}"

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[Page]:  # noqa: ARG002
        """Pages of what changed, the last change first. Pull requests come with their issues."""
        wanted: dict[str, object] = {}
        if since.issues is not None:
            changed = {"updatedAt": {"gte": stamp(since.issues)}}
            wanted = {"or": [changed, {"attachments": {"some": changed}}]}
        at: float | None = None
        for listed in self._listed(WHOLE, wanted, "updatedAt", PER_PAGE):
            if at is None:
                # No clock is needed: what changes from now on is newer than this.
                times = (epoch(text(one, "updatedAt")) for one in listed.nodes)
                at = max((0.0, *(one for one in (*since, *times) if one is not None)))
            yield self._page(listed, at, listed.total if since.issues is None else None)

    def inventory(self) -> Iterator[str]:
        """The identifiers of all issues that are not in the bin."""
        for listed in self._listed(IDENTIFIER, {}, "createdAt", PER_INVENTORY):
            for node in listed.nodes:
                if text(node, "identifier") and not is_trashed(node):
                    yield text(node, "identifier")

    def issue(self, id: str) -> Issue:
        """One issue. Raises Missing for one in the bin, and with where it is in another team."""
        unknown = f"{LABEL} has no issue {one_line(id)[:100]}, or does not show it"
        if not _IDENTIFIER.fullmatch(id):
            raise Missing(f"{unknown}: its issues have identifiers such as ENG-12")
        try:
            node = field(self.ask(ONE, {"id": id.upper()}), "issue")
        except Missing:
            raise Missing(unknown) from None
        found = issue_of(node)
        if found is None or is_trashed(node):
            raise Missing(f"{unknown}: it is in the bin")
        if found.id.upper() != id.upper():
            raise Missing(f"{LABEL}: {id} is {one_line(found.id)[:100]} now", found.id)
        return found

    def query(self, filter: Filter) -> Iterator[Issue]:
        """The issues that match, the last updated first, without edges and pull requests."""
        wanted: dict[str, object] = {}
        if filter.status in _STATES:
            wanted["state"] = {"type": {_STATES[filter.status]: CLOSED}}
        if filter.labels:
            named = ({"some": {"name": {"eqIgnoreCase": label}}} for label in filter.labels)
            wanted["and"] = [{"labels": one} for one in named]
        for listed in self._listed(BRIEF, wanted, "updatedAt", PER_LIVE_PAGE):
            for node in listed.nodes:
                found = None if is_trashed(node) else issue_of(node)
                if found is not None:
                    yield found

    def create(self, draft: Draft) -> Issue:
        """A new issue. Labels and a project that are not there yet are made."""
        return self._written(linear_write.create(self.ask, self.team, draft))

    def edit(self, id: str, edit: Edit) -> Issue:
        """Change an issue."""
        return self._written(linear_write.edit(self.ask, id, edit))

    def close(self, id: str) -> None:
        """Close an issue as completed."""
        linear_write.close(self.ask, id)

    def comment(self, id: str, text: str) -> None:
        """Say something below an issue."""
        linear_write.comment(self.ask, id, text)

    def group(self, id: str, name: str) -> None:
        """Put an issue into the project of that name, as Linear calls an epic."""
        linear_write.group(self.ask, id, name)

    def disconnect(self) -> None:
        """Let connections go."""
        self.client.close()

    @property
    def team(self) -> dict[str, object]:
        """The filter for the team, by its UUID or its key."""
        given = self.where.project
        return {"id": {"eq": given}} if _UUID.fullmatch(given) else {"key": {"eqIgnoreCase": given}}

    def ask(self, query: str, variables: Mapping[str, object], *, again: bool = True) -> Json:
        """The data of an answer. Raises RemoteError, Missing for what Linear does not find."""
        from sdd_hooks.remote.graphql import ask

        try:
            return ask(self.client, "", query, variables, again=again)
        except RemoteError as error:
            # Linear has no code of its own for this.
            if type(error) is RemoteError and "Entity not found" in str(error):
                raise Missing(f"{error}: check its identifier") from None
            raise

    def _listed(
        self, fragment: str, wanted: Mapping[str, object], order: str, size: int
    ) -> Iterator[_Listed]:
        """Pages of the team's issues that are `wanted`, the last by `order` first.

        Issues at the border of two pages are on both. Raises Missing where there is no such team.
        """
        until: int | None = None
        after: str | None = None
        seen: set[str] = set()
        while True:
            bound = {} if until is None else {order: {"lte": _moment(until)}}
            data = self.ask(
                PAGE + fragment,
                {
                    "team": self.team,
                    "filter": {"team": self.team, **wanted, **bound},
                    "first": size,
                    "after": after,
                    "order": order,
                },
            )
            if not rows(data, "teams", "nodes"):
                raise Missing(
                    f"{LABEL} has no team {self.where.project}, or does not show it: check Team ID"
                )
            nodes = rows(data, "issues", "nodes")
            yield _Listed(nodes, number(rows(data, "teams", "nodes")[0], "issueCount"))
            if not flag(data, "issues", "pageInfo", "hasNextPage"):
                return
            found = {text(node, "identifier") for node in nodes}
            times = [time for time in (epoch(text(node, order)) for node in nodes) if time]
            # Linear may know the time more exactly than it tells.
            ended = int(min(times) * 1000) + 1 if times else until
            if ended is not None and (until is None or ended < until):
                until, after, seen = ended, None, set()
                continue
            # More than a page has one and the same time.
            after = text(data, "issues", "pageInfo", "endCursor") or None
            if after is None or found <= seen:
                raise RemoteError(f"{LABEL} lists the same page again and again: try again later")
            seen |= found

    def _page(self, listed: _Listed, at: float, total: int | None) -> Page:
        """A page with what did not fit into the lists of its issues, asked for now."""
        kept = [node for node in listed.nodes if not is_trashed(node)]
        asked = [
            (place, name, text(node, name, "pageInfo", "endCursor"))
            for place, node in enumerate(kept)
            for name in LISTS
            if flag(node, name, "pageInfo", "hasNextPage")
        ]
        rest = self.client.each(lambda one: self._rest(text(kept[one[0]], "id"), *one[1:]), asked)
        more: dict[int, dict[str, list[Json]]] = {}
        for (place, name, _), members in zip(asked, rest, strict=True):
            more.setdefault(place, {})[name] = members
        issues = [issue_of(node, more.get(place)) for place, node in enumerate(kept)]
        left_out = issues.count(None)
        return Page(
            tuple(one for one in issues if one is not None),
            at,
            gone=tuple(id for node in listed.nodes if is_trashed(node) for id in former_ids(node)),
            total=total,
            warnings=(
                (f"{LABEL} lists {left_out} issues without an identifier: left out",)
                if left_out
                else ()
            ),
        )

    def _rest(self, id: str, name: str, after: str) -> list[Json]:
        """The members of a list of an issue after the cursor `after`."""
        found: list[Json] = []
        query = rest_query(name)
        while True:
            data = self.ask(query, {"id": id, "after": after})
            found += rows(data, "issue", name, "nodes")
            if not flag(data, "issue", name, "pageInfo", "hasNextPage"):
                return found
            before, after = after, text(data, "issue", name, "pageInfo", "endCursor")
            if after in {before, ""}:
                raise RemoteError(f"{LABEL} lists the same page again and again: try again later")

    def _written(self, node: Json) -> Issue:
        found = issue_of(node)
        if found is None:
            raise RemoteError(f"{LABEL} does not say which issue it wrote: look at {self.web}")
        return found


def _moment(milliseconds: int) -> str:
    """A time in the form that Linear tells them."""
    return f"{stamp(milliseconds // 1000)[:-1]}.{milliseconds % 1000:03}Z"
