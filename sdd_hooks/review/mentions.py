"""The artifacts that a change names: in the lines it adds, and in what its author says about it."""

# Governing: SPEC-0002 REQ "Identifiers in every spelling", SPEC-0002 REQ "Governing comments",
# SPEC-0010 REQ "Rules"

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.artifacts.identifiers import ArtifactId, find_id_references
from sdd_hooks.changes.change import Change
from sdd_hooks.code.paths import is_foreign, is_markdown, is_sample, is_test, is_text
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import find_frontmatter_end, mask_non_prose

Place = Literal["comment", "text", "edge", "title", "body", "message"]
"""Where a mention stands: a comment is a governing one, of a file that is not only text, and an
edge is one in the frontmatter of a record."""

TOP = 40
"""In the code of a test, comments further down are what is tested."""
MOST = 20_000
"""Mentions of a change, and of a file, that are looked at."""
LONGEST = 100_000
"""Characters of a body or of a message that are read."""


class Mention(NamedTuple):
    """An artifact that is named, and the whole line on which that is done.

    `path` and `line` are "" and 0 for what the author says about the change. `requirement` is one
    of a spec, or "". `alone` is False for an id within a range (`ADR-0001..0009`), `foreign` is
    True for one of another project (`its ADR-0002`).
    """

    place: Place
    id: ArtifactId
    path: str
    line: int
    text: str
    requirement: str = ""
    alone: bool = True
    foreign: bool = False


_MAYBE = lazy_regex(r"adr|spec", re.IGNORECASE)
_GOVERNING = lazy_regex(r"govern|implements", re.IGNORECASE)
# In code `ADR 5` may be anything.
_CANONICAL = lazy_regex(r"(?:\[[\w.-]+\]/)?(?:ADR|SPEC)-[0-9]{1,5}[a-z]?")
_URL = lazy_regex(r"[a-z][a-z0-9+.-]{1,20}://[^\s<>)\]\"'`]{1,2000}", re.IGNORECASE)
_SPAN = lazy_regex(r"(`{1,8})(?!`)[^`\n]{1,2000}(?<!`)\1(?!`)")
# `its ADR-0002`, `that-tool's ADR-0002`, `OpenTool ADR-0002`: the number is another project's.
_OTHERS = lazy_regex(
    r"""(?<![\w-])(?:(?i:its|their|upstream)(?:\ own)?|[\w-]{1,30}['’]s|[\w.]{1,20}-[\w.-]{1,20}
    |\w{1,20}[a-z][A-Z]\w{0,20}|[a-z]\w{0,10}[0-9]\w{0,10})[\s`*]{1,4}$""",
    re.VERBOSE,
)
_RANGE = lazy_regex(r"[`*\])]{0,3}\s?(?:\.\.\.?|…|–|—|-|through|thru|to)\s?")
_NAMED = lazy_regex(
    r"""[`*\])]{0,3}\s{1,3}(?:REQ(?:uirement)?)s?\s{0,3}
    (?:"([^"\n]{1,300})"|“([^”\n]{1,300})”)""",
    re.VERBOSE,
)
_COMMENT = lazy_regex(r"\s*(?:#|//|/\*|\*|--|;|%|<!--)")
_FENCE = lazy_regex(r" {0,3}(`{3,}|~{3,})")


def mentions(change: Change, read: Callable[[str], str]) -> Iterator[Mention]:
    """Every mention of an artifact, in files by path and line, then in title, body and messages.

    `read` gives the text of a file as the change leaves it. Files that nobody here wrote and those
    whose content is made up are left out, and so is what stands in code blocks, code spans and
    addresses, and the frontmatter of Markdown with its edges. Of what the author says, an artifact
    is there once.
    """
    for file in change.files:
        if file.is_file and not is_foreign(file.path) and not is_sample(file.path):
            added = {line.number: line.text for line in file.added if _MAYBE.search(line.text)}
            if added:
                yield from mentions_in(file.path, read(file.path), added)
    yield from _own(list(_said(change)))


def mentions_in(path: str, text: str, added: Mapping[int, str]) -> Iterator[Mention]:
    """The mentions on these lines of the file at `path`, governing comments first. Never raises."""
    # Lines are git's, which a carriage return alone does not end.
    text = text.replace("\r", " ")
    seen: set[tuple[int, ArtifactId]] = set()
    test = is_test(path)
    for mention in _comments(path, text, added):
        if not test or _on_top(text, mention):
            seen.add((mention.line, mention.id))
            yield mention
    if test:
        return
    lines = mask_non_prose(text).split("\n") if is_markdown(path) else []
    found: list[Mention] = []
    for number, line in added.items():
        # Where the text could not be read, the line is taken as it is.
        shown = lines[number - 1][: len(line)] if number <= len(lines) else line
        for mention in _in_line("text", shown, canonical=not is_text(path)):
            if (number, mention.id) not in seen and len(found) < MOST:
                found.append(mention._replace(path=path, line=number, text=line))
    yield from _own(found)


def _on_top(text: str, mention: Mention) -> bool:
    """Whether a comment is one on a test, and not what is tested, in a string of several lines."""
    if mention.line > TOP or not _COMMENT.match(mention.text):
        return False
    above = "\n".join(text.split("\n", mention.line - 1)[: mention.line - 1])
    return not any(above.count(quote) % 2 for quote in ('"""', "'''", "`"))


def _own(found: Sequence[Mention]) -> Iterator[Mention]:
    """Those that are of no other project: what is once said to be foreign is so further on, too."""
    foreign = {one.id for one in found if one.foreign}
    return (one for one in found if one.id not in foreign)


def _comments(path: str, text: str, added: Mapping[int, str]) -> Iterator[Mention]:
    """The governing comments, as far as they stand on added lines."""
    if not _GOVERNING.search(text):
        return
    whole = _without_blocks(text) if is_markdown(path) else text
    for one in read_governing(whole):
        if one.line in added:
            # Markdown that says what governs it does so in prose as well.
            place: Place = "text" if is_text(path) else "comment"
            yield Mention(place, one.id, path, one.line, added[one.line], one.requirement)


def _without_blocks(text: str) -> str:
    """Markdown with its frontmatter, which has edges and no comments, and its code blanked."""
    matter = text.count("\n", 0, find_frontmatter_end(text))
    lines = [""] * matter
    fence = ""
    for line in text.split("\n")[matter:]:
        match = _FENCE.match(line)
        if fence:
            closes = match and match[1].startswith(fence) and not line[match.end() :].strip()
            fence = "" if closes else fence
            lines.append("")
        elif match:
            fence = match[1]
            lines.append("")
        else:
            lines.append(_SPAN.sub(_blank, line))
    return "\n".join(lines)


def _in_line(place: Place, line: str, *, canonical: bool = False) -> Iterator[Mention]:
    """The mentions in a line of text; in code only those that are spelled as ids are."""
    if not _MAYBE.search(line):
        return
    shown = _SPAN.sub(_blank, _URL.sub(_blank, line))
    found = list(find_id_references(shown))
    ranges = {
        at
        for at in range(1, len(found))
        if found[at].start == found[at - 1].start
        or _RANGE.fullmatch(shown[found[at - 1].end : found[at].start].partition("ADR")[0][:12])
    }
    ranges |= {at - 1 for at in ranges}
    for at, one in enumerate(found):
        # `Rename ADRs (#123)` is about a pull request.
        if "(#" in shown[one.start : one.end]:
            continue
        if canonical and not _CANONICAL.fullmatch(shown[one.start : one.end]):
            continue
        name = _NAMED.match(shown, one.end) if one.id.kind == "SPEC" else None
        requirement = " ".join((name[1] or name[2]).split()) if name else ""
        foreign = bool(_OTHERS.search(shown[max(0, one.start - 40) : one.start]))
        yield Mention(place, one.id, "", 0, line, requirement, at not in ranges, foreign)


def _said(change: Change) -> Iterator[Mention]:
    texts: list[tuple[Place, str]] = [("title", change.title), ("body", change.body)]
    texts += [("message", message) for message in change.messages]
    seen: set[tuple[ArtifactId, str]] = set()
    for place, text in texts:
        # A merge is named after branches, which have names of their own.
        if text.startswith("Merge "):
            continue
        for line in mask_non_prose(text[:LONGEST]).split("\n"):
            for mention in _in_line(place, line):
                key = (mention.id, mention.requirement)
                if key not in seen:
                    seen.add(key)
                    yield mention._replace(text=line.strip())


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
