"""The references of an issue: artifacts, and the issues that it blocks or is blocked by."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sdd_hooks.artifacts.identifiers import (
    ArtifactId,
    find_id_references,
    may_have_references,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.stated import read_stated

if TYPE_CHECKING:
    from sdd_hooks.trackers.issue import Issue

MAX_LIST = 100
"""Lines below a bare `Blocks:` that are read as its list."""

# `Blocks: #1, #2`, `- **Blocked by**: PROJ-3`, or the bare words above a list.
_EDGE = lazy_regex(
    rf"""^[ \t>]*(?:[-*+][ \t]+)?[*_]{{0,3}}
    (?P<verb>blocks|blocked[ ]by) [*_]{{0,3}}[ \t]*:[*_]{{0,3}}
    (?: [ \t*_]*(?P<inline>[^\s*_][^\r\n]*)
      | [ \t*_]*
        (?P<below>(?:\r?\n[ \t>]*[-*+][ \t]+
          (?![*_]{{0,3}}(?:blocks|blocked[ ]by)[*_]{{0,3}}[ \t]*:)[^\r\n]*){{0,{MAX_LIST}}})
    )""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_LINK_TARGET = lazy_regex(r"\]\([^()\s]*\)|https?://\S+")
# `#12`, `owner/repo#3`, `PROJ-3`, `bd-a1b2.1`; a bare number where nothing else is on the line.
_ISSUE = lazy_regex(
    r"""(?<![\w#/.-])
    (?: (?P<project>[\w.-]{1,100}(?:/[\w.-]{1,100}){1,8})?\#(?P<number>[0-9]{1,18})
      | (?!(?:ADR|SPEC)-)(?P<key>[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*
          -(?=[a-z]*[0-9])[A-Za-z0-9]+(?:\.[0-9]+)*)
    )(?![\w-])""",
    re.VERBOSE | re.ASCII,
)
_NUMBERS = lazy_regex(r"[ \t]*[0-9]{1,18}(?:[ \t]*,[ \t]*[0-9]{1,18})*[ \t.]*", re.ASCII)
_NO_EDGES: Mapping[str, Sequence[str]] = {"blocks": (), "blocked by": ()}
_NATURAL = lazy_regex(r"([0-9]+)", re.ASCII)


class IssueReferences(NamedTuple):
    """The ids that an issue refers to; each list is sorted and has no duplicates."""

    specs: tuple[str, ...]
    adrs: tuple[str, ...]
    blocks: tuple[str, ...]
    blocked_by: tuple[str, ...]


def references_of(issue: Issue) -> IssueReferences:
    """The artifacts that title, body and tracker fields name, and the edges.

    The edges are those of the tracker and those of lines in the body such as `Blocks: #12, PROJ-3`
    or `Blocked by: owner/repo#3`.
    """
    text = "\n".join((issue.title, issue.body, *issue.specs))
    # The substring test spares most issues the parser and the regular expressions.
    folded = text.lower()
    names, blocks = may_have_references(text, folded), "block" in folded
    body = read_stated(issue.body, open_boxes=True) if names or blocks else ""
    artifacts = _artifacts("\n".join((issue.title, body, *issue.specs))) if names else []
    written = _body_edges(body, issue.url) if blocks else _NO_EDGES
    return IssueReferences(
        tuple([str(artifact) for artifact in artifacts if artifact.kind == "SPEC"]),
        tuple([str(artifact) for artifact in artifacts if artifact.kind == "ADR"]),
        _sorted(issue.blocks, written["blocks"], issue.id),
        _sorted(issue.blocked_by, written["blocked by"], issue.id),
    )


def natural_key(id: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that orders numbers by value: `9` before `10`, `A-9` before `A-10`."""
    parts = _NATURAL.split(id)
    return tuple(
        (0, int(part), part) if part.isdecimal() and len(part) < 19 else (1, 0, part)
        for part in parts
        if part
    )


def _artifacts(text: str) -> list[ArtifactId]:
    return sorted({reference.id for reference in find_id_references(text)})


def _body_edges(body: str, url: str) -> Mapping[str, Sequence[str]]:
    """The ids after `Blocks:` and `Blocked by:` in a body, in the tracker's format."""
    ids: dict[str, list[str]] = {"blocks": [], "blocked by": []}
    for edge in _EDGE.finditer(body):
        lines = edge["inline"] or edge["below"] or ""
        ids[edge["verb"].lower()] += _parse_ids(lines, url)
    return ids


def _parse_ids(text: str, url: str) -> Iterable[str]:
    text = _LINK_TARGET.sub("]", text)
    if _NUMBERS.fullmatch(text):
        return [str(int(number)) for number in re.findall("[0-9]+", text)]
    return [_parse_id(match, url) for match in _ISSUE.finditer(text)]


def _parse_id(match: re.Match[str], url: str) -> str:
    if match["key"]:
        return match["key"]
    number = str(int(match["number"]))
    project = match["project"]
    # A reference may spell out the issue's own project.
    if not project or f"/{project}/".lower() in url.lower():
        return number
    return f"{project}#{number}"


def _sorted(known: Sequence[str], written: Sequence[str], own_id: str) -> tuple[str, ...]:
    if not known and not written:
        return ()
    distinct = {id for id in (*known, *written) if id and id != own_id}
    return tuple(sorted(distinct, key=natural_key))
