"""What is asked of Linear, and what it answers as canonical issues."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re

from sdd_hooks.remote.json_fields import Json, field, flag, number, rows, text, texts, utc
from sdd_hooks.trackers.issue import Issue, PullRequest, Status

NAME = "linear"

CLOSED = ("completed", "canceled", "duplicate")
"""The types of workflow states that are closed; triage, backlog, unstarted, started are open."""

LISTS = {
    "labels": "name",
    "relations": "type relatedIssue { identifier }",
    "inverseRelations": "type issue { identifier }",
    "attachments": "url sourceType metadata updatedAt",
}
"""The lists of an issue, and what is asked of each member."""

# Linear counts the members that a list may have, not those that it has: a page of a hundred issues
# with these costs about 6,000 of the 10,000 points that a question may.
_FIRST = {"labels": 10, "relations": 5, "inverseRelations": 5, "attachments": 5}

_BASE = """
  id
  identifier
  previousIdentifiers
  title
  description
  url
  trashed
  createdAt
  updatedAt
  completedAt
  canceledAt
  state { type }
  assignee { displayName name }
  creator { displayName name }
  botActor { name }
"""


def _list(name: str, first: int, after: str = "") -> str:
    """One list of an issue as part of a query."""
    pages = "pageInfo { hasNextPage endCursor }"
    return f"{name}(first: {first}{after}) {{ nodes {{ {LISTS[name]} }} {pages} }}\n"


BRIEF = f"fragment issue on Issue {{{_BASE}{_list('labels', _FIRST['labels'])}}}"
"""An issue without what belongs to it, for a live query."""

WHOLE = f"fragment issue on Issue {{{_BASE}{''.join(_list(*one) for one in _FIRST.items())}}}"
"""An issue with the first of each of its lists."""

IDENTIFIER = "fragment issue on Issue { identifier trashed createdAt }"
"""What an inventory needs of an issue."""

PAGE = """
query($team: TeamFilter!, $filter: IssueFilter!, $first: Int!, $after: String,
      $order: PaginationOrderBy!) {
  teams(filter: $team, first: 1) { nodes { id key issueCount(includeArchived: true) } }
  issues(filter: $filter, first: $first, after: $after, orderBy: $order, includeArchived: true) {
    nodes { ...issue }
    pageInfo { hasNextPage endCursor }
  }
}
"""
"""A page of issues, the last created or updated first, and the team they are of."""

ONE = "query($id: String!) { issue(id: $id) { team { id key } ...issue } }\n" + WHOLE


def rest_query(name: str) -> str:
    """The query for more of a list of the issue `$id`, after the cursor `$after`."""
    asked = _list(name, 100, ", after: $after")
    return f"query($id: String!, $after: String) {{ issue(id: $id) {{ {asked} }} }}"


def issue_of(node: Json, more: dict[str, list[Json]] | None = None) -> Issue | None:
    """An issue as the API has it; None where it has no identifier. Never raises.

    `more` are the members of its lists beyond those that are in it.
    """
    identifier = text(node, "identifier")
    if not identifier:
        return None
    lists = {name: rows(node, name, "nodes") + (more or {}).get(name, []) for name in LISTS}
    closed = text(node, "state", "type") in CLOSED
    assignee = _person(node, "assignee")
    former = texts(node, "previousIdentifiers")
    return Issue(
        id=identifier,
        title=text(node, "title"),
        status="closed" if closed else "open",
        labels=texts(lists, "labels", of="name"),
        assignees=(assignee,) if assignee else (),
        author=_person(node, "creator") or text(node, "botActor", "name"),
        created=utc(node, "createdAt"),
        updated=utc(node, "updatedAt"),
        closed=(utc(node, "completedAt") or utc(node, "canceledAt")) if closed else "",
        url=text(node, "url"),
        tracker=NAME,
        body=text(node, "description"),
        blocks=_blocking(lists["relations"], "relatedIssue"),
        blocked_by=_blocking(lists["inverseRelations"], "issue"),
        pulls=_pulls(lists["attachments"]),
        formerly=tuple(id for id in former if id != identifier),
    )


def is_trashed(node: Json) -> bool:
    """Whether an issue is in the bin. An archived one is not: it only left the board."""
    return flag(node, "trashed")


def former_ids(node: Json) -> tuple[str, ...]:
    """The identifier of an issue and those that it had."""
    found = (text(node, "identifier"), *texts(node, "previousIdentifiers"))
    return tuple(dict.fromkeys(filter(None, found)))


def pull_of(attachment: Json) -> PullRequest | None:
    """A pull or merge request that is attached to an issue; None for anything else.

    What its integration wrote into the metadata is known from use, not described: one whose state
    that does not tell is left out.
    """
    source = text(attachment, "sourceType").lower()
    found = _PULL.search(text(attachment, "url"))
    metadata = field(attachment, "metadata")
    if found is None or not source.startswith(("github", "gitlab")):
        return None
    state = text(metadata, "status").lower() or text(metadata, "state").lower()
    status: Status | None = _STATES.get(state)
    if status is None and utc(metadata, "mergedAt"):
        status = "merged"
    if status is None:
        return None
    if status == "open" and flag(metadata, "draft"):
        status = "draft"
    return PullRequest(
        number=str(number(metadata, "number") or found[1]),
        branch=text(metadata, "branch"),
        status=status,
        files=(),
        updated=utc(metadata, "updatedAt") or utc(attachment, "updatedAt"),
    )


_PULL = re.compile(r"/(?:pull|merge_requests)/([0-9]{1,18})(?=[/?#]|\Z)", re.ASCII)
_STATES: dict[str, Status] = {
    "open": "open",
    "opened": "open",
    "reopened": "open",
    "inreview": "open",
    "approved": "open",
    "locked": "open",
    "draft": "draft",
    "merged": "merged",
    "closed": "closed",
}


def _person(node: Json, role: str) -> str:
    return text(node, role, "displayName") or text(node, role, "name")


def _blocking(relations: list[Json], end: str) -> tuple[str, ...]:
    """The other ends of those relations that block."""
    found = (text(one, end, "identifier") for one in relations if text(one, "type") == "blocks")
    return tuple(dict.fromkeys(filter(None, found)))


def _pulls(attachments: list[Json]) -> tuple[PullRequest, ...]:
    """The pull requests among them, each once."""
    found = (pull_of(one) for one in attachments)
    return tuple({pull.number: pull for pull in found if pull is not None}.values())
