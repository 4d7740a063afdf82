"""The canonical issue: what every tracker's issues become.

Times are RFC 3339 in UTC with a `Z` (`2026-05-01T14:22:00Z`), "" where there is none. Ids are the
tracker's own, as people write them, without a `#`: `142`, `PROJ-123`, `bd-a1b2.1`.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

IssueStatus = Literal["open", "closed", "merged", "draft"]


@dataclass(frozen=True)
class LinkedPull:
    """A pull request and the ids of the issues it is linked with.

    `files` are the paths it changes; empty where the tracker does not tell.
    """

    number: str
    branch: str
    status: IssueStatus
    files: tuple[str, ...]
    updated: str
    closes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Issue:
    """An issue as its tracker has it; `status` is `open` or `closed` and says nothing of its pulls.

    `body` is verbatim. `blocks` and `blocked_by` are the tracker's own edges: those written in the
    body are read elsewhere. `pulls` are those that the tracker gives together with the issue.
    `formerly` are ids that it had before, of which no file must stay. `specs` is where the tracker
    says which specifications it belongs to, beside those that title and body mention.
    """

    id: str
    title: str
    status: Literal["open", "closed"]
    labels: tuple[str, ...]
    assignees: tuple[str, ...]
    author: str
    created: str
    updated: str
    closed: str
    url: str
    tracker: str
    body: str
    blocks: tuple[str, ...] = ()
    blocked_by: tuple[str, ...] = ()
    pulls: tuple[LinkedPull, ...] = ()
    formerly: tuple[str, ...] = ()
    specs: tuple[str, ...] = ()


class IssueDraft(NamedTuple):
    """An issue to be created. `group` is the milestone or epic it belongs to, "" for none."""

    title: str
    body: str = ""
    labels: tuple[str, ...] = ()
    group: str = ""


class IssueEdit(NamedTuple):
    """What to change of an issue; None leaves it. `labels` are all it has afterwards."""

    title: str | None = None
    body: str | None = None
    labels: tuple[str, ...] | None = None
