"""Check a file, a directory, a record or the repository against what governs it."""

# Governing: SPEC-0018 (check of the work tree), SPEC-0007 REQ "Before reading"

from __future__ import annotations

from functools import partial

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.usecases.drift.target import DriftRequest, open_target


class CheckVerdict(NamedTuple):
    """The report, whether its findings are severe enough to fail, and warnings.

    `written` is how many entries of a baseline were written, None for none. `notes` are what the
    project learned about the target, and findings that were fixed since the last check.
    """

    outcome: ReviewOutcome
    fails: bool
    warnings: tuple[str, ...] = ()
    written: int | None = None
    notes: tuple[str, ...] = ()


def check(project: Project, request: DriftRequest, now: float) -> CheckVerdict:
    """Check a target. `now` is in seconds since the epoch.

    Raises BaselineRefused or ConfigurationError where the baseline cannot be used, and what
    `open_target` raises.
    """
    from sdd_hooks.drift.check import check_target

    with open_target(project, request, now) as opened:
        target = opened.target
        outcome, subject = check_target(opened.engine, opened.reader, target, opened.header)
    if opened.judge is not None:
        from sdd_hooks.review.judge.judging import judge_review

        outcome = judge_review(opened.judge, subject, outcome, environ=project.environ)
    notes = _learned(project, request, outcome, now)
    written = None
    if request.baseline:
        from sdd_hooks.drift.check import covers_entry
        from sdd_hooks.usecases.drift.baseline import use_baseline

        covers = partial(covers_entry, target)
        compared = use_baseline(project, request.directory, request.baseline, outcome, covers)
        outcome, written = compared.outcome, compared.written
    fails = request.fails(project, outcome, written)
    return CheckVerdict(outcome, fails, (*opened.warnings, *project.warnings), written, notes)


def _learned(
    project: Project, request: DriftRequest, outcome: ReviewOutcome, now: float
) -> tuple[str, ...]:
    from sdd_hooks.drift.rules import described_rules
    from sdd_hooks.usecases.drift.fixed_findings import CheckRun, draft_fixed
    from sdd_hooks.usecases.knowledge.entries import consult

    repository, configuration = project.repository, project.configuration
    scope = f"check {request.module or ''} {request.directory} {request.target}"
    lessons = consult(repository, configuration, request.target, "guard-check-*")
    run = CheckRun(scope, outcome, described_rules)
    return (*lessons, *draft_fixed(repository, configuration, run, now))
