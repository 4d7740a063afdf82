"""A fake Jira on loopback, Cloud or Server: one project with issues, links, workflows and epics.

Requests and responses of Cloud are validated against Atlassian's OpenAPI description as far as it
covers them. Searches accept the JQL of this module alone and refuse any other.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from email.utils import formatdate
from typing import Any

from sdd_hooks.remote.json_fields import format_utc, parse_epoch
from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.support.openapi import Description

Entry = dict[str, Any]

DESCRIPTIONS = ("jira/subset-search.json", "jira/write.openapi3.json")
_DESCRIBED = re.compile(r"/rest/api/3/(?:search/(?:jql|approximate-count)|issue|issue/[^/]+)")
_CLAUSE = re.compile(
    r'(?:project = "(?P<project>[^"]*)"'
    r"|(?P<by>updated|created) >= (?P<since>\d{10,13})"
    r"|statusCategory (?P<is>!?=) done"
    r'|labels = "(?P<label>(?:[^"\\]|\\.)*)"'
    r"|issuetype = (?P<kind>\d+))(?: AND |$)",
    re.DOTALL,
)
_ORDER = re.compile(r"(updated|created) (ASC|DESC), key (ASC|DESC)")
STATUSES = {
    "To Do": "new",
    "In Progress": "indeterminate",
    "Won't Do": "done",
    "Done": "done",
}
KINDS = (
    {"id": "10001", "name": "Epic"},
    {"id": "10002", "name": "Task"},
    {"id": "10003", "name": "Sub-task"},
)
EPIC_LINK, EPIC_NAME = "customfield_10008", "customfield_10011"


@dataclass
class FakeJira:
    """The server with its project. `now` is its clock (epoch seconds), set by the test.

    `authorization` is the required header unless it is "". With `expired` Cloud treats it as no
    token and returns public issues. `zone` is the offset of its time zone in hours, `most` the
    maximal size of a page, `path` the path of a server on its host.
    """

    now: float
    cloud: bool = True
    project: str = "SHOP"
    authorization: str = ""
    expired: bool = False
    zone: float = 0
    max_page_size: int = 100
    path: str = ""
    url: str = ""
    kinds: tuple[dict[str, str], ...] = KINDS
    statuses: tuple[str, ...] = tuple(STATUSES)
    issues: dict[int, Entry] = field(default_factory=dict)
    former: dict[str, int] = field(default_factory=dict)
    projects: set[str] = field(default_factory=set)
    aliases: set[str] = field(default_factory=set)
    _keys: int = 0

    def add(self, summary: str = "An issue", *, at: float | None = None, **fields: Any) -> str:
        """Add an issue, created and updated at `at`. Returns its key."""
        self._keys += 1
        number = 10_000 + self._keys
        when = self.time(self.now if at is None else at)
        self.issues[number] = {
            "id": str(number),
            "key": f"{self.project}-{self._keys}",
            "self": f"{self.url}{self.path}/rest/api/2/issue/{number}",
            "fields": {
                "summary": summary,
                "description": None,
                "status": self.status("To Do"),
                "labels": [],
                "assignee": None,
                "reporter": self.person("Ana"),
                "creator": self.person("Ana"),
                "created": when,
                "updated": when,
                "resolutiondate": None,
                "issuelinks": [],
                "issuetype": self.kinds[1 % len(self.kinds)],
                **({"statuscategorychangedate": when} if self.cloud else {}),
                **fields,
            },
        }
        return f"{self.project}-{self._keys}"

    def edit(self, key: str, *, at: float | None = None, **fields: Any) -> None:
        """Change an issue, updated at `at`."""
        when = self.time(self.now if at is None else at)
        self.entry(key)["fields"] |= {**fields, "updated": when}

    def delete(self, key: str) -> None:
        """Delete an issue: requests for it return 404."""
        del self.issues[int(self.entry(key)["id"])]

    def transfer(self, key: str, project: str) -> str:
        """Move an issue to another project; its former key remains valid. Returns the new key."""
        entry = self.entry(key)
        self.former[key] = int(entry["id"])
        self._keys += 1
        entry["key"] = f"{project}-{self._keys}"
        self.projects.add(project)
        return str(entry["key"])

    def rename(self, project: str) -> None:
        """Change the key of the project; the former key remains valid."""
        self.aliases.add(self.project)
        for number, entry in self.issues.items():
            self.former[entry["key"]] = number
            entry["key"] = entry["key"].replace(f"{self.project}-", f"{project}-")
        self.project = project

    def link(self, key: str, other: str, **names: str) -> None:
        """Make one issue block another; `names` are the names of the link type."""
        kind = {"name": "Blocks", "outward": "blocks", "inward": "is blocked by", **names}
        self.entry(key)["fields"]["issuelinks"].append(
            {"type": kind, "outwardIssue": {"key": other, "fields": {"summary": "Other"}}}
        )
        self.entry(other)["fields"]["issuelinks"].append(
            {"type": kind, "inwardIssue": {"key": key, "fields": {"summary": "Other"}}}
        )

    def entry(self, key: str) -> Entry:
        """The issue with this current or former key."""
        for entry in self.issues.values():
            if entry["key"] == key:
                return entry
        return self.issues[self.former[key]]

    def time(self, seconds: float) -> str:
        """A time in the format and zone of this Jira's payloads."""
        zone = timezone(timedelta(hours=self.zone))
        local = datetime.fromtimestamp(seconds, zone)
        return local.strftime("%Y-%m-%dT%H:%M:%S.") + f"{local.microsecond // 1000:03}{local:%z}"

    def status(self, name: str) -> Entry:
        """The payload of a status."""
        return {"name": name, "statusCategory": {"key": STATUSES[name], "name": "Anything"}}

    def person(self, name: str) -> Entry:
        """The payload of a user."""
        return {"accountId": f"5b10ac8d82e05b22cc7d4{name}", "displayName": name, "active": True}

    def answer(self, request: Request) -> CannedResponse:
        """The response to a request."""
        described = Description.load(*DESCRIPTIONS, base="")
        path = request.path.removeprefix(self.path)
        if described is None or not self.cloud or not _DESCRIBED.fullmatch(path):
            response = self._answer(request)
        else:
            described.request(request)
            response = self._answer(request)
            if response.status < 300:
                described.response(request.method, path, response.status, response.data)
        date = {"Date": formatdate(self.now, usegmt=True)}
        return CannedResponse(response.status, response.data, {**date, **response.headers})

    def _answer(self, request: Request) -> CannedResponse:
        assert request.path.startswith(f"{self.path}/rest/"), request.path
        assert request.headers["accept"] == "application/json"
        below = request.path.removeprefix(f"{self.path}/rest/")
        authorization = request.headers.get("authorization", "")
        if self.expired:
            public = {"issues": [], "isLast": True, "total": 0, "maxResults": 50, "startAt": 0}
            if below.endswith("search/jql"):
                public = {"issues": [], "isLast": True}
            return CannedResponse(200, public, {"X-Seraph-LoginReason": "AUTHENTICATED_FAILED"})
        if (
            self.authorization
            and authorization != self.authorization
            and below != "api/2/serverInfo"
        ):
            return CannedResponse(
                401, {"errorMessages": ["You are not authenticated."], "errors": {}}
            )
        match request.method, below.split("/"):
            case "GET", ["api", "2", "serverInfo"]:
                info = {"deploymentType": "Cloud" if self.cloud else "Server", "version": "9.12.0"}
                return CannedResponse(200, {"baseUrl": self.url, **info})
            case "GET", ["api", "2" | "3", "search"] if self.cloud:
                return CannedResponse(
                    410, {"errorMessages": ["The requested API has been removed."]}
                )
            case "GET", ["api", "2", "search"]:
                return self._counted(request)
            case "GET", ["api", "3", "search", "jql"] if self.cloud:
                return self._continued(request)
            case "POST", ["api", "3", "search", "approximate-count"] if self.cloud:
                return CannedResponse(200, {"count": len(self._found(request.entry()["jql"]))})
            case method, ["api", version, *rest] if version == ("3" if self.cloud else "2"):
                return self._rest(method, rest, request)
        return _missing("Not Found")

    def _rest(self, method: str, rest: list[str], request: Request) -> CannedResponse:
        match method, rest:
            case "POST", ["issue"]:
                return self._create(request.entry()["fields"])
            case "GET", ["issue", "createmeta", project, "issuetypes"]:
                assert set(request.query) <= {"maxResults", "startAt"}
                if project != self.project:
                    return _missing("No project could be found")
                return CannedResponse(200, self._kinds())
            case "GET", ["field"] if not self.cloud:
                return CannedResponse(
                    200,
                    [_custom(EPIC_LINK, "link"), _custom(EPIC_NAME, "label"), {"id": "summary"}],
                )
            case method, ["issue", key, *more]:
                try:
                    entry = self.entry(key)
                except KeyError:
                    return _missing("Issue does not exist or you do not have permission to see it.")
                return self._issue(method, entry, more, request)
        return _missing("Not Found")

    def _issue(
        self, method: str, entry: Entry, more: list[str], request: Request
    ) -> CannedResponse:
        match method, more:
            case "GET", []:
                assert set(request.query) == {"fields"}
                return CannedResponse(200, _shown(entry, request.query["fields"]))
            case "PUT", []:
                fields = request.entry()["fields"]
                complaints = self._complaints(fields)
                if complaints:
                    return CannedResponse(400, {"errorMessages": [], "errors": complaints})
                self.edit(entry["key"], **fields)
                return CannedResponse(204)
            case "GET", ["transitions"]:
                ways = enumerate(self.statuses)
                listed = [
                    {"id": str(at), "name": f"To {to}", "to": self.status(to)} for at, to in ways
                ]
                return CannedResponse(200, {"expand": "transitions", "transitions": listed})
            case "POST", ["transitions"]:
                status = self.statuses[int(request.entry()["transition"]["id"])]
                when = self.time(self.now) if STATUSES[status] == "done" else None
                self.edit(entry["key"], status=self.status(status), resolutiondate=when)
                return CannedResponse(204)
        return _missing("Not Found")

    def _create(self, fields: Entry) -> CannedResponse:
        complaints = self._complaints(fields)
        if complaints:
            return CannedResponse(400, {"errorMessages": [], "errors": complaints})
        assert fields.pop("project") == {"key": self.project}
        kinds = {kind["id"]: kind for kind in self.kinds}
        fields["issuetype"] = kinds[fields["issuetype"]["id"]]
        key = self.add(fields.pop("summary"), **fields)
        entry = self.entry(key)
        return CannedResponse(201, {name: entry[name] for name in ("id", "key", "self")})

    def _complaints(self, fields: Entry) -> dict[str, str]:
        """Jira's validation errors for these fields."""
        known = {"summary", "description", "labels", "project", "issuetype"}
        known |= {"parent"} if self.cloud else {EPIC_LINK, EPIC_NAME}
        assert set(fields) <= known, fields
        if fields.get("description") is not None:
            self._check_text(fields["description"])
        if len(fields.get("summary", "")) > 255:
            return {"summary": "Summary must be less than 255 characters."}
        if any(" " in label for label in fields.get("labels", [])):
            return {"labels": "The label contains spaces which is invalid."}
        return {}

    def _check_text(self, value: object) -> None:
        if self.cloud:
            assert isinstance(value, dict)
            assert value["version"] == 1
            check_document(value)
        else:
            assert isinstance(value, str)

    def _kinds(self) -> Entry:
        if not self.cloud:
            values = [{**kind, "subtask": kind["name"] == "Sub-task"} for kind in self.kinds]
            return {"maxResults": 100, "startAt": 0, "total": len(values), "values": values}
        levels = {"Epic": 1, "Sub-task": -1}
        types = [{**kind, "hierarchyLevel": levels.get(kind["name"], 0)} for kind in self.kinds]
        return {"maxResults": 100, "startAt": 0, "total": len(types), "issueTypes": types}

    def _continued(self, request: Request) -> CannedResponse:
        query = request.query
        size = min(int(query.get("maxResults", 50)), self.max_page_size)
        jql = query["jql"]
        matches = self._found(jql)
        if matches is None:
            return _refused("The value does not exist for the field 'project'.")
        if "nextPageToken" in query:
            before, last = json.loads(b64decode(query["nextPageToken"]))
            if before != jql:
                # A proxy may repeat the page of an earlier query.
                return _refused("The provided next page token is invalid or expired.")
            later = [at for at, (order, _) in enumerate(matches) if order == last]
            # After the last returned issue, or its former position if it was deleted.
            start = later[0] + 1 if later else sum(list(order) < last for order, _ in matches)
            matches = matches[start:]
        page = matches[:size]
        data: Entry = {"issues": [_shown(entry, query.get("fields", "id")) for _, entry in page]}
        data["isLast"] = len(matches) <= size
        if not data["isLast"]:
            token = json.dumps([jql, page[-1][0]]).encode()
            data["nextPageToken"] = b64encode(token).decode()
        return CannedResponse(200, data)

    def _counted(self, request: Request) -> CannedResponse:
        query = request.query
        assert set(query) <= {"jql", "fields", "maxResults", "startAt"}
        size, start = min(int(query["maxResults"]), self.max_page_size), int(query["startAt"])
        matches = self._found(query["jql"])
        if matches is None:
            return _refused("The value does not exist for the field 'project'.")
        page = [_shown(entry, query["fields"]) for _, entry in matches[start : start + size]]
        counts = {"startAt": start, "maxResults": size, "total": len(matches)}
        return CannedResponse(200, {"expand": "schema,names", **counts, "issues": page})

    def _found(self, jql: str) -> list[tuple[list[Any], Entry]] | None:
        """The matching issues, each with its sort key; None for an unknown project."""
        clauses, _, order = jql.partition(" ORDER BY ")
        # A search leaves out what was archived.
        matches: list[Entry] = [
            one for one in self.issues.values() if not one["fields"].get("archiveddate")
        ]
        bounded, position = False, 0
        while position < len(clauses):
            clause = _CLAUSE.match(clauses, position)
            assert clause, f"JQL: {clauses[position:]}"
            position = clause.end()
            if clause["project"] is not None:
                if clause["project"] not in {self.project, *self.aliases, *self.projects}:
                    return None
                name = self.project if clause["project"] in self.aliases else clause["project"]
                matches = [entry for entry in matches if entry["key"].startswith(f"{name}-")]
                bounded = True
            elif clause["since"]:
                matches = [
                    entry
                    for entry in matches
                    if self._order(entry, clause["by"]) >= self._grain(int(clause["since"]) / 1000)
                ]
            elif clause["is"]:
                matches = [entry for entry in matches if _is_done(entry) == (clause["is"] == "=")]
            elif clause["label"] is not None:
                label = re.sub(r"\\(.)", r"\1", clause["label"])
                matches = [entry for entry in matches if label in entry["fields"]["labels"]]
            else:
                matches = [e for e in matches if e["fields"]["issuetype"]["id"] == clause["kind"]]
        assert bounded, "Unbounded JQL queries are not allowed here."
        if not order:
            return [([], entry) for entry in matches]
        match = _ORDER.fullmatch(order)
        assert match, f"JQL: {order}"
        ordered = [
            ([self._order(e, match[1]), int(e["key"].rpartition("-")[2])], e) for e in matches
        ]
        assert match[2] == match[3]
        return sorted(ordered, key=lambda row: row[0], reverse=match[2] == "DESC")

    def _order(self, entry: Entry, by: str) -> float:
        return self._grain(parse_epoch(entry["fields"][by]) or 0.0)

    def _grain(self, seconds: float) -> float:
        """A time with the resolution of the search index: whole seconds on a server."""
        return seconds if self.cloud else float(int(seconds))


@contextmanager
def serving_jira(jira: FakeJira) -> Iterator[Server]:
    """Serve a fake Jira on loopback."""

    def respond(request: Request) -> CannedResponse:
        return jira.answer(request)

    with serving(respond) as server:
        jira.url = server.url
        yield server


def rate_limited(jira: FakeJira) -> Callable[[int], list[CannedResponse]]:
    """Responses with which Jira reports a rate limit for a number of seconds."""

    def responses(seconds: int) -> list[CannedResponse]:
        now = {"Date": formatdate(jira.now, usegmt=True)}
        message = {"errorMessages": ["Rate limit exceeded."]}
        reset = {"X-RateLimit-Reset": format_utc(jira.now + seconds)}
        after = {"Retry-After": str(seconds)}
        return [
            CannedResponse(429, message, {**now, **reset}),
            CannedResponse(
                429, message, {**now, **reset, **after, "RateLimit-Reason": "jira-quota-based"}
            ),
            CannedResponse(503, message, {**now, **after}),
        ]

    return responses


def check_document(node: Entry) -> None:
    """Validate an ADF document, or a node of it, against the children that its type allows."""
    kind, content = node["type"], node.get("content", [])
    blocks = {"paragraph", "bulletList", "orderedList", "codeBlock"}
    more = blocks | {"heading", "rule", "taskList"}
    held = {
        "doc": more | {"blockquote", "panel", "table"},
        "panel": more,
        "blockquote": blocks,
        "listItem": blocks,
        "bulletList": {"listItem"},
        "orderedList": {"listItem"},
        "taskList": {"taskItem", "taskList"},
        "table": {"tableRow"},
        "tableRow": {"tableHeader", "tableCell"},
        "tableHeader": {"paragraph"},
        "tableCell": {"paragraph"},
        "codeBlock": {"text"},
    }.get(kind, {"text", "hardBreak"})
    assert {child["type"] for child in content} <= held, (kind, content)
    if kind == "text":
        assert node["text"]
        marks = [mark["type"] for mark in node.get("marks", [])]
        assert len(marks) == len(set(marks))
        assert "code" not in marks or set(marks) <= {"code", "link"}
    if kind in {"listItem", "blockquote", "panel", "table", "tableRow", "bulletList"}:
        assert content
    if kind == "listItem":
        assert content[0]["type"] in {"paragraph", "codeBlock"}
    if kind == "taskList":
        assert content[0]["type"] == "taskItem"
    for child in content:
        check_document(child)


def _shown(entry: Entry, fields: str) -> Entry:
    """An issue with the requested fields."""
    if fields == "id":
        return {"id": entry["id"]}
    shown = {name: entry["fields"][name] for name in fields.split(",") if name in entry["fields"]}
    return {**entry, "fields": shown}


def _is_done(entry: Entry) -> bool:
    return bool(entry["fields"]["status"]["statusCategory"]["key"] == "done")


def _custom(id: str, name: str) -> Entry:
    return {"id": id, "schema": {"custom": f"com.pyxis.greenhopper.jira:gh-epic-{name}"}}


def _missing(message: str) -> CannedResponse:
    return CannedResponse(404, {"errorMessages": [message], "errors": {}})


def _refused(message: str) -> CannedResponse:
    return CannedResponse(400, {"errorMessages": [message], "errors": {}})
