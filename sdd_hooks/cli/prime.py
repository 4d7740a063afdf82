"""`sdd prime`: print the context of a session."""

# Governing: SPEC-0016 (context of a session)

from __future__ import annotations

import time
from pathlib import Path

import click

from sdd_hooks.cli.context import open_project
from sdd_hooks.cli.options import json_option, module_option
from sdd_hooks.cli.output import CommandOutput, show
from sdd_hooks.reporting.priming_json import report_data
from sdd_hooks.reporting.priming_markdown import render_markdown
from sdd_hooks.usecases.prime import load_context, load_topic

MIN_BUDGET = 500
"""Tokens for the header of the report with its notes, and the line about what is left out."""


@click.command()
@click.argument("words", metavar="[TOPIC]", nargs=-1)
@module_option
@click.option(
    "--budget",
    type=click.IntRange(min=MIN_BUDGET),
    metavar="TOKENS",
    help="Print at most this many tokens, the most important first, and say what is left out.",
)
@json_option
@click.pass_obj
def prime(
    directory: Path | None,
    words: tuple[str, ...],
    module: str | None,
    budget: int | None,
    as_json: bool,
) -> int:
    """Load decisions and specifications into a session.

    Without a topic, lists every artifact of the work tree with its status and a summary. With one,
    reads the artifacts that match best, by words and by meaning, and prints their texts. An index
    that was not scanned in the last minute (Prime Interval) is refreshed first. A token is counted
    as three bytes.

    \b
    Example:
      sdd prime
      sdd prime session tokens --budget 4000
    """
    topic = " ".join(words).strip()
    if words and not topic:
        raise click.UsageError("the topic is empty: name one, or give none for all artifacts")
    project = open_project(directory)
    now = time.time()
    context = (
        load_topic(project, topic, module, now) if topic else load_context(project, module, now)
    )
    report = context.report
    notes = (*(report.notes if as_json else ()), *context.notes)
    warnings = (*context.warnings, *project.warnings)
    data = report_data(report, budget) if as_json else {}
    lines = () if as_json else render_markdown(report, budget)
    return show(CommandOutput(data, lines, notes, warnings), as_json)
