"""`sdd review`: which decision a change should reference, and which rules it breaks."""

# Governing: SPEC-0010 REQ "Reports", SPEC-0010 REQ "What is compared"

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import BinaryIO

import click

from sdd_hooks.cli.context import open_project, start_directory
from sdd_hooks.cli.options import json_option
from sdd_hooks.cli.progress import waiting_line
from sdd_hooks.cli.report_options import (
    chosen_format,
    fail_on_option,
    format_option,
    judge_option,
    print_notes,
    print_report,
)
from sdd_hooks.config.settings import FailOn
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.reporting.registry import load_reporter
from sdd_hooks.usecases.fixed_findings import learn_from_review
from sdd_hooks.usecases.review import CommitRange, review_index, review_range

MAX_BODY = 1 << 20
"""Bytes of a body that are read. Forges store a tenth of that."""


def _split_range(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, str]:
    """The base and the head of a range as git writes it, "" for a missing end."""
    base, dots, head = (value or "..").partition("..")
    if not dots:
        raise click.UsageError(f"'{value}' is no range: write BASE..HEAD, or --base {value}")
    return base, head.removeprefix(".")


@click.command()
@click.argument("commits", metavar="[BASE..HEAD]", required=False, callback=_split_range)
@click.option("--base", metavar="REV", help="What to compare with. [default: the main branch]")
@click.option("--head", metavar="REV", help="What to review. [default: HEAD]")
@click.option("--staged", is_flag=True, help="Only the rules, on what is staged.")
@click.option("--title", metavar="TEXT", default="", help="The title of the pull request.")
@click.option(
    "--body-file", type=click.File("rb"), metavar="FILE", help="Its body; - reads it from stdin."
)
@format_option
@json_option
@fail_on_option
@judge_option
@click.pass_obj
def review(  # noqa: PLR0913 (an argument for each option)
    directory: Path | None,
    *,
    commits: tuple[str, str],
    base: str | None,
    head: str | None,
    staged: bool,
    title: str,
    body_file: BinaryIO | None,
    form: str | None,
    as_json: bool,
    fail_on: FailOn | None,
    judge: str,
) -> int:
    """Report which decision a change should reference, and what it breaks.

    Compares HEAD with the last commit it shares with the main branch, as a pull request does. Only
    what is committed is reviewed, or with --staged what is staged.

    \b
    Example:
      sdd review
      sdd review HEAD~3..HEAD
      sdd review --base origin/release --format markdown
      sdd review --staged --fail-on critical
    """
    if any(commits) and (base or head):
        raise click.UsageError("give BASE..HEAD or --base and --head, not both")
    base, head = commits[0] or base, commits[1] or head
    if staged and (base or head or title or body_file or judge):
        raise click.UsageError(
            "--staged cannot be combined with options that select what is reviewed"
        )
    form = chosen_format(form, as_json)
    project = open_project(directory)
    reporter = load_reporter(form)
    body = body_file.read(MAX_BODY).decode("utf-8", "replace") if body_file else ""
    with waiting_line(sys.stderr, "Reviewing"):
        if staged:
            # A user's own hook may run this command for a commit that has its own index file.
            verdict = review_index(project, start_directory(directory), fail_on)
        else:
            change = CommitRange(base or "", head or "HEAD", title, body)
            verdict = review_range(project, change, fail_on, judge=judge, check_work_tree=True)
    print_report(reporter, verdict.review, project, as_json=as_json)
    if not staged and (head or "HEAD") == "HEAD":
        print_notes(learn_from_review(project, base or "", verdict.review, time.time()), as_json)
    return EXIT_FINDINGS if verdict.fails else EXIT_OK
