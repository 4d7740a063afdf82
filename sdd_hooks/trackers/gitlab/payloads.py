"""Parse the payloads of GitLab's APIs into canonical issues and merge requests."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re
from dataclasses import replace

from sdd_hooks.remote.json_fields import Json, field, flag, number, rows, text, texts, utc
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.issue import Issue, IssueStatus, LinkedPull

NAME = "gitlab"

LINK_COUNTS = """
query($path: ID!, $iids: [String!]) {
  project(fullPath: $path) {
    issues(iids: $iids, first: 100) { nodes { iid blockingCount blockedByCount } }
  }
}
"""
"""The GraphQL query for the number of issues that each issue blocks and is blocked by.

The REST listing has the former alone.
"""

_STATES: dict[str, IssueStatus] = {"closed": "closed", "merged": "merged"}

# The default of https://docs.gitlab.com/administration/issue_closing_pattern/
_KEYWORD = lazy_regex(
    r"\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):? +",
    re.IGNORECASE | re.ASCII,
)
_REFERENCE = lazy_regex(
    r"(?:issues? +)?(?:https?://[^/\s]{1,255}/(?P<at>[\w./-]{1,255}?)(?:/-)?/(?:issues|work_items)/"
    r"|(?P<path>[\w.-]{1,255}(?:/[\w.-]{1,255}){0,20})?#)(?P<iid>[0-9]{1,18})\b",
    re.IGNORECASE | re.ASCII,
)
_CODE = lazy_regex(r"`[^`\n]*`")
_AND = lazy_regex(r" *,? +and +| *,? *", re.IGNORECASE | re.ASCII)


def issue_of(
    entry: Json, blocks: tuple[str, ...] = (), blocked_by: tuple[str, ...] = ()
) -> Issue | None:
    """An issue from an entry of the REST API; None if it has no number. Never raises."""
    iid = number(entry, "iid")
    if iid is None or iid < 1:
        return None
    closed = text(entry, "state") == "closed"
    assignee = text(entry, "assignee", "username")
    return Issue(
        id=str(iid),
        title=text(entry, "title"),
        status="closed" if closed else "open",
        labels=_labels(entry),
        assignees=texts(entry, "assignees", of="username") or ((assignee,) if assignee else ()),
        author=text(entry, "author", "username"),
        created=utc(entry, "created_at"),
        updated=utc(entry, "updated_at"),
        closed=utc(entry, "closed_at") if closed else "",
        url=text(entry, "web_url"),
        tracker=NAME,
        body=text(entry, "description"),
        blocks=blocks,
        blocked_by=blocked_by,
    )


def is_moved(entry: Json) -> bool:
    """Whether an issue was moved to another project and this entry is the closed copy."""
    return field(entry, "moved_to_id") is not None


def pull_of(entry: Json, home: str) -> LinkedPull | None:
    """A merge request of the project `home`, without its files; None if it has no number.

    It closes the issues that its description names after one of GitLab's closing keywords.
    """
    iid = number(entry, "iid")
    if iid is None or iid < 1:
        return None
    status: IssueStatus = _STATES.get(text(entry, "state"), "open")
    if status == "open" and (flag(entry, "draft") or flag(entry, "work_in_progress")):
        status = "draft"
    return LinkedPull(
        number=str(iid),
        branch=text(entry, "source_branch"),
        status=status,
        files=(),
        updated=utc(entry, "updated_at"),
        closes=closed_by_text(text(entry, "description"), home),
    )


def is_pull_of(entry: Json, home: str) -> bool:
    """Whether a merge request belongs to the project `home`."""
    full = text(entry, "references", "full").rpartition("!")[0]
    return full.lower() == home.lower()


def closing(pull: LinkedPull, ids: tuple[str, ...]) -> LinkedPull:
    """The merge request with additional issues that it closes."""
    return replace(pull, closes=tuple(dict.fromkeys((*pull.closes, *ids))))


def closed_by_text(description: str, home: str) -> tuple[str, ...]:
    """The issues of the project `home` that a description closes; code is left out."""
    if _KEYWORD.search(description) is None:
        return ()
    from sdd_hooks.text.markdown import mask_non_prose

    markdown = _CODE.sub("``", mask_non_prose(description))
    ids = []
    for keyword in _KEYWORD.finditer(markdown):
        position = keyword.end()
        while reference := _REFERENCE.match(markdown, position):
            path = reference["at"] or reference["path"] or home
            if path.lower() in {home.lower(), home.lower().rpartition("/")[2]}:
                ids.append(str(int(reference["iid"])))
            separator = _AND.match(markdown, reference.end())
            position = separator.end() if separator else reference.end()
    return tuple(dict.fromkeys(ids))


def ids_of(entries: Json, project: int | None) -> tuple[str, ...]:
    """The numbers of the issues that are in the project with that global id."""
    iids = (text(entry, "iid") for entry in rows(entries) if number(entry, "project_id") == project)
    return tuple(dict.fromkeys(filter(None, iids)))


def links_of(links: Json, project: int | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The issues that an issue of the project with that global id blocks, and is blocked by.

    An issue of another project has its full reference: `group/project#12`.
    """
    ids: dict[str, list[str]] = {"blocks": [], "is_blocked_by": []}
    for link in rows(links):
        kind = text(link, "link_type")
        is_local = number(link, "project_id") == project
        id = text(link, "iid") if is_local else text(link, "references", "full")
        if kind in ids and id:
            ids[kind].append(id)
    return tuple(dict.fromkeys(ids["blocks"])), tuple(dict.fromkeys(ids["is_blocked_by"]))


def link_counts_of(data: Json) -> dict[str, int]:
    """The number of links of each issue, by its number, from the data of LINK_COUNTS."""
    counts = {}
    for node in rows(data, "project", "issues", "nodes"):
        blocking, blocked_by = number(node, "blockingCount"), number(node, "blockedByCount")
        counts[text(node, "iid")] = (blocking or 0) + (blocked_by or 0)
    return counts


def files_of(diffs: Json) -> tuple[str, ...]:
    """The paths that a merge request changes, from `/diffs`, or `/changes` of older versions."""
    changes = rows(diffs) or rows(diffs, "changes")
    paths = (text(change, name) for change in changes for name in ("old_path", "new_path"))
    return tuple(sorted(set(filter(None, paths))))


def _labels(entry: Json) -> tuple[str, ...]:
    """The names of labels, which the API returns as strings, or as objects with label details."""
    names = (text(label, "name") or text(label) for label in rows(entry, "labels"))
    return tuple(dict.fromkeys(filter(None, names)))
