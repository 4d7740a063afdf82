"""Make the page of an audit: collect what it shows, and write it to a file.

Its links lead to the files at the host of the remote `origin`.
"""

# Governing: ADR-0042 (one page without a network), SPEC-0020 REQ "One self-contained page",
# REQ "The graph", REQ "Artifacts", SPEC-0009 REQ "Detection"

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.changes.record_history import RecordOrigin, find_first_commits, origin_of
from sdd_hooks.code.paths import is_test
from sdd_hooks.drift.audit.audited import Audited
from sdd_hooks.drift.audit.coverage import count_folders
from sdd_hooks.drift.audit.rules import described_audit_rules
from sdd_hooks.drift.citations import Citation
from sdd_hooks.drift.rules.requirement_coverage import RequirementState, measure_coverage
from sdd_hooks.engines.protocol import IndexStatus
from sdd_hooks.errors import EXIT_USAGE, SddError, StorageError
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.page.links import find_relations, graph_edges
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
from sdd_hooks.system.git import Git
from sdd_hooks.text.display import format_count, printable_line
from sdd_hooks.trackers.detection import repository_context
from sdd_hooks.trackers.registry import find_vendor, registered_trackers
from sdd_hooks.usecases.drift.audit import AuditVerdict

PAGE = "index.html"
"""The name of the page in a directory."""

_SUFFIXES = (".html", ".htm")

_FILES = {
    "github": ("blob", "plain=1"),
    "gitlab": ("-/blob", "plain=1"),
    "gitea": ("src/commit", "display=source"),
}
"""Of each vendor the path before the commit, and the query that shows the source of a file."""


class PageNotWritten(SddError):
    """The file of the page cannot be written. The message names it and the reason."""

    exit_code = EXIT_USAGE
    code = "usage"


def publish_audit(project: Project, verdict: AuditVerdict, target: Path, made: float) -> Path:
    """Write the page of an audit, and return the path of its file, as `write_page` does.

    `made` is in seconds since the epoch. Raises PageNotWritten.
    """
    try:
        with open_index(project) as engine:
            index = engine.status()
    except SddError:
        # The audit has read it before: the page says that there is none.
        index = None
    return write_page(build_page(project, verdict, index, made), target)


def build_page(
    project: Project, verdict: AuditVerdict, index: IndexStatus | None, made: float
) -> AuditPage:
    """Return what the page of an audit shows. Raises GitError."""
    audited = verdict.audited
    git = project.repository.git
    corpus = Corpus(tuple(sorted(audited.corpus.artifacts, key=_by_number)))
    texts = {path: audited.subject.text(path) for one in corpus.artifacts for path in one.paths}
    head = git.try_output("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    commit = (head or b"").decode("ascii").strip()
    changed = git.try_output("status", "--porcelain", "--untracked-files=no") if commit else b""
    return AuditPage(
        name=project.repository.slug,
        made=made,
        corpus=corpus,
        texts=texts,
        edges=graph_edges(corpus, find_relations(corpus)),
        commit=commit,
        edited=bool(changed),
        findings=verdict.outcome.findings,
        citations=_citations(corpus, audited),
        requirements=_requirements(corpus, audited),
        applies_to=_applies_to(corpus, audited),
        origins=_origins(corpus, git),
        paths=audited.code_paths,
        folders=tuple(count_folders(audited)),
        review_within=project.configuration.review.review_within,
        rules={rule.id: rule.summary for rule in described_audit_rules()},
        freshness=_freshness(project, index),
        links=find_file_links(project, commit),
        notes=_notes(verdict.outcome),
    )


def _by_number(artifact: Artifact) -> tuple[object, ...]:
    """The order of a list for people. Folders of specs have no numbers in their paths."""
    return artifact.module, artifact.kind, artifact.id.order[:3], artifact.path


def page_file(target: Path) -> Path:
    """Return the file of a page: `target`, or index.html in it if it is a directory.

    A path without the suffix of HTML is a directory.
    """
    is_file = target.suffix.lower() in _SUFFIXES and not target.is_dir()
    return target if is_file else target / PAGE


def write_page(page: AuditPage, target: Path) -> Path:
    """Write the page to `page_file(target)`, and return that path. Directories are created.

    Raises PageNotWritten.
    """
    path = page_file(target)
    html = render_page(page)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, html.encode("utf-8", "replace"))
    except StorageError as error:
        raise PageNotWritten(f"the page was not written: {error}") from None
    except OSError as error:
        shown = printable_line(str(path))
        raise PageNotWritten(f"the page was not written to {shown}: {error.strerror}") from None
    return path


def _notes(outcome: ReviewOutcome) -> tuple[str, ...]:
    tree, audit = outcome.tree, outcome.audit
    target = (f"the findings are those of {tree.target} only",) if tree and tree.target else ()
    known = (
        (f"{format_count(audit.known, 'finding')} of the baseline {audit.baseline} left out",)
        if audit and audit.known
        else ()
    )
    return (*target, *known, *(tree.header if tree else ()), *outcome.notes)


def _citations(corpus: Corpus, audited: Audited) -> dict[str, tuple[PageCitation, ...]]:
    by_path = audited.citations.by_artifact(corpus)
    found = {}
    for artifact in corpus.artifacts:
        cited = by_path.get(artifact.path, ())
        commented = {one.path for one in cited}
        naming = (path for path in audited.named_in_code(artifact) if path not in commented)
        found[artifact.path] = (*map(_citation, cited), *(PageCitation(path, 0) for path in naming))
    return found


def _citation(one: Citation) -> PageCitation:
    return PageCitation(one.path, one.line, one.requirement, one.reason, one.issue, one.status)


def _requirements(corpus: Corpus, audited: Audited) -> dict[str, tuple[PageRequirement, ...]]:
    measured = measure_coverage(
        corpus.artifacts, corpus, audited.citations.comments, audited.subject.after
    )
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


def _applies_to(corpus: Corpus, audited: Audited) -> dict[str, tuple[str, ...]]:
    found = {}
    for artifact in corpus.artifacts:
        if entries := audited.applies_to(artifact).entries:
            found[artifact.path] = tuple(printable_line(entry.text) for entry in entries)
    return found


def _origins(corpus: Corpus, git: Git) -> dict[str, RecordOrigin]:
    first = find_first_commits(git, [one.path for one in corpus.artifacts])
    return {one.path: origin_of(one, first.get(one.path)) for one in corpus.artifacts}


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


def find_file_links(project: Project, commit: str) -> Links | None:
    """Return the addresses of the files of a commit, None for an unknown host. Asks no host."""
    if not commit:
        return None
    repository = repository_context(project, "")
    origin = repository.origin
    if origin is None:
        return None
    registered = registered_trackers()
    for name, (path, query) in _FILES.items():
        try:
            known = find_vendor(name, registered)[1].detect(repository) is not None
        except SddError:
            known = False
        if known:
            return Links(f"{origin.web_base}/{quote(origin.path)}/{path}", commit, query)
    return None
