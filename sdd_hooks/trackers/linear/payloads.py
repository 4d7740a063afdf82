"""The GraphQL queries for issues of Linear, and the parsing of their data into canonical issues."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re

from sdd_hooks.remote.json_fields import Json, field, flag, number, rows, text, texts, utc
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.issue import Issue, IssueStatus, LinkedPull

NAME = "linear"

CLOSED = ("completed", "canceled", "duplicate")
"""The types of closed workflow states; triage, backlog, unstarted and started are open."""

LISTS = {
    "labels": "name",
    "relations": "type relatedIssue { identifier }",
    "inverseRelations": "type issue { identifier }",
    "attachments": "url sourceType metadata updatedAt",
}
"""The lists of an issue, and the requested fields of each member."""

# Linear computes the cost of a query from the requested sizes of lists. With these sizes a page of
# a hundred issues costs about 6,000 points, and a query may cost 10,000.
_LIST_SIZES = {"labels": 10, "relations": 5, "inverseRelations": 5, "attachments": 5}

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
    """The part of a query for one list of an issue."""
    pages = "pageInfo { hasNextPage endCursor }"
    return f"{name}(first: {first}{after}) {{ nodes {{ {LISTS[name]} }} {pages} }}\n"


BRIEF_FRAGMENT = f"fragment issue on Issue {{{_BASE}{_list('labels', _LIST_SIZES['labels'])}}}"
"""An issue with its labels alone, for a live query."""

FULL_FRAGMENT = (
    f"fragment issue on Issue {{{_BASE}{''.join(_list(*size) for size in _LIST_SIZES.items())}}}"
)
"""An issue with the first members of each of its lists."""

PAGE_QUERY = """
query($team: TeamFilter!, $filter: IssueFilter!, $first: Int!, $after: String,
      $order: PaginationOrderBy!) {
  teams(filter: $team, first: 1) { nodes { id key issueCount(includeArchived: true) } }
  issues(filter: $filter, first: $first, after: $after, orderBy: $order, includeArchived: true) {
    nodes { ...issue }
    pageInfo { hasNextPage endCursor }
  }
}
"""
"""A page of issues of a team, last created or last updated first, and the team."""

ISSUE_QUERY = (
    "query($id: String!) { issue(id: $id) { team { id key } ...issue } }\n" + FULL_FRAGMENT
)


def list_query(name: str) -> str:
    """The query for the members of a list of the issue `$id` after the cursor `$after`."""
    members = _list(name, 100, ", after: $after")
    return f"query($id: String!, $after: String) {{ issue(id: $id) {{ {members} }} }}"


def issue_of(node: Json, more: dict[str, list[Json]] | None = None) -> Issue | None:
    """An issue from GraphQL data; None if it has no identifier. Never raises.

    `more` are the members of its lists from further pages.
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
    """Whether an issue is in the trash. An archived issue is not: it is only hidden."""
    return flag(node, "trashed")


def all_identifiers(node: Json) -> tuple[str, ...]:
    """The current and the former identifiers of an issue."""
    identifiers = (text(node, "identifier"), *texts(node, "previousIdentifiers"))
    return tuple(dict.fromkeys(filter(None, identifiers)))


def pull_of(attachment: Json) -> LinkedPull | None:
    """A pull or merge request that is attached to an issue; None for any other attachment.

    The format of the metadata is not documented but known from use. A pull request without a state
    in its metadata is left out.
    """
    source = text(attachment, "sourceType").lower()
    match = _PULL.search(text(attachment, "url"))
    metadata = field(attachment, "metadata")
    if match is None or not source.startswith(("github", "gitlab")):
        return None
    state = text(metadata, "status").lower() or text(metadata, "state").lower()
    status: IssueStatus | None = _STATES.get(state)
    if status is None and utc(metadata, "mergedAt"):
        status = "merged"
    if status is None:
        return None
    if status == "open" and flag(metadata, "draft"):
        status = "draft"
    return LinkedPull(
        number=str(number(metadata, "number") or match[1]),
        branch=text(metadata, "branch"),
        status=status,
        files=(),
        updated=utc(metadata, "updatedAt") or utc(attachment, "updatedAt"),
    )


_PULL = lazy_regex(r"/(?:pull|merge_requests)/([0-9]{1,18})(?=[/?#]|\Z)", re.ASCII)
_STATES: dict[str, IssueStatus] = {
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
    """The issues at one end of the relations of type `blocks`."""
    identifiers = (
        text(relation, end, "identifier")
        for relation in relations
        if text(relation, "type") == "blocks"
    )
    return tuple(dict.fromkeys(filter(None, identifiers)))


def _pulls(attachments: list[Json]) -> tuple[LinkedPull, ...]:
    """The pull requests among the attachments, without duplicates."""
    pulls = map(pull_of, attachments)
    return tuple({pull.number: pull for pull in pulls if pull is not None}.values())
