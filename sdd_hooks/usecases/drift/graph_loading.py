"""Load the artifact graph of a work tree, and find the artifact that a user names in it."""

# Governing: SPEC-0021 (artifact-graph), ADR-0043 (read from the work tree)

from __future__ import annotations

import os
from collections.abc import Container, Iterator
from pathlib import Path

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.find_artifact import find_artifact
from sdd_hooks.artifacts.identifiers import Origins
from sdd_hooks.artifacts.named_code import CodePaths, may_name, read_named_code
from sdd_hooks.artifacts.names import NamesOfArtifacts
from sdd_hooks.artifacts.validation import validate_artifacts
from sdd_hooks.artifacts.work_tree import read_artifact_files, read_work_tree
from sdd_hooks.drift.artifact_graph import NAMES, ArtifactGraph, Relation, build_graph
from sdd_hooks.drift.citations import Citation, read_citations
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.external.records import read_external_records
from sdd_hooks.findings import Finding
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import Project
from sdd_hooks.text.display import printable_line
from sdd_hooks.text.documents import document_text
from sdd_hooks.text.globs import is_named

_EDGE_RULES = frozenset(
    {
        *("unknown-id", "unreadable-id", "cycle", "duplicate-id", "ambiguous-id", "edge-kind"),
        *("inverse-edge", "unknown-edge", "edge-not-a-list", "superseded-status", "duplicate-key"),
        "broken-frontmatter",
    }
)


class BadScope(SddError):
    """The scope is no directory or file of the repository."""

    exit_code = EXIT_USAGE
    code = "usage"


class GraphFilter(NamedTuple):
    """A module (None: all), and a path below which files count ("": all); it is relative to
    `directory`."""

    module: str | None
    path: str
    directory: Path


class LoadedGraph(NamedTuple):
    """The artifacts, their graph as far as a filter lets, what is wrong with it, and notes.

    `origins` are as in `identifiers.find_id_references`. `unknown` are the citations of unknown
    artifacts, `scope` is the path of the filter relative to the root.
    """

    corpus: Corpus
    external: Corpus
    origins: Origins
    graph: ArtifactGraph
    unknown: tuple[Citation, ...]
    findings: tuple[Finding, ...]
    scope: str
    notes: tuple[str, ...]


def load_graph(project: Project, scope: GraphFilter) -> LoadedGraph:
    """Load the graph. Raises GitError, UnknownName, BadScope."""
    collections = project.select(RECORD_KINDS)
    if scope.module is not None:
        project.select((), scope.module)
    path = _scope_path(project.repository.root, scope)
    external = read_external_records(project.repository, project.external)
    corpus, left_out = read_work_tree(project.repository.git, collections, external.names)
    citations = read_citations(project, NamesOfArtifacts(corpus.artifacts, external.names))
    graph, unknown = build_graph(corpus, citations, external.corpus)
    kept = [
        key
        for key, node in graph.nodes.items()
        if (scope.module is None or node.module == scope.module)
        and (node.kind != "file" or is_inside(node.path, path))
    ]
    if len(kept) < len(graph.nodes):
        graph = graph.restricted(kept)
    findings = [
        one
        for one in validate_artifacts(corpus, external=external.corpus)
        if one.rule in _EDGE_RULES and is_inside(one.path, path)
    ]
    if scope.module is not None:
        own = {
            path
            for artifact in corpus.artifacts
            if artifact.module == scope.module
            for path in artifact.paths
        }
        findings = [one for one in findings if one.path in own]
        unknown = tuple(one for one in unknown if one.module == scope.module)
    unknown = tuple(one for one in unknown if is_inside(one.path, path))
    notes = tuple(dict.fromkeys((*left_out, *citations.left_out)))
    return LoadedGraph(
        corpus, external.corpus, external.names, graph, unknown, tuple(findings), path, notes
    )


def find_key(loaded: LoadedGraph, module: str | None, name: str) -> str:
    """The key of the artifact that a user names. Raises UnknownArtifact."""
    every = (*loaded.corpus.artifacts, *loaded.external.artifacts)
    shown = Corpus(tuple(one for one in every if one.path in loaded.graph.nodes))
    return find_artifact(shown, name, module, loaded.origins).path


def find_names(
    project: Project, loaded: LoadedGraph, files: CodePaths, shown: Container[str], file: str = ""
) -> Iterator[Relation]:
    """Find what the `shown` artifacts name of `files`, or who names `file`. Raises GitError."""
    collections = project.select(RECORD_KINDS)
    for source in read_artifact_files(project.repository.git, collections)[0]:
        artifact = loaded.corpus.by_path.get(source.path)
        if artifact is None or source.path not in shown:
            continue
        text = document_text(source.path, source.data)
        named = read_named_code(artifact, text, files) if may_name(text, file) else ()
        meant = [
            one
            for one in named
            if one.governs
            and (is_named(file, one.path) if file else is_inside(one.path, loaded.scope))
        ]
        for one in meant[:1] if file else meant:
            ends = (artifact.path, file or one.path, artifact.path)
            yield Relation(NAMES, *ends, one.line, sentence=one.sentence)


def _scope_path(root: Path, scope: GraphFilter) -> str:
    """The scope relative to the root, "" for the root. Raises BadScope."""
    if not scope.path:
        return ""
    shown = printable_line(scope.path)
    given = Path(os.path.realpath(scope.directory / scope.path))
    real = Path(os.path.realpath(root))
    if not given.is_relative_to(real):
        raise BadScope(f"{shown} is outside of the repository: name a directory in {root}")
    # `Path.exists` raises for a name that is too long.
    if not os.path.exists(given):  # noqa: PTH110
        raise BadScope(f"{shown} does not exist: name a directory or a file of the repository")
    relative = given.relative_to(real).as_posix()
    return "" if relative == "." else relative


def is_inside(path: str, scope: str) -> bool:
    """Whether a path is the scope or below it; "" is everything."""
    return not scope or path == scope or path.startswith(f"{scope}/")
