"""`sdd review`: which decision a change should reference, and which rules it breaks."""

# Governing: SPEC-0010 REQ "Reports", SPEC-0010 REQ "What is compared"

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import click

from sdd_hooks.cli.review.batch import BatchOptions, parse_targets, review_batch
from sdd_hooks.cli.shared.context import open_project, start_directory
from sdd_hooks.cli.shared.options import json_option
from sdd_hooks.cli.shared.progress import SyncOutput, waiting_line
from sdd_hooks.cli.shared.report_options import (
    chosen_format,
    fail_on_option,
    format_option,
    judge_option,
    print_notes,
    print_report,
    scan_option,
)
from sdd_hooks.config.settings import FailOn
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.registry import load_reporter
from sdd_hooks.usecases.drift.fixed_findings import learn_from_review
from sdd_hooks.usecases.review import CommitRange, review_index, review_range
from sdd_hooks.usecases.upkeep.sync import sync_known_if_due

MAX_BODY = 1 << 20
"""Bytes of a body that are read. Forges store a tenth of that."""


@click.command()
@click.argument("targets", metavar="[BASE..HEAD | N|SPEC...]", nargs=-1)
@click.option("--base", metavar="REV", help="What to compare with. [default: the main branch]")
@click.option("--head", metavar="REV", help="What to review. [default: HEAD]")
@click.option("--staged", is_flag=True, help="Only the rules, on what is staged.")
@click.option("--title", metavar="TEXT", default="", help="The title of the pull request.")
@click.option(
    "--body-file", type=click.File("rb"), metavar="FILE", help="Its body; - reads it from stdin."
)
@click.option("--merge", is_flag=True, help="Merge the pull requests that are ready, in order.")
@click.option("--dry-run", is_flag=True, help="With --merge: show what would be merged.")
@format_option
@json_option
@fail_on_option
@judge_option
@scan_option
@click.pass_obj
def review(directory: Path | None, /, *, targets: tuple[str, ...], **options: Any) -> int:
    """Report which decision a change should reference, and what it breaks.

    Compares HEAD with the last commit it shares with the main branch, as a pull request does. Only
    what is committed is reviewed, or with --staged what is staged.

    With numbers of pull requests, or a specification for its open ones, they are read from the
    forge, reviewed together, and put into the order of merges.

    \b
    Example:
      sdd review
      sdd review HEAD~3..HEAD
      sdd review --base origin/release --format markdown
      sdd review --staged --fail-on critical
      sdd review --scan semgrep.sarif
      sdd review SPEC-0003
      sdd review 12 13 --merge --dry-run
    """
    target = parse_targets(targets)
    if target.is_batch:
        return review_batch(directory, target, _batch_options(options))
    if options["merge"] or options["dry_run"]:
        raise click.UsageError("--merge needs pull requests: write numbers, or SPEC-0003")
    return _review_commits(directory, target.commits, options)


def _batch_options(options: Mapping[str, Any]) -> BatchOptions:
    """The options of a review of pull requests. Raises UsageError for one that it does not have."""
    single = ("base", "head", "staged", "title", "body_file", "scans")
    form = options["form"]
    if any(options[name] for name in single) or form not in {None, "terminal", "json"}:
        raise click.UsageError(
            "pull requests are read from the forge: only --merge, --dry-run, --fail-on, --judge"
            " and --json can be combined with them"
        )
    return BatchOptions(
        options["fail_on"],
        options["judge"],
        options["merge"],
        options["dry_run"],
        options["as_json"] or form == "json",
    )


def _review_commits(
    directory: Path | None, commits: tuple[str, str], options: Mapping[str, Any]
) -> int:
    """Review a range of commits, or what is staged."""
    staged, title, judge = options["staged"], options["title"], options["judge"]
    body_file: BinaryIO | None = options["body_file"]
    fail_on: FailOn | None = options["fail_on"]
    if any(commits) and (options["base"] or options["head"]):
        raise click.UsageError("give BASE..HEAD or --base and --head, not both")
    base, head = commits[0] or options["base"], commits[1] or options["head"]
    if staged and (base or head or title or body_file or judge):
        raise click.UsageError(
            "--staged cannot be combined with options that select what is reviewed"
        )
    as_json = options["as_json"]
    project = open_project(directory)
    reporter = load_reporter(chosen_format(options["form"], as_json))
    body = body_file.read(MAX_BODY).decode("utf-8", "replace") if body_file else ""
    where = start_directory(directory)
    scans = tuple(where / name for name in options["scans"])
    warnings = list(project.warnings) if staged else _sync_issues(project, as_json)
    with waiting_line(sys.stderr, "Reviewing"):
        if staged:
            # A user's own hook may run this command for a commit that has its own index file.
            verdict = review_index(project, where, fail_on, scans)
        else:
            change = CommitRange(base or "", head or "HEAD", title, body, scans=scans)
            verdict = review_range(project, change, fail_on, judge=judge, check_work_tree=True)
    print_report(reporter, verdict.review, project, as_json=as_json, warnings=warnings)
    if not staged and (head or "HEAD") == "HEAD":
        print_notes(learn_from_review(project, verdict.review, time.time()), as_json)
    return EXIT_FINDINGS if verdict.fails else EXIT_OK


def _sync_issues(project: Project, as_json: bool) -> list[str]:
    """Sync the issues that the review compares with, if that is due. Returns all warnings."""
    output = SyncOutput(as_json)
    with output.callbacks(progress=False) as callbacks:
        warnings = sync_known_if_due(project, time.time(), callbacks)
    return [*warnings, *project.warnings]
