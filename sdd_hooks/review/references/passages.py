"""The passage of a record that a report quotes: the sentence that decides what the change is about.

A sentence is chosen by what it shares with the change, among those of the decision. Text that only
leads to the decision is quoted when a record has nothing else.
"""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.records import DecisionRecord
from sdd_hooks.review.references.section_roles import SectionRole, find_role
from sdd_hooks.review.references.sentences import QuotableSentence, find_quotable
from sdd_hooks.review.references.words import split_words
from sdd_hooks.text.markdown import Section

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
