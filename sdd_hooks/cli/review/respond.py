"""`sdd respond`: answer the findings of a review, each by an edit that is shown first."""

# Governing: SPEC-0010 REQ "Answers"

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import click

from sdd_hooks.cli.shared.context import open_project, start_directory
from sdd_hooks.cli.shared.edits import print_edits
from sdd_hooks.cli.shared.options import dry_run_option, json_option, yes_option
from sdd_hooks.cli.shared.output import CommandOutput, format_count, printable_line, show
from sdd_hooks.cli.shared.progress import waiting_line
from sdd_hooks.cli.shared.prompts import confirm, require_terminal
from sdd_hooks.findings import ReportedFinding
from sdd_hooks.project.project import Project
from sdd_hooks.usecases.respond import Responder, Review, ReviewAnswer, read_report, review_branch

MAX_REPORT = 64 << 20
"""Bytes of a report that are read."""


@click.command()
@click.argument("source", metavar="[FILE|-|N]", default="")
@click.option("--only", metavar="KEY", multiple=True, help="Only this finding. Can be repeated.")
@click.option("--reason", metavar="TEXT", default="", help="Why what --only names does not hold.")
@dry_run_option
@yes_option
@json_option
@click.pass_obj
def respond(directory: Path | None, /, source: str, **options: Any) -> int:
    """Answer the findings of a review: an edit for each, made if you accept it.

    The findings are those of `sdd review` now, of what it printed with --json into FILE (- is
    stdin), or of the review of pull request N, whose branch is checked out. A finding is settled
    by naming the decision, correcting an id, a status or a number, or with a reason by an exemption
    or a suppression. Nothing is committed or posted; the message of a commit that was pushed
    nowhere is amended.

    \b
    Example:
      sdd respond
      sdd respond 12 --dry-run
      sdd review --json | sdd respond - --yes
      sdd respond --only ADR-0004 --reason "generated code"
    """
    as_json, yes, only, reason = (options[name] for name in ("as_json", "yes", "only", "reason"))
    if reason and not only:
        raise click.UsageError("--reason needs --only: one reason does not answer all findings")
    writes = not options["dry_run"] and (yes or not as_json)
    if writes and not yes:
        require_terminal(source == "-")
    project = open_project(directory)
    with waiting_line(sys.stderr, "Reviewing"):
        review = _read(project, source, start_directory(directory))
    responder = Responder(project, review.base, time.time())
    rows, warnings, applied = [], list(project.warnings), 0
    for found in review.findings:
        if only and not any(found.fingerprint.startswith(key) for key in only):
            continue
        answer = responder.dismiss(found, reason) if reason else responder.answer(found)
        if not as_json:
            _print(answer)
        if writes and not yes and not (answer.edits and confirm("Make this edit?")):
            answer = ReviewAnswer(found) if reason else _ask_reason(responder, found)
        done = bool(writes and answer.edits)
        warnings += responder.apply(answer) if done else ()
        applied += done
        rows.append(_data(answer, done))
    data = {"answers": rows, "applied": applied, "dry_run": not writes}
    total = format_count(len(rows), "finding")
    summary = f"{applied} of {total} answered" if writes else f"{total}, and nothing was written"
    return show(CommandOutput(data, [summary], (), warnings), as_json)


def _read(project: Project, source: str, where: Path) -> Review:
    number = source.removeprefix("#")
    if not source or number.isdecimal():
        return review_branch(project, int(number or 0), time.time())
    if source == "-":
        return read_report(sys.stdin.buffer.read(MAX_REPORT))
    try:
        with (where / source).open("rb") as file:
            return read_report(file.read(MAX_REPORT))
    except OSError as error:
        raise click.UsageError(f"cannot read {source}: {error.strerror}") from None


def _ask_reason(responder: Responder, found: ReportedFinding) -> ReviewAnswer:
    """Ask why a finding does not hold; an answer without edits if there is no reason."""
    question = "Why does it not hold? [Enter: no answer]"
    if responder.can_dismiss(found):
        reason = click.prompt(question, default="", show_default=False)
        answer = responder.dismiss(found, reason) if reason.strip() else ReviewAnswer(found)
        _print_edits(answer)
        if answer.edits and confirm("Make this edit?"):
            return answer
    return ReviewAnswer(found)


def _print(answer: ReviewAnswer) -> None:
    finding, key = answer.found.finding, answer.found.fingerprint[:12]
    place = f" {finding.path}:{finding.line}" if finding.path else ""
    click.echo(printable_line(f"{finding.severity} {finding.rule}{place}  [{key}]"))
    click.echo(f"  {printable_line(finding.message)}")
    _print_edits(answer)


def _print_edits(answer: ReviewAnswer) -> None:
    print_edits(answer.edits)
    if answer.advice:
        click.echo(f"  → {printable_line(answer.advice)}")


def _data(answer: ReviewAnswer, applied: bool) -> dict[str, object]:
    finding = answer.found.finding
    shown = ("rule", "severity", "path", "line", "message")
    return {
        "key": answer.found.fingerprint,
        **{name: getattr(finding, name) for name in shown},
        "answer": answer.kind,
        "diff": "".join(edit.diff() for edit in answer.edits),
        "advice": answer.advice,
        "applied": applied,
    }
