"""Check a file, a directory, a record or the repository against what governs it.

An audit has the request, and the open index with the target, in common with a check.
"""

# Governing: SPEC-0018 (check of the work tree), SPEC-0019 REQ "Report", SPEC-0007 REQ "Before
# reading"

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.config.settings import FailOn
from sdd_hooks.freshness.read_gate import open_fresh_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.usecases.drift.baseline import BaselineUse
from sdd_hooks.usecases.upkeep.refresh import ensure_index

if TYPE_CHECKING:
    from sdd_hooks.drift.candidates import RecordReader
    from sdd_hooks.drift.target import Target
    from sdd_hooks.engines.protocol import Engine
    from sdd_hooks.models.language_model import LanguageModel


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
    from sdd_hooks.review.sarif import read_scans

    with open_target(project, request, now) as opened:
        target = opened.target
        scans = read_scans(request.scans, project.repository.root)
        outcome, subject = check_target(opened.engine, opened.reader, target, opened.header, scans)
        outcome = replace(outcome, notes=(*outcome.notes, *_code_notes(project, opened, outcome)))
    if opened.judge is not None:
        from sdd_hooks.review.judge.judging import judge_review

        outcome = judge_review(opened.judge, subject, outcome, environ=project.environ)
    learned = _learned(project, request, outcome, now)
    written = None
    if request.baseline:
        from sdd_hooks.drift.check import covers_entry
        from sdd_hooks.usecases.drift.baseline import use_baseline

        covers = partial(covers_entry, target, subject)
        compared = use_baseline(project, request.directory, request.baseline, outcome, covers)
        outcome, written = compared.outcome, compared.written
    fails = request.fails(project, outcome, written)
    return CheckVerdict(outcome, fails, (*opened.warnings, *project.warnings), written, learned)


def _code_notes(project: Project, opened: OpenTarget, outcome: ReviewOutcome) -> Iterator[str]:
    """The code that requirements of a checked specification are about, where nothing names them."""
    found = [one.finding for one in outcome.findings]
    lines = {one.line for one in found if one.rule.startswith("requirement-coverage")}
    record = opened.target.record if lines else None
    read = opened.reader.read(record.path) if record else None
    if read is None:
        return
    from sdd_hooks.planning.plan.requirements import planned_requirements
    from sdd_hooks.planning.requirement_code import find_code
    from sdd_hooks.usecases.sprint.code_base import read_code_base

    code = read_code_base(project, opened.engine)
    for one in planned_requirements(read.artifact, read.files[0][1]):
        if lines & {0, one.first_line}:
            for place in find_code(one.question(read.artifact.title), code)[:1]:
                yield f'"{one.name}" may be met in {place.path}: {", ".join(place.words[:4])}'


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


class DriftRequest(NamedTuple):
    """What to check or to audit, and how.

    `target` is a path relative to `directory`, an id, or "" for the module or everything. `judge`
    names a model of `llm` that looks as well, "" for none. `fail_on` replaces the setting of the
    repository. `baseline` has findings that do not count. `scans` are files with the results of
    scanners.
    """

    directory: Path
    target: str = ""
    module: str | None = None
    fail_on: FailOn | None = None
    judge: str = ""
    baseline: BaselineUse | None = None
    scans: tuple[Path, ...] = ()

    def fails(self, project: Project, outcome: ReviewOutcome, written: int | None) -> bool:
        """Whether findings are severe enough to fail. Writing a baseline never fails."""
        fail_on = self.fail_on or project.configuration.review.fail_on
        return written is None and outcome.fails(fail_on)


class OpenTarget(NamedTuple):
    """The target, the engine and the reader of its records, and the judge, None for none.

    `header` are lines about the index for the report.
    """

    engine: Engine
    header: tuple[str, ...]
    warnings: tuple[str, ...]
    reader: RecordReader
    target: Target
    judge: LanguageModel | None


@contextmanager
def open_target(project: Project, request: DriftRequest, now: float) -> Iterator[OpenTarget]:
    """Open the index, refreshed when it is stale, and find the target. `now` is in seconds.

    Raises:
        UnknownTarget: there is no such file, directory or record.
        UnknownName: the project does not have the module.
        EngineUnavailable, StorageError: the index cannot be read, or the judge is unknown.
    """
    from sdd_hooks.drift.candidates import RecordReader, list_records
    from sdd_hooks.drift.target import find_target
    from sdd_hooks.review.review import load_judge

    # An unknown model stops the report at once.
    judge = load_judge(request.judge, project.environ)
    project.select(RECORD_KINDS, request.module)
    collections = project.select(RECORD_KINDS)
    ensure_index(project, waits=True)
    with open_fresh_index(project, now) as (engine, freshness):
        known = list_records(project, engine, collections)
        target = find_target(
            project, request.directory, request.target, request.module, lambda: known
        )
        reader = RecordReader(project, collections, known)
        yield OpenTarget(engine, freshness.notes, freshness.warnings, reader, target, judge)
