"""Review commits, what is staged, a commit message or a pushed branch, and judge the result."""

# Governing: SPEC-0010 REQ "What is compared", SPEC-0010 REQ "Review in hooks",
# SPEC-0012 REQ "Configuration comes from the base"

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.changes.base import default_base, resolve_commit
from sdd_hooks.config.configuration import Configuration, apply_memory_file
from sdd_hooks.config.memory_file import MEMORY_FILE_NAMES
from sdd_hooks.config.settings import FailOn, ReviewSettings
from sdd_hooks.errors import RepositoryError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import find_commit_index

if TYPE_CHECKING:
    from sdd_hooks.artifacts.corpus import Corpus
    from sdd_hooks.findings import Finding
    from sdd_hooks.reporting.outcome import References, ReviewOutcome
    from sdd_hooks.review.numbers import ClaimReader
    from sdd_hooks.review.scans import ScanFile
    from sdd_hooks.review.subject import Subject

UNCOMMITTED_NOTE = "uncommitted changes are not part of this review"
BASE_SETTINGS_NOTE = "`#### Review` counts as the base has it: what differs here counts when merged"


class Verdict(NamedTuple):
    """A review, and whether its findings are severe enough to fail."""

    review: ReviewOutcome
    fails: bool


class CommitRange(NamedTuple):
    """What is compared: what `head` changed since its merge base with `base`.

    `base` is "" for the default branch. `title` and `body` are those of the pull request. `claims`
    finds the numbers of records that other work takes, None to look at the branches of the remote,
    as this clone knows them. With `organisation`, the server of the organisation's index is asked.
    `scans` are files with the results of scanners.
    """

    base: str = ""
    head: str = "HEAD"
    title: str = ""
    body: str = ""
    claims: ClaimReader | None = None
    organisation: bool = True
    scans: tuple[Path, ...] = ()


class PushedBranch(NamedTuple):
    """A branch that is pushed.

    `head` is its new commit, `remote_head` the commit that the remote has, "" for none. `branch`
    is its name on the remote, and `remote` the name of the remote.
    """

    head: str
    branch: str
    remote_head: str
    remote: str


def review_range(
    project: Project,
    commits: CommitRange,
    fail_on: FailOn | None = None,
    *,
    judge: str = "",
    check_work_tree: bool = False,
) -> Verdict:
    """Review a range of commits by the settings of its base, which no change can relax for itself.

    `fail_on` replaces the setting of the repository, and `judge` names a model of `llm` that
    reviews as well. With `check_work_tree`, a review of HEAD notes that there are uncommitted
    changes. Raises RepositoryError for a commit that does not exist or a default branch
    that is unknown, ConfigurationError for an invalid value of the base, and EngineUnavailable for
    a model that cannot be loaded.
    """
    from dataclasses import replace

    from sdd_hooks.review.numbers import claims_of_branches
    from sdd_hooks.review.review import review_commits

    base = commits.base or default_base(project.repository)
    own = project.configuration.review
    project = _use_base_settings(project, base)
    review = review_commits(
        project,
        base,
        commits.head,
        title=commits.title,
        body=commits.body,
        judge=judge,
        claims=commits.claims or claims_of_branches(project.repository, head=commits.head),
        organisation=commits.organisation,
        scans=_read_scans(project, commits.scans),
    )
    if check_work_tree and commits.head == "HEAD" and _has_uncommitted_changes(project):
        review = replace(review, notes=(*review.notes, UNCOMMITTED_NOTE))
    if project.configuration.review != own:
        review = replace(review, notes=(*review.notes, BASE_SETTINGS_NOTE))
    return _judge(project, review, fail_on)


def review_index(
    project: Project, cwd: Path, fail_on: FailOn | None = None, scans: Sequence[Path] = ()
) -> Verdict:
    """Apply the rules to what is staged. `cwd` is the directory in which git runs the hook.

    `scans` are files with the results of scanners. Raises RepositoryError when git cannot read the
    index.
    """
    from sdd_hooks.review.numbers import claims_of_branches
    from sdd_hooks.review.review import review_staged

    index = find_commit_index(project.repository, cwd)
    claims = claims_of_branches(project.repository)
    found = _read_scans(project, scans)
    review = review_staged(project, index=index, claims=claims, scans=found)
    return _judge(project, review, fail_on)


def validate_staged_artifacts(
    project: Project, files: Sequence[str], cwd: Path
) -> Sequence[Finding]:
    """Validate the staged artifacts among `files`, relative to `cwd`; none: all of them.

    An id or an edge is valid or invalid among all artifacts, so that all are read. Findings are
    only those that the commit has a part in. Raises RepositoryError when git cannot read the index.
    """
    from sdd_hooks.artifacts.validation import validate_artifacts
    from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS
    from sdd_hooks.changes.diff import read_staged
    from sdd_hooks.changes.tree import Tree
    from sdd_hooks.external.records import read_external_records
    from sdd_hooks.review.rules.frontmatter import validate_changed
    from sdd_hooks.review.subject import Subject

    root, git = project.repository.root, project.repository.git
    collections = tuple(one for one in project.collections if one.kind in ARTIFACT_KINDS)
    index = find_commit_index(project.repository, cwd)
    staged = Tree(git, "", index)
    external = read_external_records(project.repository, project.external)
    if not files:
        change = read_staged(git, index)
        before = Tree(git, change.base)
        subject = Subject(change, before, staged, collections, external=external)
        return list(validate_changed(subject))
    directory = os.path.realpath(cwd)
    paths = {os.path.relpath(os.path.join(directory, name), root) for name in files}  # noqa: PTH118
    # Files of submodules are committed there.
    in_repository = [one for one in collections if not one.repository]
    artifacts = {path for path in paths if any(one.contains(path) for one in in_repository)}
    if not artifacts:
        return ()
    corpus = staged.corpus(collections, external.names)
    return validate_artifacts(corpus, artifacts, external.corpus)


def validate_merged_numbers(project: Project, cwd: Path) -> Sequence[Finding]:
    """Find each number that a record of HEAD has and a staged one, which a merge has brought, too.

    Two records that came together are no fault of the merge. Raises RepositoryError when git cannot
    read the index.
    """
    from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS
    from sdd_hooks.changes.diff import read_staged
    from sdd_hooks.changes.tree import Tree

    index = find_commit_index(project.repository, cwd)
    change = read_staged(project.repository.git, index)
    collections = [one for one in project.collections if one.kind in ARTIFACT_KINDS]
    corpus = Tree(project.repository.git, "", index).corpus(collections)
    brought = {file.path for file in change.files}
    return [one for one in _duplicates(corpus, brought) if one.path not in brought]


def find_joined_duplicates(project: Project, changed: Set[str]) -> Sequence[Finding]:
    """Find the numbers that a changed record of the work tree has, and another one, too.

    One finding for each number. Raises RepositoryError when git cannot read the work tree.
    """
    from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, read_work_tree

    collections = [one for one in project.collections if one.kind in ARTIFACT_KINDS]
    if not any(one.contains(path) for one in collections for path in changed):
        return ()
    corpus, _ = read_work_tree(project.repository.git, collections)
    found = {one.evidence: one for one in _duplicates(corpus, changed) if one.path in changed}
    return list(found.values())


def _duplicates(corpus: Corpus, changed: Set[str]) -> Iterator[Finding]:
    """The findings about numbers that cannot be told apart, of which a changed record has one."""
    from sdd_hooks.artifacts.validation import validate_artifacts

    for finding in validate_artifacts(corpus, changed):
        if finding.rule == "duplicate-id" and finding.severity == "critical":
            yield finding


def review_message(
    project: Project, message: str, cwd: Path, fail_on: FailOn | None = None
) -> Verdict:
    """Review the ids in the message of the commit that is being made.

    The findings are ids that lead nowhere, or to a superseded record. Where the message names no
    record, the references suggest some. Raises RepositoryError when git cannot read the index.
    """
    from sdd_hooks.changes.diff import read_staged
    from sdd_hooks.findings import identify_findings
    from sdd_hooks.reporting.outcome import ReviewOutcome
    from sdd_hooks.review.apply_rules import apply_rules
    from sdd_hooks.review.review import subject_of
    from sdd_hooks.review.rules import dangling_reference, superseded_reference

    index = find_commit_index(project.repository, cwd)
    change = read_staged(project.repository.git, index)._replace(messages=(message,))
    subject = subject_of(project, change, index=index)
    results = apply_rules(subject, (dangling_reference.RULE, superseded_reference.RULE))
    in_message = [finding for finding in results.findings if not finding.path]
    review = ReviewOutcome(
        base="",
        head="",
        title="",
        files=len(change.files),
        references=_suggest_references(project, subject),
        findings=identify_findings(in_message, {}),
    )
    return _judge(project, review, fail_on)


def review_pushed_branch(
    project: Project, pushed: PushedBranch, fail_on: FailOn | None = None
) -> Verdict | None:
    """Review a pushed branch; None when there is no commit to compare it with.

    Raises RepositoryError when git cannot read the commits.
    """
    base = _base_of_push(project, pushed)
    if not base:
        return None
    from sdd_hooks.review.numbers import claims_of_branches

    claims = claims_of_branches(
        project.repository, head=pushed.head, branch=pushed.branch, remote=pushed.remote
    )
    # A push does not wait for another server.
    commits = CommitRange(base, pushed.head, claims=claims, organisation=False)
    return review_range(project, commits, fail_on)


def _use_base_settings(project: Project, base: str) -> Project:
    """The project with the `#### Review` settings of the base, the defaults where it has none."""
    from sdd_hooks.project.committed import read_committed_files, read_committed_memory

    git = project.repository.git
    commit = resolve_commit(git, base, or_tree=True)
    files = read_committed_files(git, commit, MEMORY_FILE_NAMES)
    # Only a link needs the list of all files.
    memory = read_committed_memory(read_committed_files(git, commit) if files.links else files)
    settings = apply_memory_file(memory, (), Configuration()).review if memory else ReviewSettings()
    return project._replace(configuration=project.configuration._replace(review=settings))


def _read_scans(project: Project, files: Sequence[Path]) -> tuple[ScanFile, ...]:
    if not files:
        return ()
    # No hook needs it, and a commit waits for each import.
    from sdd_hooks.review.sarif import read_scans

    return read_scans(files, project.repository.root)


def _judge(project: Project, review: ReviewOutcome, fail_on: FailOn | None) -> Verdict:
    return Verdict(review, review.fails(fail_on or project.configuration.review.fail_on))


def _has_uncommitted_changes(project: Project) -> bool:
    status = ("status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty")
    return bool(project.repository.git.output(*status))


def _suggest_references(project: Project, subject: Subject) -> References:
    """Records that the message may have to name; none where it names one."""
    from sdd_hooks.artifacts.identifiers import find_id_references
    from sdd_hooks.reporting.outcome import References

    change = subject.change
    max_suggestions = project.configuration.review.max_suggestions
    ids = find_id_references(subject.described, subject.names)
    names_record = any(subject.citable.resolve(reference.id) for reference in ids)
    if names_record or not max_suggestions or not change.files:
        return References()
    if project.repository.git.try_output("rev-parse", "HEAD") is None:
        return References()
    # The import is slow, and most messages need no suggestion.
    from sdd_hooks.review.references.find import find_references

    return find_references(project.repository, subject, max_suggestions)


def _base_of_push(project: Project, pushed: PushedBranch) -> str:
    """What a pushed branch is compared with, "" for nothing.

    That is the default branch; for the default branch itself, the commit that the remote has.
    """
    try:
        base = default_base(project.repository)
    except RepositoryError:
        base = ""
    if base and base not in {pushed.branch, f"{pushed.remote}/{pushed.branch}"}:
        return base
    # A commit of the remote that was never fetched cannot be compared with.
    commit = f"{pushed.remote_head}^{{commit}}"
    git = project.repository.git
    if pushed.remote_head and git.try_output("cat-file", "-e", commit) is not None:
        return pushed.remote_head
    return base
