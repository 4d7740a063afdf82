"""The sentences of a section of a record that can be quoted, with their lines."""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

import re
from collections.abc import Iterator

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.markdown import Section
from sdd_hooks.text.sentences import MAX_LINES, split_sentences

MIN_SENTENCE = 30
"""Characters of a sentence that is quoted. One of a wide script has two thirds of them."""
MIN_CHOICE = 15
"""Characters of a quoted choice whose arguments follow: `Chosen option: queues, because`."""
MAX_SENTENCE = 300
"""Characters of a quoted sentence. A longer one is cut after a word."""
MIN_WORDS = 2
"""Words outside of code of a sentence that is quoted: `keys add --chain <ID>` is an example. A wide
script writes any number of words as one."""
MAX_ENDING = 60
"""Characters at the end of a sentence that may lead to its arguments."""
# Block quotes are amendments, notices of a status, and texts of a template.
_LEFT_OUT = re.compile(
    r"[ \t]*(?:>|:::|!!!"
    r"|(?:[-*+][ \t]+)?[*_]{0,2}(?:status|date|author|deciders?|tags)[*_]{0,2}[ \t]*[:：])",
    re.I,
)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\s]{0,500}\)|<?https?://[^\s<>)]{1,500}>?")
_CODE = re.compile(r"`[^`]*`")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LETTER = re.compile(r"[^\W\d_]")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MARKUP = "*_`\"'“”‘’( "

# What stands at the beginning of an argument for or against an option, of a rejected one, of an
# entry of a list of changes or references, and of a text that a template asks to be replaced.
_ASIDE = re.compile(
    r"(?:good|bad|neutral|pros?|cons?|advantages?|disadvantages?)\b[*_]{0,2}\s*(?:,|:|because|—|-)"
    r"|(?:rejected|not chosen|discarded|deferred|superseded|amended|amendment|updated?"
    r"|revised|added|status|see|see also|refs?|references?|related|supersedes|relates to|note)\b"
    r"[*_]{0,2}\s*(?:[:：,(—-]|by\b|because\b|in favou?r\b|as\b|also\b|the\b|adr\b|spec\b|$)"
    r"|(?:[⚠❌✗👎🚫])|alternatives?\b|considered\b|options? [0-9a-z]\b"
    r"|[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}\b|(?:v?[0-9]+\.[0-9]+(?:\.[0-9]+)?)\s*[:—-]\s"
    r"|(?:requirements?|specs?|specifications?|adrs?|issues?|prs?|epics?)\s*[:：]"
    r"|(?:this section|describe|explain|list|provide|write|fill in|insert|summari[sz]e)\b.{0,40}"
    r"\b(?:here|the (?:decision|change|context|options?|consequences?|section|problem|title))\b"
    r"|this (?:adr|decision|document|record) (?:is|was|has been|does not|supersedes|amends"
    r"|extends)\b"
    r"|this (?:supersedes|amends|extends)\b"
    r"|for (?:(?:more|further|full|additional) )?(?:details?|information)\b[^.]{0,40}"
    r"\b(?:refer to|see|consult|check|read|visit)\b"
    r"|(?:please )?refer to\b|(?:please )?see\s|please (?:consult|check|read|visit)\b"
    r"|(?:the|these|this) (?:\w+ ){0,2}(?:rows?|tables?|lists?|sections?|diagrams?|figures?"
    r"|examples?|snippets?|listings?|bullets?|items?|entries|steps?)"
    r" (?:below|above|that follows?)\b"
    r"|what (?:is|are|becomes) |the (?:issue|change) (?:that )?(?:is )?motivating",
    re.I,
)
# The end of a sentence whose arguments are the list that follows.
_BEFORE_ARGUMENTS = re.compile(
    r"\s*[,;(—–-]?\s*\b(?:because|since)(?: of)?(?: the following(?: reasons)?)?\s*[:：…]?\s*$",
    re.I,
)
_PLACEHOLDER = re.compile(
    r"\{[^{}`]{3,}\}|(?<!\w)\[[a-z][^\[\]`]{8,}\](?![(\[])|<[a-z][^<>`]{6,} [^<>`]+>"
)


class QuotableSentence(NamedTuple):
    """A sentence with single spaces, and the line of the file on which it begins.

    `cut` is whether it is only the beginning of a longer one.
    """

    text: str
    line: int
    cut: bool = False


def find_quotable(text: str, section: Section) -> Iterator[QuotableSentence]:
    """Find the sentences of a section of `text` that a report can quote, in order.

    Headings, tables, code, HTML, block quotes, questions, lead-ins that end in a colon, links
    without a sentence, pointers to other texts, arguments about options, and placeholders of
    templates are none. Of `Chosen option: queues, because` before a list, the choice is quoted.
    """
    prose = _read_prose(text[section.start : section.end])
    for sentence in split_sentences(prose, section.first_line):
        whole = _without_arguments(sentence.text)
        if _is_quotable(whole, MIN_SENTENCE if whole == sentence.text else MIN_CHOICE):
            shortened = _shorten(whole)
            yield QuotableSentence(shortened, sentence.line, shortened != whole)


def _without_arguments(sentence: str) -> str:
    """The sentence without an open `because` at its end."""
    # Only the end is searched, which keeps this linear.
    end = sentence[-MAX_ENDING:]
    found = _BEFORE_ARGUMENTS.search(end)
    return sentence[: len(sentence) - len(end) + found.start()] if found else sentence


def _is_quotable(sentence: str, shortest: int) -> bool:
    bare = _LINK.sub(lambda match: (match[1] or "").strip(), sentence)
    unlinked = _LINK.sub("", sentence)
    opening = bare.lstrip(_MARKUP)
    wide = len(_WIDE.findall(bare)) * 4 > len(bare)
    told = _CODE.sub("", bare)
    return (
        len(bare) >= (shortest * 2 // 3 if wide else shortest)
        and len(_LETTER.findall(unlinked)) * 3 > len(_LETTER.findall(bare))
        and not sentence.rstrip(_MARKUP + ")").endswith(
            (":", "：", "?", "？", "…", "...", ",", "—")
        )
        and not unlinked.rstrip(_MARKUP + ").").endswith(":")
        and "~~" not in sentence
        and not _ASIDE.match(opening)
        and (len(_WORD.findall(told)) >= MIN_WORDS or _WIDE.search(told) is not None)
        and not _PLACEHOLDER.search(_CODE.sub("", sentence))
    )


def _read_prose(text: str) -> str:
    """A part of a document with empty lines for block quotes, comments, and fields of a header."""
    kept = []
    commented = False
    for line in text.split("\n", MAX_LINES)[:MAX_LINES]:
        opened = commented or "<!--" in line
        commented = opened and line.rfind("-->") < max(line.rfind("<!--"), 0)
        kept.append("" if opened or _LEFT_OUT.match(line) else line)
    return "\n".join(kept)


def _shorten(sentence: str) -> str:
    if len(sentence) <= MAX_SENTENCE:
        return sentence
    return sentence[:MAX_SENTENCE].rpartition(" ")[0] or sentence[:MAX_SENTENCE]
