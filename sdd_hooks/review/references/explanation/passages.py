"""The passage of a record that a report quotes: the sentence that decides what the change is about.

A sentence is chosen by what it shares with the change, among those of the decision. Text that only
leads to the decision is quoted when a record has nothing else.
"""

# Governing: SPEC-0010 REQ "Suggestions"

from __future__ import annotations

from collections.abc import Callable, Mapping

from sdd_hooks.artifacts.section_roles import SectionRole, find_role
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.evidence.records import DecisionRecord
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.text.answers import AnswerPart
from sdd_hooks.text.markdown import Section
from sdd_hooks.text.quotes import QuotableSentence, best_quote, make_quote, ruling_quote

_FACTORS = {SectionRole.DECISION: 1.0, SectionRole.DETAIL: 0.7}
_LATER = {SectionRole.CONSEQUENCE: 1.0, SectionRole.CONTEXT: 0.8}


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
    sections = record.artifact.sections
    roles = {section: find_role(section, record.artifact) for section in sections}
    words = {word for counts in record.content.counts for word in counts.keys() & weights}
    worth = {word: rarity(word) for word in words}

    def parts(factors: Mapping[SectionRole, float]) -> list[AnswerPart]:
        return [
            AnswerPart(record.text[one.start : one.end], one.first_line, factors[role])
            for one, role in roles.items()
            if role in factors
        ]

    found = (
        best_quote(parts(_FACTORS), worth, split_words)
        or ruling_quote(parts({SectionRole.DECISION: 1.0}))
        or best_quote(parts(_LATER), worth, split_words)
    )
    if found:
        part, quote = found
        section = next(one for one in sections if one.first_line == part.first_line)
        return RecordPassage(section, quote)
    return RecordPassage(max(roles, key=lambda one: roles[one]), None) if roles else None


def find_passage_at(record: DecisionRecord, sentence: str, line: int) -> RecordPassage | None:
    """The passage of a record with a sentence that begins at `line`. None: no section has it."""
    holding = (one for one in record.artifact.sections if one.first_line <= line <= one.last_line)
    return next((RecordPassage(section, make_quote(sentence, line)) for section in holding), None)
