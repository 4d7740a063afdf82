"""`sdd audit`: the records of a repository against its code, each other, and today's date."""

# Governing: SPEC-0019 REQ "Report", SPEC-0019 REQ "Baseline"

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdd_hooks.cli.context import open_project, start_directory
from sdd_hooks.cli.options import module_option
from sdd_hooks.cli.progress import waiting_line
from sdd_hooks.cli.report_options import (
    ReportChoice,
    baseline_options,
    print_report,
    print_written,
    report_options,
)
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.reporting.registry import load_reporter
from sdd_hooks.usecases.audit import AuditRequest
from sdd_hooks.usecases.audit import audit as run_audit

if TYPE_CHECKING:
    from sdd_hooks.usecases.baseline import BaselineUse


@click.command()
@click.argument("scope", required=False, default="", metavar="[SCOPE]")
@module_option
@baseline_options
@report_options
@click.pass_obj
def audit(
    directory: Path | None,
    *,
    scope: str,
    module: str | None,
    baseline: BaselineUse | None,
    report: ReportChoice,
) -> int:
    """Audit decisions and specifications against the code, each other, and today's date.

    SCOPE is a file, a directory, the id of a decision or specification, or nothing: the whole
    repository. Uncommitted edits count. A stale index (Staleness Threshold) is refreshed first.

    \b
    Example:
      sdd audit
      sdd audit src/pay --format markdown
      sdd audit --baseline audit.json --write-baseline
      sdd audit --baseline audit.json --fail-on warning
    """
    project = open_project(directory)
    reporter = load_reporter(report.form)
    where = start_directory(directory)
    request = AuditRequest(where, scope, module, report.fail_on, report.judge, baseline)
    with waiting_line(sys.stderr, "Auditing"):
        verdict = run_audit(project, request, time.time())
    print_report(
        reporter, verdict.outcome, project, as_json=report.as_json, warnings=verdict.warnings
    )
    print_written(baseline, verdict.written)
    return EXIT_FINDINGS if verdict.fails else EXIT_OK
