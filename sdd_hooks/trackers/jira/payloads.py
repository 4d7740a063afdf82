"""Jira's JSON, of Cloud and of Server, as canonical issues."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re
from collections.abc import Iterator

from sdd_hooks.remote.json_fields import Json, epoch, field, rows, text, texts, utc
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.jira.adf_to_markdown import markdown_of

NAME = "jira"
LABEL = "Jira"
FIELDS = (
    "summary,description,status,labels,assignee,reporter,creator,created,updated,resolutiondate,"
    "statuscategorychangedate,issuelinks"
)
"""What is asked for of an issue: the search of Cloud gives ids alone unless told."""
DONE = "done"
"""The key of the category of statuses that are no work any more, in any language."""

PROJECT_KEY = re.compile(r"[A-Z][A-Z0-9_]{0,254}", re.ASCII)
_ISSUE_KEY = re.compile(r"([A-Z][A-Z0-9_]{0,254})-[0-9]{1,18}", re.ASCII)
_BLOCKS = frozenset({"blocks"})
_BLOCKED = frozenset({"is blocked by", "blocked by"})


def issue_of(entry: Json, url: str) -> Issue | None:
    """An issue of the Jira at `url`; None for an entry without a usable key."""
    key = key_of(entry)
    if not key:
        return None
    fields = field(entry, "fields")
    closed = is_closed(fields)
    blocks, blocked_by = _edges(fields)
    return Issue(
        id=key,
        title=text(fields, "summary"),
        status="closed" if closed else "open",
        labels=texts(fields, "labels"),
        assignees=tuple(filter(None, [text(fields, "assignee", "displayName")])),
        author=text(fields, "reporter", "displayName") or text(fields, "creator", "displayName"),
        created=utc(fields, "created"),
        updated=utc(fields, "updated"),
        closed=_closing_time(fields) if closed else "",
        url=f"{url}/browse/{key}",
        tracker=NAME,
        body=_description(fields),
        blocks=blocks,
        blocked_by=blocked_by,
    )


def key_of(entry: Json) -> str:
    """The key of an issue; "" where there is none that can be one."""
    return issue_key(text(entry, "key"))


def issue_key(id: str) -> str:
    """An issue's key as Jira writes it; "" for what is none."""
    key = id.upper() if id.isascii() else ""
    return key if _ISSUE_KEY.fullmatch(key) else ""


def project_of(key: str) -> str:
    """The key of the project of an issue."""
    return key.rpartition("-")[0]


def is_closed(fields: Json) -> bool:
    """Whether the status is one of those that mean done; a resolution where it has no category."""
    category = text(fields, "status", "statusCategory", "key")
    return category == DONE or (not category and bool(utc(fields, "resolutiondate")))


def second_of(entry: Json, name: str) -> int | None:
    """The second of a time of an issue (epoch); None where that cannot be told."""
    seconds = epoch(text(entry, "fields", name))
    return None if seconds is None else int(seconds // 1)


def _closing_time(fields: Json) -> str:
    # A workflow need not set a resolution.
    return utc(fields, "resolutiondate") or utc(fields, "statuscategorychangedate")


def _description(fields: Json) -> str:
    """A document of Cloud as Markdown, the wiki markup of a server as it is."""
    description = field(fields, "description")
    return markdown_of(description) if isinstance(description, dict) else text(description)


def _edges(fields: Json) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the issue blocks, and what blocks it, by its links."""
    blocks: dict[str, None] = {}
    blocked_by: dict[str, None] = {}
    for relation, key in _links(fields):
        if relation in _BLOCKS:
            blocks[key] = None
        elif relation in _BLOCKED:
            blocked_by[key] = None
    return tuple(blocks), tuple(blocked_by)


def _links(fields: Json) -> Iterator[tuple[str, str]]:
    """How the issue relates to others: the words of the link, and the key of the other one.

    Administrators name links as they like. A type that is called Blocks means that, whatever the
    words for its two ends are.
    """
    for link in rows(fields, "issuelinks"):
        named = text(link, "type", "name").strip().lower() in _BLOCKS
        for end, usual in (("outward", "blocks"), ("inward", "is blocked by")):
            key = key_of(field(link, f"{end}Issue"))
            words = text(link, "type", end).strip().lower()
            if key:
                yield words if words in _BLOCKS | _BLOCKED or not named else usual, key
