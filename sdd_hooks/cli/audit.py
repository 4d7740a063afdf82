"""`sdd audit`: the records of a repository against its code, each other, and today's date."""

# Governing: SPEC-0019 REQ "Report", SPEC-0019 REQ "Baseline"

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sdd_hooks.cli.shared.context import open_project, start_directory
from sdd_hooks.cli.shared.options import module_option
from sdd_hooks.cli.shared.output import printable_line
from sdd_hooks.cli.shared.progress import waiting_line
from sdd_hooks.cli.shared.report_options import (
    ReportChoice,
    baseline_options,
    print_report,
    print_written,
    report_options,
)
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.registry import load_reporter
from sdd_hooks.usecases.drift.audit import AuditVerdict
from sdd_hooks.usecases.drift.audit import audit as run_audit
from sdd_hooks.usecases.drift.check import DriftRequest

if TYPE_CHECKING:
    from sdd_hooks.usecases.drift.baseline import BaselineUse


@click.command()
@click.argument("scope", required=False, default="", metavar="[SCOPE]")
@module_option
@baseline_options
@click.option(
    "--html",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Also write a page to look at: a file that ends in .html, or a directory.",
)
@report_options
@click.pass_obj
def audit(
    directory: Path | None,
    /,
    *,
    scope: str,
    module: str | None,
    report: ReportChoice,
    **files: Any,
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
      sdd audit --html site
      sdd audit --scan semgrep.sarif
    """
    baseline: BaselineUse | None = files["baseline"]
    project = open_project(directory)
    reporter = load_reporter(report.form)
    where = start_directory(directory)
    scans = report.scans_in(where)
    request = DriftRequest(where, scope, module, report.fail_on, report.judge, baseline, scans)
    with waiting_line(sys.stderr, "Auditing"):
        verdict = run_audit(project, request, time.time())
        page = _write_page(project, verdict, where, files["html"])
    print_report(
        reporter, verdict.outcome, project, as_json=report.as_json, warnings=verdict.warnings
    )
    print_written(baseline, verdict.written)
    if page is not None:
        click.echo(f"wrote the page to {printable_line(str(page))}", err=True)
    return EXIT_FINDINGS if verdict.fails else EXIT_OK


def _write_page(
    project: Project, verdict: AuditVerdict, where: Path, target: Path | None
) -> Path | None:
    if target is None:
        return None
    # Jinja2 and a parser of Markdown are imported for a page only.
    from sdd_hooks.usecases.drift.audit_page import publish_audit

    return publish_audit(project, verdict, where / target, time.time())
