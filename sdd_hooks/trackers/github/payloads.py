"""What GitHub answers, as canonical issues and pull requests."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re

from sdd_hooks.remote.json_fields import Json, field, flag, number, rows, text, texts, utc
from sdd_hooks.trackers.issue import Issue, PullRequest, Status

NAME = "github"

_STATES: dict[str, Status] = {"OPEN": "open", "CLOSED": "closed", "MERGED": "merged"}
# https://docs.github.com/issues/tracking-your-work-with-issues/linking-a-pull-request-to-an-issue
_CLOSES = re.compile(
    r"(?<!\w)(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:([\w.-]+/[\w.-]+))?#([0-9]{1,18})\b",
    re.IGNORECASE | re.ASCII,
)


def issue_of(
    entry: Json, blocks: tuple[str, ...] = (), blocked_by: tuple[str, ...] = ()
) -> Issue | None:
    """An issue as the REST API has it; None where it has no number. Never raises."""
    found = number(entry, "number")
    if found is None or found < 1:
        return None
    return Issue(
        id=str(found),
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


def pull_of(data: Json, home: str) -> PullRequest | None:
    """A pull request of `home` (`owner/name`) as GraphQL has it; None where there is none.

    Issues of other repositories that it closes are left out.
    """
    found = number(data, "number")
    if found is None:
        return None
    linked = rows(data, "closingIssuesReferences", "nodes")
    closes = (text(one, "number") for one in linked if _is_of(one, home))
    status: Status = _STATES.get(text(data, "state"), "open")
    return PullRequest(
        number=str(found),
        branch=text(data, "headRefName"),
        status="draft" if status == "open" and flag(data, "isDraft") else status,
        files=texts(data, "files", "nodes", of="path"),
        updated=utc(data, "updatedAt"),
        closes=tuple(dict.fromkeys(filter(None, closes))),
    )


def listed_pull_of(entry: Json) -> PullRequest | None:
    """A pull request as the issue listing has it: without branch and files. None where it is none.

    It closes what its text says that it closes, in the words that GitHub itself reads.
    """
    found = number(entry, "number")
    if found is None:
        return None
    status: Status = "closed" if text(entry, "state").lower() == "closed" else "open"
    if utc(entry, "pull_request", "merged_at"):
        status = "merged"
    elif status == "open" and flag(entry, "draft"):
        status = "draft"
    home = repository_of(entry)
    named = _CLOSES.findall(text(entry, "body"))
    closes = (id for repository, id in named if not repository or _same(repository, home))
    return PullRequest(
        number=str(found),
        branch="",
        status=status,
        files=(),
        updated=utc(entry, "updated_at"),
        closes=tuple(dict.fromkeys(closes)),
    )


def linked_ids(entries: Json, home: str) -> tuple[str, ...]:
    """The ids of these issues as one of `home` refers to them: `12`, or `owner/name#12`."""
    found = []
    for entry in rows(entries):
        id, repository = text(entry, "number"), repository_of(entry) or home
        if id:
            found.append(id if _same(repository, home) else f"{repository}#{id}")
    return tuple(dict.fromkeys(found))


def repository_of(entry: Json) -> str:
    """`owner/name` of the repository that an issue is in; "" where it does not say."""
    return "/".join(text(entry, "repository_url").split("/")[-2:])


def _labels(entry: Json) -> tuple[str, ...]:
    """The names of labels, which come as objects, or as names."""
    found = (
        text(one, "name") if isinstance(one, dict) else text(one) for one in rows(entry, "labels")
    )
    return tuple(dict.fromkeys(filter(None, found)))


def _is_of(issue: Json, home: str) -> bool:
    return _same(text(issue, "repository", "nameWithOwner") or home, home)


def _same(repository: str, home: str) -> bool:
    return repository.lower() == home.lower()
