"""The decision records of a tree: their sections as word counts, and the names they contain.

The content of a record is cached by the id of its blob.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import (
    MAX_IDS_TEXT,
    NO_ORIGINS,
    ArtifactId,
    Origins,
    find_ids,
    named_id,
    parse_id,
)
from sdd_hooks.changes.tree import Tree
from sdd_hooks.external.records import ExternalRecords
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.cache import load_cached, store_cached
from sdd_hooks.review.references.words.splitting import find_dotted_names, split_words
from sdd_hooks.text.documents import as_markdown
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section

MIN_SECTION_WORDS = 5
"""Words of a section that is compared. A shorter one is a heading without text."""

_CACHE = "records"
_EXTERNAL_CACHE = "external"
_QUOTED = lazy_regex(r"`([^`\n]{2,80})`")
_JOINED = lazy_regex(r"\b[A-Za-z]+[a-z][A-Z]\w+|\b\w+_\w+\b")
# The lookbehind makes the search linear: a match cannot begin within a run of such characters.
_PATH = lazy_regex(r"(?<![\w.@*-])(?:[\w.@*-]+/)+[\w.@*-]*")
MIN_OVERLAP = 0.9
"""The share of the words of two records, each as often as it is there, that a copy has in common
with its original: a website adds a header or changes links."""
MAX_ORIGINALS = 8
"""Records of one id and name with which another one is compared."""


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

    @property
    def title_words(self) -> Collection[str]:
        """The words of the title."""
        return {*split_words(self.artifact.title)}

    @cached_property
    def text_lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()


def read_records(
    repository: Repository,
    tree: Tree,
    artifacts: Iterable[Artifact],
    pathspecs: Sequence[str],
    origins: Origins = NO_ORIGINS,
) -> list[DecisionRecord]:
    """Read the records that `artifacts` are from `tree`, ordered by path.

    `pathspecs` select their folders, so that git lists only a part of a large tree. `origins` are
    as in `identifiers.find_id_references`.
    """
    by_path = {artifact.path: artifact for artifact in artifacts}
    cache = _ContentCache(repository, _CACHE, origins)
    records = list(_read(tree, by_path, pathspecs, cache))
    cache.store()
    return records


def read_external(repository: Repository, external: ExternalRecords) -> list[DecisionRecord]:
    """Read the records of other repositories, ordered by repository and path.

    The ids that they contain are those of their repository.
    """
    cache = _ContentCache(repository, _EXTERNAL_CACHE, NO_ORIGINS)
    records: list[DecisionRecord] = []
    for one in external.sources:
        if one.tree is not None:
            by_path = {one.tree_path(artifact.path): artifact for artifact in one.artifacts}
            records += [
                replace(record, content=with_origin(record.content, one.source.name))
                for record in _read(one.tree, by_path, (), cache)
            ]
    cache.store()
    return records


class _ContentCache:
    """The contents of records by the id of their blob: those of the last review, and of this.

    The ids in a content depend on the names of other repositories.
    """

    def __init__(self, repository: Repository, name: str, origins: Origins) -> None:
        self._repository, self._name, self._origins = repository, name, origins
        self._names = sorted(map(list, origins.items()))
        data = load_cached(repository, name)
        rows = data.get("blobs")
        is_valid = isinstance(rows, dict) and data.get("origins", []) == self._names
        self._cached = rows if isinstance(rows, dict) and is_valid else {}
        self._stored: dict[str, Any] = {}

    def content(self, id: str, artifact: Artifact, text: str) -> RecordContent:
        """The content of a record, which is read if it is not cached."""
        content = _from_row(self._cached.get(id), artifact, self._origins)
        content = content or read_content(artifact, text, self._origins)
        self._stored[id] = _to_row(content)
        return content

    def store(self) -> None:
        """Store the contents of this review, if one of them is new."""
        if self._stored.keys() - self._cached.keys():
            data = {"blobs": self._stored, **({"origins": self._names} if self._names else {})}
            store_cached(self._repository, self._name, data)


def _read(
    tree: Tree, by_path: Mapping[str, Artifact], pathspecs: Sequence[str], cache: _ContentCache
) -> Iterator[DecisionRecord]:
    """The records by their path in `tree`, ordered by it."""
    blobs = {blob.path: blob for blob in tree.blobs(pathspecs) if blob.path in by_path}
    for path, text in sorted(tree.texts(blobs.values()).items()):
        artifact, content = by_path[path], as_markdown(path, text)
        yield DecisionRecord(artifact, content, cache.content(blobs[path].id, artifact, content))


def with_origin(content: RecordContent, origin: str) -> RecordContent:
    """The content with its ids as those of another repository."""
    return content._replace(ids=frozenset(id._replace(origin=origin) for id in content.ids))


def read_content(artifact: Artifact, text: str, origins: Origins = NO_ORIGINS) -> RecordContent:
    """Read the content of a record. `origins` are as in `identifiers.find_id_references`."""
    sections = [text[section.start : section.end] for section in artifact.sections]
    return RecordContent(
        tuple(Counter(split_words(section)) for section in sections),
        frozenset(_identifiers(text)),
        frozenset(_paths(text)),
        frozenset(id for part in _parts(sections) for id in find_ids(part, "ADR", "", origins)),
    )


def _parts(sections: Iterable[str]) -> Iterator[str]:
    """The sections in parts of whole lines, which `find_ids` reads up to their end."""
    for section in sections:
        start = 0
        while start < len(section):
            end = section.rfind("\n", start, start + MAX_IDS_TEXT) + 1
            end = end if end > start else start + MAX_IDS_TEXT
            yield section[start:end]
            start = end


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


def _from_row(row: Any, artifact: Artifact, origins: Origins) -> RecordContent | None:
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
    ids = [
        parse_id(name, origins=origins) or named_id("ADR", name)
        for name in names
        if isinstance(name, str)
    ]
    if not _have_type(int, numbers) or not _have_type(str, texts):
        return None
    return RecordContent(tuple(counts), frozenset(identifiers), frozenset(paths), frozenset(ids))


def _have_type(kind: type, values: Iterable[object]) -> bool:
    return set(map(type, values)) <= {kind}


def without_copies(records: Iterable[DecisionRecord]) -> list[DecisionRecord]:
    """The records without copies of others, in order.

    A copy has the file name of its original in any case, its id, and at least MIN_OVERLAP of its
    words. The original is the one with the fewest directories, then the shortest path.
    """
    records = list(records)
    namesakes: dict[tuple[object, str], list[DecisionRecord]] = defaultdict(list)
    for record in records:
        name = PurePosixPath(record.artifact.path).name.lower()
        namesakes[record.artifact.id, name].append(record)
    copies = {
        copy.artifact.path
        for group in namesakes.values()
        if len(group) > 1
        for copy in _find_copies(group)
    }
    return [record for record in records if record.artifact.path not in copies]


def _find_copies(namesakes: Iterable[DecisionRecord]) -> Iterable[DecisionRecord]:
    originals: list[Counter[str]] = []
    for record in sorted(namesakes, key=_depth):
        words = Counter[str]()
        for counts in record.content.counts:
            words.update(counts)
        if any(_overlap(words, known) >= MIN_OVERLAP for known in originals):
            yield record
        elif len(originals) < MAX_ORIGINALS:
            originals.append(words)


def _depth(record: DecisionRecord) -> tuple[int, int, str]:
    path = record.artifact.path
    return path.count("/"), len(path), path


def _overlap(one: Counter[str], other: Counter[str]) -> float:
    """The words in common as a part of those of both, from 0 to 1 (Jaccard, of multisets)."""
    either = (one | other).total()
    return (one & other).total() / either if either else 0.0
