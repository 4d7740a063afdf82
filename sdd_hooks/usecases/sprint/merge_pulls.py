"""Merge reviewed pull requests in their order, and bring issues and index up to date.

A run after an interruption finds what is merged at the forge, and does the rest.
"""

# Governing: ADR-0054 (pull requests and issues are changed in batches), SPEC-0027 REQ "Merge",
# ADR-0015 (tiers of freshness)

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sdd_hooks.changes.base import resolve_commit
from sdd_hooks.errors import Missing, SddError
from sdd_hooks.forges.protocol import Checks, MergeRefused, PullRequest, PullRequestMerger
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.pulls import belongs_to
from sdd_hooks.planning.spec_issues import OPEN
from sdd_hooks.project.project import Project
from sdd_hooks.remote.json_fields import parse_epoch
from sdd_hooks.system.git import FETCH_OBJECTS
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.protocol import Unsupported
from sdd_hooks.trackers.source import TrackerSource
from sdd_hooks.trackers.stored_issues import lost_warning, read_issues
from sdd_hooks.usecases.sprint.issue_batch import refresh_issues, writer_of
from sdd_hooks.usecases.sprint.review_pulls import (
    FETCH_TIMEOUT,
    PullBatch,
    PullNames,
    PullReview,
    issues_of_pull,
)
from sdd_hooks.usecases.upkeep.refresh import refresh_after_write
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks, open_tracker

MAX_MERGED = 100
"""Merged pull requests whose issues are looked at again."""
REOPENED_SECONDS = 600.0
"""An issue that changed later after the merge may have been opened again by a person."""


class UnmergedPull(NamedTuple):
    """A pull request that was not merged, and the reason in one line."""

    number: int
    reason: str


@dataclass
class MergeReport:
    """What was merged, or would be, in this order, and what was not.

    `closed` are the ids of issues that were closed in the tracker, because the forge did not.
    `error` is the failure that ended the merges; `left` are the numbers that were not reached.
    """

    merged: list[int] = field(default_factory=list)
    not_merged: list[UnmergedPull] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    error: SddError | None = None
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class MergeRun(NamedTuple):
    """What the steps of a run need. With `dry_run` nothing is written."""

    project: Project
    forge: PullRequestMerger
    batch: PullBatch
    clock: Callable[[], float]
    callbacks: SyncCallbacks
    dry_run: bool = False


def obstacle(review: PullReview, batch: PullBatch) -> str:
    """Why a pull request is not merged, in one line; "" if it is ready."""
    if review.verdict is None:
        return f"it could not be reviewed: {review.problem}"
    if review.pull.is_draft:
        return "it is a draft"
    if batch.order.tier_of(review.pull.number) is None:
        return "it is in a circle, or comes after one"
    if review.verdict.fails:
        return "it has findings that fail the review"
    return _checks_obstacle(review.details.checks)


def _checks_obstacle(checks: Checks) -> str:
    match checks.state:
        case "failure":
            return f"checks failed: {', '.join(checks.failed)}"
        case "pending":
            return f"checks are running: {', '.join(checks.pending)}"
        case "unknown":
            return "the forge does not show its checks"
    return ""


def merge_pulls(run: MergeRun, names: PullNames) -> MergeReport:
    """Merge what is ready in the order of the batch; see `obstacle`.

    After a merge the issues are synced, those that are still open are closed, and the collections
    of code and issues are refreshed. A failure ends the merges and is in the report.
    """
    report = MergeReport()
    reviews = {review.pull.number: review for review in run.batch.reviews}
    order = [number for tier in run.batch.order.tiers for number in tier]
    merged_now: list[PullRequest] = []
    for review in run.batch.reviews:
        if review.pull.number not in order:
            report.not_merged.append(UnmergedPull(review.pull.number, obstacle(review, run.batch)))
    for position, number in enumerate(order):
        reason = _wait_reason(run.batch, number, report) or obstacle(reviews[number], run.batch)
        try:
            reason = reason or _merge(run, reviews[number].pull)
        except MergeRefused as error:
            reason = str(error)
        except SddError as error:
            report.error = error
            report.not_merged.append(UnmergedPull(number, str(error)))
            report.left += order[position + 1 :]
            break
        if reason:
            report.not_merged.append(UnmergedPull(number, reason))
        else:
            report.merged.append(number)
            merged_now.append(reviews[number].pull)
    if not run.dry_run:
        _finish(run, names, merged_now, report)
    return report


def _wait_reason(batch: PullBatch, number: int, report: MergeReport) -> str:
    """Why a pull request waits for another one, "" if it does not."""
    waits = batch.after[number] - set(report.merged)
    return f"it comes after {', '.join(map(str, sorted(waits)))}" if waits else ""


def _merge(run: MergeRun, pull: PullRequest) -> str:
    """Merge a pull request. Returns why it was not, "" for a merge."""
    branches = {review.pull.head_ref: review.pull.number for review in run.batch.reviews}
    if pull.base_ref in branches and not run.dry_run:
        # The forge may have changed its base when the other branch was merged.
        current = run.forge.pull_request(pull.number)
        if current.base_ref == pull.base_ref:
            return f"its base {pull.base_ref} was merged: change its base first"
        pull = current._replace(head=pull.head)
    if not run.dry_run:
        strategy = run.project.configuration.review.merge_strategy
        run.forge.merge(pull, strategy)
    return ""


def _finish(
    run: MergeRun, names: PullNames, merged: Sequence[PullRequest], report: MergeReport
) -> None:
    """Bring the clone, the issues and the index up to date after the merges (tier 1)."""
    source = run.batch.source
    try:
        done = _merged_pulls(run, names, merged)
    except SddError as error:
        report.warnings.append(f"merged pull requests are not listed: {error}")
        done = tuple(merged)
    if merged:
        report.notes += _fast_forward(run.project, merged[-1].base_ref)
        if source:
            # The forge closes issues itself, where it is the tracker.
            report.warnings += refresh_issues(run.project, source, run.clock, run.callbacks)
    if source and done:
        _close_issues(run, source, done, {pull.number for pull in merged}, report)
        if report.closed:
            report.warnings += refresh_issues(run.project, source, run.clock, run.callbacks)
    if merged:
        report.warnings += refresh_after_write(run.project, run.project.select(("code",)))


def _merged_pulls(
    run: MergeRun, names: PullNames, merged: Sequence[PullRequest]
) -> tuple[PullRequest, ...]:
    """What was merged now, and by an earlier run that was interrupted."""
    found = {pull.number: pull for pull in (*merged, *run.batch.merged)}
    if names.specs:
        for pull in run.forge.merged_pull_requests(MAX_MERGED):
            issues = issues_of_pull(run.project, pull, run.batch.issues, run.batch.source).issues
            if any(belongs_to(pull, spec, issues) for spec in names.specs):
                found.setdefault(pull.number, pull)
    return tuple(found.values())


def _close_issues(
    run: MergeRun,
    source: TrackerSource,
    pulls: Sequence[PullRequest],
    merged_now: set[int],
    report: MergeReport,
) -> None:
    """Close the issues that these pull requests close and that are still open."""
    lost: list[str] = []
    issues = tuple(read_issues(source.folder, lost))
    report.warnings += lost_warning(source.folder, lost)
    due: dict[str, StoredIssue] = {}
    for pull in pulls:
        for issue in issues_of_pull(run.project, pull, issues, source).closed:
            is_new = pull.number in merged_now or not _is_reopened(issue, pull)
            if issue.status in OPEN and is_new:
                due[issue.id] = issue
    if not due:
        return
    try:
        with open_tracker(source, run.callbacks.on_wait) as tracker:
            writer = writer_of(source, tracker)
            for issue in due.values():
                try:
                    writer.close(issue.id)
                    report.closed.append(issue.id)
                except (Missing, Unsupported) as error:
                    report.notes.append(f"{issue.id} is not closed: {error}")
    except SddError as error:
        report.error = report.error or error
        report.warnings.append(f"issues are not closed: {error}")


def _is_reopened(issue: StoredIssue, pull: PullRequest) -> bool:
    """Whether an issue changed long after its pull request was merged."""
    updated, merged = parse_epoch(issue.updated), parse_epoch(pull.merged_at)
    return updated is None or merged is None or updated > merged + REOPENED_SECONDS


def _fast_forward(project: Project, branch: str) -> list[str]:
    """Fetch the branch that was merged into, and move the work tree to it where that is safe.

    Returns notes. The index follows the work tree.
    """
    git = project.repository.git
    remote = f"refs/remotes/origin/{branch}"
    done = git.remote(
        *FETCH_OBJECTS, "origin", f"+refs/heads/{branch}:{remote}", timeout=FETCH_TIMEOUT
    )
    pull_later = f"the code in the index follows with the next `git pull` of {branch}"
    current = (git.try_output("symbolic-ref", "--quiet", "HEAD") or b"").decode().strip()
    changed = git.output("status", "--porcelain", "--untracked-files=no")
    if done.code or current != f"refs/heads/{branch}" or changed:
        return [pull_later]
    try:
        resolve_commit(git, remote)
        git.output("merge", "--ff-only", "--quiet", remote)
    except SddError:
        return [pull_later]
    return []
