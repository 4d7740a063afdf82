"""The decisions and specifications that exist, known by their paths and titles without reading."""

# Governing: SPEC-0018 REQ "Candidates"

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdd_hooks.artifacts.corpus import ArtifactFile, load_corpus
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, list_paths, read_paths
from sdd_hooks.engines.protocol import Engine
from sdd_hooks.project.collections import Collection, select_paths
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.topic_matches import IndexedArtifact, list_titles, name_artifact


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
        if record and not record.id and path not in titles:
            record = _read(project, collection, path)
        if record:
            yield record


def _read(project: Project, collection: Collection, path: str) -> IndexedArtifact | None:
    files: list[ArtifactFile] = read_paths(project.repository.root, collection, [path])[0]
    for one in load_corpus(files).artifacts:
        return IndexedArtifact(one.kind, one.id, one.title, one.path, one.module)
    return None
