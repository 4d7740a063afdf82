"""Summarize an artifact: the first sentences of a decision's outcome, or of a spec's overview."""

# Governing: SPEC-0016 REQ "Summaries", SPEC-0005 REQ "Excerpts"

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.fields import normalize_field_name, read_header_fields
from sdd_hooks.text.markdown import Section, mask_non_prose, unify_line_endings
from sdd_hooks.text.prose import plain_text
from sdd_hooks.text.prose import split_sentences as split_line
from sdd_hooks.text.sentences import (
    Sentence,
    fit_sentences,
    introduces,
    split_sentences,
    without_conjunction,
)

MAX_SENTENCES = 3

MIN_LENGTH = 20
"""Characters of a sentence that stands by itself, without its Markdown."""

MAX_LENGTH = 500
"""Characters of a summary. A first sentence that is longer is cut after a word."""

_OVERVIEWS = (
    *("summary", "overview", "purpose", "introduction", "abstract", "goal", "goals"),
    *("context-and-problem-statement", "context", "problem-statement", "background"),
)
_NOT_SUMMARIZED = frozenset({"status", "metadata", "table-of-contents", "contents"})


def summary_section(artifact: Artifact) -> Section | None:
    """Return the section that says most about an artifact; None if it has no section.

    That is the decision, else the overview, else the first section with a heading below the title.
    """
    if artifact.decision:
        first, last = artifact.decision
        for section in artifact.sections:
            if section.first_line <= first <= section.last_line:
                return section._replace(first_line=first, last_line=last)
    if overviews := _overviews(artifact):
        return overviews[0]
    below = (section for section in artifact.sections if section.level > 1)
    return next(below, artifact.sections[0] if artifact.sections else None)


def summarize(
    artifact: Artifact,
    text: str,
    max_length: int = MAX_LENGTH,
    max_sentences: int | None = MAX_SENTENCES,
    *,
    plain: bool = False,
) -> tuple[str, ...]:
    """Return the first sentences of an artifact, whose file contains `text`; () without prose.

    They come from the decision of an ADR, else from the overview or context, else from the first
    section with prose. Joined by spaces they have at most `max_length` characters; None as
    `max_sentences` is no limit. Their Markdown is kept, unless `plain`. Never raises.
    """
    text = unify_line_endings(text)
    for section in _places(artifact, text):
        found = _joined(_sentences(artifact, text, section))
        shown = (plain_text(one) for one in found) if plain else found
        if fitting := fit_sentences(islice(shown, max_sentences), max_length):
            return fitting
    return ()


def _places(artifact: Artifact, text: str) -> Iterator[Section]:
    """Yield the sections to summarize, the best first."""
    sections = artifact.sections
    if artifact.decision:
        first, last = artifact.decision
        inside = [one for one in sections if first <= one.first_line and one.last_line <= last]
        yield from inside or [_section_of_lines(text, first, last)]
    yield from _overviews(artifact)
    for section in sections:
        if normalize_field_name(section.title) not in _NOT_SUMMARIZED:
            yield section
    before = sections[0].first_line - 1 if sections else text.count("\n") + 1
    yield _section_of_lines(text, 1, before)


def _overviews(artifact: Artifact) -> list[Section]:
    """Return the sections whose names are those of an overview, the best name first."""
    named = [(normalize_field_name(section.title), section) for section in artifact.sections]
    found = [(_OVERVIEWS.index(name), section) for name, section in named if name in _OVERVIEWS]
    return [section for _, section in sorted(found, key=lambda one: one[0])]


def _section_of_lines(text: str, first: int, last: int) -> Section:
    """The lines of a text without a heading, 1-based and inclusive, as a section."""
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: first - 1])
    end = start + sum(len(line) + 1 for line in lines[first - 1 : last])
    return Section(0, "", first, last, start, end, (), "")


def _sentences(artifact: Artifact, text: str, section: Section) -> Iterator[Sentence]:
    """Yield the sentences of a section that have a word, without the fields of a header."""
    prose = mask_non_prose(text[section.start : section.end])
    fields: set[int] = set()
    if section in artifact.sections[:1]:
        fields = {field.line for field in read_header_fields(prose, artifact.sections[:1])}
    for sentence in split_sentences(prose, section.first_line):
        if sentence.line not in fields and re.search(r"\w", plain_text(sentence.text)):
            # Only this split knows capitals of every script and a code span at the beginning.
            yield from (sentence._replace(text=part) for part in split_line(sentence.text))


def _joined(sentences: Iterator[Sentence]) -> Iterator[str]:
    """Join a sentence that says little by itself with the next: `Option 4.`, `We decided to:`.

    One that introduces what is no sentence is left out, unless it is the only one.
    """
    is_first = True
    for sentence in sentences:
        text = sentence.text
        while len(plain_text(text)) < MIN_LENGTH or introduces(text):
            following = next(sentences, None)
            if following is None:
                break
            text = f"{text if introduces(text) else _ended(text)} {following.text}"
        if is_first or not introduces(text):
            yield _ended(without_conjunction(text))
        is_first = False


def _ended(text: str) -> str:
    """The text with a full stop, which an item of a list often lacks."""
    ends = (".", "!", "?", "…", "。", "！", "？", ":", "：", ";", ",")
    return text if text.rstrip("*_`\"')”’").endswith(ends) else f"{text}."
