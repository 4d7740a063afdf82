"""Parse the payloads of GitHub's APIs into canonical issues and pull requests."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re

from sdd_hooks.remote.json_fields import Json, field, flag, number, rows, text, texts, utc
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.issue import Issue, IssueStatus, LinkedPull

NAME = "github"

_STATES: dict[str, IssueStatus] = {"OPEN": "open", "CLOSED": "closed", "MERGED": "merged"}
# https://docs.github.com/issues/tracking-your-work-with-issues/linking-a-pull-request-to-an-issue
_CLOSES = lazy_regex(
    r"(?<!\w)(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:([\w.-]+/[\w.-]+))?#([0-9]{1,18})\b",
    re.IGNORECASE | re.ASCII,
)


def issue_of(
    entry: Json, blocks: tuple[str, ...] = (), blocked_by: tuple[str, ...] = ()
) -> Issue | None:
    """An issue from an entry of the REST API; None if it has no number. Never raises."""
    id = number(entry, "number")
    if id is None or id < 1:
        return None
    return Issue(
        id=str(id),
        title=text(entry, "title"),
        status="closed" if text(entry, "state").lower() == "closed" else "open",
        labels=_labels(entry),
        assignees=texts(entry, "assignees", of="login"),
        author=text(entry, "user", "login"),
        created=utc(entry, "created_at"),
        updated=utc(entry, "updated_at"),
        closed=utc(entry, "closed_at"),
        url=text(entry, "html_url"),
        tracker=NAME,
        body=text(entry, "body"),
        blocks=blocks,
        blocked_by=blocked_by,
    )


def is_pull(entry: Json) -> bool:
    """Whether an entry of the issue listing is a pull request."""
    return field(entry, "pull_request") is not None


def pull_of(data: Json, home: str) -> LinkedPull | None:
    """A pull request of `home` (`owner/name`) from GraphQL data; None if it has no number.

    The issues of other repositories that it closes are left out.
    """
    id = number(data, "number")
    if id is None:
        return None
    linked = rows(data, "closingIssuesReferences", "nodes")
    closes = (text(issue, "number") for issue in linked if _is_in(issue, home))
    status: IssueStatus = _STATES.get(text(data, "state"), "open")
    return LinkedPull(
        number=str(id),
        branch=text(data, "headRefName"),
        status="draft" if status == "open" and flag(data, "isDraft") else status,
        files=texts(data, "files", "nodes", of="path"),
        updated=utc(data, "updatedAt"),
        closes=tuple(dict.fromkeys(filter(None, closes))),
    )


def listed_pull_of(entry: Json) -> LinkedPull | None:
    """A pull request from an entry of the issue listing: without branch and files.

    It closes the issues that its text names after one of GitHub's closing keywords. None if it has
    no number.
    """
    id = number(entry, "number")
    if id is None:
        return None
    status: IssueStatus = "closed" if text(entry, "state").lower() == "closed" else "open"
    if utc(entry, "pull_request", "merged_at"):
        status = "merged"
    elif status == "open" and flag(entry, "draft"):
        status = "draft"
    home = repository_of(entry)
    named = _CLOSES.findall(text(entry, "body"))
    closes = (id for repository, id in named if not repository or _same(repository, home))
    return LinkedPull(
        number=str(id),
        branch="",
        status=status,
        files=(),
        updated=utc(entry, "updated_at"),
        closes=tuple(dict.fromkeys(closes)),
    )


def linked_ids(entries: Json, home: str) -> tuple[str, ...]:
    """The ids of these issues as seen from the repository `home`: `12`, or `owner/name#12`."""
    ids = []
    for entry in rows(entries):
        id, repository = text(entry, "number"), repository_of(entry) or home
        if id:
            ids.append(id if _same(repository, home) else f"{repository}#{id}")
    return tuple(dict.fromkeys(ids))


def repository_of(entry: Json) -> str:
    """The repository of an issue as `owner/name`; "" if the entry does not name it."""
    return "/".join(text(entry, "repository_url").split("/")[-2:])


def _labels(entry: Json) -> tuple[str, ...]:
    """The names of labels, which the API returns as objects or as strings."""
    names = dict.fromkeys(
        [
            text(label, "name") if isinstance(label, dict) else text(label)
            for label in rows(entry, "labels")
        ]
    )
    names.pop("", None)
    return tuple(names)


def _is_in(issue: Json, home: str) -> bool:
    return _same(text(issue, "repository", "nameWithOwner") or home, home)


def _same(repository: str, home: str) -> bool:
    return repository.lower() == home.lower()
