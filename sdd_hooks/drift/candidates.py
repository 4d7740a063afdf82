"""The records that may govern a target: those that it cites, then those that a search finds.

Only these are read in full. Other records are known by their ids.
"""

# Governing: SPEC-0018 REQ "Candidates", ADR-0001 (two engines)

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.artifacts.spec import SPEC_FILE
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, list_paths, read_paths
from sdd_hooks.engines.protocol import Engine, SubQuery
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection, CollectionMap, select_paths
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.search import HitLimits, search_typed
from sdd_hooks.retrieval.topic_matches import (
    IndexedArtifact,
    ReadArtifact,
    list_titles,
    matched_words,
    name_artifact,
    read_artifact,
)
from sdd_hooks.review.references.words.splitting import STOP_WORDS
from sdd_hooks.text.display import format_count

MAX_CANDIDATES = 8
"""Records that are read in full for one target."""

_HITS = 2 * MAX_CANDIDATES
"""Files of hits: a spec has several, and a page of the directory may be no artifact."""


class CandidateRecord(NamedTuple):
    """A record that was read, with the path and the text of each of its files.

    `score` is that of the search, or 0, `cited` whether the target names it, `matched` says why.
    """

    artifact: Artifact
    files: tuple[tuple[str, str], ...]
    score: float = 0.0
    cited: bool = False
    matched: str = ""


class Candidates(NamedTuple):
    """The records that were read, those that the target cites first, then the best of the search.

    `search_notes` are about the search, `notes` about records that were not read.
    """

    found: tuple[CandidateRecord, ...] = ()
    search_notes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Sought(NamedTuple):
    """What candidates are sought for.

    `query` is searched in `collections`. `cited` are the records that the target names, the most
    relevant first; with `every_cited`, all of these are read, else as many as there is room for.
    """

    query: str
    collections: Sequence[Collection]
    cited: Sequence[IndexedArtifact] = ()
    every_cited: bool = False


class RecordReader:
    """Reads the records of collections, each once. `known` are those that exist."""

    def __init__(
        self,
        project: Project,
        collections: Sequence[Collection],
        known: Iterable[IndexedArtifact],
    ) -> None:
        self.project = project
        self.known = {one.path: one for one in known}
        self.notes: list[str] = []
        self._of_path = CollectionMap(collections)
        self._read: dict[str, ReadArtifact | None] = {}

    def read(self, path: str) -> ReadArtifact | None:
        """Read the record with this path; None where its file is no record."""
        if path not in self._read:
            collections = self._of_path.containing(path)
            self._read[path] = (
                read_artifact(self.project, collections[0], path, self.notes)
                if collections
                else None
            )
        return self._read[path]


def find_candidates(
    engine: Engine,
    reader: RecordReader,
    sought: Sought,
    *,
    without: Set[str] = frozenset(),
    limit: int = MAX_CANDIDATES,
) -> Candidates:
    """Find and read the candidates, `limit` records at most, without those at certain paths.

    Where no collection is indexed, only those that the target cites are found. Raises what a search
    raises.
    """
    searched: list[str] = []
    possible = reader.known.keys() - without
    cited = [path for path in dict.fromkeys(one.path for one in sought.cited) if path in possible]
    scores = _search(engine, reader.project, sought, searched)
    chosen = list(dict.fromkeys((*cited, *(path for path in scores if path in possible))))
    room = max(limit, len(cited)) if sought.every_cited else limit
    notes = []
    if len(cited) > room:
        missed = format_count(len(cited) - room, "more record")
        notes.append(f"not read: {missed} that the target names: `sdd audit` looks at all of them")
    words = [one for one in sought.query.lower().split() if one.isalpha() and one not in STOP_WORDS]
    found = [
        CandidateRecord(*read, scores.get(path, 0.0), path in cited, matched_words(words, read))
        for path in chosen[:room]
        if (read := reader.read(path))
    ]
    return Candidates(tuple(found), tuple(dict.fromkeys(searched)), tuple(notes))


def _search(
    engine: Engine, project: Project, sought: Sought, notes: list[str]
) -> Mapping[str, float]:
    """The scores of the records that a search finds, by path, the best first. Reads no file."""
    collections = sought.collections
    indexed = engine.bookmarks()
    if not sought.query or not any(one.name in indexed for one in collections):
        return {}
    searches = (SubQuery("lex", sought.query), SubQuery("vec", sought.query))
    limits = HitLimits(_HITS, 0.0, snippets=False)
    result = search_typed(project, engine, searches, collections, limits)
    notes += result.notes
    specs = {one.name for one in collections if one.kind == "specs"}
    scores: dict[str, float] = {}
    for hit in result.hits:
        # A hit in design.md is one of the specification.
        folder = hit.path.rpartition("/")[0]
        path = f"{folder}/{SPEC_FILE}".lstrip("/") if hit.collection in specs else hit.path
        scores[path] = max(hit.score, scores.get(path, 0.0))
    return scores


def list_records(
    project: Project, engine: Engine, collections: Sequence[Collection]
) -> tuple[IndexedArtifact, ...]:
    """Return the artifacts in the collections, as the work tree has them. Raises GitError.

    Titles come from the index. Only a file that the index does not have, and whose name has no id,
    is read.
    """
    return tuple(
        record
        for one in collections
        if one.kind in ARTIFACT_KINDS
        for record in _records(project, engine, one)
    )


def _records(project: Project, engine: Engine, collection: Collection) -> Iterator[IndexedArtifact]:
    git = project.repository.git
    paths = select_paths(collection, sorted(list_paths(git, collection.repository, [collection])))
    titles = dict(list_titles(engine, collection.name))
    for path in paths:
        if not (git.root / path).exists():
            continue
        record = name_artifact(collection, path, titles.get(path, ""))
        if record and record.id.name and path not in titles:
            record = _read(project, collection, path)
        if record:
            yield record


def _read(project: Project, collection: Collection, path: str) -> IndexedArtifact | None:
    files: list[ArtifactFile] = read_paths(project.repository.root, collection, [path])[0]
    for one in load_corpus(files).artifacts:
        return IndexedArtifact(one.kind, one.id, one.title, one.path, one.module)
    return None
