"""What an issue refers to: artifacts, and the issues that it blocks or waits for."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sdd_hooks.artifacts.identifiers import ArtifactId, find_id_references

if TYPE_CHECKING:
    from sdd_hooks.trackers.issue import Issue

LONGEST_LIST = 100
"""Lines below a bare `Blocks:` that are read as its list."""

# `Blocks: #1, #2`, `- **Blocked by**: PROJ-3`, or the bare words above a list.
_EDGE = re.compile(
    rf"""^[ \t>]*(?:[-*+][ \t]+)?[*_]{{0,3}}
    (?P<verb>blocks|blocked[ ]by) [*_]{{0,3}}[ \t]*:[*_]{{0,3}}
    (?P<here>[^\r\n]*)
    (?P<below>(?:\r?\n[ \t>]*[-*+][ \t]+[^\r\n]*){{0,{LONGEST_LIST}}})""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_TARGET = re.compile(r"\]\([^()\s]*\)|https?://\S+")
# `#12`, `owner/repo#3`, `PROJ-3`, `bd-a1b2.1`; a bare number where nothing else is on the line.
_ISSUE = re.compile(
    r"""(?<![\w#/.-])
    (?: (?P<elsewhere>[\w.-]{1,100}(?:/[\w.-]{1,100}){1,8})?\#(?P<number>[0-9]{1,18})
      | (?!(?:ADR|SPEC)-)(?P<key>[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*
          -(?=[a-z]*[0-9])[A-Za-z0-9]+(?:\.[0-9]+)*)
    )(?![\w-])""",
    re.VERBOSE | re.ASCII,
)
_NUMBERS = re.compile(r"[ \t]*[0-9]{1,18}(?:[ \t]*,[ \t]*[0-9]{1,18})*[ \t.]*", re.ASCII)
_NOTHING: Mapping[str, Sequence[str]] = {"blocks": (), "blocked by": ()}
_NATURAL = re.compile(r"([0-9]+)", re.ASCII)


class References(NamedTuple):
    """Ids, each list sorted and without repetitions."""

    specs: tuple[str, ...]
    adrs: tuple[str, ...]
    blocks: tuple[str, ...]
    blocked_by: tuple[str, ...]


def references_of(issue: Issue) -> References:
    """The artifacts that title, body and tracker mention, and the edges: the tracker's own and
    those that the body has in lines such as `Blocks: #12, PROJ-3` or `Blocked by: owner/repo#3`."""
    text = "\n".join((issue.title, issue.body, *issue.specs))
    # Most issues name nothing, which is found out in no time.
    folded = text.lower()
    artifacts = _artifacts(text) if "adr" in folded or "spec" in folded else []
    written = _written(issue) if "block" in folded else _NOTHING
    return References(
        tuple(str(one) for one in artifacts if one.kind == "SPEC"),
        tuple(str(one) for one in artifacts if one.kind == "ADR"),
        _sorted(issue.blocks, written["blocks"], issue.id),
        _sorted(issue.blocked_by, written["blocked by"], issue.id),
    )


def natural(id: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts ids as people do: `9` before `10`, `A-9` before `A-10`."""
    parts = _NATURAL.split(id)
    return tuple(
        (0, int(part), part) if part.isdecimal() and len(part) < 19 else (1, 0, part)
        for part in parts
        if part
    )


def _artifacts(text: str) -> list[ArtifactId]:
    return sorted({reference.id for reference in find_id_references(text)})


def _written(issue: Issue) -> Mapping[str, Sequence[str]]:
    """The ids behind `Blocks:` and `Blocked by:`, as the tracker knows them."""
    found: dict[str, list[str]] = {"blocks": [], "blocked by": []}
    for edge in _EDGE.finditer(issue.body):
        lines = edge["here"] if edge["here"].strip(" \t*_") else edge["below"]
        found[edge["verb"].lower()] += _ids(lines, issue.url)
    return found


def _ids(text: str, url: str) -> Iterable[str]:
    text = _TARGET.sub("]", text)
    if _NUMBERS.fullmatch(text):
        return [str(int(number)) for number in re.findall("[0-9]+", text)]
    return [_id(match, url) for match in _ISSUE.finditer(text)]


def _id(match: re.Match[str], url: str) -> str:
    if match["key"]:
        return match["key"]
    number = str(int(match["number"]))
    place = match["elsewhere"]
    # The issue's own project, spelled out.
    if not place or f"/{place}/".lower() in url.lower():
        return number
    return f"{place}#{number}"


def _sorted(known: Sequence[str], written: Sequence[str], own: str) -> tuple[str, ...]:
    if not known and not written:
        return ()
    distinct = {id for id in (*known, *written) if id and id != own}
    return tuple(sorted(distinct, key=natural))
