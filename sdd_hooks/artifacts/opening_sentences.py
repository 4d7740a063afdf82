"""Summarize an artifact by the first sentences of its decision or its overview."""

# Governing: SPEC-0016 REQ "Summaries"

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.fields import normalize_field_name, read_header_fields
from sdd_hooks.text.markdown import Section, mask_non_prose, unify_line_endings
from sdd_hooks.text.sentences import Sentence, split_sentences

MAX_SENTENCES = 3

MIN_LENGTH = 20
"""Characters of a sentence that stands by itself."""

MAX_LENGTH = 500
"""Characters of a summary. A first sentence that is longer is cut after a word."""

_OVERVIEWS = frozenset({"overview", "summary", "purpose", "introduction", "abstract", "goal"})
_NOT_SUMMARIZED = frozenset({"status", "metadata", "table-of-contents", "contents"})


def opening_sentences(artifact: Artifact, text: str) -> tuple[str, ...]:
    """Return the first sentences of an artifact, whose file contains `text`; () without prose.

    They come from the decision of an ADR and from the overview of a spec, otherwise from the first
    section with prose. Their Markdown is kept. Never raises.
    """
    text = unify_line_endings(text)
    for section in _places(artifact, text):
        if sentences := _sentences(artifact, text, section):
            return _shorten(sentences)
    return ()


def _places(artifact: Artifact, text: str) -> Iterator[Section]:
    """Yield the sections to summarize, the best first."""
    sections = artifact.sections
    if artifact.decision:
        first, last = artifact.decision
        inside = [one for one in sections if first <= one.first_line and one.last_line <= last]
        yield from inside or [_section_of_lines(text, first, last)]
    names = [(one, normalize_field_name(one.title)) for one in sections]
    yield from (section for section, name in names if name in _OVERVIEWS)
    yield from (section for section, name in names if name not in _NOT_SUMMARIZED)


def _section_of_lines(text: str, first: int, last: int) -> Section:
    """The lines of a decision without a heading, 1-based and inclusive, as a section."""
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: first - 1])
    end = start + sum(len(line) + 1 for line in lines[first - 1 : last])
    return Section(0, "", first, last, start, end, (), "")


def _sentences(artifact: Artifact, text: str, section: Section) -> list[str]:
    prose = mask_non_prose(text[section.start : section.end])
    fields: set[int] = set()
    if section in artifact.sections[:1]:
        fields = {field.line for field in read_header_fields(prose, artifact.sections[:1])}
    found = (one for one in split_sentences(prose, section.first_line) if one.line not in fields)
    return list(islice(_joined(found), MAX_SENTENCES))


def _joined(sentences: Iterator[Sentence]) -> Iterator[str]:
    """Join a sentence that says little by itself with the next: `Option 4.`, `We decided to:`."""
    for sentence in sentences:
        text = sentence.text
        while len(text) < MIN_LENGTH or text.endswith(":"):
            following = next(sentences, None)
            if following is None:
                break
            text = f"{_ended(text)} {following.text}"
        yield _ended(text)


def _ended(text: str) -> str:
    """The text with a full stop, which an item of a list often lacks."""
    bare = text.rstrip("*_`\"')”’")
    return text if bare.endswith((".", "!", "?", "…", "。", ":", ";", ",")) else f"{text}."


def _shorten(sentences: list[str]) -> tuple[str, ...]:
    kept: list[str] = []
    room = MAX_LENGTH
    for sentence in sentences:
        if len(sentence) > room:
            if not kept:
                kept.append(sentence[: room - 1].rpartition(" ")[0] or sentence[: room - 1])
                kept[0] += "…"
            break
        kept.append(sentence)
        room -= len(sentence) + 1
    return tuple(kept)
