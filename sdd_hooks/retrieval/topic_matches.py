"""The artifacts that match a topic: found by a search, and only those read in full."""

# Governing: SPEC-0016 REQ "A topic", ADR-0001 (two engines)

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from pathlib import PurePosixPath

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, find_replacements, load_corpus
from sdd_hooks.artifacts.document import title_from_name
from sdd_hooks.artifacts.identifiers import (
    ArtifactId,
    ArtifactKind,
    id_from_name,
    named_id,
    split_heading,
)
from sdd_hooks.artifacts.spec import SPEC_FILES, spec_paths
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, read_paths
from sdd_hooks.engines.protocol import Engine, Hit, KnowsTitles
from sdd_hooks.engines.ranking.hits import query_words
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.project.record_names import record_stem
from sdd_hooks.retrieval.excerpts import answered
from sdd_hooks.retrieval.search import HitLimits, search
from sdd_hooks.text.answers import read_question
from sdd_hooks.text.documents import document_text
from sdd_hooks.text.query_match import find_words

MAX_MATCHES = 8
"""Artifacts that are read in full, as many as the hits of a search."""

_HITS = 2 * MAX_MATCHES
"""Files of hits: a spec has several, and a page of the directory may be no artifact."""

NO_WORD = "found by the search, without a word in common"

_PAGES = frozenset({"readme", "index", "template", "adr-template", "adr_template"})


class TopicMatch(NamedTuple):
    """An artifact that matches, its text, its best hit, and which words of the topic it has."""

    artifact: Artifact
    text: str
    hit: Hit
    matched: str


class IndexedArtifact(NamedTuple):
    """An artifact as the index knows it, without reading its files."""

    kind: ArtifactKind
    id: ArtifactId
    title: str
    path: str
    module: str

    def as_artifact(self) -> Artifact:
        """The artifact with what is known: no status, no edge, no requirement."""
        return Artifact(self.kind, self.id, self.path, self.title, self.module)


class TopicMatches(NamedTuple):
    """The artifacts that match, the best first, and the others. `notes` name what is left out."""

    found: tuple[TopicMatch, ...]
    others: tuple[IndexedArtifact, ...]
    notes: tuple[str, ...]


def find_topic_matches(
    project: Project, engine: Engine, topic: str, collections: Sequence[Collection]
) -> TopicMatches:
    """Find at most MAX_MATCHES artifacts of `collections` by words and by meaning.

    Reads the files of these, and no other.

    Raises:
        NotIndexed: no collection is indexed.
    """
    by_name = {one.name: one for one in collections if one.kind in ARTIFACT_KINDS}
    result = search(
        project, engine, topic, tuple(by_name.values()), HitLimits(_HITS, snippets=False)
    )
    notes = list(result.notes)
    question = read_question(topic, query_words(topic))
    read: dict[_Key, TopicMatch | None] = {}
    found: list[TopicMatch] = []
    for hit in result.hits:
        collection = by_name[hit.collection]
        key = _key(collection, hit.path)
        if key in read or len(found) == MAX_MATCHES:
            continue
        artifact = read_artifact(project, collection, hit.path, notes)
        read[key] = None
        if artifact:
            own = dict(artifact.files).get(hit.path, "")
            shown, _ = answered(hit, artifact.artifact, own, question)
            matched = matched_words(sorted(query_words(topic)), artifact) or NO_WORD
            read[key] = match = TopicMatch(artifact.artifact, artifact.text, shown, matched)
            found.append(match)
    indexed = engine.bookmarks()
    listed = (by_name[name] for name in by_name if name in indexed)
    others = [one for collection in listed for one in _others(engine, collection, read)]
    return TopicMatches(_order(found), tuple(others), tuple(notes))


def list_titles(engine: Engine, collection: str) -> Sequence[tuple[str, str]]:
    """Return the path and title of every document of a collection, as the index knows them."""
    if isinstance(engine, KnowsTitles):
        return engine.titles(collection)
    return [(document.path, document.title) for document in engine.documents(collection)]


def _order(found: Sequence[TopicMatch]) -> tuple[TopicMatch, ...]:
    """The matches in their order, but each after those that replaced it."""
    corpus = Corpus(tuple(match.artifact for match in found))
    replacements = find_replacements(corpus)
    rank = {match.artifact.path: place for place, match in enumerate(found)}

    def place(match: TopicMatch) -> tuple[int, bool]:
        own = rank[match.artifact.path]
        if match.artifact.status.authoritative:
            return own, False
        ids = replacements.get(match.artifact.path, ())
        successors = [rank[one.path] for other in ids for one in corpus.resolve(other)]
        last = max(successors, default=own)
        return max(own, last), last > own

    return tuple(sorted(found, key=place))


class _Key(NamedTuple):
    """An artifact: its collection, and the file of an ADR or the folder of a spec."""

    collection: str
    path: str


def _key(collection: Collection, path: str) -> _Key:
    folder = collection.kind == "specs"
    return _Key(collection.name, path.rpartition("/")[0] if folder else path)


class ReadArtifact(NamedTuple):
    """An artifact that was read, and the path and the text of each of its files."""

    artifact: Artifact
    files: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The text of its files in order."""
        return "\n".join(text for _, text in self.files)


def matched_words(words: Sequence[str], read: ReadArtifact) -> str:
    """Say which words an artifact has, and where: `token in the title; login in the text`."""
    names = " ".join(one.name for one in read.artifact.requirements)
    said: list[str] = []
    places = {"title": read.artifact.title, "requirements": names, "text": read.text}
    for place, text in places.items():
        found = find_words(text, frozenset(words))
        if here := [word for word in words if word in found]:
            said.append(f"{', '.join(here[:4])} in the {place}")
        words = [word for word in words if word not in found]
    return "; ".join(said)


def read_artifact(
    project: Project, collection: Collection, path: str, notes: list[str]
) -> ReadArtifact | None:
    """Read the artifact of a file, of a spec both files; None for a file that is none.

    Adds a note about each file that is left out.
    """
    paths = [path]
    if collection.kind == "specs":
        paths = [*spec_paths(path)]
    files, left_out = read_paths(project.repository.root, collection, paths)
    notes += left_out
    artifacts = load_corpus(files).artifacts
    if not artifacts:
        return None
    return ReadArtifact(artifacts[0], tuple((one.path, document_text(*one[:2])) for one in files))


def _others(
    engine: Engine, collection: Collection, read: Container[_Key]
) -> Iterator[IndexedArtifact]:
    """Yield the artifacts of a collection that were not read, without pages of the directory."""
    for path, title in list_titles(engine, collection.name):
        if _key(collection, path) not in read and (one := name_artifact(collection, path, title)):
            yield one


def name_artifact(collection: Collection, path: str, title: str) -> IndexedArtifact | None:
    """Return the artifact of a file, as its path and its title tell; None for no artifact.

    A page of the directory is none, nor is a file of a spec other than spec.md.
    """
    kind = ARTIFACT_KINDS[collection.kind]
    file = PurePosixPath(path)
    if kind == "SPEC" and file.name not in SPEC_FILES[:2]:
        return None
    name = file.parent.name if kind == "SPEC" else record_stem(path) or file.stem
    in_heading, rest = split_heading(title, kind, collection.module)
    in_name = id_from_name(name, kind, collection.module)
    identifier = (in_heading or in_name) if kind == "SPEC" else (in_name or in_heading)
    if kind == "ADR" and not identifier and name.lower() in _PAGES:
        return None
    shown = rest or title_from_name(name) or name
    identifier = identifier or named_id(kind, name, collection.module)
    return IndexedArtifact(kind, identifier, shown, path, collection.module)
