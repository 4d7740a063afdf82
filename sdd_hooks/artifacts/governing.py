"""Read governing comments: the references of a source file to the artifacts that govern it.

    # Governing: ADR-0001 (why), SPEC-0003 REQ "Token Validation"
    # Implements: SPEC-0003 REQ "Name"

The comment syntax of the language does not matter: the text before `Governing:` on its line is the
comment's leader, and following lines with the same leader continue the comment.
"""

# Governing: SPEC-0002 REQ "Governing comments"

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Literal

from sdd_hooks.artifacts.identifiers import (
    NO_ORIGINS,
    ArtifactId,
    IdReference,
    NamedOrigins,
    Origins,
    find_id_references,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import unify_line_endings

GoverningVerb = Literal["governing", "implements"]

MAX_COMMENT = 4_000
"""The characters of a comment that are read."""


class GoverningReference(NamedTuple):
    """One artifact that a comment names, on `line`. `requirement` and `reason` may be "".

    A comment that names several requirements of a spec makes one reference for each.
    """

    verb: GoverningVerb
    id: ArtifactId
    requirement: str
    reason: str
    line: int


_LABEL = lazy_regex(
    r"""(?<![\w-])(?:(?P<governing>govern(?:ing|ed[ ]by))|implements)
    (?:[ ](?:ADRs?|specs?|artifacts?|decisions?))?[ ]?:""",
    re.VERBOSE | re.IGNORECASE,
)

# Between the label and the first id: spaces, or a line break and a leader.
_FIRST = lazy_regex(
    r"[\s#/*;%!>\-'\"|.:]{0,40}(?=\[?[@`*]{0,3}[\[(]?"
    r"(?:adr|spec|\w[\w.-]*\]/|(?:[\w.~+-]{1,100}/){1,11}(?:\[|adr|spec)))",
    re.I,
)

_LEADER = lazy_regex(
    r"""[ \t]*(?:
        //[/!]?|/\*+!?|\*+(?!/)|\#+[!:']?|--+(?:\[=*\[)?|;+|%+(?:\{)?|<!--+|<%--|\{\#|\{/\*|\{\{/?[*!-]*
      | \{-|\(\*|\"\"\"|'''|=begin|\.\.(?=[ ])|!+|@?rem(?=[ \t])|::|dnl(?=[ ])|[cC](?=[ ]{2,})
      | \"(?=[ ])|'(?=[ ])|>|[-*+](?=[ ])|r?\"\"\"
    )?[ \t]*""",
    re.VERBOSE | re.IGNORECASE,
)
_TRAILING_LEADER = lazy_regex(r"(?:^|\s)(?://|\#|--|;|%|/\*|<!--|!|\(\*|\{-)+[ \t]+(?:\S.*)?$")
_END = lazy_regex(r"\*/|--+>|\"\"\"|'''|\*\)|-\}|\#\}|%>|=end\b")

_ENTRY_ID = lazy_regex(r"[\[(@`*]*")
_REQ = lazy_regex(
    r"""[\s`\])*]{0,3}\s*(?:,\s*)?(?:and\s+)?
    (?: (?P<number>REQ-[0-9](?:[0-9A-Za-z.-]*[0-9A-Za-z])?)
      | REQ(?:uirement)?s?[ ]*[:#]?\s*
        (?: "(?P<a>[^"]{1,300})" | “(?P<b>[^”]{1,300})”
          | '(?P<c>[^']{1,300})' | `(?P<d>[^`]{1,300})` ) )""",
    re.VERBOSE,
)
_MORE_NAMES = lazy_regex(r'\s*,\s*(?:"([^"]{1,300})"|“([^”]{1,300})”)')
_SEPARATOR = lazy_regex(r"[\s`\])*]*(?:[,;&+/]|\.\.+|…|–|-(?=\s)|\band\b)?\s*(?:and\s+)?")
_LINK_TARGET = lazy_regex(r"[`*]*\]\([^()\s]*\)")
_OPENING = lazy_regex(r"[\s`*\]]*\(")
_BRACKET = lazy_regex(r"[()]")
_SCENARIO = lazy_regex(r'\s*scenarios?\s*(?:"[^"]{1,300}"|“[^”]{1,300}”)', re.IGNORECASE)


def may_govern(text: str) -> bool:
    """Whether a text may have a governing comment."""
    folded = text.casefold()
    return "govern" in folded or "implements" in folded


def read_governing(text: str, origins: Origins = NO_ORIGINS) -> tuple[GoverningReference, ...]:
    """Return every artifact that the governing comments of a source file name, in order.

    A comment may continue over several lines. A label in a string of code does not count.
    `origins` are as in `find_id_references`. Never raises.
    """
    if not may_govern(text):
        return ()
    text = unify_line_endings(text)
    result: list[GoverningReference] = []
    is_named = isinstance(origins, NamedOrigins)
    position = line = 0
    for match in _labels(text):
        may_be_one = is_named or _FIRST.match(text, match.end())
        if not may_be_one or not _in_comment(text, match.start()):
            continue
        line += text.count("\n", position, match.start())
        position = match.start()
        verb: GoverningVerb = "governing" if match["governing"] else "implements"
        comment, starts = _comment(text, match)
        references = find_id_references(comment, origins, labelled=True)
        result.extend(_entries(comment, references, starts, verb, line + 1))
    return tuple(result)


def has_governing_label(text: str) -> bool:
    """Whether a comment begins with `Governing:` or `Implements:`, with any text. Never raises.

    `Governing: SPEC user-accounts` names a specification without a number.
    """
    text = unify_line_endings(text)
    return any(_in_comment(text, match.start()) for match in _labels(text))


def _labels(text: str) -> Iterator[re.Match[str]]:
    """Yield what `_LABEL.finditer` yields, many times as fast in nearly each text."""
    folded = text.lower()
    # `İ` is two characters in lower case, and `ſ` is an `s` to the pattern.
    if len(folded) != len(text) or "ſ" in text:
        yield from _LABEL.finditer(text)
        return
    starts = sorted(start for word in ("govern", "implements") for start in _find(folded, word))
    yield from filter(None, (_LABEL.match(text, start) for start in starts))


def _find(text: str, word: str) -> Iterator[int]:
    """Yield where a word begins in a text."""
    start = text.find(word)
    while start >= 0:
        yield start
        start = text.find(word, start + len(word))


def _in_comment(text: str, start: int) -> bool:
    """Whether the text before the label on its line is empty or the leader of a comment."""
    begin = max(text.rfind("\n", max(0, start - 300), start) + 1, start - 300, 0)
    before = text[begin:start]
    leader = _LEADER.match(before)
    if leader and (leader.end() == len(before) or leader[0].strip()):
        return True
    return bool(_TRAILING_LEADER.search(before))


def _comment(text: str, label: re.Match[str]) -> tuple[str, list[int]]:
    """Return the comment after the label as one text, and the offsets where its lines begin."""
    lines = text[label.end() : label.end() + MAX_COMMENT].split("\n")
    begin = text.rfind("\n", max(0, label.start() - 300), label.start()) + 1
    leader = _LEADER.match(text[begin : label.start()] if label.start() - begin <= 300 else "")
    marker = leader[0].strip() if leader else ""
    # In a block comment or docstring the following lines may have no leader.
    is_block = marker in ("", "*", '"""', "'''", "=begin", ">") or marker.startswith(
        ("/*", "<!--", "<%", "{", "(*")
    )
    pieces = []
    starts = []
    length = 0
    for number, raw in enumerate(lines):
        content = raw
        if number:
            following = _LEADER.match(raw)
            has_leader = bool(following and following[0].strip())
            if not has_leader and not is_block:
                break
            content = raw[following.end() :] if following else raw
            if not content.strip() or _LABEL.match(content):
                break
        end = _END.search(content)
        piece = content[: end.start()] if end else content
        starts.append(length)
        pieces.append(piece)
        length += len(piece) + 1
        if end:
            break
    return " ".join(pieces), starts


def _entries(
    comment: str,
    references: Iterable[IdReference],
    starts: list[int],
    verb: GoverningVerb,
    first_line: int,
) -> Iterator[GoverningReference]:
    """Yield the entries of `ID REQ "name" (reason), …`, up to the first other text.

    `references` are the ids in the comment.
    """

    def line(at: int) -> int:
        return first_line + bisect_right(starts, at) - 1

    mentions: dict[int, list[IdReference]] = {}
    for reference in references:
        mentions.setdefault(reference.start, []).append(reference)
    position = _skip(comment, 0)
    current: ArtifactId | None = None
    while position < len(comment):
        ids = mentions.get(position, [])
        if ids:
            at, position, current = position, ids[-1].end, ids[-1].id
        elif current and current.kind == "SPEC" and _REQ.match(comment, position):
            at = position
        else:
            return
        if link := _LINK_TARGET.match(comment, position):
            position = link.end()
        names, position = _requirements(comment, position)
        reason, position = _reason(comment, position)
        for earlier in ids[:-1]:
            yield GoverningReference(verb, earlier.id, "", reason, line(at))
        for name in names or [""]:
            yield GoverningReference(verb, current, name, reason, line(at))
        following = _skip(comment, position)
        if following == position:
            return
        position = following


def _skip(comment: str, position: int) -> int:
    """Return the position after the separator and the opening decoration of an id."""
    separator = _SEPARATOR.match(comment, position)
    position = separator.end() if separator else position
    decoration = _ENTRY_ID.match(comment, position)
    end = decoration.end() if decoration else position
    # The bracket of `[api]/SPEC-0007` belongs to the id.
    return position if re.match(r"\[[\w.-]{1,64}\]/", comment[position : position + 70]) else end


def _requirements(comment: str, position: int) -> tuple[list[str], int]:
    names = []
    while match := _REQ.match(comment, position):
        names.append(" ".join(next(group for group in match.groups() if group).split()))
        position = match.end()
        while more := _MORE_NAMES.match(comment, position):
            names.append(" ".join((more[1] or more[2]).split()))
            position = more.end()
        if scenario := _SCENARIO.match(comment, position):
            position = scenario.end()
    return names, position


def _reason(comment: str, position: int) -> tuple[str, int]:
    """Return the text in the parentheses that follow, to the end when they are not closed."""
    opening = _OPENING.match(comment, position)
    if not opening:
        return "", position
    depth = 1
    for bracket in _BRACKET.finditer(comment, opening.end()):
        depth += 1 if bracket[0] == "(" else -1
        if not depth:
            return " ".join(comment[opening.end() : bracket.start()].split()), bracket.end()
    return " ".join(comment[opening.end() :].split()), len(comment)
