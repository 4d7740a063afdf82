"""The passage of a record that a report quotes: the sentence that decides what the change is about.

A sentence is chosen by what it shares with the change, among those of the decision. Text that only
leads to the decision is quoted when a record has nothing else.
"""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from sdd_hooks.artifacts.section_roles import SectionRole, find_role
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.evidence.records import DecisionRecord
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.text.markdown import Section
from sdd_hooks.text.sentences import MAX_LINES, split_sentences

MAX_SENTENCES = 1_000
"""Sentences of a section that are compared with the change."""

_FACTORS = {SectionRole.DECISION: 1.0, SectionRole.DETAIL: 0.7}
_LATER = {SectionRole.CONSEQUENCE: 1.0, SectionRole.CONTEXT: 0.8}
_NORMATIVE = re.compile(
    r"\b(?:must|shall|should|will|never|always|only|cannot|may not|required?s?|mandatory"
    r"|forbidden|we (?:use|chose|have chosen|decided?|adopt|keep|store|put|do not|don't)"
    r"|chosen|decision|replaces?|instead of|no longer)\b"
    r"|必须|不得|禁止|统一|只能|唯一|应当|决定|采用",
    re.I,
)
_PAST = re.compile(
    r"\b(?:was|were|had|previously|before this|used to|currently|today|today's|existing|at present"
    r"|at the time|so far|until now|originally|could have|would have|might|possibly)\b",
    re.I,
)
_ARGUMENT = re.compile(
    r"\(|[*_]{0,2}(?:without|however|because|since|for example|e\.g\.|i\.e\.|note that"
    r"|one consequence|this (?:also )?(?:means|makes|allows|would)|it (?:would|also|completes)"
    r"|we (?:accept|acknowledge|considered|rejected that)"
    r"|that said|as a result|if it|we['’]ll revisit|supports|enables|provides|allows|integrates"
    r"|keeps|reduces|improves|simplifies|increases|makes|gives|lets)\b",
    re.I,
)
_REFERRING = re.compile(r"[*_]{0,2}(?:it|they|this|that|these|those|both|its|their)\b", re.I)
_CODE = re.compile(r"`[^`]*`")
_END = re.compile(r"[.!?;。！？；][)*_`\"'”’）]*$")
NORMATIVE_FACTOR = 1.4
PAST_FACTOR = 0.7
REFERRING_FACTOR = 0.8
FRAGMENT_FACTOR = 0.8
CUT_FACTOR = 0.6
"""What multiplies the value of a sentence that rules, that describes the past or argues, that
begins with a word for what the one before it says, that is no whole one, and that is cut."""
MEAN_WORDS = 25
"""Words from which a longer sentence is worth less for each word that it shares."""
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


class RecordPassage(NamedTuple):
    """A section of a record, and a sentence of it to quote; None when it has no such sentence."""

    section: Section
    sentence: QuotableSentence | None


def find_passage(
    record: DecisionRecord, weights: Mapping[str, float], rarity: Callable[[str], float]
) -> RecordPassage | None:
    """Find the passage to quote for a change.

    `weights` are the words of the change, `rarity` what a shared word is worth, from 0. Without a
    shared word it is the first sentence of the decision that rules. None: it has no section.
    """
    roles = [find_role(section, record.artifact) for section in record.artifact.sections]
    worth = {
        word: rarity(word) for counts in record.content.counts for word in counts.keys() & weights
    }
    parts = [
        _Part(role, section, sum(worth[word] for word in sorted(counts.keys() & weights)))
        for role, section, counts in zip(
            roles, record.artifact.sections, record.content.counts, strict=True
        )
    ]
    best = _best_of(record.text, parts, _FACTORS, worth)
    ruling = None if best else _first_that_rules(record.text, parts)
    passage = best or ruling or _best_of(record.text, parts, _LATER, worth)
    if passage is None and parts:
        return RecordPassage(max(parts, key=lambda part: part.role).section, None)
    return passage


def find_passage_at(record: DecisionRecord, sentence: str, line: int) -> RecordPassage | None:
    """The passage of a record with a sentence that begins at `line`. None: no section has it."""
    shortened = _shorten(sentence)
    quotable = QuotableSentence(shortened, line, shortened != sentence)
    holding = (one for one in record.artifact.sections if one.first_line <= line <= one.last_line)
    return next((RecordPassage(section, quotable) for section in holding), None)


class _Part(NamedTuple):
    """A section with its role. No sentence of it shares words worth more than `bound`."""

    role: SectionRole
    section: Section
    bound: float


def _best_of(
    text: str,
    parts: Sequence[_Part],
    factors: Mapping[SectionRole, float],
    worth: Mapping[str, float],
) -> RecordPassage | None:
    """The sentence with the highest value among the sections of some roles; None for none above 0.

    `worth` is what each word of the change is worth that the record shares.
    """
    best, highest = None, 0.0
    among = [part for part in parts if part.role in factors and part.bound > 0]
    for part in sorted(among, key=lambda part: -part.bound * factors[part.role]):
        factor = factors[part.role]
        if part.bound * factor * NORMATIVE_FACTOR <= highest:
            break
        for sentence in islice(find_quotable(text, part.section), MAX_SENTENCES):
            value = factor * _value(sentence, worth)
            if value > highest:
                best, highest = RecordPassage(part.section, sentence), value
    return best


def _first_that_rules(text: str, parts: Sequence[_Part]) -> RecordPassage | None:
    """The first sentence of the decision that rules, else its first sentence."""
    first = None
    for part in parts:
        if part.role == SectionRole.DECISION:
            for sentence in islice(find_quotable(text, part.section), MAX_SENTENCES):
                passage = RecordPassage(part.section, sentence)
                if _NORMATIVE.search(sentence.text):
                    return passage
                first = first or passage
    return first


def _value(sentence: QuotableSentence, worth: Mapping[str, float]) -> float:
    words = split_words(sentence.text)
    shared = sum(worth[word] for word in sorted({*words} & worth.keys()))
    if not shared:
        return 0.0
    factor = NORMATIVE_FACTOR if _NORMATIVE.search(sentence.text) else 1.0
    factor *= PAST_FACTOR if _PAST.search(sentence.text) else 1.0
    factor *= PAST_FACTOR if _ARGUMENT.match(sentence.text) else 1.0
    factor *= REFERRING_FACTOR if _REFERRING.match(sentence.text) else 1.0
    if sentence.cut:
        factor *= CUT_FACTOR
    elif not _is_whole(sentence.text):
        factor *= FRAGMENT_FACTOR
    return shared * factor * (1 if len(words) <= MEAN_WORDS else (MEAN_WORDS / len(words)) ** 0.5)


def _is_whole(sentence: str) -> bool:
    """Whether it has an end, and both of each pair of brackets."""
    prose = _CODE.sub("", sentence)
    return bool(_END.search(sentence)) and prose.count("(") == prose.count(")")


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
