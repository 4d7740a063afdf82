"""A fake GitHub on loopback: one repository with issues, pull requests, milestones and comments.

Requests and responses are validated against GitHub's OpenAPI description and GraphQL schema.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any
from urllib.parse import urlencode

from sdd_hooks.remote.json_fields import format_utc, parse_epoch
from sdd_hooks.trackers.github.tracker import GitHubTracker
from sdd_hooks.trackers.github.vendor import VENDOR
from sdd_hooks.trackers.protocol import IssuePage, Since, TrackerLocation
from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.support.machines import TOKEN, ClientFactory

Entry = dict[str, Any]

DESCRIPTIONS = ("github/subset-issues.json", "github/forge.openapi3.json")
BASE = "/api/v3"
GRAPHQL = "/api/graphql"
REPOSITORY = 42


@dataclass
class Item:
    """An issue or a pull request. `entry` is its entry in the listing."""

    entry: Entry
    blocked_by: list[int] = field(default_factory=list)
    pull: dict[str, Any] | None = None
    content: bytes = b""


@dataclass
class FakeGitHub:
    """The server with its repository. `now` is its clock (epoch seconds), set by the test.

    `token` is required unless it is "". With `large` the listing has cursors instead of numbered
    pages, as GitHub's long listings have. `checked` validates requests and responses if the
    descriptions are available.
    """

    now: float
    owner: str = "acme"
    name: str = "shop"
    token: str = ""
    url: str = ""
    large: bool = False
    dependencies: bool = True
    checked: bool = True
    items: dict[int, Item] = field(default_factory=dict)
    gone: dict[int, str] = field(default_factory=dict)
    elsewhere: dict[str, Entry] = field(default_factory=dict)
    milestones: list[Entry] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    former: str = ""
    _sorted: dict[str, list[tuple[float, int]]] = field(default_factory=dict)

    def add(self, title: str = "An issue", *, at: float | None = None, **entry: Any) -> int:
        """Add an issue, created and updated at `at`. Returns its number."""
        number = max([0, *self.items, *self.gone]) + 1
        when = format_utc(self.now if at is None else at)
        self.items[number] = Item(self._entry(number, title, when, entry))
        self._sorted.clear()
        return number

    def add_pull(
        self,
        title: str = "A change",
        *,
        at: float | None = None,
        branch: str = "feature",
        closes: tuple[int | str, ...] = (),
        files: tuple[str, ...] = (),
        merged: bool = False,
        draft: bool = False,
        **entry: Any,
    ) -> int:
        """Add a pull request linked with the issues it `closes`: numbers, or `owner/name#number`
        for issues of another repository. Returns its number."""
        number = self.add(title, at=at, draft=draft, **entry)
        item = self.items[number]
        page = f"{self._web()}/pull/{number}"
        item.entry["pull_request"] = {
            "url": f"{self._api()}/pulls/{number}",
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "merged_at": item.entry["updated_at"] if merged else None,
        }
        if merged:
            item.entry["state"] = "closed"
        item.pull = {"branch": branch, "closes": list(closes), "files": list(files)}
        return number

    def edit(self, number: int, *, at: float | None = None, **changes: Any) -> None:
        """Change an issue, updated at `at`."""
        item = self.items[number]
        when = format_utc(self.now if at is None else at)
        if changes.get("state", item.entry["state"]) != item.entry["state"]:
            changes["closed_at"] = when if changes["state"] == "closed" else None
        item.entry |= {**changes, "updated_at": when}
        item.content = b""
        self._sorted.clear()

    def edit_pull(self, number: int, *, at: float | None = None, **changes: Any) -> None:
        """Change the `branch`, `closes` or `files` of a pull request."""
        pull = self.items[number].pull
        assert pull is not None
        pull |= changes
        self.edit(number, at=at)

    def block(self, number: int, by: int) -> None:
        """Make one issue block another."""
        self.items[number].blocked_by.append(by)
        for other in self.items:
            self._count(other)

    def delete(self, number: int) -> None:
        """Delete an issue: requests for it return 410."""
        del self.items[number]
        self.gone[number] = ""
        self._sorted.clear()

    def transfer(self, number: int, repository: str = "acme/attic") -> int:
        """Move an issue to another repository: requests return 301. Returns its new number."""
        entry = self.items.pop(number).entry
        new_number = number + 1000
        self.gone[number] = f"/repositories/77/issues/{new_number}"
        self.elsewhere[self.gone[number]] = {
            **entry,
            "number": new_number,
            "repository_url": f"{self.url}{BASE}/repos/{repository}",
            "html_url": f"{self.url}/{repository}/issues/{new_number}",
        }
        self._sorted.clear()
        return new_number

    def rename(self, name: str) -> None:
        """Rename the repository: requests for the former name return 301."""
        self.former, self.name = self.name, name
        for number, item in self.items.items():
            item.entry |= self._addresses(number)
            item.content = b""

    def prepare(self) -> None:
        """Serialise every entry of the listing in advance."""
        for number in self.items:
            self._content(number)

    def answer(self, request: Request) -> CannedResponse:
        """The response to a request."""
        response = self._answer(request)
        if self.checked:
            _check(request, response)
        return CannedResponse(
            response.status, response.data, {**self._headers(), **response.headers}
        )

    def _answer(self, request: Request) -> CannedResponse:
        authorization = request.headers.get("authorization")
        if self.token and authorization != f"Bearer {self.token}":
            if authorization:
                return CannedResponse(401, {"message": "Bad credentials"})
            return CannedResponse(404, {"message": "Not Found"})
        if request.path == GRAPHQL:
            return self._graphql(request)
        path = request.path.removeprefix(BASE)
        homes = (f"/repos/{self.owner}/{self.name}", f"/repositories/{REPOSITORY}")
        for home in homes:
            if (path + "/").lower().startswith(f"{home}/".lower()):
                return self._repository(request, path[len(home) :])
        old = f"/repos/{self.owner}/{self.former}"
        if self.former and (path + "/").startswith(f"{old}/"):
            return self._redirect(request, f"{homes[1]}{path[len(old) :]}")
        if path in self.elsewhere:
            return CannedResponse(200, self.elsewhere[path])
        return CannedResponse(404, {"message": "Not Found"})

    def _redirect(self, request: Request, path: str) -> CannedResponse:
        query = f"?{urlencode(request.query)}" if request.query else ""
        status = 301 if request.method == "GET" else 307
        location = f"{self.url}{BASE}{path}{query}"
        return CannedResponse(
            status, {"message": "Moved Permanently", "url": location}, {"Location": location}
        )

    def _repository(self, request: Request, below: str) -> CannedResponse:
        match request.method, below.strip("/").split("/"):
            case "GET", ["issues"]:
                return self._listing(request)
            case "POST", ["issues"]:
                return CannedResponse(201, self._create(request))
            case method, ["issues", digits, *rest] if digits.isdecimal():
                number = int(digits)
                if number in self.gone:
                    moved = self.gone[number]
                    if moved:
                        return self._redirect(request, moved)
                    return CannedResponse(410, {"message": "This issue was deleted"})
                if number not in self.items:
                    return CannedResponse(404, {"message": "Not Found"})
                return self._issue(method, number, rest, request)
            case "GET", ["labels"]:
                return self._paged(request, [self._label(name) for name in self.labels])
            case "POST", ["labels"]:
                self.labels[str(request.entry()["name"])] = str(request.entry()["color"])
                return CannedResponse(201, self._label(str(request.entry()["name"])))
            case "GET", ["milestones"]:
                return self._paged(request, self.milestones)
            case "POST", ["milestones"]:
                return CannedResponse(201, self.add_milestone(str(request.entry()["title"])))
        return CannedResponse(404, {"message": "Not Found"})

    def _issue(self, method: str, number: int, rest: list[str], request: Request) -> CannedResponse:
        item = self.items[number]
        match method, rest:
            case "GET", []:
                return CannedResponse(200, item.entry)
            case "PATCH", []:
                self.edit(number, **self._changes(request.entry()))
                return CannedResponse(200, item.entry)
            case "GET", ["dependencies", kind] if self.dependencies:
                linked = item.blocked_by if kind == "blocked_by" else self._blocks(number)
                entries = [self.items[other].entry for other in linked if other in self.items]
                return CannedResponse(200, entries)
        return CannedResponse(404, {"message": "Not Found"})

    def _listing(self, request: Request) -> CannedResponse:
        query = request.query
        order = "updated" if query.get("sort") == "updated" else "created"
        keys = self._order(order)
        since = parse_epoch(query.get("since", "")) or 0.0
        if order == "updated":
            numbers = [number for _, number in keys[bisect_left(keys, (since, 0)) :]]
        else:
            numbers = [number for _, number in keys if self._updated(number) >= since]
        if query.get("direction", "desc") == "desc":
            numbers.reverse()
        labels = {label.lower() for label in query.get("labels", "").split(",") if label}
        state = query.get("state", "open")
        if state != "all" or labels:
            numbers = [number for number in numbers if self._matches(number, state, labels)]
        size = max(1, min(int(query.get("per_page", 30)), 100))
        start = self._start(numbers, query, size)
        page = numbers[start : start + size]
        body = b"[" + b",".join(map(self._content, page)) + b"]"
        headers = self._links(query, len(numbers), start, size, page[-1] if page else 0)
        etag = f'W/"{hashlib.sha256(body + repr(headers).encode()).hexdigest()}"'
        if request.headers.get("if-none-match") == etag:
            return CannedResponse(304, None, {"ETag": etag})
        return CannedResponse(200, body, {"ETag": etag, **headers})

    def _start(self, numbers: list[int], query: Mapping[str, str], size: int) -> int:
        if "after" in query:
            return numbers.index(int(query["after"])) + 1
        return (max(1, int(query.get("page", 1))) - 1) * size

    def _links(
        self, query: Mapping[str, str], count: int, start: int, size: int, last: int
    ) -> dict[str, str]:
        if start + size >= count:
            return {}
        plain = {name: value for name, value in query.items() if name not in {"after", "page"}}
        address = f"{self.url}{BASE}/repositories/{REPOSITORY}/issues"
        if self.large:
            return {"Link": f'<{address}?{urlencode({**plain, "after": last})}>; rel="next"'}
        following = urlencode({**plain, "page": start // size + 2})
        final = urlencode({**plain, "page": -(-count // size)})
        return {"Link": f'<{address}?{following}>; rel="next", <{address}?{final}>; rel="last"'}

    def _paged(self, request: Request, entries: list[Entry]) -> CannedResponse:
        size, page = int(request.query.get("per_page", 30)), int(request.query.get("page", 1))
        part = entries[(page - 1) * size : page * size]
        headers = {}
        if page * size < len(entries):
            following = urlencode({**request.query, "page": page + 1})
            headers = {"Link": f'<{self.url}{request.path}?{following}>; rel="next"'}
        return CannedResponse(200, part, headers)

    def _graphql(self, request: Request) -> CannedResponse:
        if "authorization" not in request.headers:
            none = {"x-ratelimit-limit": "0", "x-ratelimit-remaining": "0"}
            return CannedResponse(403, {"message": "API rate limit exceeded for 127.0.0.1."}, none)
        # Imported here: the benchmarks use this server without the dependencies of the tests.
        from tests.support.graphql import Schema, answer

        body = request.json()
        schema = Schema.load("github/schema.graphql") if self.checked else None
        if schema:
            schema.request(body)
        missing: list[object] = []

        def pull_request(number: int) -> object:
            pull_data = self._pull(number)
            if pull_data is None:
                missing.append({"type": "NOT_FOUND", "message": f"Could not resolve {number}."})
            return pull_data

        def repository(owner: str, name: str) -> object:
            assert owner == self.owner
            assert name in {self.name, self.former}
            return {
                "nameWithOwner": f"{self.owner}/{self.name}",
                "pullRequest": pull_request,
                "issues": self._total,
            }

        data = answer(body, {"repository": repository})
        if missing:
            return CannedResponse(200, {"data": data, "errors": missing})
        if schema:
            assert isinstance(body, dict)
            schema.response(body["query"], data)
        return CannedResponse(200, {"data": data})

    def _total(self, filterBy: Mapping[str, str] | None = None) -> object:  # noqa: N803
        since = parse_epoch((filterBy or {}).get("since", "")) or 0.0
        issues = [number for number, item in self.items.items() if item.pull is None]
        return {"totalCount": sum(self._updated(number) >= since for number in issues)}

    def _pull(self, number: int) -> object:
        item = self.items.get(number)
        if item is None or item.pull is None:
            return None
        merged = item.entry["pull_request"]["merged_at"] is not None
        repository = {"nameWithOwner": f"{self.owner}/{self.name}"}
        closes = [_linked(issue, repository) for issue in item.pull["closes"]]
        return {
            "number": number,
            "headRefName": item.pull["branch"],
            "state": "MERGED" if merged else item.entry["state"].upper(),
            "isDraft": item.entry.get("draft", False),
            "updatedAt": item.entry["updated_at"],
            "files": {"nodes": [{"path": path} for path in item.pull["files"]]},
            "closingIssuesReferences": {"nodes": closes},
        }

    def _create(self, request: Request) -> Entry:
        body = request.entry()
        number = self.add(str(body["title"]))
        self.items[number].entry |= self._changes(body)
        return self.items[number].entry

    def _changes(self, body: Entry) -> Entry:
        changes = dict(body)
        if "labels" in changes:
            changes["labels"] = [self._label(name) for name in changes["labels"]]
        if changes.get("milestone"):
            changes["milestone"] = self.milestones[changes["milestone"] - 1]
        return changes

    def _matches(self, number: int, state: str, labels: set[str]) -> bool:
        entry = self.items[number].entry
        names = {label["name"].lower() for label in entry["labels"]}
        return (state == "all" or entry["state"] == state) and labels <= names

    def _order(self, order: str) -> list[tuple[float, int]]:
        if order not in self._sorted:
            self._sorted[order] = sorted(
                (parse_epoch(item.entry[f"{order}_at"]) or 0.0, number)
                for number, item in self.items.items()
            )
        return self._sorted[order]

    def _updated(self, number: int) -> float:
        return parse_epoch(self.items[number].entry["updated_at"]) or 0.0

    def _content(self, number: int) -> bytes:
        item = self.items[number]
        item.content = item.content or json.dumps(item.entry).encode()
        return item.content

    def _blocks(self, number: int) -> list[int]:
        return [other for other, item in self.items.items() if number in item.blocked_by]

    def _count(self, number: int) -> None:
        item = self.items[number]
        blockers = (self.items[other].entry for other in item.blocked_by)
        blocks = len(self._blocks(number))
        item.entry["issue_dependencies_summary"] = {
            "blocked_by": sum(blocker["state"] == "open" for blocker in blockers),
            "total_blocked_by": len(item.blocked_by),
            "blocking": blocks,
            "total_blocking": blocks,
        }
        item.content = b""

    def _headers(self) -> dict[str, str]:
        return {
            "Date": formatdate(self.now, usegmt=True),
            "x-ratelimit-limit": "5000",
            "x-ratelimit-remaining": "4999",
            "x-ratelimit-reset": str(int(self.now) + 3600),
        }

    def _web(self) -> str:
        return f"{self.url}/{self.owner}/{self.name}"

    def _api(self) -> str:
        return f"{self.url}{BASE}/repos/{self.owner}/{self.name}"

    def _addresses(self, number: int) -> Entry:
        issue = f"{self._api()}/issues/{number}"
        return {
            "url": issue,
            "repository_url": self._api(),
            "labels_url": f"{issue}/labels{{/name}}",
            "comments_url": f"{issue}/comments",
            "events_url": f"{issue}/events",
            "html_url": f"{self._web()}/issues/{number}",
            "timeline_url": f"{issue}/timeline",
        }

    def _entry(self, number: int, title: str, when: str, given: Entry) -> Entry:
        given = dict(given)
        labels = [self._label(name) for name in given.pop("labels", ())]
        assignees = [self._user(name) for name in given.pop("assignees", ())]
        return {
            **self._addresses(number),
            "id": 1_000_000 + number,
            "node_id": f"I_kwDO{number}",
            "number": number,
            "title": title,
            "user": self._user(given.pop("author", "ana")),
            "labels": labels,
            "state": "open",
            "locked": False,
            "assignee": assignees[0] if assignees else None,
            "assignees": assignees,
            "milestone": None,
            "comments": 0,
            "created_at": given.pop("created_at", when),
            "updated_at": when,
            "closed_at": when if given.get("state") == "closed" else None,
            "author_association": "MEMBER",
            "active_lock_reason": None,
            "sub_issues_summary": {"total": 0, "completed": 0, "percent_completed": 0},
            "issue_dependencies_summary": dict.fromkeys(
                ("blocked_by", "total_blocked_by", "blocking", "total_blocking"), 0
            ),
            "body": None,
            "closed_by": None,
            "reactions": self._reactions(number),
            "performed_via_github_app": None,
            "state_reason": None,
            **given,
        }

    def _reactions(self, number: int) -> Entry:
        kinds = ("total_count", "+1", "-1", "laugh", "hooray", "confused", "heart", "rocket")
        address = f"{self._api()}/issues/{number}/reactions"
        return {"url": address, **dict.fromkeys((*kinds, "eyes"), 0)}

    def _label(self, name: str) -> Entry:
        return {
            "id": 208_045_946,
            "node_id": "LA_kwDO",
            "url": f"{self._api()}/labels/{name}",
            "name": name,
            "description": "A label",
            "color": "f29513",
            "default": False,
        }

    def _user(self, login: str) -> Entry:
        return user_of(self.url, login)

    def add_milestone(self, title: str) -> Entry:
        """Add a milestone."""
        number = len(self.milestones) + 1
        address = f"{self._api()}/milestones/{number}"
        milestone = {
            "url": address,
            "html_url": f"{self._web()}/milestone/{number}",
            "labels_url": f"{address}/labels",
            "id": 1_002_604 + number,
            "node_id": "MI_kwDO",
            "number": number,
            "title": title,
            "description": None,
            "creator": self._user("ana"),
            "open_issues": 0,
            "closed_issues": 0,
            "state": "open",
            "created_at": format_utc(self.now),
            "updated_at": format_utc(self.now),
            "due_on": None,
            "closed_at": None,
        }
        self.milestones.append(milestone)
        return milestone


@contextmanager
def serving_github(github: FakeGitHub) -> Iterator[Server]:
    """Serve it on loopback like GitHub Enterprise Server: the API is below /api."""

    def respond(request: Request) -> CannedResponse:
        return github.answer(request)

    with serving(respond) as server:
        github.url = server.url
        yield server


@dataclass
class Shop:
    """The repository acme/shop on a fake GitHub, and trackers of it."""

    github: FakeGitHub
    server: Server
    client_factory: ClientFactory

    def open(self, token: str | None = TOKEN) -> GitHubTracker:
        """A new tracker."""
        environment = self.client_factory.environment(VENDOR.label, token=token)
        tracker = VENDOR.open(TrackerLocation(self.server.url, "acme", "shop"), environment)
        assert isinstance(tracker, GitHubTracker)
        return tracker

    def pages(
        self,
        since: Since | None = None,
        notes: dict[str, str] | None = None,
        *,
        token: str | None = TOKEN,
    ) -> list[IssuePage]:
        """The pages of a fetch."""
        return list(self.open(token).fetch(since or Since(), {} if notes is None else notes))

    def requests(self, ending: str) -> list[Request]:
        """The requests for paths with that ending."""
        return [request for request in self.server.requests if request.path.endswith(ending)]


@contextmanager
def open_shop(now: float) -> Iterator[Shop]:
    """A repository without issues; its clocks start at `now`."""
    github = FakeGitHub(now)
    with serving_github(github) as server, ClientFactory(now) as client_factory:
        yield Shop(github, server, client_factory)


def rate_limited(github: FakeGitHub) -> Callable[[int], list[CannedResponse]]:
    """Responses with which GitHub reports a rate limit for a number of seconds."""

    def responses(seconds: int) -> list[CannedResponse]:
        now = {"Date": formatdate(github.now, usegmt=True)}
        reset = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(github.now) + seconds)}
        secondary = {"message": "You have exceeded a secondary rate limit."}
        return [
            CannedResponse(403, {"message": "API rate limit exceeded"}, {**now, **reset}),
            CannedResponse(429, {"message": "API rate limit exceeded"}, {**now, **reset}),
            CannedResponse(403, secondary, {**now, "Retry-After": str(seconds)}),
            CannedResponse(429, secondary, {**now, "Retry-After": str(seconds)}),
        ]

    return responses


def user_of(url: str, login: str, *, program: bool = False) -> Entry:
    """A user of the GitHub at `url` as in its API."""
    address = f"{url}{BASE}/users/{login}"
    below = (
        "followers",
        "following",
        "gists",
        "starred",
        "subscriptions",
        "organizations",
        "repos",
        "events",
        "received_events",
    )
    return {
        "login": login,
        "id": 583_231,
        "node_id": "MDQ6VXNlcjU4MzIzMQ==",
        "avatar_url": f"{url}/u/{login}.png",
        "gravatar_id": "",
        "url": address,
        "html_url": f"{url}/{login}",
        **{f"{name}_url": f"{address}/{name}" for name in below},
        "type": "Bot" if program else "User",
        "user_view_type": "public",
        "site_admin": False,
    }


def _check(request: Request, response: CannedResponse) -> None:
    """Validate both against the description, which lacks the cursors of large listings."""
    from tests.support.openapi import Description

    if request.path == GRAPHQL:
        return
    described = Description.load(*DESCRIPTIONS, base=BASE)
    if described is None:
        return
    assert request.headers.get("accept") == "application/vnd.github+json"
    assert request.headers.get("x-github-api-version") == "2022-11-28"
    path = request.path.replace(f"/repositories/{REPOSITORY}/", "/repos/acme/shop/")
    path = path.replace("/repositories/77/", "/repos/acme/attic/")
    query = {name: value for name, value in request.query.items() if name != "after"}
    described.request(Request(request.method, path, query, request.headers, request.body))
    data = response.data
    if response.status == 200 and isinstance(data, bytes):
        data = json.loads(data)
    if response.status not in {304, 307}:
        described.response(request.method, path, response.status, data)


def _linked(issue: int | str, repository: object) -> object:
    """An issue of this repository by its number, or of another one as `owner/name#number`."""
    if isinstance(issue, int):
        return {"number": issue, "repository": repository}
    name, _, number = issue.partition("#")
    return {"number": int(number), "repository": {"nameWithOwner": name}}
