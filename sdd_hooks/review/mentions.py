"""The artifacts that a change names: in its added lines, its title, its body and its messages."""

# Governing: SPEC-0002 REQ "Identifiers in every spelling", SPEC-0002 REQ "Governing comments",
# SPEC-0010 REQ "Rules"

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.governing import GoverningReference, read_governing
from sdd_hooks.artifacts.identifiers import (
    NO_ORIGINS,
    ArtifactId,
    NamedOrigins,
    Origins,
    find_id_references,
)
from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.code.paths import is_document, is_external, is_markdown, is_sample, is_test
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import join_lines, pick_lines
from sdd_hooks.text.markdown import mask_non_prose
from sdd_hooks.text.stated import may_hide, read_stated, read_stated_message

MentionPlace = Literal["comment", "text", "edge", "title", "body", "message"]
"""Where a mention is: `comment` is a governing comment in source code, `edge` an edge in the
frontmatter of a record, `text` any other text of a file."""

PLACE_NAMES: Mapping[str, str] = {
    "title": "the title",
    "body": "the description",
    "message": "a commit message",
}
"""How a finding calls the places outside the files."""

MAX_TEST_HEADER_LINES = 40
"""Lines at the top of a test in which a governing comment counts. Below, it is test data."""
MAX_MENTIONS = 20_000
"""Mentions of a change, and of a file, that are read."""
MAX_TEXT = 100_000
"""Characters of a body or of a message that are read."""


class Mention(NamedTuple):
    """An artifact that a change names, and the text of the whole line.

    `path` and `line` are "" and 0 in the title, the body and the messages. `requirement` is the
    name of a requirement of a spec, or "". `alone` is False for an id within a range
    (`ADR-0001..0009`). `foreign` is True for an id of another project (`its ADR-0002`).
    """

    place: MentionPlace
    id: ArtifactId
    path: str
    line: int
    text: str
    requirement: str = ""
    alone: bool = True
    foreign: bool = False


_MAYBE = lazy_regex(r"adr|spec", re.IGNORECASE)
_GOVERNING = ("govern", "implements")
# In code, `ADR 5` often means something else.
_CANONICAL = lazy_regex(r"(?:\[[\w.-]+\]/)?(?:ADR|SPEC)-[0-9]{1,5}[a-z]?")
_URL = lazy_regex(r"[a-z][a-z0-9+.-]{1,20}://[^\s<>)\]\"'`]{1,2000}", re.IGNORECASE)
_SPAN = lazy_regex(r"(`{1,8})(?!`)[^`\n]{1,2000}(?<!`)\1(?!`)")
# `its ADR-0002`, `that-tool's ADR-0002`, `OpenTool ADR-0002`: ids of another project.
_OTHER_PROJECT = lazy_regex(
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


def find_mentions(
    change: Change, read: Callable[[str], str], origins: Origins = NO_ORIGINS
) -> Iterator[Mention]:
    """Find every mention of an artifact: in files by path and line, then in the texts of a change.

    `read` returns the text of a file after the change. Vendored and generated files, fixtures and
    templates have no mentions, nor do code blocks, code spans, URLs and the frontmatter of
    Markdown. Title, body and messages mention each artifact once. `origins` are as in
    `identifiers.find_id_references`.
    """
    for file in change.files:
        if file.is_file and not is_external(file.path) and not is_sample(file.path):
            added = lines_that_may_name(file, origins)
            if added:
                yield from find_file_mentions(file.path, read(file.path), added, origins)
    yield from _without_foreign(list(_text_mentions(change, origins)))


def lines_that_may_name(file: ChangedFile, origins: Origins) -> dict[int, str]:
    """Return the added lines that may name an artifact, by their number."""
    # One look at all lines, since few files name an artifact and a change may add a million lines.
    text = join_lines(file.added)
    folded = text.casefold()
    found: set[int] = set()
    at = position = 0
    for one in origins.find_named(text) if isinstance(origins, NamedOrigins) else ():
        at += text.count("\n", position, one.start)
        position = one.start
        found.add(at)
    if "adr" in folded or "spec" in folded:
        lines = enumerate(folded.split("\n"))
        found.update(at for at, low in lines if "adr" in low or "spec" in low)
    return pick_lines(file.added, sorted(found)) if found else {}


def find_file_mentions(
    path: str, text: str, added: Mapping[int, str], origins: Origins = NO_ORIGINS
) -> Iterator[Mention]:
    """Find the mentions on the added lines of a file, governing comments first. Never raises.

    `added` has the text of each added line by its number. `origins` are as in `find_mentions`.
    """
    # A lone carriage return ends no line for git.
    text = text.replace("\r", " ")
    seen: set[tuple[int, ArtifactId]] = set()
    in_test = is_test(path)
    for mention in _comments(path, text, added, origins):
        if not in_test or _in_header(text, mention):
            seen.add((mention.line, mention.id))
            yield mention
    if in_test:
        return
    found: list[Mention] = []
    for number, shown in stated_lines(path, text, added).items():
        for mention in _in_line("text", shown, origins, canonical=not is_document(path)):
            if (number, mention.id) not in seen and len(found) < MAX_MENTIONS:
                found.append(mention._replace(path=path, line=number, text=added[number]))
    yield from _without_foreign(found)


def stated_lines(path: str, text: str, added: Mapping[int, str]) -> Mapping[int, str]:
    """The added lines of a file, those of Markdown with what its author states. Never raises.

    `text` is that of the file; of one that could not be read, "", the lines stay as they are.
    """
    if not is_markdown(path):
        return added
    # Most lines hide nothing, and the parser takes ten times longer.
    read = read_stated if may_hide("\n".join(added.values())) else mask_non_prose
    lines = read(text.replace("\r", " ")).split("\n")
    return {
        number: lines[number - 1][: len(line)] if number <= len(lines) else line
        for number, line in added.items()
    }


def stated_texts(change: Change) -> Iterator[tuple[MentionPlace, str]]:
    """What the author of a change states in its title, its body and its messages."""
    yield "title", read_stated(change.title[:MAX_TEXT])
    read = read_stated if change.is_described else read_stated_message
    yield "body", read(change.body[:MAX_TEXT])
    for message in change.messages:
        yield "message", read_stated_message(message[:MAX_TEXT])


def _in_header(text: str, mention: Mention) -> bool:
    """Whether a mention in a test is a comment in its first lines, outside a multi-line string."""
    if mention.line > MAX_TEST_HEADER_LINES or not _COMMENT.match(mention.text):
        return False
    above = "\n".join(text.split("\n", mention.line - 1)[: mention.line - 1])
    return not any(above.count(quote) % 2 for quote in ('"""', "'''", "`"))


def _without_foreign(mentions: Sequence[Mention]) -> Iterator[Mention]:
    """The mentions of this project. One foreign mention of an id makes all of them foreign."""
    foreign = {mention.id for mention in mentions if mention.foreign}
    return (mention for mention in mentions if mention.id not in foreign)


def _comments(
    path: str, text: str, added: Mapping[int, str], origins: Origins
) -> Iterator[Mention]:
    """The governing comments on added lines."""
    folded = text.lower()
    if not any(word in folded for word in _GOVERNING):
        return
    for entry in read_stated_governing(path, text, origins):
        if entry.line in added:
            # `Governing: ADR-0001` in Markdown can be prose, so it binds no code.
            place: MentionPlace = "text" if is_document(path) else "comment"
            line = added[entry.line]
            yield Mention(place, entry.id, path, entry.line, line, entry.requirement)


def read_stated_governing(
    path: str, text: str, origins: Origins = NO_ORIGINS
) -> Sequence[GoverningReference]:
    """Read the governing comments of a file, in Markdown those outside code. Never raises."""
    entries = read_governing(text, origins)
    if not entries or not is_markdown(path):
        return entries
    return read_governing(_SPAN.sub(_blank, read_stated(text, comments=True)), origins)


def _in_line(
    place: MentionPlace, line: str, origins: Origins, *, canonical: bool = False
) -> Iterator[Mention]:
    """The mentions in a line of text; with `canonical` only ids in the form `ADR-0001`."""
    if not (_MAYBE.search(line) or isinstance(origins, NamedOrigins)):
        return
    shown = _SPAN.sub(_blank, _URL.sub(_blank, line))
    ids = list(find_id_references(shown, origins))
    in_range = {
        index
        for index in range(1, len(ids))
        if ids[index].start == ids[index - 1].start
        or _RANGE.fullmatch(shown[ids[index - 1].end : ids[index].start].partition("ADR")[0][:12])
    }
    in_range |= {index - 1 for index in in_range}
    for index, reference in enumerate(ids):
        written = shown[reference.start : reference.end]
        if reference.id.origin:
            written = written.rpartition("/")[2]
        # In `Rename ADRs (#123)` the number is that of a pull request.
        if "(#" in written or (
            canonical and not (reference.id.name or _CANONICAL.fullmatch(written))
        ):
            continue
        name = _NAMED.match(shown, reference.end) if reference.id.kind == "SPEC" else None
        requirement = " ".join((name[1] or name[2]).split()) if name else ""
        foreign = bool(_OTHER_PROJECT.search(shown[max(0, reference.start - 40) : reference.start]))
        alone = index not in in_range
        yield Mention(place, reference.id, "", 0, line, requirement, alone, foreign)


def _text_mentions(change: Change, origins: Origins) -> Iterator[Mention]:
    """The mentions in title, body and messages: each artifact and requirement once."""
    seen: set[tuple[ArtifactId, str]] = set()
    for place, text in stated_texts(change):
        # The message of a merge names branches, and `adr-12-storage` may be one.
        if text.startswith("Merge "):
            continue
        for line in text.split("\n"):
            for mention in _in_line(place, line, origins):
                key = (mention.id, mention.requirement)
                if key not in seen:
                    seen.add(key)
                    yield mention._replace(text=line.strip())


def resolve_mention(corpus: Corpus, identifier: ArtifactId) -> tuple[Artifact, ...]:
    """Find the artifacts that a mentioned id can mean. An id without a module can be of any."""
    found = corpus.resolve(identifier)
    if not found and identifier.suffix == "s":
        # In `ADR-0001s` the s is a plural.
        identifier = identifier._replace(suffix="")
        found = corpus.resolve(identifier)
    if found or identifier.module:
        return found
    return corpus.by_id_of_any_module.get(identifier, ())


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
