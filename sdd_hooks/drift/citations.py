"""Who cites what in the work tree: governing comments of source files, and references of issues.

    citations = read_citations(project)
    for citation in citations.comments: ...             # by path and line; `.issues` likewise
    resolve_citation(corpus, citation)                  # the artifacts that it means; () for none
    cited_by = citations.by_artifact(corpus)            # path of an artifact -> its citations
    read_comments(path, text)                           # those of one file that is read already

Uncommitted and untracked files count; files that git ignores do not. A comment of vendored,
generated or sample code does not count, nor does one in a string that is no docstring, and none in
a document: prose binds no code. The trailers of commits are git's, and are not read here.
"""

# Governing: SPEC-0002 REQ "Governing comments", ADR-0018 (tracker issues as files), ADR-0012
# (untrusted input never leaves the repository)

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.governing import GoverningReference
from sdd_hooks.artifacts.identifiers import (
    NO_ORIGINS,
    ArtifactId,
    Origins,
    find_id_references,
    in_module,
    parse_id,
)
from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES
from sdd_hooks.drift.governing_comments import read_comments, read_work_tree_comments
from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import Project
from sdd_hooks.project.workspace import module_names
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside
from sdd_hooks.text.decoding import decode
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.stored_issues import lost_warning, read_issues

__all__ = ["Citation", "Citations", "read_citations", "read_comments", "resolve_citation"]

CitationVerb = Literal["governing", "implements", "references"]
"""What a citation claims; an issue `references`."""


class Citation(NamedTuple):
    """One artifact that a source file or an issue names.

    `path` is relative to the root of the repository, `line` counts from 1. `id` is as written: one
    without a module means the file's `module` first (`resolve_citation`). `requirement` is the name
    of a requirement of a spec or "". `reason` is the text in parentheses, of an issue its title.
    `issue` is the id of the issue and `status` its status; both are "" for a comment.
    """

    path: str
    line: int
    id: ArtifactId
    verb: CitationVerb
    requirement: str = ""
    reason: str = ""
    module: str = ""
    issue: str = ""
    status: str = ""


class Citations(NamedTuple):
    """All citations of a work tree, ordered by path and line.

    `left_out` notes each file that could not be read.
    """

    comments: tuple[Citation, ...] = ()
    issues: tuple[Citation, ...] = ()
    left_out: tuple[str, ...] = ()

    def by_artifact(self, corpus: Corpus) -> Mapping[str, tuple[Citation, ...]]:
        """The citations of each cited artifact by its path, comments before issues."""
        found: dict[str, list[Citation]] = {}
        for citation in (*self.comments, *self.issues):
            for artifact in resolve_citation(corpus, citation):
                found.setdefault(artifact.path, []).append(citation)
        return {path: tuple(citations) for path, citations in found.items()}


def resolve_citation(corpus: Corpus, citation: Citation) -> tuple[Artifact, ...]:
    """Return the artifacts that a citation means: none for an unknown id, several for a shared one.

    An id without a module is that of the citation's module, else of the root, else of any module.
    """
    inside = corpus.resolve(in_module(citation.id, citation.module)) if citation.module else ()
    found = inside or corpus.resolve(citation.id)
    if found or citation.id.module:
        return found
    return corpus.by_id_of_any_module.get(citation.id, ())


def read_citations(project: Project, origins: Origins = NO_ORIGINS) -> Citations:
    """Read every citation in the work tree of a project and of its submodules.

    `origins` are as in `identifiers.find_id_references`. Raises GitError.
    """
    left_out: list[str] = []
    module_of = module_names(project.modules)
    artifacts = [one for one in project.collections if one.kind in RECORD_KINDS]
    comments: list[Citation] = []
    for repository in dict.fromkeys(("", *(one.repository for one in project.collections))):
        found = read_work_tree_comments(project.repository, repository, origins, left_out)
        for path, references in found.items():
            if references and not any(one.contains(path) for one in artifacts):
                module = module_of(path)
                comments += [_of_comment(path, module, one) for one in references]
    comments.sort(key=lambda one: (one.path, one.line))
    issues = _read_issues(project, left_out)
    return Citations(tuple(comments), tuple(sorted(issues)), tuple(sorted(left_out)))


def _of_comment(path: str, module: str, one: GoverningReference) -> Citation:
    return Citation(path, one.line, one.id, one.verb, one.requirement, one.reason, module)


def _read_issues(project: Project, left_out: list[str]) -> Iterator[Citation]:
    root = project.repository.root
    for collection in project.collections:
        if collection.kind != "issues":
            continue
        folder, lost = IssueFolder(root, collection.directories[0]), list[str]()
        try:
            for issue in read_issues(folder, lost):
                yield from _of_issue(root, issue, collection.module)
            left_out += lost_warning(folder, lost)
        except StorageError as error:
            left_out.append(f"left out {error}")


def _of_issue(root: Path, issue: StoredIssue, module: str) -> Iterator[Citation]:
    if not (issue.adrs or issue.specs):
        return
    try:
        text = decode(read_inside(root, issue.path, MAX_ARTIFACT_BYTES))
    except (FileNotFoundError, FileTooLarge, PathRefused):
        text = ""
    # The frontmatter names every id; a line below it says more.
    body = text.find("\n---\n", 3)
    lines: dict[ArtifactId, int] = {}
    for reference in sorted(find_id_references(text), key=lambda one: one.start < body):
        lines.setdefault(reference.id, text.count("\n", 0, reference.start) + 1)
    ids = (parse_id(name) for name in (*issue.adrs, *issue.specs))
    for identifier in dict.fromkeys(filter(None, ids)):
        yield Citation(
            issue.path,
            lines.get(identifier, 1),
            identifier,
            "references",
            reason=issue.title,
            module=module,
            issue=issue.id,
            status=issue.status,
        )
