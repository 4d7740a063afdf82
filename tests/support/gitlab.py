"""A fake GitLab on loopback: one project with issues and merge requests.

GitLab has no usable OpenAPI description of issues. The responses and the accepted parameters are
written by hand from its documentation (https://docs.gitlab.com/api/issues, /merge_requests,
/issue_links, /milestones, /rest and /graphql/reference); any other parameter is an error. Times are
stored in microseconds and returned in milliseconds.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote, unquote, urlencode

from tests.support.graphql import answer as answer_graphql
from tests.support.loopback import CannedResponse, Request, Server, serving
from tests.support.openapi import FieldPath

Row = dict[str, Any]

MAX_PER_PAGE = 100
"""Entries of a page."""

_LISTED = {"scope", "state", "order_by", "sort", "per_page", "page"}
_TIMES = {"created_after", "created_before", "updated_after", "updated_before"}
PARAMETERS: Mapping[str, frozenset[str]] = {
    "issues": frozenset(_LISTED | _TIMES | {"labels"}),
    "merge_requests": frozenset(_LISTED | _TIMES),
    "links": frozenset(),
    "closed_by": frozenset({"per_page", "page"}),
    "closes_issues": frozenset({"per_page", "page"}),
    "diffs": frozenset({"per_page", "page"}),
    "changes": frozenset(),
    "milestones": frozenset({"title", "include_ancestors"}),
    "version": frozenset(),
}
"""The accepted parameters, by the last part of a path; a path with a number accepts no other."""


@dataclass
class FakeGitLab:
    """The server with its project. `now` is its clock (epoch seconds), set by the test.

    With `licence` issues may block each other. `diffs` enables the endpoint that versions before
    15.7 lack.
    """

    now: float = 1_777_640_000.0
    path: str = "acme/tools/shop"
    token: str = "secret"
    public: bool = True
    licence: bool = True
    diffs: bool = True
    merge_requests: bool = True
    graphql: bool = True
    headers: bool = True
    """Whether listings have a total, as GitLab's have for up to 10,000 entries."""
    url: str = ""
    issues: dict[int, Row] = field(default_factory=dict)
    merges: dict[int, Row] = field(default_factory=dict)
    links: list[tuple[int, Row]] = field(default_factory=list)
    milestones: list[Row] = field(default_factory=list)
    colours: dict[str, str] = field(default_factory=dict)
    renamed: str = ""
    """The former path of the project."""
    spoil: Callable[[str, Any], Any] = lambda _path, data: data
    """Changes the data of a response, by the last part of its path."""

    def __post_init__(self) -> None:
        self._numbers = itertools.count(1)
        self._merge_numbers = itertools.count(1)

    def add(self, title: str = "An issue", **fields: Any) -> str:
        """Add an issue. Returns its number."""
        iid = next(self._numbers)
        person = _person("ana")
        self.issues[iid] = {
            "iid": iid,
            "title": title,
            "description": None,
            "state": "opened",
            "labels": [],
            "author": person,
            "assignees": [],
            "milestone": None,
            "confidential": False,
            "moved_to_id": None,
            "created": self.now,
            "updated": self.now,
            "closed": None,
            **fields,
        }
        return str(iid)

    def edit(self, id: str, **fields: Any) -> None:
        """Change an issue."""
        issue = self.issues[int(id)]
        if "state" in fields:
            issue["closed"] = self.now if fields["state"] == "closed" else None
        issue.update({"updated": self.now, **fields})

    def delete(self, id: str) -> None:
        """Delete an issue."""
        del self.issues[int(id)]

    def move(self, id: str) -> None:
        """Move an issue to another project: a closed copy remains."""
        self.edit(id, state="closed", moved_to_id=9_000 + int(id))

    def block(self, id: str, other: str, kind: str = "blocks", project: str = "") -> None:
        """Link an issue with another one, which may be in another `project`."""
        self.links.append((int(id), {"iid": int(other), "kind": kind, "project": project}))
        if not project:
            back = {"blocks": "is_blocked_by", "is_blocked_by": "blocks"}.get(kind, kind)
            self.links.append((int(other), {"iid": int(id), "kind": back, "project": ""}))
            self.edit(other)
        self.edit(id)

    def merge(self, description: str | None = None, **fields: Any) -> str:
        """Add a merge request. `closes` are issues that its commits close. Returns its number."""
        iid = next(self._merge_numbers)
        self.merges[iid] = {
            "iid": iid,
            "description": description,
            "state": "opened",
            "draft": False,
            "source_branch": f"branch-{iid}",
            "closes": [],
            "project": self.path,
            "files": [f"src/{iid}.py"],
            "created": self.now,
            "updated": self.now,
            **fields,
        }
        return str(iid)

    def edit_merge(self, id: str, **fields: Any) -> None:
        """Change a merge request. Its issues are not updated."""
        self.merges[int(id)].update({"updated": self.now, **fields})

    def answer(self, request: Request) -> CannedResponse:
        """The response to a request."""
        token = request.headers.get("private-token")
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        credential = token or bearer
        if credential and credential != self.token:
            return self._respond(401, {"message": "401 Unauthorized"})
        if request.path == "/api/v4/version":
            return self._respond(200 if credential else 401, {"message": "401 Unauthorized"})
        if not credential and not self.public:
            return self._respond(404, {"message": "404 Project Not Found"})
        if request.path == "/api/graphql":
            return self._graphql(request)
        match = re.fullmatch(r"/api/v4/projects/([^/]+)(?:/(.*))?", request.path)
        assert match, request.path
        project, below = unquote(match[1]), match[2] or ""
        if self.renamed and project == self.renamed:
            query = f"?{urlencode(request.query)}" if request.query else ""
            location = f"{self.url}/api/v4/projects/{quote(self.path, safe='')}/{below}{query}"
            return self._respond(301, {"message": "moved"}, {"Location": location})
        if project != self.path:
            return self._respond(404, {"message": "404 Project Not Found"})
        return self._in_project(request, below.split("/"))

    def _in_project(self, request: Request, parts: list[str]) -> CannedResponse:
        if request.method != "GET":
            return self._written(request, parts)
        allowed = PARAMETERS.get(parts[-1], frozenset())
        assert request.query.keys() <= allowed, f"{request.path}: {sorted(request.query)}"
        match parts:
            case ["issues"]:
                return self._list(request, list(self.issues.values()), self._issue)
            case ["merge_requests"] if not self.merge_requests:
                return self._respond(403, {"message": "403 Forbidden"})
            case ["merge_requests"]:
                return self._list(request, list(self.merges.values()), self._merge)
            case ["issues", iid, *rest] if self.issues.get(int(iid)):
                return self._respond(200, self._about_issue(int(iid), rest), request=request)
            case ["merge_requests", iid, rest] if self.merges.get(int(iid)):
                return self._about_merge(request, self.merges[int(iid)], rest)
            case ["labels", name]:
                known = unquote(name) in self.colours
                return self._respond(200 if known else 404, {"name": name})
            case ["milestones"]:
                return self._respond(
                    200,
                    [
                        milestone
                        for milestone in self.milestones
                        if milestone["title"] == request.query["title"]
                    ],
                )
        return self._respond(404, {"message": "404 Not found"})

    def _about_issue(self, iid: int, rest: list[str]) -> Any:
        match rest:
            case []:
                return self._issue(self.issues[iid])
            case ["links"]:
                return [self._link(link) for issue, link in self.links if issue == iid]
            case ["closed_by"]:
                return [
                    self._merge(merge)
                    for merge in self.merges.values()
                    if iid in self._closes(merge)
                ]
        raise AssertionError(f"issues/{iid}/{'/'.join(rest)} is not known here")

    def _about_merge(self, request: Request, merge: Row, rest: str) -> CannedResponse:
        changes = [
            {"old_path": path, "new_path": path, "diff": "@@ -1 +1 @@"} for path in merge["files"]
        ]
        match rest:
            case "closes_issues":
                closed = [self.issues[iid] for iid in self._closes(merge) if iid in self.issues]
                return self._respond(200, [self._issue(issue) for issue in closed], request=request)
            case "diffs" if self.diffs:
                return self._respond(
                    200, changes[: int(request.query["per_page"])], request=request
                )
            case "changes":
                data = {**self._merge(merge), "changes": changes}
                return self._respond(200, data, request=request)
        return self._respond(404, {"error": "404 Not Found"})

    def _list(
        self, request: Request, rows: list[Row], shown: Callable[[Row], Row]
    ) -> CannedResponse:
        query = request.query
        assert query["scope"] == "all"
        by = {"updated_at": "updated", "created_at": "created"}[query["order_by"]]
        downwards = {"asc": False, "desc": True}[query["sort"]]
        state = query.get("state", "all")
        labels = set(filter(None, query.get("labels", "").split(",")))
        matches = [
            row
            for row in sorted(rows, key=lambda row: (row[by], row["iid"]), reverse=downwards)
            if state in {"all", row["state"]}
            and labels <= set(row.get("labels", ()))
            and row["created"] >= _seconds(query.get("created_after"), 0)
            and row["updated"] >= _seconds(query.get("updated_after"), 0)
        ]
        size = min(int(query.get("per_page", 20)), MAX_PER_PAGE)
        page = int(query.get("page", 1))
        part = [shown(row) for row in matches[(page - 1) * size : page * size]]
        has_next = page * size < len(matches)
        headers = {"X-Page": str(page), "X-Per-Page": str(size)}
        headers["X-Next-Page"] = str(page + 1) if has_next else ""
        if self.headers:
            headers |= {"X-Total": str(len(matches))}
        if has_next:
            following = urlencode({**query, "page": page + 1})
            headers["Link"] = f'<{self.url}{request.path}?{following}>; rel="next"'
        return self._respond(200, part, headers, request)

    def _issue(self, issue: Row) -> Row:
        iid = issue["iid"]
        web = f"{self.url}/{self.path}"
        row: Row = {
            "id": 1000 + iid,
            "iid": iid,
            "project_id": 1,
            "title": issue["title"],
            "description": issue["description"],
            "state": issue["state"],
            "created_at": moment(issue["created"]),
            "updated_at": moment(issue["updated"]),
            "closed_at": moment(issue["closed"]),
            "closed_by": _person("bea") if issue["closed"] else None,
            "labels": issue["labels"],
            "milestone": issue["milestone"],
            "assignees": issue["assignees"],
            "author": issue["author"],
            "type": "ISSUE",
            "assignee": (issue["assignees"] or [None])[0],
            "user_notes_count": 0,
            "merge_requests_count": sum(iid in self._closes(m) for m in self.merges.values()),
            "upvotes": 0,
            "downvotes": 0,
            "due_date": None,
            "confidential": issue["confidential"],
            "discussion_locked": None,
            "issue_type": "issue",
            "web_url": f"{web}/-/issues/{iid}",
            "time_stats": {"time_estimate": 0, "human_time_estimate": None},
            "task_completion_status": {"count": 0, "completed_count": 0},
            "has_tasks": False,
            "_links": {"self": f"{self.url}/api/v4/projects/1/issues/{iid}"},
            "references": {
                "short": f"#{iid}", "relative": f"#{iid}", "full": f"{self.path}#{iid}",
            },
            "severity": "UNKNOWN",
            "moved_to_id": issue["moved_to_id"],
            "imported": False,
            "service_desk_reply_to": None,
        }  # fmt: skip
        if self.licence:
            row |= {"weight": None, "blocking_issues_count": self._count(iid, "blocks")}
        return row

    def _merge(self, merge: Row) -> Row:
        iid = merge["iid"]
        own = merge["project"] == self.path
        return {
            "id": 2000 + iid,
            "iid": iid,
            "project_id": 1 if own else 2,
            "title": f"Merge {iid}",
            "description": merge["description"],
            "state": merge["state"],
            "created_at": moment(merge["created"]),
            "updated_at": moment(merge["updated"]),
            "merged_at": None,
            "closed_at": None,
            "target_branch": "main",
            "source_branch": merge["source_branch"],
            "author": _person("ana"),
            "assignees": [],
            "labels": [],
            "draft": merge["draft"],
            "work_in_progress": merge["draft"],
            "milestone": None,
            "references": {"short": f"!{iid}", "full": f"{merge['project']}!{iid}"},
            "web_url": f"{self.url}/{merge['project']}/-/merge_requests/{iid}",
        }

    def _link(self, link: Row) -> Row:
        if not link["project"]:
            return {**self._issue(self.issues[link["iid"]]), "link_type": link["kind"]}
        return {
            "iid": link["iid"],
            "project_id": 2,
            "references": {"full": f"{link['project']}#{link['iid']}"},
            "link_type": link["kind"],
        }

    def _closes(self, merge: Row) -> list[int]:
        """The issues that a merge request closes by its description and its commits."""
        described = re.findall(r"(?i)closes #(\d+)", merge["description"] or "")
        return list(dict.fromkeys([*map(int, described), *merge["closes"]]))

    def _count(self, iid: int, kind: str) -> int:
        """The number of open issues at the other end of these links, as GitLab counts them."""
        links = [link for issue, link in self.links if issue == iid and link["kind"] == kind]
        return sum(
            1 for link in links if link["project"] or self.issues[link["iid"]]["state"] == "opened"
        )

    def _graphql(self, request: Request) -> CannedResponse:
        if not self.graphql:
            error = {"message": "Field 'blockedByCount' doesn't exist on type 'Issue'"}
            return self._respond(200, {"errors": [error]})

        def issues(iids: list[str], first: int) -> Row:
            assert first == 100 >= len(iids)
            nodes = [
                {
                    "iid": iid,
                    "blockingCount": self._count(int(iid), "blocks"),
                    "blockedByCount": self._count(int(iid), "is_blocked_by"),
                }
                for iid in iids
            ]
            return {"nodes": nodes}

        def project(fullPath: str) -> Row | None:  # noqa: N803
            return {"issues": issues} if fullPath == self.path else None

        return self._respond(200, {"data": answer_graphql(request.json(), {"project": project})})

    def _written(self, request: Request, parts: list[str]) -> CannedResponse:
        body: Any = request.json()
        match (request.method, *parts):
            case ("POST", "issues"):
                iid = self.add(body["title"])
                self._change(iid, body)
                return self._respond(201, self._issue(self.issues[int(iid)]))
            case ("PUT", "issues", iid) if int(iid) in self.issues:
                self._change(iid, body)
                return self._respond(200, self._issue(self.issues[int(iid)]))
            case ("POST", "labels"):
                self.colours[body["name"]] = body["color"]
                return self._respond(201, body)
            case ("POST", "milestones"):
                assert body.keys() == {"title"}
                milestone = {"id": 300 + len(self.milestones), "iid": 1, "title": body["title"]}
                self.milestones.append(milestone)
                return self._respond(201, milestone)
        return self._respond(404, {"message": "404 Not found"})

    def _change(self, id: str, body: Row) -> None:
        fields: Row = {}
        for key, value in body.items():
            match key:
                case "title" | "description":
                    fields[key] = value
                case "labels":
                    fields[key] = [name for name in value.split(",") if name]
                case "milestone_id":
                    fields["milestone"] = next(
                        milestone for milestone in self.milestones if milestone["id"] == value
                    )
                case "state_event":
                    assert value == "close"
                    fields["state"] = "closed"
                case _:
                    raise AssertionError(f"{key} is not known here")
        self.edit(id, **fields)

    def _respond(
        self,
        status: int,
        data: Any,
        headers: Mapping[str, str] | None = None,
        request: Request | None = None,
    ) -> CannedResponse:
        sent = {"Date": _http(self.now), "X-Gitlab-Meta": '{"version":"1"}', **(headers or {})}
        if request is None:
            return CannedResponse(status, data, sent)
        data = self.spoil(request.path.rpartition("/")[2], data)
        tag = f'W/"{hashlib.md5(json.dumps(data).encode()).hexdigest()}"'
        sent["ETag"] = tag
        if request.headers.get("if-none-match") == tag:
            return CannedResponse(304, None, sent)
        return CannedResponse(status, data, sent)


@contextmanager
def serving_gitlab() -> Iterator[tuple[FakeGitLab, Server]]:
    """A fake GitLab with the project acme/tools/shop, served on loopback."""
    gitlab = FakeGitLab()
    with serving(gitlab.answer) as server:
        gitlab.url = server.url
        yield gitlab, server


def rate_limited(seconds: float, now: float) -> list[CannedResponse]:
    """Responses with which GitLab reports a rate limit for a number of seconds."""
    common = {"Date": _http(now), "Content-Type": "text/plain", "RateLimit-Remaining": "0"}
    reset = {"RateLimit-Reset": str(math.ceil(now + seconds))}
    after = {"Retry-After": str(math.ceil(seconds))}
    return [
        CannedResponse(429, b"Retry later\n", {**common, **headers})
        for headers in (reset, after, {**reset, **after})
    ]


def fields_of(row: Row) -> list[FieldPath]:
    """The places of every field but the number in a list of such rows, lists included."""

    def inside(value: Any, at: FieldPath) -> Iterator[FieldPath]:
        if isinstance(value, dict):
            for name, part in value.items():
                if name != "iid":
                    yield (*at, name)
                yield from inside(part, (*at, name))
        elif isinstance(value, list):
            yield (*at, "*")
            for part in value:
                yield from inside(part, (*at, "*"))

    return list(dict.fromkeys(inside([row], ())))


def moment(seconds: float | None) -> str | None:
    """A time in the format of GitLab's payloads."""
    if seconds is None:
        return None
    milliseconds = math.floor(round(seconds * 1_000_000) / 1000)
    second = datetime.fromtimestamp(milliseconds // 1000, timezone.utc)
    return f"{second:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"


def _http(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%a, %d %b %Y %H:%M:%S GMT")


def _seconds(time: str | None, otherwise: float) -> float:
    if time is None:
        return otherwise
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


def _person(name: str) -> Row:
    return {"id": 7, "username": name, "name": name.title(), "state": "active"}
