"""`sdd adr review-due`: decisions whose review is due, or whose provisional status ended."""

# Governing: SPEC-0024 REQ "Reviews that are due"

from __future__ import annotations

import time
from datetime import date
from pathlib import Path

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.issues import find_sources
from sdd_hooks.cli.shared.options import json_option, module_option
from sdd_hooks.cli.shared.output import CommandOutput, format_count, printable_line, show
from sdd_hooks.cli.shared.progress import SyncOutput
from sdd_hooks.project.project import Project
from sdd_hooks.usecases.authoring.review_due import (
    DueIssue,
    DueRecord,
    DueReport,
    create_due_issues,
    find_due_records,
)

SCHEMA_VERSION = 1


@click.command("review-due")
@click.option("--create", is_flag=True, help="Create an issue for each of them, once only.")
@module_option
@json_option
@click.pass_obj
def review_due(
    directory: Path | None, /, *, create: bool, module: str | None, as_json: bool
) -> int:
    """List decisions whose review is due, or whose provisional status ended.

    A record says it with `review-by: 2026-12-31`, `expires: 2026-12-31`, or in its status, as in
    "accepted (trial until 2026-12-31)". With --create, the issues of the tracker are synced, and a
    date without an issue, open or closed, gets one.

    \b
    Example:
      sdd adr review-due
      sdd adr review-due --create
    """
    project = open_project(directory)
    report = find_due_records(project, module, date.today())
    output = SyncOutput(as_json)
    issues = _create(project, report, output, as_json) if create else []
    lines = [*_lines(report), *map(_issue_line, issues)]
    data = {
        "schema_version": SCHEMA_VERSION,
        "due": [_data(one) for one in report.records],
        "issues": [
            {"id": one.id, "url": one.url, "record": one.record.id, "created": one.is_new}
            for one in issues
        ],
    }
    notes = (*report.notes, *output.notes)
    return show(CommandOutput(data, lines, notes, report.warnings), as_json)


def _create(
    project: Project, report: DueReport, output: SyncOutput, as_json: bool
) -> list[DueIssue]:
    issues: list[DueIssue] = []
    with output.callbacks(progress=False) as callbacks:
        for module in dict.fromkeys(one.module for one in report.records):
            (source,) = find_sources(project, module, asks=not as_json).found
            records = [one for one in report.records if one.module == module]
            issues += create_due_issues(project, source, records, time.time, callbacks)
    return issues


def _lines(report: DueReport) -> list[str]:
    if not report.records:
        return ["no decision is due for a review"]
    lines = []
    for one in report.records:
        finding = one.finding.finding
        place = printable_line(f"{finding.path}:{finding.line}")
        lines.append(f"{place}  {finding.severity}  {printable_line(finding.message)}")
    count = format_count(len(report.records), "date")
    return [*lines, "", f"{count} passed"]


def _issue_line(one: DueIssue) -> str:
    verb = "created" if one.is_new else "exists"
    where = one.url or one.id
    return printable_line(f"{verb}: {where} for {one.record.id}")


def _data(one: DueRecord) -> dict[str, object]:
    finding = one.finding.finding
    return {
        "record": one.id,
        "title": one.title,
        "module": one.module,
        "path": finding.path,
        "line": finding.line,
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "evidence": finding.evidence,
        "fingerprint": one.finding.fingerprint,
    }
