"""The records that may govern a target: those that it cites, then those that a search finds.

Only these are read in full. Other records are known by their ids.
"""

# Governing: SPEC-0018 REQ "Candidates", ADR-0001 (two engines)

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.spec import SPEC_FILE
from sdd_hooks.engines.protocol import Engine, SubQuery
from sdd_hooks.project.collections import Collection, CollectionMap
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.search import HitLimits, search_typed
from sdd_hooks.retrieval.topic_matches import IndexedArtifact, read_artifact
from sdd_hooks.text.display import format_count

MAX_CANDIDATES = 8
"""Records that are read in full for one target."""

_HITS = 2 * MAX_CANDIDATES
"""Files of hits: a spec has several, and a page of the directory may be no artifact."""


class CandidateRecord(NamedTuple):
    """A record that was read, with the path and the text of each of its files.

    `score` is that of the search, 0 for none, `cited` whether the target names it.
    """

    artifact: Artifact
    files: tuple[tuple[str, str], ...]
    score: float = 0.0
    cited: bool = False


class Candidates(NamedTuple):
    """The records that were read, those that the target cites first, then the best of the search.

    `notes` are about the search, and about cited records that were not read.
    """

    found: tuple[CandidateRecord, ...] = ()
    notes: tuple[str, ...] = ()


class Sought(NamedTuple):
    """What candidates are sought for: the query, the records that the target cites, the most
    relevant first, and the paths of records that are the target itself."""

    query: str
    cited: Sequence[IndexedArtifact] = ()
    without: frozenset[str] = frozenset()


def find_candidates(
    project: Project,
    engine: Engine,
    collections: Sequence[Collection],
    known: Iterable[IndexedArtifact],
    sought: Sought,
) -> Candidates:
    """Find and read the candidates, MAX_CANDIDATES records at most.

    `known` are the records of `collections`. Where no collection is indexed, only those that the
    target cites are found. Raises what a search raises.
    """
    notes: list[str] = []
    by_path = {one.path: one for one in known if one.path not in sought.without}
    cited = dict.fromkeys(one.path for one in sought.cited if one.path in by_path)
    scores = _search(project, engine, collections, sought.query, notes)
    chosen = list(dict.fromkeys((*cited, *(path for path in scores if path in by_path))))
    if len(cited) > MAX_CANDIDATES:
        missed = format_count(len(cited) - MAX_CANDIDATES, "more record")
        notes.append(f"not read: {missed} that the target names: `sdd audit` looks at all of them")
    of_path = CollectionMap(collections)
    found = []
    for path in chosen[:MAX_CANDIDATES]:
        read = read_artifact(project, of_path.containing(path)[0], path, notes)
        if read:
            found.append(CandidateRecord(*read, scores.get(path, 0.0), path in cited))
    return Candidates(tuple(found), tuple(dict.fromkeys(notes)))


def _search(
    project: Project,
    engine: Engine,
    collections: Sequence[Collection],
    query: str,
    notes: list[str],
) -> Mapping[str, float]:
    """The scores of the records that a search finds, by path, the best first. Reads no file."""
    if not query or not any(one.name in engine.bookmarks() for one in collections):
        return {}
    searches = (SubQuery("lex", query), SubQuery("vec", query))
    result = search_typed(project, engine, searches, collections, HitLimits(_HITS, 0.0))
    notes += result.notes
    specs = {one.name for one in collections if one.kind == "specs"}
    scores: dict[str, float] = {}
    for hit in result.hits:
        # A hit in design.md is one of the specification.
        folder = hit.path.rpartition("/")[0]
        path = f"{folder}/{SPEC_FILE}".lstrip("/") if hit.collection in specs else hit.path
        scores[path] = max(hit.score, scores.get(path, 0.0))
    return scores
