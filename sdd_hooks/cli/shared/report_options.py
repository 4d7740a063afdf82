"""The options of commands that report findings, and the output of the report."""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "Reports"

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sdd_hooks.cli.shared.options import json_option
from sdd_hooks.cli.shared.output import detect_terminal, printable_line
from sdd_hooks.config.settings import FailOn
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.registry import FORMATS, ReportContext, Reporter, format_names
from sdd_hooks.text.display import format_count

if TYPE_CHECKING:
    from sdd_hooks.usecases.drift.baseline import BaselineUse


def _known_format(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Refuse an unknown format. Only a name that this package lacks searches for plug-ins."""
    if value is None or value in FORMATS:
        return value
    return click.Choice(format_names()).convert(value, param, ctx)


def _complete_format(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in format_names() if name.startswith(incomplete)]


format_option = click.option(
    "--format",
    "form",
    callback=_known_format,
    shell_complete=_complete_format,
    metavar="FORMAT",
    help=", ".join(FORMATS) + ".",
)
fail_on_option = click.option(
    "--fail-on",
    type=click.Choice(["critical", "warning", "info", "never"]),
    metavar="SEVERITY",
    help="Exit with 1 for findings this severe: critical, warning, info, never. [default: Fail On]",
)
judge_option = click.option(
    "--judge", metavar="MODEL", default="", help="Ask this model of llm as well."
)
scan_option = click.option(
    "--scan",
    "scans",
    multiple=True,
    metavar="FILE",
    help="Results of a scanner, in SARIF. Can be repeated.",
)


class ReportChoice(NamedTuple):
    """The report that the user asks for. `fail_on` is None for the setting of the repository.

    `scans` name files with the results of scanners.
    """

    form: str
    as_json: bool
    fail_on: FailOn | None
    judge: str
    scans: tuple[str, ...] = ()

    def scans_in(self, directory: Path) -> tuple[Path, ...]:
        """The files with the results of scanners, which are relative to a directory."""
        return tuple(directory / name for name in self.scans)


def report_options(command: Callable[..., int]) -> Callable[..., int]:
    """The options of a report, as one argument `report`, a ReportChoice."""

    @wraps(command)
    def with_choice(
        *args: Any,
        form: str | None,
        as_json: bool,
        fail_on: FailOn | None,
        judge: str,
        scans: tuple[str, ...],
        **others: Any,
    ) -> int:
        choice = ReportChoice(chosen_format(form, as_json), as_json, fail_on, judge, scans)
        return command(*args, report=choice, **others)

    return format_option(json_option(fail_on_option(judge_option(scan_option(with_choice)))))


def baseline_options(command: Callable[..., int]) -> Callable[..., int]:
    """`--baseline` and `--write-baseline`, as one argument `baseline`, None for neither."""

    @wraps(command)
    def with_use(*args: Any, baseline: str | None, write_baseline: bool, **others: Any) -> int:
        from sdd_hooks.usecases.drift.baseline import BaselineUse

        if write_baseline and baseline is None:
            raise click.UsageError("--write-baseline needs a file: --baseline FILE")
        use = BaselineUse(baseline, write_baseline) if baseline is not None else None
        return command(*args, baseline=use, **others)

    file = click.option(
        "--baseline", metavar="FILE", help="Leave out the findings that this file has."
    )
    write = click.option(
        "--write-baseline", is_flag=True, help="Write what is found to the file of --baseline."
    )
    return file(write(with_use))


def chosen_format(form: str | None, as_json: bool) -> str:
    """The name of the format. Raises UsageError for `--json` with another format."""
    if as_json and form not in {None, "json"}:
        raise click.UsageError(f"--json is --format json, not {form}")
    return "json" if as_json else form or "terminal"


def print_notes(notes: Sequence[str], as_json: bool) -> None:
    """Print what the project learned, beside a report for people."""
    if not as_json:
        sys.stderr.writelines(f"note: {printable_line(text)}\n" for text in notes)


def print_written(use: BaselineUse | None, written: int | None) -> None:
    """Say how many findings were written to a baseline; nothing where none was written."""
    if use and written is not None:
        count = format_count(written, "finding")
        click.echo(f"wrote {count} to {printable_line(use.file)}", err=True)


def print_report(
    reporter: Reporter,
    outcome: ReviewOutcome,
    project: Project,
    *,
    as_json: bool,
    warnings: Sequence[str] | None = None,
) -> None:
    """Print a report. `warnings` are those of the command, None for those of the project."""
    from sdd_hooks.drift.audit.rules import described_audit_rules
    from sdd_hooks.drift.rules import described_rules
    from sdd_hooks.review.rules import rule_descriptions

    shown = project.warnings if warnings is None else warnings
    screen = detect_terminal(sys.stdout, os.environ)
    rules = described_rules if outcome.tree else rule_descriptions
    if outcome.audit:
        rules = described_audit_rules
    context = ReportContext(width=screen.width, colour=screen.styled, warnings=shown, rules=rules)
    sys.stdout.write(reporter.render(outcome, context))
    sys.stdout.flush()
    if not as_json:
        sys.stderr.writelines(f"warning: {printable_line(text)}\n" for text in shown)
