"""Read the prose of Markdown: its paragraphs and list items as plain text, and their sentences."""

# Governing: SPEC-0005 REQ "Excerpts", ADR-0012 (untrusted input)

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Literal

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import mask_non_prose

BlockKind = Literal["paragraph", "item"]

MAX_TEXT = 8_000
"""Characters of a text that are read: more than a chunk has."""

_ITEM = lazy_regex(r"\s*(?:[-*+]|(?:[0-9]{1,9}|[a-z])[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HEADING = lazy_regex(r" {0,3}#{1,6}(?:[ \t]|$)")
# A table, a rule, an underline of a heading, the definition of a link, an HTML tag by itself.
_NO_PROSE = lazy_regex(r"\s*(?:\||(?:[-=*_][ \t]*){3,}$|\[[^\[\]]+\]:[ \t]|</?[A-Za-z][^<>]*>\s*$)")
_QUOTE = lazy_regex(r"\s*(?:>[ \t]?)+")
_IMAGE = lazy_regex(r"!\[[^\[\]]{0,300}\](?:\([^()]{0,1000}\)|\[[^\[\]]{0,300}\])?")
_LINK = lazy_regex(r"\[([^\[\]]{1,300})\](?:\([^()]{0,1000}\)|\[[^\[\]]{0,300}\])")
_TAG = lazy_regex(r"</?[A-Za-z][^<>]{0,200}>")
_MARK = lazy_regex(r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)")
_SPAN = lazy_regex(r"(`{1,3})(?!`)(.{1,500}?)(?<!`)\1(?!`)")
CODE = lazy_regex(r"`[^`]*`")
_LETTER = lazy_regex(r"[^\W\d_]")
_END = lazy_regex(
    r"""(?P<mark>[.!?…]+)["'”’)\]`]{0,3}[ ]+(?=`|["'“‘(\[]{0,3}[^\W_a-z]) | [。！？]""", re.VERBOSE
)
_ABBREVIATION = lazy_regex(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|no|fig|sec|dr|mr|ms|mrs|st|[A-Za-z])$",
    re.IGNORECASE,
)


class ProseBlock(NamedTuple):
    """A paragraph or a list item as plain text on one line, without Markdown's marks.

    `line` is its first one, from 0, and `lines` are those of the Markdown. `is_link` is whether it
    only leads to another page.
    """

    kind: BlockKind
    text: str
    line: int = 0
    lines: tuple[str, ...] = ()
    is_link: bool = False

    def sentences(self) -> Iterator[tuple[str, int]]:
        """Yield the sentences, each with the line on which it begins."""
        found = split_sentences(self.text)
        if not found[1:] or not self.lines[1:]:
            yield from ((sentence, self.line) for sentence in found)
            return
        ends = [*accumulate(len(plain_text(line)) + 1 for line in self.lines)]
        at = 0
        for sentence in found:
            at = self.text.index(sentence, at)
            yield sentence, self.line + sum(end <= at for end in ends)


def read_prose(text: str) -> Iterator[ProseBlock]:
    """Yield the paragraphs and list items of a Markdown text. Never raises.

    Headings, frontmatter, code, comments, tables, images and rules are no prose. At most MAX_TEXT
    characters are read.
    """
    kind: BlockKind = "paragraph"
    lines: list[str] = []
    was_quoted = False
    begin = 0
    for number, raw in enumerate([*mask_non_prose(text[:MAX_TEXT]).split("\n"), ""]):
        line = raw
        quote = _QUOTE.match(line)
        if quote:
            line = line[quote.end() :]
        item = _ITEM.match(line)
        skipped = not line.strip() or _HEADING.match(line) or _NO_PROSE.match(line)
        if skipped or item or bool(quote) != was_quoted:
            if block := _block(kind, lines, begin):
                yield block
            kind, lines = "paragraph", []
        was_quoted = bool(quote)
        if skipped:
            continue
        if item:
            kind, line = "item", line[item.end() :]
        begin = begin if lines else number
        lines.append(line)


def _block(kind: BlockKind, lines: list[str], begin: int) -> ProseBlock | None:
    raw = " ".join(lines)
    text = plain_text(raw)
    if not re.search(r"\w", text):
        return None
    is_link = False
    if "](" in raw or "][" in raw:
        rest = plain_text(_LINK.sub("", raw)).rstrip(" .")
        is_link = rest.endswith(":") or len(_LETTER.findall(rest)) * 3 <= len(_LETTER.findall(text))
    return ProseBlock(kind, text, begin, tuple(lines), is_link)


def plain_text(markdown: str) -> str:
    """Return inline Markdown as plain text on one line: links as their text, no marks, no tags.

    Code spans keep their backticks and their content.
    """
    pieces = []
    position = 0
    for span in _SPAN.finditer(markdown):
        pieces += [_plain(markdown[position : span.start()]), span[0]]
        position = span.end()
    pieces.append(_plain(markdown[position:]))
    return " ".join("".join(pieces).split())


def _plain(markdown: str) -> str:
    text = _LINK.sub(r"\1", _IMAGE.sub(" ", markdown))
    return _MARK.sub("", _TAG.sub(" ", text))


def split_sentences(text: str) -> list[str]:
    """Split plain text on one line into sentences. The end of an abbreviation ends no sentence."""
    sentences = []
    start = 0
    for end in _END.finditer(text):
        mark = end["mark"]
        if mark == "." and _ABBREVIATION.search(text[max(0, end.start() - 12) : end.start()]):
            continue
        sentences.append(text[start : end.end()].strip())
        start = end.end()
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if sentence]
