"""The files that a job writes: the report, the one for code scanners, and the page of an audit."""

# Governing: SPEC-0012 REQ "Outputs", ADR-0012 (no path leaves the repository), ADR-0042 (one page
# without a network), SPEC-0020

from __future__ import annotations

import os
from pathlib import Path

from sdd_hooks.action.inputs import Inputs
from sdd_hooks.action.results import CommandResult
from sdd_hooks.engines.protocol import Progress
from sdd_hooks.errors import EXIT_OK, SddError, StorageError
from sdd_hooks.findings import SEVERITIES
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.json import render_json
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.system.files import PathRefused, write_atomically
from sdd_hooks.text.display import format_count

REPORT = "sdd-review.json"
"""The default name of the report, in the runner's directory for the files of a job."""

_INPUTS = {"report": "report", "sarif": "sarif-file"}
"""The input that names the file of each output."""


class WrittenReports(NamedTuple):
    """The paths of the written files by their outputs, and the errors about the others, each with
    its exit code."""

    paths: dict[str, str]
    errors: tuple[str, ...] = ()
    exit_codes: tuple[int, ...] = (EXIT_OK,)


def write_reports(project: Project, review: ReviewOutcome, inputs: Inputs) -> WrittenReports:
    """Write the report and, if requested, the one for code scanners."""
    directory = project.environ.get("RUNNER_TEMP", "")
    report = inputs.report or (str(Path(directory, REPORT)) if directory else "")
    texts = {}
    if report:
        texts["report"] = (report, render_json(review, project.warnings))
    if inputs.sarif_file:
        from sdd_hooks.reporting.sarif import render_sarif
        from sdd_hooks.review.rules import rule_descriptions

        texts["sarif"] = (inputs.sarif_file, render_sarif(review, rule_descriptions()))
    paths: dict[str, str] = {}
    errors: list[str] = []
    exit_codes = [EXIT_OK]
    for output, (name, text) in texts.items():
        try:
            paths[output] = _write_file(project.repository.root, name, text)
        except SddError as error:
            errors.append(f"{error}: check `{_INPUTS[output]}`")
            exit_codes.append(error.exit_code)
    return WrittenReports(paths, tuple(errors), tuple(exit_codes))


def make_page(project: Project, inputs: Inputs, now: float, progress: Progress) -> CommandResult:
    """Index the records, audit them, and write the page to a file or directory for a later step.

    The path is as in `find_target`, `now` in seconds since the epoch. No token is used, so that a
    page can be made of a pull request, too; the findings do not fail the job. Raises SddError.
    """
    # A job without a page imports none of these.
    from sdd_hooks.usecases.drift.audit import audit
    from sdd_hooks.usecases.drift.audit_page import page_file, publish_audit
    from sdd_hooks.usecases.drift.check import DriftRequest
    from sdd_hooks.usecases.upkeep.refresh import refresh_index

    root = project.repository.root
    # The last directory may be a link, too.
    target = find_target(root, str(page_file(find_target(root, inputs.page))))
    refreshed = refresh_index(project, project.select(RECORD_KINDS), progress=progress).result
    scans = tuple(root / one for one in inputs.scans)
    verdict = audit(project, DriftRequest(root, scans=scans), now)
    path = publish_audit(project, verdict, target, now)
    counts = ", ".join(f"{verdict.outcome.count(one)} {one}" for one in SEVERITIES)
    records = format_count(len(verdict.audited.records), "record")
    return CommandResult(
        {"page": str(path)},
        notes=(*refreshed.notes, *verdict.warnings),
        log=(f"page of {records}: {counts}",),
    )


def _write_file(root: Path, name: str, text: str) -> str:
    """Write a file. Returns its absolute path: later steps of the job start in another directory.

    `name` is as in `find_target`. Raises PathRefused and StorageError.
    """
    path = find_target(root, name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot write {name}: {error.strerror} ({path.parent})") from None
    write_atomically(path, text.encode())
    return str(path)


def find_target(root: Path, name: str) -> Path:
    """Return the absolute path of a file that an input names.

    A relative path is one of the repository. A pull request chooses the files, directories and
    links there, so that no link is followed. Raises PathRefused.
    """
    path = Path(root, name)
    try:
        inside = Path(os.path.normpath(path)).relative_to(root)
    except ValueError:
        inside = None
    if inside is None and not Path(name).is_absolute():
        raise PathRefused(f"{name}: leaves the repository")
    if inside is not None:
        path = root / inside
        if os.path.realpath(path.parent) != str(path.parent):
            raise PathRefused(f"{name}: a directory of this path is a link, and none is followed")
    return path
