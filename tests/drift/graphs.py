"""Artifact graphs for tests, made from texts."""

from __future__ import annotations

from collections.abc import Mapping

from sdd_hooks.artifacts.corpus import ArtifactFile, Corpus, load_corpus
from sdd_hooks.artifacts.identifiers import parse_id
from sdd_hooks.drift.artifact_graph import ArtifactGraph, build_graph
from sdd_hooks.drift.citations import Citation, Citations

HOSTILE = '"]; click A "javascript:x" \x1b[31m </svg><script> `end` | {#35;} %%{init}%% \\N &amp;'

EDGES = {
    "ADR-0001": "enables: [ADR-0002]\ngoverns: [SPEC-0001]",
    "ADR-0002": "related: [ADR-0001]",
    "ADR-0003": "extends: [ADR-0002]",
    "ADR-0004": "supersedes: [ADR-0003]",
    "SPEC-0001": "implements: [ADR-0001, ADR-0003]",
    "SPEC-0002": "requires: [SPEC-0001]",
}


def adr(number: int, frontmatter: str = "", title: str = "", body: str = "") -> str:
    """An accepted decision."""
    heading = f"# ADR-{number:04d}: {title or f'Title {number}'}"
    return f"---\nstatus: accepted\n{frontmatter}\n---\n{heading}\n\n{body}\n"


def spec(number: int, frontmatter: str = "", title: str = "", body: str = "") -> str:
    """An approved specification."""
    return (
        f"---\nstatus: approved\n{frontmatter}\n---\n# SPEC-{number:04d}:"
        f" {title or f'Capability {number}'}\n\n{body}\n"
    )


def path_of(name: str) -> str:
    """The path of the file of an artifact."""
    kind, number = name.split("-")
    if kind == "ADR":
        return f"docs/adrs/ADR-{number}-x.md"
    return f"docs/openspec/specs/c{number}/spec.md"


def corpus_of(edges: Mapping[str, str], titles: Mapping[str, str] | None = None) -> Corpus:
    """The artifacts with these ids and frontmatter."""
    files = []
    for name, frontmatter in edges.items():
        number, title = int(name.split("-")[1]), (titles or {}).get(name, "")
        if name.startswith("ADR"):
            files.append(
                ArtifactFile(path_of(name), adr(number, frontmatter, title).encode(), "ADR")
            )
        else:
            text = spec(number, frontmatter, title).encode()
            files.append(ArtifactFile(path_of(name), text, "SPEC"))
    return load_corpus(files)


def comment(path: str, name: str, requirement: str = "", line: int = 1) -> Citation:
    """A governing comment."""
    identifier = parse_id(name)
    assert identifier
    return Citation(path, line, identifier, "governing", requirement)


def issue(number: str, name: str, title: str = "Do it", status: str = "open") -> Citation:
    """The reference of an issue."""
    identifier = parse_id(name)
    assert identifier
    return Citation(
        f".sdd/issues/{number}.md",
        20,
        identifier,
        "references",
        reason=title,
        issue=number,
        status=status,
    )


def graph_of(
    edges: Mapping[str, str], *citations: Citation, titles: Mapping[str, str] | None = None
) -> ArtifactGraph:
    """The graph of these artifacts and citations."""
    comments = tuple(one for one in citations if not one.issue)
    issues = tuple(one for one in citations if one.issue)
    return build_graph(corpus_of(edges, titles), Citations(comments, issues))[0]
