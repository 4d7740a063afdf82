"""`sdd check`: what in a file, a directory, a record or the repository departs from its records."""

# Governing: SPEC-0018 (check of the work tree)

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdd_hooks.cli.shared.context import open_project, start_directory
from sdd_hooks.cli.shared.options import module_option
from sdd_hooks.cli.shared.progress import waiting_line
from sdd_hooks.cli.shared.report_options import (
    ReportChoice,
    baseline_options,
    print_notes,
    print_report,
    print_written,
    report_options,
)
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.reporting.registry import load_reporter
from sdd_hooks.usecases.drift.check import DriftRequest
from sdd_hooks.usecases.drift.check import check as run_check

if TYPE_CHECKING:
    from sdd_hooks.usecases.drift.baseline import BaselineUse


@click.command()
@click.argument("target", metavar="[TARGET]", required=False, default="")
@module_option
@baseline_options
@report_options
@click.pass_obj
def check(
    directory: Path | None,
    *,
    target: str,
    module: str | None,
    baseline: BaselineUse | None,
    report: ReportChoice,
) -> int:
    """Report where the work tree departs from its decisions and specifications.

    TARGET is a file, a directory, the id of a decision or a specification, or nothing for the whole
    repository. Edits that are not committed count. A stale index (Staleness Threshold) is refreshed
    first.

    \b
    Example:
      sdd check src/auth/login.go
      sdd check SPEC-0003
      sdd check --module api --format markdown
      sdd check --scan semgrep.sarif
    """
    project = open_project(directory)
    reporter = load_reporter(report.form)
    where = start_directory(directory)
    scans = report.scans_in(where)
    request = DriftRequest(where, target, module, report.fail_on, report.judge, baseline, scans)
    with waiting_line(sys.stderr, "Checking"):
        verdict = run_check(project, request, time.time())
    print_report(
        reporter, verdict.outcome, project, as_json=report.as_json, warnings=verdict.warnings
    )
    print_written(baseline, verdict.written)
    print_notes(verdict.notes, report.as_json)
    return EXIT_FINDINGS if verdict.fails else EXIT_OK
