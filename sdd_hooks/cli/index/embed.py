"""`sdd index embed`."""

# Governing: SPEC-0008 REQ "Mode", SPEC-0005 REQ "Index", ADR-0016 (embedding in the background)

from __future__ import annotations

from pathlib import Path

import click

from sdd_hooks.cli.index.allow_model import asks_to_allow
from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.options import json_option, kind_option, module_option
from sdd_hooks.cli.shared.output import CommandOutput, format_count, printable_line, show
from sdd_hooks.cli.shared.progress import show_step
from sdd_hooks.embedding.lock import stop_embed
from sdd_hooks.embedding.policy import ModeChoice
from sdd_hooks.engines.protocol import EmbedReport
from sdd_hooks.text.durations import format_duration
from sdd_hooks.usecases.upkeep.embed import EmbedOptions, EmbedOutcome
from sdd_hooks.usecases.upkeep.embed import embed as embed_collections

SKIPPED = "Embed skipped per --skip flag"
NEXT = "see how far it is with `sdd index status`, end it with `sdd index embed --stop`"


@click.command()
@kind_option
@module_option
@click.option("--foreground", is_flag=True, help="Wait for the embed, on a CPU too.")
@click.option("--skip", is_flag=True, help="Do nothing, and report that.")
@click.option("--stop", is_flag=True, help="End the embed that runs in the background.")
@json_option
@click.pass_obj
def embed(  # noqa: PLR0913 (an argument for each option)
    directory: Path | None,
    *,
    kinds: tuple[str, ...],
    module: str | None,
    foreground: bool,
    skip: bool,
    stop: bool,
    as_json: bool,
) -> int:
    """Give a vector to every chunk without one.

    On a CPU this runs in the background, with a log in /tmp; on a faster device, and in CI, it runs
    in the foreground. Each text is embedded once for all branches and work trees. An embed that was
    interrupted continues where it stopped.

    \b
    Example:
      sdd index embed
      sdd index embed --kind adrs --foreground
    """
    if foreground + skip + stop > 1:
        raise click.UsageError("choose one of --foreground, --skip and --stop")
    project = open_project(directory)
    if stop:
        stopped = stop_embed(project.repository)
        pid = stopped.pid if stopped else None
        data = {**embed_data(EmbedOutcome("none")), "mode": "stop", "pid": pid}
        return show(CommandOutput(data, [_stopped(pid)], warnings=project.warnings), as_json)
    mode: ModeChoice = "foreground" if foreground else "skip" if skip else ""
    collections = project.select(kinds, module)
    outcome = embed_collections(project, collections, EmbedOptions(mode), show_step)
    if outcome.error and asks_to_allow(outcome.error, project):
        outcome = embed_collections(project, collections, EmbedOptions(mode), show_step)
    if outcome.error:
        raise outcome.error
    output = CommandOutput(
        embed_data(outcome), embed_lines(outcome), embed_notes(outcome), project.warnings
    )
    return show(output, as_json)


def embed_data(outcome: EmbedOutcome) -> dict[str, object]:
    """An embed for programs."""
    report, pulled = outcome.report, outcome.sharing.pulled
    return {
        "mode": outcome.mode,
        "device": outcome.device,
        "model": outcome.model,
        "pulled": pulled.pulled if pulled else None,
        "pending": outcome.pending,
        "embedded": report.embedded if report else None,
        "failed": report.failed if report else None,
        "remaining": report.remaining if report else None,
        "seconds": report.seconds if report else None,
        "estimate": outcome.estimate,
        "pid": outcome.pid,
        "log": outcome.log,
    }


def embed_lines(outcome: EmbedOutcome) -> list[str]:
    """An embed for people."""
    if outcome.mode == "skip":
        return [SKIPPED]
    vectors = outcome.sharing.pulled.pulled if outcome.sharing.pulled else 0
    pulled = [f"pulled {format_count(vectors, 'vector')}"] if vectors else []
    if outcome.mode == "none":
        return [*pulled, f"nothing to embed ({outcome.model})"]
    model = f" (model {outcome.model})" if outcome.model else ""
    header = [*pulled, printable_line(f"device: {outcome.device}{model}")]
    if outcome.report is not None:
        return [*header, _embedded(outcome.report)]
    log = f", log: {outcome.log}" if outcome.log else ""
    if outcome.mode == "running":
        pid = f" (pid {outcome.pid})" if outcome.pid else ""
        return [*header, f"an embed of this repository is running already{pid}{log}", NEXT]
    about = f", about {format_duration(outcome.estimate)}" if outcome.estimate is not None else ""
    chunks = format_count(outcome.pending or 0, "chunk")
    return [*header, f"embedding {chunks} in the background{about}{log}", NEXT]


def embed_notes(outcome: EmbedOutcome) -> list[str]:
    """Notes about the pull before an embed, and about the embed itself."""
    sharing, report = outcome.sharing, outcome.report
    return [
        *([f"no vectors pulled: {sharing.pull_error}"] if sharing.pull_error else ()),
        *(sharing.pulled.notes if sharing.pulled else ()),
        *(report.notes if report else ()),
    ]


def _embedded(report: EmbedReport) -> str:
    """An embed in the foreground, in one line."""
    failed = f", {report.failed:,} failed" if report.failed else ""
    left = f", {format_count(report.remaining, 'chunk')} left" if report.remaining else ""
    return (
        f"embedded {format_count(report.embedded, 'chunk')} in {report.seconds:.1f} s{failed}{left}"
    )


def _stopped(pid: int | None) -> str:
    if pid is None:
        return "no embed is running"
    return (
        f"stopped the embed (pid {pid}): what it embedded is kept,"
        " and `sdd index embed` goes on from there"
    )
