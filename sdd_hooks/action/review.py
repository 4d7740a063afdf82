"""Review the change that a job of CI is about, and post the result on its pull request."""

# Governing: ADR-0022 (one review, many reports), SPEC-0012 REQ "Review of a pull request",
# REQ "Posting", REQ "Forks"

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Literal

from sdd_hooks.action.changed_commits import ReviewedChange, find_change
from sdd_hooks.action.inputs import Inputs
from sdd_hooks.action.open_pulls import PullJob, claims_of_pulls, no_claims
from sdd_hooks.action.report_files import write_reports
from sdd_hooks.action.results import CommandResult
from sdd_hooks.changes.base import default_base
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK, RemoteError
from sdd_hooks.findings import INCOMPLETE, SEVERITIES
from sdd_hooks.forges.protocol import (
    CommitStatus,
    Forge,
    ForgeClientFactory,
    LineComment,
    PullRequest,
    WriteDenied,
)
from sdd_hooks.forges.registry import CiJob
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.annotations import render_annotations
from sdd_hooks.reporting.comment import (
    ExistingComment,
    has_marker,
    inline_comments,
    reconcile,
    render_comment,
)
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.registry import Links
from sdd_hooks.reporting.summary import render_summary
from sdd_hooks.review.numbers import ClaimReader
from sdd_hooks.text.display import format_count, is_unicode
from sdd_hooks.usecases.review import CommitRange, Verdict, review_range
from sdd_hooks.usecases.upkeep.external_records import fetch_external_records

STATUS_CONTEXT = "sdd review"
"""The name of the status of a commit, without a key."""


_OUTDATED = "nothing was posted: there is a newer push, which has another job"


class Posted(NamedTuple):
    """The address of the comment, "" for none, and a line for each part that was not posted, with
    the reason."""

    url: str = ""
    notes: tuple[str, ...] = ()


class PostOptions(NamedTuple):
    """What is posted: the comment, comments on lines, a status of the commit.

    `key` distinguishes them from those of other jobs.
    """

    comment: bool = True
    inline: bool = False
    status: bool = False
    key: str = ""


class _Host(NamedTuple):
    """The forge of a job, and how the claims on numbers of records are found there."""

    ci_job: CiJob
    forge: Forge
    claims: ClaimReader


def review_pull(
    project: Project,
    ci_job: CiJob | None,
    inputs: Inputs,
    connect: ForgeClientFactory,
    access: Mapping[str, str],
) -> CommandResult:
    """Review the pull request, or the push, that the job is about; outside CI, HEAD.

    Posts what `inputs` select on the pull request; the summary has all of it in any case. `access`
    holds git's variables for fetching what the job did not check out. Raises SddError when there is
    nothing to compare, or it cannot be read.
    """
    if ci_job is None:
        base = inputs.base or default_base(project.repository)
        notes = fetch_external_records(project, time.time, access, base)
        result = _review_change(project, ReviewedChange(inputs.base, "HEAD"), None, inputs)
        return result._replace(notes=(*notes, *result.notes))
    forge = ci_job.vendor.open(ci_job.context, connect)
    try:
        git = project.repository.git
        change = find_change(git, ci_job.context, forge, inputs.base, access)
        if change is None:
            note = "nothing to review: no pull request, no push, no base named"
            return CommandResult(notes=(note,))
        claims: ClaimReader = no_claims
        if change.pull is not None:
            claims = claims_of_pulls(PullJob(ci_job.context, forge, change.pull, access))
        # The head of a pull request names no repository to fetch from.
        notes = fetch_external_records(project, time.time, access, change.base)
        result = _review_change(project, change, _Host(ci_job, forge, claims), inputs)
        return result._replace(notes=(*notes, *result.notes))
    finally:
        forge.disconnect()


def _review_change(
    project: Project, change: ReviewedChange, host: _Host | None, inputs: Inputs
) -> CommandResult:
    pull = change.pull
    title, body = (pull.title, pull.body) if pull else ("", "")
    claims = host.claims if host else None
    scans = tuple(project.repository.root / name for name in inputs.scans)
    commits = CommitRange(change.base, change.head, title, body, claims, scans=scans)
    verdict = review_range(project, commits, inputs.fail_on or None, judge=inputs.judge)
    review, fails = verdict
    written = write_reports(project, review, inputs)
    links: Links | None = None
    annotations: tuple[str, ...] = ()
    posted = Posted()
    if host is not None:
        ci_job, forge, _ = host
        base, query = forge.file_links()
        links = Links(base, review.head, query)
        if ci_job.context.shows_annotations:
            annotations = tuple(render_annotations(review))
        if change.is_outdated:
            posted = Posted(notes=(_OUTDATED,))
        elif pull is not None:
            status = not ci_job.context.shows_annotations
            options = PostOptions(inputs.comment, inputs.inline, status, inputs.comment_key)
            posted = post(forge, pull, verdict, links, options)
    return CommandResult(
        outputs={
            "findings": str(len(review.findings)),
            "critical": str(review.count("critical")),
            "suppressed": str(len(review.suppressed)),
            "incomplete": str(sum(one.finding.rule == INCOMPLETE for one in review.findings)),
            "comment-url": posted.url,
            **written.paths,
        },
        summary=render_summary(review, links=links),
        annotations=annotations,
        notes=(*([change.note] if change.note else ()), *posted.notes),
        exit_code=max(EXIT_FINDINGS if fails else EXIT_OK, *written.exit_codes),
        errors=written.errors,
    )


def post(
    forge: Forge, pull: PullRequest, verdict: Verdict, links: Links, options: PostOptions
) -> Posted:
    """Post on a pull request.

    A refusal is not an error, because the summary of the job has the whole report. The failure of
    one part does not stop the others.
    """
    review = verdict.review
    notes: list[str] = []

    def attempt(part: str, write: Callable[[], str]) -> str:
        try:
            return write()
        except WriteDenied as error:
            notes.append(f"{part} not posted, since {_describe_denial(pull, error)}")
        except RemoteError as error:
            notes.append(f"{part} not posted: {error}")
        return ""

    url = ""
    if options.comment:
        body = render_comment(review, links=links, key=options.key)
        url = attempt("the comment was", lambda: _post_comment(forge, pull, review, body, options))
    if options.inline:
        refused = attempt(
            "comments on lines were", lambda: _post_on_lines(forge, pull, review, options.key)
        )
        notes += [refused] if refused else []
    if options.status:
        attempt("the status was", lambda: _set_status(forge, verdict, url, options.key))
    return Posted(url, tuple(notes))


def _describe_denial(pull: PullRequest, error: WriteDenied) -> str:
    """Why the token may not write, and the one thing to do."""
    if pull.is_locked or "locked" in str(error):
        return "the conversation is locked: unlock it, or use a token of an account that may write"
    if pull.is_fork and not pull.is_merged:
        return (
            "the token may only read on a pull request of a fork: add the workflow under 'Pull"
            " requests from forks' in docs/ci.md, which posts afterwards"
        )
    return f"the token may not write: {error}"


def _post_comment(
    forge: Forge, pull: PullRequest, review: ReviewOutcome, body: str, options: PostOptions
) -> str:
    """Create or edit the comment. Returns its address.

    A review without findings creates no comment, but edits an existing one.
    """
    is_empty = not review.findings and not review.references.suggested

    def is_own(text: str) -> bool:
        return has_marker(text, options.key)

    return forge.upsert_comment(pull.number, body, is_own, create=not is_empty).url


def _post_on_lines(forge: Forge, pull: PullRequest, review: ReviewOutcome, key: str) -> str:
    """Post new comments on lines, and resolve outdated ones. Returns a note about refused ones."""
    threads = forge.threads(pull.number)
    by_id = {thread.id: thread for thread in threads}
    existing = (ExistingComment(*thread) for thread in threads)
    wanted = inline_comments(review, key)
    # No request can name another file, and one such name would make all comments fail.
    named = [comment for comment in wanted if is_unicode(comment.path)]
    note = ""
    if len(named) < len(wanted):
        count = format_count(len(wanted) - len(named), "comment")
        note = f"{count} on lines of files whose names are not UTF-8"
    plan = reconcile(named, existing, key)
    comments = [LineComment(comment.path, comment.line, comment.body) for comment in plan.post]
    resolved = [by_id[id] for id in plan.resolve]
    if not comments and not resolved:
        return note
    refused = forge.publish_review(pull.number, pull.head, comments, resolved)
    if refused:
        count = format_count(len(refused), "comment")
        note = f"{note}; " if note else ""
        note += f"{count} on lines that the pull request does not show"
    return note


def _set_status(forge: Forge, verdict: Verdict, url: str, key: str) -> str:
    """Set the status of the head commit, with a link to the comment at `url`."""
    review = verdict.review
    counts = [(review.count(severity), severity) for severity in SEVERITIES]
    text = ", ".join(f"{number} {severity}" for number, severity in counts if number)
    state: Literal["failure", "success"] = "failure" if verdict.fails else "success"
    context = f"{STATUS_CONTEXT} ({key})" if key else STATUS_CONTEXT
    clear = "No decision to compare with" if review.references.compared_nothing else "All clear"
    status = CommitStatus(state, context, text or clear, url)
    forge.set_status(review.head, status)
    return ""
