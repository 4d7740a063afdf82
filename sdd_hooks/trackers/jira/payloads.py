"""Parse the payloads of Jira Cloud and Jira Server into canonical issues."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re
from collections.abc import Iterator

from sdd_hooks.remote.json_fields import Json, field, parse_epoch, rows, text, texts, utc
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.jira.adf_to_markdown import markdown_of

NAME = "jira"
LABEL = "Jira"
FIELDS = (
    "summary,description,status,labels,assignee,reporter,creator,created,updated,resolutiondate,"
    "statuscategorychangedate,issuelinks"
)
"""The requested fields of an issue: the search of Cloud returns ids alone by default."""
ARCHIVED = "archiveddate"
"""The field of an issue that was archived. Searches leave it out, its address does not."""
DONE = "done"
"""The key of the status category for finished work, the same in every language."""

PROJECT_KEY = lazy_regex(r"[A-Z][A-Z0-9_]{0,254}", re.ASCII)
_ISSUE_KEY = lazy_regex(r"([A-Z][A-Z0-9_]{0,254})-[0-9]{1,18}", re.ASCII)
_BLOCKS = frozenset({"blocks"})
_BLOCKED = frozenset({"is blocked by", "blocked by"})


def issue_of(entry: Json, url: str) -> Issue | None:
    """An issue of the Jira at `url`; None for an entry without a valid key."""
    key = key_of(entry)
    if not key:
        return None
    fields = field(entry, "fields")
    closed = is_closed(fields)
    blocks, blocked_by = _dependencies(fields)
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
        archived=bool(text(fields, ARCHIVED)),
    )


def key_of(entry: Json) -> str:
    """The key of an issue; "" if it is missing or invalid."""
    return issue_key(text(entry, "key"))


def issue_key(id: str) -> str:
    """Normalise an issue key to upper case; "" if it is invalid."""
    key = id.upper() if id.isascii() else ""
    return key if _ISSUE_KEY.fullmatch(key) else ""


def project_of(key: str) -> str:
    """The key of the project of an issue."""
    return key.rpartition("-")[0]


def is_closed(fields: Json) -> bool:
    """Whether the status is in the category `done`; without a category, whether it is resolved."""
    category = text(fields, "status", "statusCategory", "key")
    return category == DONE or (not category and bool(utc(fields, "resolutiondate")))


def second_of(entry: Json, name: str) -> int | None:
    """A time field of an issue in whole epoch seconds; None if it is missing or invalid."""
    seconds = parse_epoch(text(entry, "fields", name))
    return None if seconds is None else int(seconds // 1)


def _closing_time(fields: Json) -> str:
    # Some workflows set no resolution.
    return utc(fields, "resolutiondate") or utc(fields, "statuscategorychangedate")


def _description(fields: Json) -> str:
    """The description: Cloud's document as Markdown, the wiki markup of a server unchanged."""
    description = field(fields, "description")
    return markdown_of(description) if isinstance(description, dict) else text(description)


def _dependencies(fields: Json) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The issues that an issue blocks, and the issues that block it."""
    blocks: dict[str, None] = {}
    blocked_by: dict[str, None] = {}
    for relation, key in _links(fields):
        if relation in _BLOCKS:
            blocks[key] = None
        elif relation in _BLOCKED:
            blocked_by[key] = None
    return tuple(blocks), tuple(blocked_by)


def _links(fields: Json) -> Iterator[tuple[str, str]]:
    """The relations of an issue: the phrase of the link, and the key of the other issue.

    Administrators can rename links. A link type with the name Blocks has the usual meaning even if
    its two phrases are different.
    """
    for link in rows(fields, "issuelinks"):
        is_blocks_type = text(link, "type", "name").strip().lower() in _BLOCKS
        for end, usual in (("outward", "blocks"), ("inward", "is blocked by")):
            key = key_of(field(link, f"{end}Issue"))
            phrase = text(link, "type", end).strip().lower()
            if key:
                is_phrase = phrase in _BLOCKS | _BLOCKED or not is_blocks_type
                yield phrase if is_phrase else usual, key
