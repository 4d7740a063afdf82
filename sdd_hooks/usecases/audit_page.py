"""Make the page of an audit: collect what it shows, and write it to a file."""

# Governing: ADR-0042 (one page without a network), SPEC-0020 REQ "One self-contained page"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.artifacts.applies_to import read_applies_to
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.changes.tree import Tree
from sdd_hooks.code.paths import is_test
from sdd_hooks.drift.citations import Citation, Citations
from sdd_hooks.drift.rules.requirement_coverage import RequirementState, measure_coverage
from sdd_hooks.engines.protocol import IndexStatus
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.findings import ReportedFinding
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.page.model import (
    AuditPage,
    PageCitation,
    PageCollection,
    PageFreshness,
    PageRequirement,
)
from sdd_hooks.reporting.page.render import render_page
from sdd_hooks.reporting.registry import Links
from sdd_hooks.system.files import write_atomically
from sdd_hooks.text.display import describe_error, printable_line
from sdd_hooks.usecases.audit_map import draw_map

PAGE = "index.html"
"""The name of the page in a directory."""

_SUFFIXES = (".html", ".htm")


class PageNotWritten(SddError):
    """The file of the page cannot be written. The message names it and the reason."""

    exit_code = EXIT_USAGE
    code = "usage"


class AuditedTree(NamedTuple):
    """A work tree with what an audit found in it.

    `texts` are the files of the work tree, and `naming` the files that name an artifact without a
    governing comment, by its path. `notes` say what the audit did not cover; `rules` has the
    summary of each rule. `indexed` is the state of the index, None without one.
    """

    corpus: Corpus
    texts: Tree
    citations: Citations
    naming: Mapping[str, Sequence[str]] = {}
    findings: tuple[ReportedFinding, ...] = ()
    notes: tuple[str, ...] = ()
    rules: Mapping[str, str] = {}
    indexed: IndexStatus | None = None


def build_page(
    project: Project, audited: AuditedTree, made: float, links: Links | None = None
) -> AuditPage:
    """Return what the page of an audit shows. `made` is in seconds since the epoch.

    Raises GitError.
    """
    git = project.repository.git
    corpus = Corpus(tuple(sorted(audited.corpus.artifacts, key=_by_number)))
    texts = {path: audited.texts.text(path) for one in corpus.artifacts for path in one.paths}
    head = git.try_output("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    changed = git.try_output("status", "--porcelain", "--untracked-files=no") if head else b""
    return AuditPage(
        name=project.repository.slug,
        made=made,
        corpus=corpus,
        texts=texts,
        map=draw_map(corpus),
        commit=(head or b"").decode("ascii").strip(),
        edited=bool(changed),
        findings=audited.findings,
        citations=_citations(corpus, audited),
        requirements=_requirements(corpus, audited),
        applies_to=_applies_to(corpus, texts),
        rules=audited.rules,
        freshness=_freshness(project, audited.indexed),
        links=links,
        notes=audited.notes,
    )


def _by_number(artifact: Artifact) -> tuple[str, str, bool, int, str, str]:
    """The order of a list for people. Folders of specs have no numbers in their paths."""
    one = artifact.id
    number, suffix = (one.number, one.suffix) if one else (0, "")
    return artifact.module, artifact.kind, one is None, number, suffix, artifact.path


def write_page(page: AuditPage, target: Path) -> Path:
    """Write the page to a file, or as index.html to a directory, and return the path of the file.

    A target without the suffix of HTML is a directory, which is created. Raises PageNotWritten.
    """
    is_file = target.suffix.lower() in _SUFFIXES and not target.is_dir()
    path = target if is_file else target / PAGE
    html = render_page(page)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, html.encode("utf-8", "replace"))
    except OSError as error:
        shown = printable_line(str(path))
        message = f"the page was not written to {shown}: {describe_error(error)}"
        raise PageNotWritten(message) from None
    return path


def _citations(corpus: Corpus, audited: AuditedTree) -> dict[str, tuple[PageCitation, ...]]:
    by_path = audited.citations.by_artifact(corpus)
    found = {}
    for artifact in corpus.artifacts:
        cited = by_path.get(artifact.path, ())
        commented = {one.path for one in cited}
        naming = (path for path in audited.naming.get(artifact.path, ()) if path not in commented)
        found[artifact.path] = (*map(_citation, cited), *(PageCitation(path, 0) for path in naming))
    return found


def _citation(one: Citation) -> PageCitation:
    return PageCitation(one.path, one.line, one.requirement, one.reason, one.issue, one.status)


def _requirements(corpus: Corpus, audited: AuditedTree) -> dict[str, tuple[PageRequirement, ...]]:
    measured = measure_coverage(corpus.artifacts, corpus, audited.citations.comments, audited.texts)
    return {one.spec.path: tuple(map(_requirement, one.requirements)) for one in measured}


def _requirement(state: RequirementState) -> PageRequirement:
    comments = [_citation(one) for one in state.comments]
    commented = {one.path for one in comments}
    naming = tuple(PageCitation(path, 0) for path in state.tests if path not in commented)
    return PageRequirement(
        requirement=state.requirement,
        code=tuple(one for one in comments if not is_test(one.path)),
        tests=(*(one for one in comments if is_test(one.path)), *naming),
        tested=sum(bool(tests) for _, tests in state.scenarios),
    )


def _applies_to(corpus: Corpus, texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found = {}
    for artifact in corpus.artifacts:
        entries = read_applies_to(artifact, texts.get(artifact.path, "")).entries
        if entries:
            found[artifact.path] = tuple(printable_line(entry.text) for entry in entries)
    return found


def _freshness(project: Project, index: IndexStatus | None) -> PageFreshness:
    if index is None:
        return PageFreshness()
    return PageFreshness(
        engine=index.engine,
        indexed=index.touched,
        threshold=project.configuration.freshness.staleness_threshold,
        collections=tuple(
            PageCollection(one.name, one.kind, one.documents) for one in index.collections
        ),
    )
