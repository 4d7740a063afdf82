"""`sdd review`: what a change should reference, and what it breaks, before anybody sees it."""

# Governing: SPEC-0010 REQ "Reports", SPEC-0010 REQ "What is compared"

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from sdd_hooks.cli.context import open_project, start_directory
from sdd_hooks.cli.options import json_option
from sdd_hooks.cli.output import printable_line, terminal
from sdd_hooks.cli.progress import waiting_line
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK
from sdd_hooks.project.project import Project

if TYPE_CHECKING:
    from sdd_hooks.reporting.outcome import ReviewOutcome

FORMATS = ("terminal", "markdown", "json", "sarif", "annotations", "summary", "comment")
LONGEST_BODY = 1 << 20
"""Bytes of a body that are read. Forges keep a tenth of that."""


@click.command()
@click.option("--base", metavar="REV", help="What to compare with. [default: the main branch]")
@click.option("--head", metavar="REV", help="What to review. [default: HEAD]")
@click.option("--staged", is_flag=True, help="Only the rules, on what is staged.")
@click.option("--title", metavar="TEXT", default="", help="The title of the pull request.")
@click.option(
    "--body-file", type=click.File("rb"), metavar="FILE", help="Its body; - reads it from stdin."
)
@click.option(
    "--format", "form", type=click.Choice(FORMATS), metavar="FORMAT", help=", ".join(FORMATS) + "."
)
@json_option
@click.option(
    "--fail-on",
    type=click.Choice(["critical", "warning", "info", "never"]),
    metavar="SEVERITY",
    help="Exit with 1 for findings this severe: critical, warning, info, never. [default: Fail On]",
)
@click.option("--judge", metavar="MODEL", default="", help="Ask this model of llm as well.")
@click.pass_obj
def review(
    directory: Path | None,
    base: str | None,
    head: str | None,
    staged: bool,
    title: str,
    body_file: BinaryIO | None,
    form: str | None,
    as_json: bool,
    fail_on: str | None,
    judge: str,
) -> int:
    """Say which decision a change should reference, and what it breaks.

    Compares HEAD with the last commit it shares with the main branch, as a pull request does. Only
    what is committed is reviewed, or with --staged what is staged.

    \b
    Example:
      sdd review
      sdd review --base origin/release --format markdown
      sdd review --staged --fail-on critical
    """
    if staged and (base or head or title or body_file or judge):
        raise click.UsageError("--staged goes with no other choice of what is reviewed")
    if as_json and form not in {None, "json"}:
        raise click.UsageError(f"--json is --format json, not {form}")
    project = open_project(directory)
    body = body_file.read(LONGEST_BODY).decode("utf-8", "replace") if body_file else ""
    with waiting_line(sys.stderr, "Reviewing"):
        found = (
            _of_index(project, start_directory(directory))
            if staged
            else _of_commits(project, base, head or "HEAD", title, body, judge)
        )
    sys.stdout.write(_text(found, "json" if as_json else form or "terminal", project))
    sys.stdout.flush()
    if not as_json:
        sys.stderr.writelines(f"warning: {printable_line(text)}\n" for text in project.warnings)
    fails = found.fails(fail_on or project.configuration.review.fail_on)
    return EXIT_FINDINGS if fails else EXIT_OK


def _of_index(project: Project, cwd: Path) -> ReviewOutcome:
    from sdd_hooks.githooks.staged import index_file
    from sdd_hooks.review.review import review_staged

    # A hook of somebody's own may start this, for a commit with an index of its own.
    return review_staged(project, index=index_file(project.repository, cwd))


def _of_commits(
    project: Project, base: str | None, head: str, title: str, body: str, judge: str
) -> ReviewOutcome:
    from sdd_hooks.changes.base import default_base
    from sdd_hooks.review.review import review_commits

    found = review_commits(
        project, base or default_base(project.repository), head, title=title, body=body, judge=judge
    )
    status = ("status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty")
    if head != "HEAD" or not project.repository.git.output(*status):
        return found
    return replace(found, notes=(*found.notes, "uncommitted changes are not part of this review"))


def _text(found: ReviewOutcome, form: str, project: Project) -> str:
    """The review in one of FORMATS."""
    if form == "json":
        from sdd_hooks.reporting.json import render_json

        return render_json(found, project.warnings)
    if form == "sarif":
        from sdd_hooks.reporting.sarif import sarif
        from sdd_hooks.review.rules import rule_descriptions

        return sarif(found, rule_descriptions())
    if form == "markdown":
        from sdd_hooks.reporting.markdown import markdown

        return markdown(found)
    if form == "comment":
        from sdd_hooks.reporting.comment import comment

        return comment(found)
    if form == "summary":
        from sdd_hooks.reporting.summary import summary

        return summary(found)
    if form == "annotations":
        from sdd_hooks.reporting.annotations import annotations

        return "".join(f"{line}\n" for line in annotations(found))
    from sdd_hooks.reporting.terminal import terminal as on_terminal

    shown = terminal(sys.stdout, os.environ)
    return on_terminal(found, width=shown.width, colour=shown.styled)
