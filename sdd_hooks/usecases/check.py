"""Check a file, a directory, a record or the repository against what governs it."""

# Governing: SPEC-0018 (check of the work tree), SPEC-0007 REQ "Before reading"

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.config.settings import FailOn
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.usecases.baseline import BaselineUse
from sdd_hooks.usecases.report_index import open_report_index

KINDS = ("adrs", "specs")


class CheckRequest(NamedTuple):
    """What to check: a path relative to `directory`, an id, or "" for the module or everything.

    `judge` names a model of `llm` that looks as well, "" for none. `fail_on` replaces the setting
    of the repository. `baseline` has findings that do not count.
    """

    target: str
    directory: Path
    module: str | None = None
    judge: str = ""
    fail_on: FailOn | None = None
    baseline: BaselineUse | None = None


class CheckVerdict(NamedTuple):
    """The report, whether its findings are severe enough to fail, and warnings.

    `written` is how many entries of a baseline were written, None for none.
    """

    outcome: ReviewOutcome
    fails: bool
    warnings: tuple[str, ...] = ()
    written: int | None = None


def check(project: Project, request: CheckRequest, now: float) -> CheckVerdict:
    """Check a target. `now` is in seconds since the epoch.

    Raises:
        UnknownTarget: there is no such file, directory or record.
        UnknownName: the project does not have the module.
        NotIndexed: nothing is indexed.
        BaselineRefused, ConfigurationError: the baseline cannot be used.
        EngineUnavailable, StorageError: the index cannot be read, or the model not be loaded.
    """
    from sdd_hooks.drift.candidates import RecordReader
    from sdd_hooks.drift.check import check_target
    from sdd_hooks.drift.known_records import list_records
    from sdd_hooks.drift.target import find_target
    from sdd_hooks.review.review import load_judge

    # An unknown model stops the check at once.
    model = load_judge(request.judge, project.environ)
    project.select(KINDS, request.module)
    collections = project.select(KINDS)
    with open_report_index(project, now) as (engine, header, warnings):
        known = list_records(project, engine, collections)
        target = find_target(
            project, request.directory, request.target, request.module, lambda: known
        )
        reader = RecordReader(project, collections, known)
        outcome, subject = check_target(engine, reader, target, header)
    if model is not None:
        from sdd_hooks.review.judge.judging import judge_review

        outcome = judge_review(model, subject, outcome, environ=project.environ)
    written = None
    if request.baseline:
        from sdd_hooks.drift.check import covers_entry
        from sdd_hooks.usecases.baseline import use_baseline

        covers = partial(covers_entry, target)
        compared = use_baseline(project, request.directory, request.baseline, outcome, covers)
        outcome, written = compared.outcome, compared.written
    fail_on = request.fail_on or project.configuration.review.fail_on
    fails = written is None and outcome.fails(fail_on)
    return CheckVerdict(outcome, fails, (*warnings, *project.warnings), written)
