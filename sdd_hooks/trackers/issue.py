"""The canonical issue, into which every tracker converts its issues.

Times are RFC 3339 in UTC with a `Z` (`2026-05-01T14:22:00Z`), "" if unknown. Ids are those that
people write, without a `#`: `142`, `PROJ-123`, `bd-a1b2.1`.
"""

# Governing: ADR-0018 (tracker issues as files), ADR-0054 (pull requests and issues are changed in
# batches), SPEC-0009 REQ "Canonical issue", REQ "Writing to a tracker"

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sdd_hooks.named_tuple import NamedTuple

IssueStatus = Literal["open", "closed", "merged", "draft"]

_LABEL_COLOURS = {"epic": "6E40C9", "story": "1D76DB", "spec": "0E8A16", "foundation": "D4A017"}
_OTHER_COLOUR = "CCCCCC"


@dataclass(frozen=True)
class LinkedPull:
    """A pull request, and in `closes` the ids of the issues that it is linked with.

    `files` are the paths that it changes; empty if the tracker does not list them.
    """

    number: str
    branch: str
    status: IssueStatus
    files: tuple[str, ...]
    updated: str
    closes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Issue:
    """An issue as its tracker has it. `status` is its own, without that of its pull requests.

    `body` is verbatim. `blocks` and `blocked_by` are the edges that the tracker stores, without
    those that the body names. `pulls` are the pull requests that the tracker returns together with
    the issue. `formerly` are former ids, whose files are removed. `specs` are fields of the tracker
    that name specifications, besides title and body. Without `edges_known` the tracker did not show
    `blocks` and `blocked_by` this time: those that are stored stay. An `archived` issue is in no
    listing of the tracker, which still has it.
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
    edges_known: bool = True
    archived: bool = False


class IssueDraft(NamedTuple):
    """An issue to be created.

    `parent` is the id of its epic, "" for none, for trackers that have such a relation. `spec` is
    the id of the specification that it belongs to, for trackers that file issues by it.
    """

    title: str
    body: str = ""
    labels: tuple[str, ...] = ()
    parent: str = ""
    spec: str = ""


def colour_of(label: str) -> str:
    """The colour of a created label: six hexadecimal digits."""
    return _LABEL_COLOURS.get(label.lower(), _OTHER_COLOUR)


def joined(body: str, text: str) -> str:
    """The body with `text` after it, a blank line between them, and the line ends of the body.

    Every byte of the body stays as it is. `text` has line feeds, and no blank lines around it.
    """
    newline = "\r\n" if "\r\n" in body else "\n"
    addition = text.replace("\n", newline)
    if not body:
        return addition
    plain = body.replace("\r\n", "\n")
    missing = 2 - min(len(plain) - len(plain.rstrip("\n")), 2)
    return f"{body}{newline * missing}{addition}"
