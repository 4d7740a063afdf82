"""Decision records as they are compared with a change: sections as words, and what they name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import ArtifactId, find_ids
from sdd_hooks.review.references.words import words
from sdd_hooks.text.markdown import Section

SHORTEST = 5
"""Words that a section has at least: a heading alone says nothing."""

_QUOTED = re.compile(r"`([^`\n]{2,80})`")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:[./:-]\w+)*")
_JOINED = re.compile(r"\b[A-Za-z]+[a-z][A-Z]\w+|\b\w+_\w+\b")
# It begins where a run of such characters does, so that a long one is read once.
_PATH = re.compile(r"(?<![\w.@*-])(?:[\w.@*-]+/)+[\w.@*-]*")


class Content(NamedTuple):
    """What a record says: how often each of its sections has each word, and the identifiers (in
    lower case), the paths and the other records that it names."""

    counts: tuple[Mapping[str, int], ...]
    identifiers: frozenset[str]
    paths: frozenset[str]
    names: frozenset[ArtifactId]


@dataclass(frozen=True)
class Record:
    """A record, its whole text, and what that says."""

    artifact: Artifact
    text: str
    content: Content

    @cached_property
    def sections(self) -> Sequence[tuple[Section, Mapping[str, int]]]:
        """The sections that say something, with how often each word is in them."""
        pairs = zip(self.artifact.sections, self.content.counts, strict=True)
        return [(section, often) for section, often in pairs if sum(often.values()) >= SHORTEST]


def read_content(artifact: Artifact, text: str) -> Content:
    """What the record `artifact` says, of which `text` is the whole file."""
    sections = [text[section.start : section.end] for section in artifact.sections]
    return Content(
        tuple(Counter(words(section)) for section in sections),
        frozenset(_identifiers(text)),
        frozenset(_paths(text)),
        frozenset(id for section in sections for id in find_ids(section, "ADR")),
    )


def _identifiers(text: str) -> Iterable[str]:
    for quoted in _QUOTED.findall(text):
        yield from (name.lower() for name in _DOTTED.findall(quoted) if len(name) > 3)
    yield from (name.lower() for name in _JOINED.findall(text))


def _paths(text: str) -> Iterable[str]:
    for path in _PATH.findall(text):
        bare = path.partition("*")[0].strip("/")
        if len(bare) > 3:
            yield bare
