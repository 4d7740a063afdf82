"""Create and change issues in Linear, with the ids of labels, states and projects."""

# Governing: SPEC-0009 REQ "Writing to a tracker"

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.remote.json_fields import Json, field, flag, rows, text
from sdd_hooks.trackers.issue import IssueDraft, colour_of
from sdd_hooks.trackers.linear.payloads import CLOSED, FULL_FRAGMENT

_TEAM = "query($team: TeamFilter!) { teams(filter: $team, first: 1) { nodes { id } } }"
_TEAM_OF = "query($id: String!) { issue(id: $id) { team { id } } }"
_PROJECT_OF = "query($id: String!) { issue(id: $id) { project { name } } }"
_STATES = """
query($id: String!) {
  issue(id: $id) {
    state { type }
    team { states(filter: { type: { eq: "completed" } }, first: 50) { nodes { id position } } }
  }
}
"""
_LABELS = """
query($filter: IssueLabelFilter!) {
  issueLabels(filter: $filter, first: 250) { nodes { id name isGroup } }
}
"""
_PROJECTS = """
query($filter: ProjectFilter!) { projects(filter: $filter, first: 1) { nodes { id } } }
"""
_CREATE = f"""
mutation($input: IssueCreateInput!) {{
  issueCreate(input: $input) {{ success issue {{ ...issue }} }}
}}
{FULL_FRAGMENT}"""
_UPDATE = f"""
mutation($id: String!, $input: IssueUpdateInput!) {{
  issueUpdate(id: $id, input: $input) {{ success issue {{ ...issue }} }}
}}
{FULL_FRAGMENT}"""
_NEW_LABEL = """
mutation($input: IssueLabelCreateInput!) {
  issueLabelCreate(input: $input) { success issueLabel { id } }
}
"""
_NEW_PROJECT = """
mutation($input: ProjectCreateInput!) { projectCreate(input: $input) { success project { id } } }
"""


class ExecuteQuery(Protocol):
    """Executes a GraphQL query, or with `idempotent=False` a mutation, which is not retried."""

    def __call__(
        self, query: str, variables: Mapping[str, object], *, idempotent: bool = True
    ) -> Json:
        """The data of the response. Raises RemoteError."""
        ...


def create(execute: ExecuteQuery, team_filter: Mapping[str, object], draft: IssueDraft) -> Json:
    """Create an issue in the team that the filter selects. Returns the issue."""
    nodes = rows(execute(_TEAM, {"team": team_filter}), "teams", "nodes")
    team = "".join(text(node, "id") for node in nodes)
    if not team:
        raise Missing("Linear has no such team, or does not show it: check Team ID")
    values: dict[str, object] = {
        "teamId": team,
        "title": draft.title,
        "description": draft.body,
    }
    if draft.labels:
        values["labelIds"] = _label_ids(execute, team, draft.labels)
    if draft.parent:
        values["parentId"] = draft.parent
    return field(_mutate(execute, _CREATE, {"input": values}, "issueCreate"), "issue")


def replace_body(execute: ExecuteQuery, id: str, body: str) -> Json:
    """Replace the body of an issue. Returns the issue."""
    return _update(execute, id, {"description": body})


def close(execute: ExecuteQuery, id: str) -> None:
    """Move an issue to the first completed state of its team. A closed issue is left unchanged."""
    issue = field(execute(_STATES, {"id": id}), "issue")
    if text(issue, "state", "type") in CLOSED:
        return
    states = [state for state in rows(issue, "team", "states", "nodes") if text(state, "id")]
    if not states:
        raise RemoteError(f"Linear: the team of {id} has no state that means completed")
    _update(execute, id, {"stateId": text(min(states, key=_position), "id")})


def project_of(execute: ExecuteQuery, id: str) -> str:
    """The name of the project of an issue, "" for none."""
    return text(execute(_PROJECT_OF, {"id": id}), "issue", "project", "name")


def has_project(execute: ExecuteQuery, team_filter: Mapping[str, object], name: str) -> bool:
    """Whether the team that the filter selects has a project of that name."""
    return bool(_find_project(execute, team_filter, name))


def group(execute: ExecuteQuery, id: str, name: str) -> None:
    """Assign an issue to its team's project of that name, created if missing."""
    _update(execute, id, {"projectId": _project_id(execute, _team_of(execute, id), name)})


def _position(state: Json) -> float:
    position = field(state, "position")
    return float(position) if isinstance(position, int | float) else 0.0


def _team_of(execute: ExecuteQuery, id: str) -> str:
    return text(execute(_TEAM_OF, {"id": id}), "issue", "team", "id")


def _label_ids(execute: ExecuteQuery, team: str, names: tuple[str, ...]) -> list[str]:
    """The ids of labels of a team or its workspace; missing ones are created."""
    if not names:
        return []
    filters = {
        "and": [
            {"or": [{"name": {"eqIgnoreCase": name}} for name in names]},
            {"or": [{"team": {"id": {"eq": team}}}, {"team": {"null": True}}]},
        ]
    }
    nodes = rows(execute(_LABELS, {"filter": filters}), "issueLabels", "nodes")
    # An issue cannot have a label group.
    labels = (node for node in nodes if not flag(node, "isGroup"))
    known = {text(label, "name").lower(): text(label, "id") for label in labels}
    return [known.get(name.lower()) or _create_label(execute, team, name) for name in names]


def _create_label(execute: ExecuteQuery, team: str, name: str) -> str:
    variables = {"input": {"name": name, "teamId": team, "color": f"#{colour_of(name)}"}}
    return text(_mutate(execute, _NEW_LABEL, variables, "issueLabelCreate"), "issueLabel", "id")


def _find_project(execute: ExecuteQuery, team_filter: Mapping[str, object], name: str) -> str:
    """The id of the team's project of that name, "" for none."""
    filters = {"name": {"eqIgnoreCase": name}, "accessibleTeams": {"some": team_filter}}
    for project in rows(execute(_PROJECTS, {"filter": filters}), "projects", "nodes"):
        return text(project, "id")
    return ""


def _project_id(execute: ExecuteQuery, team: str, name: str) -> str:
    """The id of the team's project of that name, created if missing."""
    existing = _find_project(execute, {"id": {"eq": team}}, name)
    if existing:
        return existing
    variables = {"input": {"name": name, "teamIds": [team]}}
    return text(_mutate(execute, _NEW_PROJECT, variables, "projectCreate"), "project", "id")


def _update(execute: ExecuteQuery, id: str, changes: Mapping[str, object]) -> Json:
    variables = {"id": id, "input": changes}
    return field(_mutate(execute, _UPDATE, variables, "issueUpdate"), "issue")


def _mutate(
    execute: ExecuteQuery, query: str, variables: Mapping[str, object], mutation: str
) -> Json:
    """The payload of a mutation. Raises RemoteError if it did not succeed."""
    payload = field(execute(query, variables, idempotent=False), mutation)
    if not flag(payload, "success"):
        raise RemoteError(f"Linear did not execute {mutation}: try again")
    return payload
