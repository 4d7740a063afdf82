"""The decision records of a tree: their sections as word counts, and the names they contain.

The content of a record is cached by the id of its blob.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import ArtifactId, find_ids, parse_id
from sdd_hooks.changes.tree import Tree
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.cache import load_cached, store_cached
from sdd_hooks.review.references.words import find_dotted_names, split_words
from sdd_hooks.text.markdown import Section

MIN_SECTION_WORDS = 5
"""Words of a section that is compared. A shorter one is a heading without text."""

_CACHE = "records"
_QUOTED = re.compile(r"`([^`\n]{2,80})`")
_JOINED = re.compile(r"\b[A-Za-z]+[a-z][A-Z]\w+|\b\w+_\w+\b")
# The lookbehind makes the search linear: a match cannot begin within a run of such characters.
_PATH = re.compile(r"(?<![\w.@*-])(?:[\w.@*-]+/)+[\w.@*-]*")


class RecordContent(NamedTuple):
    """The content of a record: the word counts of each section, and the identifiers (in lower
    case), the paths and the ids of other records that it contains."""

    counts: tuple[Mapping[str, int], ...]
    identifiers: frozenset[str]
    paths: frozenset[str]
    ids: frozenset[ArtifactId]


@dataclass(frozen=True)
class DecisionRecord:
    """A record with its whole text and its content."""

    artifact: Artifact
    text: str
    content: RecordContent

    @cached_property
    def sections(self) -> Sequence[tuple[Section, Mapping[str, int]]]:
        """The sections of at least MIN_SECTION_WORDS words, with their word counts."""
        pairs = zip(self.artifact.sections, self.content.counts, strict=True)
        return [
            (section, counts)
            for section, counts in pairs
            if sum(counts.values()) >= MIN_SECTION_WORDS
        ]


def read_records(
    repository: Repository, tree: Tree, artifacts: Iterable[Artifact], pathspecs: Sequence[str]
) -> list[DecisionRecord]:
    """Read the records that `artifacts` are from `tree`, ordered by path.

    `pathspecs` select their folders, so that git lists only a part of a large tree.
    """
    by_path = {artifact.path: artifact for artifact in artifacts}
    blobs = {blob.path: blob for blob in tree.blobs(pathspecs) if blob.path in by_path}
    rows = load_cached(repository, _CACHE).get("blobs")
    cached = rows if isinstance(rows, dict) else {}
    records: list[DecisionRecord] = []
    stored: dict[str, Any] = {}
    for path, text in sorted(tree.texts(blobs.values()).items()):
        artifact, id = by_path[path], blobs[path].id
        content = _from_row(cached.get(id), artifact) or _read_content(artifact, text)
        records.append(DecisionRecord(artifact, text, content))
        stored[id] = _to_row(content)
    if stored.keys() - cached.keys():
        store_cached(repository, _CACHE, {"blobs": stored})
    return records


def _read_content(artifact: Artifact, text: str) -> RecordContent:
    sections = [text[section.start : section.end] for section in artifact.sections]
    return RecordContent(
        tuple(Counter(split_words(section)) for section in sections),
        frozenset(_identifiers(text)),
        frozenset(_paths(text)),
        frozenset(id for section in sections for id in find_ids(section, "ADR")),
    )


def _identifiers(text: str) -> Iterable[str]:
    for quoted in _QUOTED.findall(text):
        yield from (name for name in find_dotted_names(quoted) if len(name) > 3)
    yield from (name.lower() for name in _JOINED.findall(text))


def _paths(text: str) -> Iterable[str]:
    for path in _PATH.findall(text):
        bare = path.partition("*")[0].strip("/")
        if len(bare) > 3:
            yield bare


def _to_row(content: RecordContent) -> Sequence[Any]:
    ids = sorted(str(id) for id in content.ids)
    return [content.counts, sorted(content.identifiers), sorted(content.paths), ids]


def _from_row(row: Any, artifact: Artifact) -> RecordContent | None:
    """The cached content of a record, None when it is not in the form that `_to_row` writes."""
    match row:
        case [[*counts], [*identifiers], [*paths], [*names]]:
            pass
        case _:
            return None
    if len(counts) != len(artifact.sections) or not _have_type(dict, counts):
        return None
    numbers = chain.from_iterable(section.values() for section in counts)
    texts = chain(identifiers, paths, names)
    ids = [parse_id(name) for name in names if isinstance(name, str)]
    if None in ids or not _have_type(int, numbers) or not _have_type(str, texts):
        return None
    return RecordContent(
        tuple(counts), frozenset(identifiers), frozenset(paths), frozenset(id for id in ids if id)
    )


def _have_type(kind: type, values: Iterable[object]) -> bool:
    return set(map(type, values)) <= {kind}
