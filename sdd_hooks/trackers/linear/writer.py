"""What Linear is told to change. Labels, states and projects have ids of their own there."""

# Governing: SPEC-0009 REQ "Writing to a tracker"

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.remote.json_fields import Json, field, flag, rows, text
from sdd_hooks.trackers.issue import Draft, Edit
from sdd_hooks.trackers.linear.payloads import CLOSED, WHOLE

_TEAM = "query($team: TeamFilter!) { teams(filter: $team, first: 1) { nodes { id } } }"
_TEAM_OF = "query($id: String!) { issue(id: $id) { team { id } } }"
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
{WHOLE}"""
_UPDATE = f"""
mutation($id: String!, $input: IssueUpdateInput!) {{
  issueUpdate(id: $id, input: $input) {{ success issue {{ ...issue }} }}
}}
{WHOLE}"""
_COMMENT = """
mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }
"""
_NEW_LABEL = """
mutation($input: IssueLabelCreateInput!) {
  issueLabelCreate(input: $input) { success issueLabel { id } }
}
"""
_NEW_PROJECT = """
mutation($input: ProjectCreateInput!) { projectCreate(input: $input) { success project { id } } }
"""


class Ask(Protocol):
    """Asks Linear. Without `again` it changes something, and is not repeated blindly."""

    def __call__(self, query: str, variables: Mapping[str, object], *, again: bool = True) -> Json:
        """The data of the answer. Raises RemoteError."""
        ...


def create(ask: Ask, team: Mapping[str, object], draft: Draft) -> Json:
    """A new issue of the team that the filter `team` is for, as it is afterwards."""
    home = "".join(text(one, "id") for one in rows(ask(_TEAM, {"team": team}), "teams", "nodes"))
    if not home:
        raise Missing("Linear has no such team, or does not show it: check Team ID")
    made: dict[str, object] = {"teamId": home, "title": draft.title, "description": draft.body}
    if draft.labels:
        made["labelIds"] = _labels(ask, home, draft.labels)
    if draft.group:
        made["projectId"] = _project(ask, home, draft.group)
    return field(_change(ask, _CREATE, {"input": made}, "issueCreate"), "issue")


def edit(ask: Ask, id: str, edit: Edit) -> Json:
    """An issue as it is after the change."""
    changed: dict[str, object] = {}
    if edit.title is not None:
        changed["title"] = edit.title
    if edit.body is not None:
        changed["description"] = edit.body
    if edit.labels is not None:
        changed["labelIds"] = _labels(ask, _team_of(ask, id), edit.labels)
    return _update(ask, id, changed)


def close(ask: Ask, id: str) -> None:
    """Move an issue to the first state of its team that means completed."""
    found = field(ask(_STATES, {"id": id}), "issue")
    if text(found, "state", "type") in CLOSED:
        return
    states = [one for one in rows(found, "team", "states", "nodes") if text(one, "id")]
    if not states:
        raise RemoteError(f"Linear: the team of {id} has no state that means completed")
    _update(ask, id, {"stateId": text(min(states, key=_position), "id")})


def comment(ask: Ask, id: str, body: str) -> None:
    """Say something below an issue, in Markdown."""
    _change(ask, _COMMENT, {"input": {"issueId": id, "body": body}}, "commentCreate")


def group(ask: Ask, id: str, name: str) -> None:
    """Put an issue into the project of that name, made when its team has none."""
    _update(ask, id, {"projectId": _project(ask, _team_of(ask, id), name)})


def _position(state: Json) -> float:
    found = field(state, "position")
    return float(found) if isinstance(found, int | float) else 0.0


def _team_of(ask: Ask, id: str) -> str:
    return text(ask(_TEAM_OF, {"id": id}), "issue", "team", "id")


def _labels(ask: Ask, team: str, names: tuple[str, ...]) -> list[str]:
    """The ids of these labels of a team or its workspace, made where there are none."""
    if not names:
        return []
    wanted = {
        "and": [
            {"or": [{"name": {"eqIgnoreCase": name}} for name in names]},
            {"or": [{"team": {"id": {"eq": team}}}, {"team": {"null": True}}]},
        ]
    }
    nodes = rows(ask(_LABELS, {"filter": wanted}), "issueLabels", "nodes")
    # A group of labels is none that an issue can have.
    known = {
        text(one, "name").lower(): text(one, "id") for one in nodes if not flag(one, "isGroup")
    }
    return [known.get(name.lower()) or _new_label(ask, team, name) for name in names]


def _new_label(ask: Ask, team: str, name: str) -> str:
    made = _change(ask, _NEW_LABEL, {"input": {"name": name, "teamId": team}}, "issueLabelCreate")
    return text(made, "issueLabel", "id")


def _project(ask: Ask, team: str, name: str) -> str:
    """The id of the team's project of that name, made when there is none."""
    wanted = {
        "name": {"eqIgnoreCase": name},
        "accessibleTeams": {"some": {"id": {"eq": team}}},
    }
    for one in rows(ask(_PROJECTS, {"filter": wanted}), "projects", "nodes"):
        return text(one, "id")
    made = _change(ask, _NEW_PROJECT, {"input": {"name": name, "teamIds": [team]}}, "projectCreate")
    return text(made, "project", "id")


def _update(ask: Ask, id: str, changed: Mapping[str, object]) -> Json:
    return field(_change(ask, _UPDATE, {"id": id, "input": changed}, "issueUpdate"), "issue")


def _change(ask: Ask, query: str, variables: Mapping[str, object], name: str) -> Json:
    """What a mutation answers. Raises RemoteError where it says that it did not do it."""
    done = field(ask(query, variables, again=False), name)
    if not flag(done, "success"):
        raise RemoteError(f"Linear did not do what it was asked ({name}): try again")
    return done
