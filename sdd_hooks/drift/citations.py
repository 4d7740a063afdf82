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

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.governing import GoverningReference, read_governing
from sdd_hooks.artifacts.identifiers import (
    NO_ORIGINS,
    ArtifactId,
    Origins,
    find_id_references,
    in_module,
    parse_id,
)
from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES
from sdd_hooks.code.languages import find_language
from sdd_hooks.code.paths import is_document, is_external, is_sample
from sdd_hooks.code.source_files import PAGES, find_parts
from sdd_hooks.errors import StorageError
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.project.workspace import Module
from sdd_hooks.system.files import FileTooLarge, PathRefused, is_binary, read_inside
from sdd_hooks.system.git import Git, GitError, first_error_line, nul_split
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.store import IssueFolder, read_issues

CitationVerb = Literal["governing", "implements", "references"]
"""What a citation claims; an issue `references`."""

MAX_UNTRACKED = 500
"""Untracked files that are read one by one. More are searched by git."""

_LABEL = r"(?:governing|governed by|implements)(?: (?:adrs?|specs?|artifacts?|decisions?))? ?:"
_LABEL_IN_TEXT = lazy_regex(_LABEL, re.IGNORECASE)
# POSIX expressions have no `(?:`.
_POSIX_LABEL = _LABEL.replace("?:", "")
_GREP = ("grep", "-l", "-z", "-a", "-i", "--full-name", "--no-color", "--no-recurse-submodules")
_UNTRACKED = ("ls-files", "-z", "--others", "--exclude-standard", "--", ".")
_TEMPLATES = lazy_regex(r"(^|/)templates?/", re.IGNORECASE)
_LEADER = lazy_regex(r"[ \t]*(?:#|//|/\*|\*|--|;|%|<!--)")
_QUOTES = lazy_regex(r"\"\"\"|'''")
_DOCSTRING = lazy_regex(r"[ \t]*[rRuU]?(?:\"\"\"|''')")


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
    roots = {module.root: module for module in project.modules}
    comments = [
        citation
        for path in _labelled_paths(project)
        for citation in _read_file(project.repository.root, path, roots, origins, left_out)
    ]
    issues = _read_issues(project, left_out)
    return Citations(tuple(comments), tuple(sorted(issues)), tuple(left_out))


def read_comments(path: str, text: str, origins: Origins = NO_ORIGINS) -> list[GoverningReference]:
    """Return the governing comments of a source file that count. Never raises."""
    references = read_governing(text, origins)
    if not references:
        return []
    lines = text.split("\n", max(reference.line for reference in references))
    lines = [line.rstrip("\r") for line in lines]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    # Only the text up to the last comment is scanned: most comments are at the top.
    part = find_parts(path, "\n".join(lines[: references[-1].line]) + "\n")

    def counts(number: int) -> bool:
        if number > len(lines):
            return True
        line = lines[number - 1]
        label = _LABEL_IN_TEXT.search(line)
        # A comment may continue on a line without a label.
        column = label.start() if label else max(0, len(line.rstrip()) - 1)
        is_quoted = part(starts[number - 1] + column) == "string"
        return not is_quoted or _is_in_docstring(lines, number)

    return [reference for reference in references if counts(reference.line)]


def _is_in_docstring(lines: Sequence[str], number: int) -> bool:
    """Whether a line of a string is a statement of a docstring, and no quoted comment."""
    if _LEADER.match(lines[number - 1]):
        return False
    for line in reversed(lines[:number]):
        if _QUOTES.search(line):
            return bool(_DOCSTRING.match(line))
    return False


def _labelled_paths(project: Project) -> list[str]:
    """The files that may have a governing comment, sorted, relative to the root."""
    artifacts = [one for one in project.collections if one.kind in ("adrs", "specs")]
    paths = {
        path
        for repository in dict.fromkeys(("", *(one.repository for one in project.collections)))
        for path in _search(project.repository.git, repository)
        if _may_cite(path, artifacts)
    }
    return sorted(paths)


def _may_cite(path: str, artifacts: Sequence[Collection]) -> bool:
    if is_external(path) or (is_document(path) and not find_language(path)):
        return False
    # A page in `templates/` is code, which other files in it may not be.
    is_page = path.lower().endswith(PAGES)
    judged = _TEMPLATES.sub(r"\1", path) if is_page else path
    return not is_sample(judged) and not any(one.contains(path) for one in artifacts)


def _search(git: Git, repository: str) -> Iterator[str]:
    """Yield the files of a repository ("": the root) with a label, those of submodules not."""
    prefix = f"{repository}/" if repository else ""
    inner = git.at(git.root / repository) if repository else git
    untracked = nul_split(inner.output(*_UNTRACKED))
    options: tuple[str, ...] = ()
    if len(untracked) > MAX_UNTRACKED:
        options, untracked = ("--untracked",), []
    found = dict.fromkeys(_grep(inner))
    if options:
        found.update(dict.fromkeys(_grep(inner, *options)))
    for path in (*found, *(path for path in untracked if _has_label(inner.root, path))):
        yield prefix + path


def _grep(git: Git, *options: str) -> list[str]:
    # Perl's expressions are twice as fast, and not every git has them.
    done = git.run(*_GREP, *options, "-P", "-e", _LABEL)
    if done.returncode > 1:
        done = git.run(*_GREP, *options, "-E", "-e", _POSIX_LABEL)
    # git exits with 1 if no file matches.
    if done.returncode > 1:
        raise GitError(f"git grep: {first_error_line(done.stderr)}")
    return nul_split(done.stdout)


def _has_label(root: Path, path: str) -> bool:
    """Whether an untracked file has a label. One that cannot be read is noted when it is read."""
    try:
        data = read_inside(root, path, MAX_ARTIFACT_BYTES, follow=False)
    except (FileNotFoundError, PathRefused):
        return False
    except FileTooLarge:
        return not (is_document(path) or is_sample(path))
    return bool(_LABEL_IN_TEXT.search(decode(data)))


def _read_file(
    root: Path,
    path: str,
    roots: Mapping[str, Module],
    origins: Origins,
    left_out: list[str],
) -> Iterator[Citation]:
    try:
        data = read_inside(root, path, MAX_ARTIFACT_BYTES, follow=False)
    except FileNotFoundError:
        return
    except (FileTooLarge, PathRefused) as error:
        left_out.append(f"left out {error}")
        return
    if is_binary(data):
        return
    module = _module_of(path, roots)
    for one in read_comments(path, decode(data), origins):
        yield Citation(path, one.line, one.id, one.verb, one.requirement, one.reason, module)


def _module_of(path: str, roots: Mapping[str, Module]) -> str:
    """The name of the innermost module around a file, "" for the root."""
    end = len(path)
    while roots and (end := path.rfind("/", 0, end)) > 0:
        if module := roots.get(path[:end]):
            return module.name
    return ""


def _read_issues(project: Project, left_out: list[str]) -> Iterator[Citation]:
    root = project.repository.root
    for collection in project.collections:
        if collection.kind != "issues":
            continue
        try:
            for issue in read_issues(IssueFolder(root, collection.directories[0])):
                yield from _of_issue(root, issue, collection.module)
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
