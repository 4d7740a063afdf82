"""A fake Linear on loopback: teams with issues, and the part of the API that the tracker uses.

A cursor is the id of an issue, found when the next page is requested, so that the page after an
edited issue starts at its new position. Times are stored in microseconds and returned in
milliseconds.
"""

from __future__ import annotations

import itertools
import math
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from graphql import FieldNode, FragmentSpreadNode, OperationDefinitionNode, SelectionSetNode, parse

from tests.support.graphql import Schema, answer
from tests.support.loopback import CannedResponse, Request, Server, serving

SCHEMA = "linear/schema.graphql"
MAX_POINTS = 10_000
TYPES = ("triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate")

Row = dict[str, Any]


class GraphQLFailure(Exception):
    """An error in the response to a query."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class FakeLinear:
    """The server with its workspace. `now` is its clock (epoch seconds), set by the test."""

    now: float = 1_777_640_000.0
    key: str = "lin_api_secret"
    teams: list[Row] = field(default_factory=list)
    issues: list[Row] = field(default_factory=list)
    relations: list[Row] = field(default_factory=list)
    labels: list[Row] = field(default_factory=list)
    projects: list[Row] = field(default_factory=list)
    colours: dict[str, str] = field(default_factory=dict)
    points: list[int] = field(default_factory=list)
    """The cost of each query."""
    spoil: Callable[[Row], object] = lambda data: data
    """Changes the data of a response after its validation against the schema."""

    def __post_init__(self) -> None:
        self.schema = Schema.load(SCHEMA)
        self.team("ENG")

    def team(self, key: str) -> Row:
        """Add a team with a state of every type."""
        made: Row = {"id": _id(), "key": key, "count": itertools.count(1)}
        made["states"] = [
            {"id": _id(), "type": type, "position": float(place)}
            for place, type in enumerate((*TYPES, "completed"))
        ]
        self.teams.append(made)
        return made

    def add(self, title: str = "An issue", **fields: Any) -> str:
        """Add an issue to `team`, by default the first one. Returns its identifier."""
        team = self._team_of_key(fields.pop("team", self.teams[0]["key"]))
        number = next(team["count"])
        issue: Row = {
            "id": _id(),
            "team": team,
            "number": number,
            "identifier": f"{team['key']}-{number}",
            "previousIdentifiers": [],
            "title": title,
            "description": None,
            "created": self.now,
            "updated": self.now,
            "completed": None,
            "canceled": None,
            "trashed": None,
            "state": team["states"][1],
            "assignee": None,
            "creator": None,
            "botActor": None,
            "labels": [],
            "attachments": [],
            "project": None,
        }
        self.issues.append(issue)
        if fields:
            self.edit(issue["identifier"], **fields)
            issue["updated"] = fields.get("updated", self.now)
        return str(issue["identifier"])

    def edit(self, identifier: str, **fields: Any) -> None:
        """Change an issue. `state` is a type, `labels` are names."""
        issue = self.find(identifier)
        if "state" in fields:
            type = fields.pop("state")
            issue["state"] = next(
                state for state in issue["team"]["states"] if state["type"] == type
            )
            issue["completed"] = self.now if type == "completed" else None
            issue["canceled"] = self.now if type in {"canceled", "duplicate"} else None
        if "labels" in fields:
            fields["labels"] = [self.label(name) for name in fields["labels"]]
        issue.update({"updated": self.now, **fields})

    def delete(self, identifier: str) -> None:
        """Delete an issue."""
        self.issues.remove(self.find(identifier))

    def trash(self, identifier: str) -> None:
        """Move an issue to the trash."""
        self.edit(identifier, trashed=True)

    def transfer(self, identifier: str, key: str) -> str:
        """Move an issue to another team. Returns its new identifier."""
        issue = self.find(identifier)
        team = self._team_of_key(key)
        issue["previousIdentifiers"].append(issue["identifier"])
        issue["team"], issue["number"] = team, next(team["count"])
        issue["identifier"] = f"{key}-{issue['number']}"
        issue["updated"] = self.now
        return str(issue["identifier"])

    def block(self, identifier: str, other: str, type: str = "blocks") -> None:
        """Make an issue block another one."""
        blocker, blocked = self.find(identifier), self.find(other)
        self.relations.append({"type": type, "issue": blocker, "relatedIssue": blocked})
        blocker["updated"] = blocked["updated"] = self.now

    def attach(self, identifier: str, url: str, source: str | None, metadata: Row) -> None:
        """Attach something to an issue, or change an attachment. The issue is not updated."""
        attachments = self.find(identifier)["attachments"]
        attachments[:] = [attachment for attachment in attachments if attachment["url"] != url]
        attachments.append(
            {"url": url, "sourceType": source, "metadata": metadata, "updated": self.now}
        )

    def label(self, name: str, team: Row | None = None) -> Row:
        """The label of that name, created if missing."""
        for label in self.labels:
            if label["name"].lower() == name.lower():
                return label
        made: Row = {"id": _id(), "name": name, "isGroup": False, "team": team}
        self.labels.append(made)
        return made

    def find(self, identifier: str) -> Row:
        """The issue with this current or former identifier, or this id."""
        for issue in self.issues:
            if identifier in {issue["id"], issue["identifier"], *issue["previousIdentifiers"]}:
                return issue
        raise GraphQLFailure("Entity not found: Issue", "INPUT_ERROR")

    def answer(self, request: Request) -> CannedResponse:
        """The response to a request."""
        assert (request.method, request.path) == ("POST", "/graphql")
        assert request.headers["content-type"] == "application/json"
        date = {"Date": datetime.fromtimestamp(self.now, timezone.utc).strftime(_HTTP)}
        if request.headers.get("authorization") != self.key:
            return _failed(401, "Authentication required", "AUTHENTICATION_ERROR", date)
        body = request.json()
        assert isinstance(body, dict)
        if self.schema:
            self.schema.request(body)
        self.points.append(points(body))
        if self.points[-1] > MAX_POINTS:
            return _failed(400, "Query too complex", "INPUT_ERROR", date)
        try:
            data = answer(body, self._root())
        except GraphQLFailure as error:
            return _failed(200, str(error), error.code, date)
        if self.schema:
            self.schema.response(body["query"], data)
        return CannedResponse(200, {"data": self.spoil(data)}, date)

    def _root(self) -> dict[str, object]:
        return {
            "issue": lambda id: self._shown(self.find(id)),
            "issues": self._issues,
            "teams": lambda filter, first: _nodes(
                [self._team(team) for team in self.teams if _matches(filter, team)][:first]
            ),
            "issueLabels": lambda filter, first: _nodes(
                [label for label in self.labels if _matches(filter, label)][:first]
            ),
            "projects": lambda filter, first: _nodes(
                [project for project in self.projects if _matches(filter, project)][:first]
            ),
            "issueCreate": self._create,
            "issueUpdate": self._update,
            "issueLabelCreate": self._label_create,
            "projectCreate": self._project_create,
        }

    def _issues(self, filter: Row, first: int, after: str | None = None, **options: object) -> Row:
        assert options["includeArchived"] is True
        by = _TIMES[str(options["orderBy"])]
        newest = sorted(self.issues, key=lambda issue: (issue[by], issue["id"]), reverse=True)
        if after is not None:
            places = [place for place, issue in enumerate(newest) if issue["id"] == after]
            if not places:
                raise GraphQLFailure("Entity not found: cursor", "INPUT_ERROR")
            newest = newest[places[0] + 1 :]
        matches = [issue for issue in newest if _matches(filter, issue)]
        return _page([self._shown(issue) for issue in matches[:first]], len(matches) > first)

    def _shown(self, issue: Row) -> Row:
        return {
            **issue,
            "url": f"https://linear.app/acme/issue/{issue['identifier']}",
            "createdAt": moment(issue["created"]),
            "updatedAt": moment(issue["updated"]),
            "completedAt": moment(issue["completed"]),
            "canceledAt": moment(issue["canceled"]),
            "team": self._team(issue["team"]),
            "labels": _listed(issue["labels"]),
            "relations": _listed(
                [relation for relation in self.relations if relation["issue"] is issue]
            ),
            "inverseRelations": _listed(
                [relation for relation in self.relations if relation["relatedIssue"] is issue]
            ),
            "attachments": _listed(
                [
                    {**attachment, "updatedAt": moment(attachment["updated"])}
                    for attachment in issue["attachments"]
                ]
            ),
        }

    def _team(self, team: Row) -> Row:
        issues = [issue for issue in self.issues if issue["team"] is team]
        return {
            **team,
            "issueCount": lambda **_options: len(issues),
            "states": lambda filter, first: _nodes(
                [state for state in team["states"] if _matches(filter, state)][:first]
            ),
        }

    def _create(self, input: Row) -> Row:
        team = next(candidate for candidate in self.teams if candidate["id"] == input["teamId"])
        identifier = self.add(input["title"], team=team["key"], description=input["description"])
        left = {key: value for key, value in input.items() if key in {"labelIds", "parentId"}}
        return self._update(identifier, left)

    def _update(self, id: str, input: Row) -> Row:
        changed: Row = {}
        for key, value in input.items():
            match key:
                case "title" | "description":
                    changed[key] = value
                case "labelIds":
                    changed["labels"] = [
                        self._by_id(self.labels, label_id)["name"] for label_id in value
                    ]
                case "parentId":
                    changed["parent"] = self.find(value)["identifier"]
                case "projectId":
                    changed["project"] = self._by_id(self.projects, value)
                case "stateId":
                    changed["state"] = self._by_id(self.find(id)["team"]["states"], value)["type"]
                case _:
                    raise AssertionError(f"{key} is not known here")
        self.edit(id, **changed)
        return {"success": True, "issue": self._shown(self.find(id))}

    def _label_create(self, input: Row) -> Row:
        team = self._by_id(self.teams, input["teamId"])
        self.colours[input["name"]] = input["color"]
        return {"success": True, "issueLabel": self.label(input["name"], team)}

    def _project_create(self, input: Row) -> Row:
        teams = [self._by_id(self.teams, id) for id in input["teamIds"]]
        made: Row = {"id": _id(), "name": input["name"], "accessibleTeams": teams}
        self.projects.append(made)
        return {"success": True, "project": made}

    def _team_of_key(self, key: str) -> Row:
        return next(team for team in self.teams if team["key"] == key)

    @staticmethod
    def _by_id(rows: list[Row], id: str) -> Row:
        for row in rows:
            if row["id"] == id:
                return row
        raise GraphQLFailure("Entity not found", "INPUT_ERROR")


@contextmanager
def serving_linear() -> Iterator[tuple[FakeLinear, Server]]:
    """A fake Linear with the team ENG, served on loopback."""
    workspace = FakeLinear()
    with serving(workspace.answer) as server:
        yield workspace, server


def rate_limited(seconds: float, now: float) -> list[CannedResponse]:
    """Responses with which Linear reports a rate limit for a number of seconds."""
    reset = str(int((now + seconds) * 1000))
    date = {"Date": datetime.fromtimestamp(now, timezone.utc).strftime(_HTTP)}
    return [
        _failed(
            400,
            "Rate limit exceeded",
            "RATELIMITED",
            {**date, f"X-RateLimit-{kind}-Remaining": "0", f"X-RateLimit-{kind}-Reset": reset},
        )
        for kind in ("Requests", "Complexity", "Endpoint-Requests")
    ]


def points(body: Mapping[str, Any]) -> int:
    """The cost of a query: 1 for each object, 0.1 for each property, times the requested size of
    the lists around it. https://linear.app/developers/rate-limiting
    """
    document = parse(body["query"])
    fragments = {
        definition.name.value: definition.selection_set
        for definition in document.definitions
        if not isinstance(definition, OperationDefinitionNode)
    }
    variables = body.get("variables") or {}

    def cost(selection: SelectionSetNode) -> float:
        total = 0.0
        for node in selection.selections:
            if isinstance(node, FragmentSpreadNode):
                total += cost(fragments[node.name.value])
                continue
            assert isinstance(node, FieldNode)
            if node.selection_set is None:
                total += 0.1
                continue
            members = [part for part in node.selection_set.selections if _named(part) == "nodes"]
            if not members:
                total += 1 + cost(node.selection_set)
                continue
            # The page information of a list counts as an object.
            rest = cost(node.selection_set) - cost(SelectionSetNode(selections=tuple(members)))
            inner = members[0]
            assert isinstance(inner, FieldNode)
            assert inner.selection_set
            total += rest + _first(node, variables) * (1 + cost(inner.selection_set))
        return total

    (operation,) = (
        definition
        for definition in document.definitions
        if isinstance(definition, OperationDefinitionNode)
    )
    return math.ceil(cost(operation.selection_set))


def moment(seconds: float | None) -> str | None:
    """A time in the format of Linear's payloads."""
    if seconds is None:
        return None
    milliseconds = math.floor(round(seconds * 1_000_000) / 1000)
    second = datetime.fromtimestamp(milliseconds // 1000, timezone.utc)
    return f"{second:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"


_HTTP = "%a, %d %b %Y %H:%M:%S GMT"


def _named(node: object) -> str:
    return node.name.value if isinstance(node, FieldNode) else ""


def _first(node: FieldNode, variables: Mapping[str, Any]) -> int:
    for argument in node.arguments or ():
        if argument.name.value == "first":
            value: Any = argument.value
            name = getattr(value, "name", None)
            return int(variables[name.value] if name is not None else value.value)
    return 50


def _id() -> str:
    return str(uuid.uuid4())


def _failed(status: int, message: str, code: str, headers: Mapping[str, str]) -> CannedResponse:
    error = {"message": message, "extensions": {"code": code, "type": "invalid input"}}
    return CannedResponse(status, {"errors": [error], "data": None}, headers)


def _nodes(rows: list[Row]) -> Row:
    return {"nodes": rows}


def _page(rows: list[Row], more: bool) -> Row:
    cursor = rows[-1].get("id") if rows else None
    return {"nodes": rows, "pageInfo": {"hasNextPage": more, "endCursor": cursor}}


def _listed(rows: list[Row]) -> Callable[..., Row]:
    """A resolver of a list of an issue in pages; its cursors are positions."""

    def listed(first: int, after: str | None = None) -> Row:
        begin = int(after or 0)
        more = begin + first < len(rows)
        page = {"hasNextPage": more, "endCursor": str(begin + first) if more else None}
        return {"nodes": rows[begin : begin + first], "pageInfo": page}

    return listed


_COMPARES: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, wanted: value == wanted,
    "eqIgnoreCase": lambda value, wanted: value.lower() == wanted.lower(),
    "in": lambda value, wanted: value in wanted,
    "nin": lambda value, wanted: value not in wanted,
    "gte": lambda value, wanted: value >= _seconds(wanted),
    "lte": lambda value, wanted: value <= _seconds(wanted),
}
_TIMES = {"updatedAt": "updated", "createdAt": "created"}


def _matches(filter: Row, row: Row) -> bool:
    """Whether an object matches a filter; an unknown filter is an error."""
    for name, wanted in filter.items():
        if name == "and":
            right = all(_matches(part, row) for part in wanted)
        elif name == "or":
            right = any(_matches(part, row) for part in wanted)
        else:
            right = _fits(row[_TIMES.get(name, name)], wanted)
        if not right:
            return False
    return True


def _fits(value: Any, wanted: Row) -> bool:
    if isinstance(value, list):
        assert wanted.keys() == {"some"}
        return any(_matches(wanted["some"], item) for item in value)
    if "null" in wanted:
        return (value is None) == wanted["null"]
    if value is None:
        return False
    if isinstance(value, dict):
        return _matches(wanted, value)
    return all(_COMPARES[name](value, operand) for name, operand in wanted.items())


def _seconds(time: str) -> float:
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()
