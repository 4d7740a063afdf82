"""What a check and an audit have in common: the request, and the open index with the target."""

# Governing: SPEC-0018 REQ "Targets", SPEC-0018 REQ "The index", SPEC-0019 REQ "Report"

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.config.settings import FailOn
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.usecases.drift.baseline import BaselineUse
from sdd_hooks.usecases.upkeep.report_index import open_report_index

if TYPE_CHECKING:
    from sdd_hooks.drift.candidates import RecordReader
    from sdd_hooks.drift.target import Target
    from sdd_hooks.engines.protocol import Engine
    from sdd_hooks.models.language_model import LanguageModel


class DriftRequest(NamedTuple):
    """What to check or to audit, and how.

    `target` is a path relative to `directory`, an id, or "" for the module or everything. `judge`
    names a model of `llm` that looks as well, "" for none. `fail_on` replaces the setting of the
    repository. `baseline` has findings that do not count.
    """

    directory: Path
    target: str = ""
    module: str | None = None
    fail_on: FailOn | None = None
    judge: str = ""
    baseline: BaselineUse | None = None

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
        NotIndexed: nothing is indexed.
        EngineUnavailable, StorageError: the index cannot be read, or the judge is unknown.
    """
    from sdd_hooks.drift.candidates import RecordReader
    from sdd_hooks.drift.known_records import list_records
    from sdd_hooks.drift.target import find_target
    from sdd_hooks.review.review import load_judge

    # An unknown model stops the report at once.
    judge = load_judge(request.judge, project.environ)
    project.select(RECORD_KINDS, request.module)
    collections = project.select(RECORD_KINDS)
    with open_report_index(project, now) as (engine, header, warnings):
        known = list_records(project, engine, collections)
        target = find_target(
            project, request.directory, request.target, request.module, lambda: known
        )
        reader = RecordReader(project, collections, known)
        yield OpenTarget(engine, header, warnings, reader, target, judge)
