"""What GitLab answers, as canonical issues and merge requests."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re
from dataclasses import replace

from sdd_hooks.remote.json_fields import Json, field, flag, number, rows, text, texts, utc
from sdd_hooks.trackers.issue import Issue, PullRequest, Status

NAME = "gitlab"

COUNTS = """
query($path: ID!, $iids: [String!]) {
  project(fullPath: $path) {
    issues(iids: $iids, first: 100) { nodes { iid blockingCount blockedByCount } }
  }
}
"""
"""How many others each issue blocks, and is blocked by: the REST listing only has the former."""

_STATES: dict[str, Status] = {"closed": "closed", "merged": "merged"}

# The default of https://docs.gitlab.com/administration/issue_closing_pattern/
_KEYWORD = re.compile(
    r"\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):? +",
    re.IGNORECASE | re.ASCII,
)
_REFERENCE = re.compile(
    r"(?:issues? +)?(?:https?://[^/\s]{1,255}/(?P<at>[\w./-]{1,255}?)(?:/-)?/(?:issues|work_items)/"
    r"|(?P<path>[\w.-]{1,255}(?:/[\w.-]{1,255}){0,20})?#)(?P<iid>[0-9]{1,18})\b",
    re.IGNORECASE | re.ASCII,
)
_CODE = re.compile(r"`[^`\n]*`")
_AND = re.compile(r" *,? +and +| *,? *", re.IGNORECASE | re.ASCII)


def issue_of(
    entry: Json, blocks: tuple[str, ...] = (), blocked_by: tuple[str, ...] = ()
) -> Issue | None:
    """An issue as the REST API has it; None where it has no number. Never raises."""
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
    """Whether an issue was moved to another project: what stays behind is a closed copy."""
    return field(entry, "moved_to_id") is not None


def pull_of(entry: Json, home: str) -> PullRequest | None:
    """A merge request of the project `home`, without its files; None where it has no number.

    It closes what its description says that it closes, in the words that GitLab itself reads.
    """
    iid = number(entry, "iid")
    if iid is None or iid < 1:
        return None
    status: Status = _STATES.get(text(entry, "state"), "open")
    if status == "open" and (flag(entry, "draft") or flag(entry, "work_in_progress")):
        status = "draft"
    return PullRequest(
        number=str(iid),
        branch=text(entry, "source_branch"),
        status=status,
        files=(),
        updated=utc(entry, "updated_at"),
        closes=closed_by_text(text(entry, "description"), home),
    )


def is_of(entry: Json, home: str) -> bool:
    """Whether a merge request is one of the project `home`."""
    full = text(entry, "references", "full").rpartition("!")[0]
    return full.lower() == home.lower()


def closing(pull: PullRequest, ids: tuple[str, ...]) -> PullRequest:
    """The merge request, with these issues that it closes besides."""
    return replace(pull, closes=tuple(dict.fromkeys((*pull.closes, *ids))))


def closed_by_text(description: str, home: str) -> tuple[str, ...]:
    """The issues of the project `home` that a description says it closes, not in code."""
    if _KEYWORD.search(description) is None:
        return ()
    from sdd_hooks.text.markdown import prose

    said = _CODE.sub("``", prose(description))
    found = []
    for keyword in _KEYWORD.finditer(said):
        position = keyword.end()
        while reference := _REFERENCE.match(said, position):
            path = reference["at"] or reference["path"] or home
            if path.lower() in {home.lower(), home.lower().rpartition("/")[2]}:
                found.append(str(int(reference["iid"])))
            between = _AND.match(said, reference.end())
            position = between.end() if between else reference.end()
    return tuple(dict.fromkeys(found))


def ids_of(entries: Json, project: int | None) -> tuple[str, ...]:
    """The numbers of those issues that are in the project with that global id."""
    found = (text(one, "iid") for one in rows(entries) if number(one, "project_id") == project)
    return tuple(dict.fromkeys(filter(None, found)))


def edges_of(links: Json, project: int | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What an issue of the project with that global id blocks, and what blocks it.

    An issue of another project is named in full: `group/project#12`.
    """
    found: dict[str, list[str]] = {"blocks": [], "is_blocked_by": []}
    for link in rows(links):
        kind = text(link, "link_type")
        same = number(link, "project_id") == project
        id = text(link, "iid") if same else text(link, "references", "full")
        if kind in found and id:
            found[kind].append(id)
    return tuple(dict.fromkeys(found["blocks"])), tuple(dict.fromkeys(found["is_blocked_by"]))


def counts_of(data: Json) -> dict[str, int]:
    """How many edges each issue has, by number, as COUNTS brings them."""
    return {
        text(one, "iid"): (number(one, "blockingCount") or 0) + (number(one, "blockedByCount") or 0)
        for one in rows(data, "project", "issues", "nodes")
    }


def files_of(diffs: Json) -> tuple[str, ...]:
    """The paths that a merge request changes, by the answer of /diffs, or of /changes before it."""
    changes = rows(diffs) or rows(diffs, "changes")
    found = (text(one, name) for one in changes for name in ("old_path", "new_path"))
    return tuple(sorted(set(filter(None, found))))


def _labels(entry: Json) -> tuple[str, ...]:
    """The names of labels, which come as names, or as objects where details were asked for."""
    found = (text(one, "name") or text(one) for one in rows(entry, "labels"))
    return tuple(dict.fromkeys(filter(None, found)))
