"""Decision records as they are compared with a change: sections as words, and what they name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import ArtifactId, mentioned_ids
from sdd_hooks.artifacts.markdown import Section
from sdd_hooks.review.references.words import words

SHORTEST = 5
"""Words that a section has at least: a heading alone says nothing."""

_QUOTED = re.compile(r"`([^`\n]{2,80})`")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:[./:-]\w+)*")
_JOINED = re.compile(r"\b[A-Za-z]+[a-z][A-Z]\w+|\b\w+_\w+\b")
# It begins where a run of such characters does, so that a long one is read once.
_PATH = re.compile(r"(?<![\w.@*-])(?:[\w.@*-]+/)+[\w.@*-]*")


@dataclass(frozen=True)
class Record:
    """A record, its text, its sections that say something with how often each word is in them, the
    identifiers (in lower case), the paths and the other records that it names."""

    artifact: Artifact
    text: str
    sections: tuple[tuple[Section, Mapping[str, int]], ...]
    identifiers: frozenset[str]
    paths: frozenset[str]
    names: frozenset[ArtifactId]


def read_record(artifact: Artifact, text: str) -> Record:
    """The record that `artifact` is, of which `text` is the whole file."""
    counted = (
        (section, Counter(words(text[section.start : section.end])))
        for section in artifact.sections
    )
    return Record(
        artifact,
        text,
        tuple((section, often) for section, often in counted if often.total() >= SHORTEST),
        frozenset(_identifiers(text)),
        frozenset(_paths(text)),
        frozenset(_names(artifact, text)),
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


def _names(artifact: Artifact, text: str) -> Iterable[ArtifactId]:
    for section in artifact.sections:
        yield from mentioned_ids(text[section.start : section.end], "ADR", artifact.module)
