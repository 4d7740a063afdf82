"""The entry points of a review: of commits, and of the staged changes."""

# Governing: SPEC-0010 REQ "Finding the decision", SPEC-0010 REQ "Rules"

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sdd_hooks.artifacts.parsed_adrs import ParsedAdrs
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS
from sdd_hooks.changes.base import is_shallow
from sdd_hooks.changes.change import Change
from sdd_hooks.changes.diff import read_change, read_staged
from sdd_hooks.changes.tree import Tree
from sdd_hooks.code.languages import DOCUMENT_SUFFIXES
from sdd_hooks.external.records import (
    NO_RECORDS,
    ExternalRecords,
    read_external_records,
)
from sdd_hooks.findings import identify_findings
from sdd_hooks.project.committed import (
    CommittedFiles,
    index_committed_files,
    read_committed_collections,
    read_committed_files,
    read_committed_memory,
)
from sdd_hooks.project.external_sources import find_external_sources
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.outcome import References, ReviewOutcome, TouchedIssue
from sdd_hooks.review.apply_rules import apply_rules
from sdd_hooks.review.numbers import ClaimReader, add_claims
from sdd_hooks.review.rules import registered
from sdd_hooks.review.rules.scan import scan_notes
from sdd_hooks.review.scans import ScanFile
from sdd_hooks.review.subject import Subject
from sdd_hooks.system.git import Git
from sdd_hooks.system.time_limit import TimeLimitExceeded, time_limit

if TYPE_CHECKING:
    from sdd_hooks.models.language_model import LanguageModel

REFERENCES_SECONDS = 45.0
"""The time of the search for the decisions that a change should name."""
ISSUES_SECONDS = 10.0
"""The time of the search for the issues that a change touches."""


def review_commits(  # noqa: PLR0913 (each caller needs another part of it)
    project: Project,
    base: str,
    head: str,
    *,
    title: str = "",
    body: str = "",
    judge: str = "",
    claims: ClaimReader | None = None,
    organisation: bool = True,
    scans: tuple[ScanFile, ...] = (),
    clock: Callable[[], float] = time.time,
) -> ReviewOutcome:
    """Review the changes of `head` since its merge base with `base`.

    `title` and `body` are those of the pull request, or "". `judge` names a model of `llm` that
    reviews the change as well, "" for none. `claims` finds numbers of records that other work
    takes, None for none. With `organisation`, the organisation's index is asked for records of the
    repositories that the base names. `scans` are results of scanners. `clock` returns seconds since
    the epoch.

    Raises RepositoryError for a commit that does not exist, and EngineUnavailable for a model that
    cannot be loaded.
    """
    # An unknown model stops the review at once, and not after minutes.
    model = load_judge(judge, project.environ)
    # The import is slow, and the pre-commit hook ranks nothing.
    from sdd_hooks.review.references.find import find_references
    from sdd_hooks.review.references.organisation import search_organisation
    from sdd_hooks.review.touched_issues import find_touched_issues

    git = project.repository.git
    change = read_change(git, base, head).described_by(title, body)
    subject = subject_of(project, change, tip=change.base_tip).with_scans(scans)
    subject = add_claims(subject, claims)
    max_suggestions = project.configuration.review.max_suggestions
    notes = (*_shallow_notes(git), *subject.external.notes(clock()))
    elsewhere = search_organisation(project, subject.external, clock) if organisation else None
    try:
        with time_limit(REFERENCES_SECONDS):
            references = find_references(project.repository, subject, max_suggestions, elsewhere)
        notes += references.notes
    except TimeLimitExceeded:
        references = References()
        notes += (f"no decisions are suggested: ranking took over {REFERENCES_SECONDS:g} seconds",)
    issues: tuple[TouchedIssue, ...] = ()
    try:
        with time_limit(ISSUES_SECONDS):
            issues = find_touched_issues(project.repository, subject, references)
    except TimeLimitExceeded:
        notes += (f"no prior issues are listed: reading them took over {ISSUES_SECONDS:g} seconds",)
    review = replace(_review(subject, references, notes), issues=issues)
    if model is None:
        return review
    from sdd_hooks.review.judge.judging import JudgeOptions, judge_review

    options = JudgeOptions(max_suggestions)
    return judge_review(model, subject, review, environ=project.environ, options=options)


def review_staged(
    project: Project,
    *,
    index: str = "",
    claims: ClaimReader | None = None,
    scans: tuple[ScanFile, ...] = (),
) -> ReviewOutcome:
    """Apply the rules to the staged changes.

    `index` is the index file of a commit in progress, "" for the default one. `claims` and `scans`
    are as in `review_commits`. Raises RepositoryError when git cannot read the index.
    """
    change = read_staged(project.repository.git, index)
    subject = subject_of(project, change, index=index).with_scans(scans)
    subject = add_claims(subject, claims)
    return _review(subject, References())


def subject_of(project: Project, change: Change, *, index: str = "", tip: str = "") -> Subject:
    """Build the subject of a review from a change.

    `index` is the index file of a staged change, "" for the default one. `tip` is the current
    commit of the base branch, "" when that is the base of the change.
    """
    git = project.repository.git
    artifacts = tuple(one for one in project.collections if one.kind in ARTIFACT_KINDS)
    adrs = ParsedAdrs(project.repository)
    after = Tree(git, change.head, index, _adrs=adrs)
    tip_tree = Tree(git, tip, _adrs=adrs) if tip not in ("", change.base) else None
    settings = project.configuration.review
    before = Tree(git, change.base, _adrs=adrs)
    if not _may_declare(change):
        external = _read_external(project, change, None)
        return Subject(change, before, after, artifacts, tip_tree, settings, external=external)
    files = index_committed_files(git, before.entries())
    committed = read_committed_collections(files, project.repository.slug)
    external = _read_external(project, change, files)
    # The records of a submodule are read from its clone, which is not a part of the base.
    at_base = (
        *(one for one in committed if one.kind in ARTIFACT_KINDS),
        *(one for one in artifacts if one.repository),
    )
    return Subject(change, before, after, artifacts, tip_tree, settings, at_base, external=external)


def _read_external(
    project: Project, change: Change, files: CommittedFiles | None
) -> ExternalRecords:
    """The records of the repositories that the base of a change declares.

    `files` are those of the base. Without them, the change touches no memory file, and the base is
    read only if the work tree declares a repository.
    """
    if files is None:
        if not (project.external.sources or project.external.organisation):
            return NO_RECORDS
        files = read_committed_files(project.repository.git, change.base)
    declared = find_external_sources(read_committed_memory(files))
    return read_external_records(project.repository, declared)


def _may_declare(change: Change) -> bool:
    """Whether the base may declare other records than the project has: a commit always may.

    What is staged can only differ if it has a memory file, a record, a link or a submodule.
    """
    return bool(change.head) or any(
        path.lower().endswith((*DOCUMENT_SUFFIXES, ".gitmodules"))
        or not {file.mode, file.mode_before} <= {"", "100644", "100755"}
        for file in change.files
        for path in (file.path, file.before)
    )


def load_judge(name: str, environ: Mapping[str, str]) -> LanguageModel | None:
    """Load a model of `llm` by its name, None for "". Raises EngineUnavailable."""
    if not name:
        return None
    from sdd_hooks.models.language_model import load_language_model

    return load_language_model(name, environ)


def _shallow_notes(git: Git) -> tuple[str, ...]:
    """A note about the history that a shallow clone lacks."""
    if not is_shallow(git):
        return ()
    return (
        "not read: commits before this shallow clone begins, and the decisions they named"
        " (`git fetch --unshallow` brings them)",
    )


def _review(subject: Subject, references: References, notes: tuple[str, ...] = ()) -> ReviewOutcome:
    change = subject.change
    results = apply_rules(subject, registered())
    return ReviewOutcome(
        change.base,
        change.head,
        change.title,
        len(change.files),
        references,
        identify_findings(results.findings, change.added_lines()),
        results.suppressed,
        (*change.notes, *notes, *subject.claims.notes, *scan_notes(subject), *results.notes),
    )
