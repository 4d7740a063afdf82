"""Review the change that a job of CI is about, and post the result on its pull request."""

# Governing: ADR-0022 (one review, many reports), SPEC-0012 REQ "Review of a pull request",
# REQ "Posting", REQ "Forks"

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from sdd_hooks.action.changed_commits import ReviewedChange, find_change
from sdd_hooks.action.inputs import Inputs
from sdd_hooks.action.results import CommandResult
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
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.annotations import render_annotations
from sdd_hooks.reporting.comment import has_marker, render_comment
from sdd_hooks.reporting.json import render_json
from sdd_hooks.reporting.line_comments import ExistingComment, inline_comments, reconcile
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.registry import Links
from sdd_hooks.reporting.summary import render_summary
from sdd_hooks.system.files import resolve_inside, write_atomically
from sdd_hooks.text.display import format_count
from sdd_hooks.usecases.review import CommitRange, Verdict, review_range, use_base_settings

REPORT = "sdd-review.json"
"""The default name of the report, in the runner's directory for the files of a job."""

STATUS_CONTEXT = "sdd review"
"""The name of the status of a commit."""


_OUTDATED = "nothing was posted: there is a newer push, which has another job"


class Posted(NamedTuple):
    """The address of the comment, "" for none, and a line for each part that was not posted, with
    the reason."""

    url: str = ""
    notes: tuple[str, ...] = ()


class PostOptions(NamedTuple):
    """What is posted: the comment, comments on lines, a status of the commit."""

    comment: bool = True
    inline: bool = False
    status: bool = False


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
        return _review_change(project, ReviewedChange(inputs.base, "HEAD"), None, inputs)
    forge = ci_job.vendor.open(ci_job.context, connect)
    try:
        git = project.repository.git
        change = find_change(git, ci_job.context, forge, inputs.base, access)
        if change is None:
            note = "nothing to review: no pull request, no push, no base named"
            return CommandResult(notes=(note,))
        return _review_change(project, change, (ci_job, forge), inputs)
    finally:
        forge.disconnect()


def _review_change(
    project: Project,
    change: ReviewedChange,
    host: tuple[CiJob, Forge] | None,
    inputs: Inputs,
) -> CommandResult:
    pull = change.pull
    if pull is not None:
        project = use_base_settings(project, change.base)
    title, body = (pull.title, pull.body) if pull else ("", "")
    commits = CommitRange(change.base, change.head, title, body)
    verdict = review_range(project, commits, inputs.fail_on or None, judge=inputs.judge)
    review, fails = verdict
    paths = _write_reports(project, review, inputs)
    links: Links | None = None
    annotations: tuple[str, ...] = ()
    posted = Posted()
    if host is not None:
        ci_job, forge = host
        base, query = forge.file_links()
        links = Links(base, review.head, query)
        if ci_job.context.shows_annotations:
            annotations = tuple(render_annotations(review))
        if change.is_outdated:
            posted = Posted(notes=(_OUTDATED,))
        elif pull is not None:
            status = not ci_job.context.shows_annotations
            options = PostOptions(inputs.comment, inputs.inline, status)
            posted = post(forge, pull, verdict, links, options)
    return CommandResult(
        outputs={
            "findings": str(len(review.findings)),
            "critical": str(review.count("critical")),
            "suppressed": str(len(review.suppressed)),
            "incomplete": str(sum(one.finding.rule == INCOMPLETE for one in review.findings)),
            "comment-url": posted.url,
            **paths,
        },
        summary=render_summary(review, links=links),
        annotations=annotations,
        notes=posted.notes,
        exit_code=EXIT_FINDINGS if fails else EXIT_OK,
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
            notes.append(f"{part} not posted, since the token may not write: {error}")
        except RemoteError as error:
            notes.append(f"{part} not posted: {error}")
        return ""

    url = ""
    if options.comment:
        url = attempt("the comment was", lambda: _post_comment(forge, pull, review, links))
    if options.inline:
        refused = attempt("comments on lines were", lambda: _post_on_lines(forge, pull, review))
        notes += [refused] if refused else []
    if options.status:
        attempt("the status was", lambda: _set_status(forge, verdict, url))
    return Posted(url, tuple(notes))


def _post_comment(forge: Forge, pull: PullRequest, review: ReviewOutcome, links: Links) -> str:
    """Create or edit the comment. Returns its address.

    A review without findings creates no comment, but edits an existing one.
    """
    is_empty = not review.findings and not review.references.suggested
    body = render_comment(review, links=links)
    return forge.upsert_comment(pull.number, body, has_marker, create=not is_empty).url


def _post_on_lines(forge: Forge, pull: PullRequest, review: ReviewOutcome) -> str:
    """Post new comments on lines, and resolve outdated ones. Returns a note about refused ones."""
    threads = forge.threads(pull.number)
    by_id = {thread.id: thread for thread in threads}
    existing = (ExistingComment(*thread) for thread in threads)
    plan = reconcile(inline_comments(review), existing)
    comments = [LineComment(comment.path, comment.line, comment.body) for comment in plan.post]
    resolved = [by_id[id] for id in plan.resolve]
    if not comments and not resolved:
        return ""
    refused = forge.publish_review(pull.number, pull.head, comments, resolved)
    if not refused:
        return ""
    return f"{format_count(len(refused), 'comment')} on lines that the pull request does not show"


def _set_status(forge: Forge, verdict: Verdict, url: str) -> str:
    """Set the status of the head commit, with a link to the comment at `url`."""
    review = verdict.review
    counts = [(review.count(severity), severity) for severity in SEVERITIES]
    text = ", ".join(f"{number} {severity}" for number, severity in counts if number)
    state: Literal["failure", "success"] = "failure" if verdict.fails else "success"
    status = CommitStatus(state, STATUS_CONTEXT, text or "All clear", url)
    forge.set_status(review.head, status)
    return ""


def _write_reports(project: Project, review: ReviewOutcome, inputs: Inputs) -> dict[str, str]:
    """Write the report and, if requested, the one for code scanners. Returns their paths."""
    root = project.repository.root
    paths = {}
    directory = project.environ.get("RUNNER_TEMP", "")
    report = inputs.report or (str(Path(directory, REPORT)) if directory else "")
    if report:
        paths["report"] = _write_file(root, report, render_json(review, project.warnings))
    if inputs.sarif_file:
        from sdd_hooks.reporting.sarif import render_sarif
        from sdd_hooks.review.rules import rule_descriptions

        sarif = render_sarif(review, rule_descriptions())
        paths["sarif"] = _write_file(root, inputs.sarif_file, sarif)
    return paths


def _write_file(root: Path, name: str, text: str) -> str:
    """Write a file. Returns its absolute path: later steps of the job start in another directory.

    A relative path is one of the repository, whose links are untrusted. Raises PathRefused for one
    that leads out of the repository.
    """
    path = Path(name)
    if not path.is_absolute():
        folder = resolve_inside(root, path.parent.as_posix())
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / path.name
    write_atomically(path, text.encode())
    return str(path)
