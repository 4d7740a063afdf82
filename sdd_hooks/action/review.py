"""Review what a job of CI is about, and say it where its people look."""

# Governing: ADR-0022 (one review, many reports), SPEC-0012 REQ "Review of a pull request"

from collections.abc import Mapping
from pathlib import Path

from sdd_hooks.action.inputs import Inputs
from sdd_hooks.action.outcome import Outcome
from sdd_hooks.action.posting import Posting, post
from sdd_hooks.action.subject import Subject, find_subject
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.forges.protocol import Forge, ForgeClientFactory
from sdd_hooks.forges.registry import CiJob
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.annotations import render_annotations
from sdd_hooks.reporting.json import render_json
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.registry import Links
from sdd_hooks.reporting.summary import render_summary
from sdd_hooks.system.files import resolve_inside, write_atomically
from sdd_hooks.usecases.review import CommitRange, review_range, use_base_settings

REPORT = "sdd-review.json"
"""What the report is called where nobody named it, in the runner's folder for a job's own files."""


def review_pull(
    project: Project,
    ci_job: CiJob | None,
    inputs: Inputs,
    connect: ForgeClientFactory,
    access: Mapping[str, str],
) -> Outcome:
    """Review the pull request, or the push, that the job is about; on a machine of nobody's, HEAD.

    What `inputs` want is posted on the pull request; the summary has all of it in any case.
    `access` is git's environment for fetching what the job did not check out. Raises SddError when
    there is nothing to compare, or it cannot be read.
    """
    if ci_job is None:
        local = Subject(inputs.base, "HEAD")
        return _reviewed(project, local, None, inputs)
    forge = ci_job.vendor.open(ci_job.context, connect)
    try:
        subject = find_subject(project.repository.git, ci_job.context, forge, inputs.base, access)
        if subject is None:
            return Outcome(notes=("nothing to review: no pull request, no push, no base named",))
        return _reviewed(project, subject, (ci_job, forge), inputs)
    finally:
        forge.disconnect()


def _reviewed(
    project: Project,
    subject: Subject,
    place: tuple[CiJob, Forge] | None,
    inputs: Inputs,
) -> Outcome:
    pull = subject.pull
    if pull is not None:
        project = use_base_settings(project, subject.base)
    title, body = (pull.title, pull.body) if pull else ("", "")
    commits = CommitRange(subject.base, subject.head, title, body)
    review, fails = review_range(project, commits, inputs.fail_on or None, judge=inputs.judge)
    written = _files(project, review, inputs)
    links: Links | None = None
    marks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    if place is not None:
        ci_job, forge = place
        base, query = forge.file_links()
        links = Links(base, review.head, query)
        if ci_job.context.shows_annotations:
            marks = tuple(render_annotations(review))
        if subject.outdated:
            notes = ("nothing was posted: there is a newer push, which has a job of its own",)
        elif pull is not None:
            wanted = Posting(
                inputs.comment, inputs.inline, status=not ci_job.context.shows_annotations
            )
            notes = post(forge, pull, review, links, wanted, fails=fails)
    return Outcome(
        outputs={
            "findings": str(len(review.findings)),
            "critical": str(review.count("critical")),
            **written,
        },
        summary=render_summary(review, links=links),
        annotations=marks,
        notes=notes,
        exit_code=EXIT_FINDINGS if fails else EXIT_OK,
    )


def _files(project: Project, review: ReviewOutcome, inputs: Inputs) -> dict[str, str]:
    """Write the report and, where it is wanted, the one for code scanners. Returns their paths."""
    root = project.repository.root
    written = {}
    own = project.environ.get("RUNNER_TEMP", "")
    report = inputs.report or (str(Path(own, REPORT)) if own else "")
    if report:
        written["report"] = _write(root, report, render_json(review, project.warnings))
    if inputs.sarif_file:
        from sdd_hooks.reporting.sarif import render_sarif
        from sdd_hooks.review.rules import rule_descriptions

        written["sarif"] = _write(
            root, inputs.sarif_file, render_sarif(review, rule_descriptions())
        )
    return written


def _write(root: Path, name: str, text: str) -> str:
    """Write a file. Returns its path, whole: later steps of the job start in another folder.

    A relative path is the repository's, whose links were made by a stranger: one that leads out of
    it raises PathRefused.
    """
    path = Path(name)
    if not path.is_absolute():
        folder = resolve_inside(root, path.parent.as_posix())
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / path.name
    write_atomically(path, text.encode())
    return str(path)
