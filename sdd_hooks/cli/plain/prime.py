"""Run `sdd prime` with parsed arguments: load the context, and print it.

356 ms without click, 384 with it.
"""

# Governing: SPEC-0016 (context of a session)

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from sdd_hooks.cli.plain.arguments import parse_plain, whole_number
from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.output import CommandOutput, show
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.usecases.reading.prime import SessionContext, load_context, load_topic

MIN_BUDGET = 500
"""Tokens for the header of the report with its notes, and the line about what is left out."""

_MOST = 10**9 - 1


class PrimeArguments(NamedTuple):
    """The arguments of `sdd prime`, valid. `topic` "" is none."""

    topic: str = ""
    module: str | None = None
    budget: int | None = None
    as_json: bool = False


def parse_prime(arguments: Sequence[str]) -> PrimeArguments | None:
    """Parse the usual spellings of the arguments; None if click has to decide."""
    plain = parse_plain(arguments, ("--json",), ("--module", "--budget"))
    if plain is None:
        return None
    topic = " ".join(plain.words).strip()
    written = plain.last("--budget", None)
    budget = None if written is None else whole_number(written, MIN_BUDGET, _MOST)
    if (plain.words and not topic) or (written is not None and budget is None):
        return None
    return PrimeArguments(topic, plain.last("--module", None), budget, "--json" in plain.flags)


def run_prime(directory: Path | None, given: PrimeArguments) -> int:
    """Prime a session in the project of `directory` (None: the current one). Returns the exit
    code."""
    topic, module = given.topic, given.module
    project = open_project(directory)
    now = time.time()
    context = (
        load_topic(project, topic, module, now) if topic else load_context(project, module, now)
    )
    return _show(context, given, project.warnings)


def run_prime_everywhere(directory: Path | None, given: PrimeArguments) -> int:
    """Prime a session with a topic from all repositories of the organisation. Returns the exit
    code."""
    from sdd_hooks.cli.shared.progress import waiting_for_organisation
    from sdd_hooks.usecases.reading.prime import load_everywhere

    project = open_project(directory)
    with waiting_for_organisation():
        context = load_everywhere(project, given.topic, time.time())
    return _show(context, given, project.warnings)


def _show(context: SessionContext, given: PrimeArguments, own_warnings: Sequence[str]) -> int:
    budget, as_json = given.budget, given.as_json
    report = context.report
    notes = (*(report.notes if as_json else ()), *context.notes)
    warnings = (*context.warnings, *own_warnings)
    if as_json:
        from sdd_hooks.reporting.priming import report_data

        return show(CommandOutput(report_data(report, budget), (), notes, warnings), as_json)
    from sdd_hooks.reporting.priming_markdown import render_markdown

    lines = render_markdown(report, budget)
    return show(CommandOutput({}, lines, notes, warnings), as_json)
