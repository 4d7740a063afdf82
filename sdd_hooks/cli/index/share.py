"""`sdd index pull`, `sdd index push`, `sdd index share reset`: share vectors through a remote."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Pull", SPEC-0013 REQ "Push",
# SPEC-0013 REQ "Reset"

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.options import json_option, remote_option
from sdd_hooks.cli.shared.output import CommandOutput, format_count, printable_line, show
from sdd_hooks.cli.shared.progress import waiting_line
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.project.project import Project

if TYPE_CHECKING:
    from sdd_hooks.sharing.pull import PullOutcome, ResetOutcome
    from sdd_hooks.sharing.push import PushOutcome


@click.command()
@remote_option
@json_option
@click.pass_obj
def pull(directory: Path | None, remote: str, as_json: bool) -> int:
    """Take the vectors that other machines pushed.

    Vectors of the configured model are then not computed here. Those that this machine has are
    kept. With `Share Vectors` this runs automatically, before an embed and after a merge.

    \b
    Example:
      sdd index pull
      sdd index pull --remote upstream
    """
    from sdd_hooks.sharing.options import SharingOptions
    from sdd_hooks.sharing.pull import pull as pull_vectors

    project = open_project(directory)
    with open_index(project) as engine, waiting_line(sys.stderr, f"Pulling vectors from {remote}"):
        pulled = pull_vectors(project, engine, SharingOptions(remote))
    return _show(project, pulled, _pull_lines(pulled), as_json)


@click.command()
@remote_option
@json_option
@click.pass_obj
def push(directory: Path | None, remote: str, as_json: bool) -> int:
    """Give the vectors of the index to other machines.

    They are added to a ref of a remote, which keeps those that it has. Only vectors and the hashes
    of their texts are sent. git uses its configured credentials and never prompts.

    \b
    Example:
      sdd index push
      sdd index push --remote upstream
    """
    from sdd_hooks.sharing.options import SharingOptions
    from sdd_hooks.sharing.push import push as push_vectors

    project = open_project(directory)
    with open_index(project) as engine, waiting_line(sys.stderr, f"Pushing vectors to {remote}"):
        pushed = push_vectors(project, engine, SharingOptions(remote))
    return _show(project, pushed, _push_lines(pushed), as_json)


@click.group(subcommand_metavar="COMMAND [ARGS]...")
def share() -> None:
    """Repair what this machine has of shared vectors.

    \b
    Example:
      sdd index share reset
    """


@share.command()
@json_option
@click.pass_obj
def reset(directory: Path | None, as_json: bool) -> int:
    """Delete the vectors that were pulled, and the objects that were fetched for them.

    Vectors that this machine computed are kept, and the remote does not change. Use it when wrong
    vectors were pulled, after the remote was mended.

    \b
    Example:
      sdd index share reset
      sdd index pull
    """
    from sdd_hooks.sharing.pull import reset as reset_sharing

    project = open_project(directory)
    with open_index(project) as engine:
        outcome = reset_sharing(project, engine)
    return _show(project, outcome, _reset_lines(outcome), as_json)


def _show(
    project: Project,
    outcome: PullOutcome | PushOutcome | ResetOutcome,
    lines: Sequence[str],
    as_json: bool,
) -> int:
    data = outcome._asdict()
    notes = data.pop("notes")
    if "commit" in data:
        data["commit"] = data["commit"] or None
    return show(CommandOutput(data, lines, notes, project.warnings), as_json)


def _reset_lines(outcome: ResetOutcome) -> list[str]:
    deleted = format_count(outcome.deleted, "pulled vector")
    lines = [f"deleted {deleted} and {outcome.bytes:,} bytes of fetched objects"]
    if outcome.pending:
        pending = format_count(outcome.pending, "chunk")
        lines.append(f"{pending} without a vector: run `sdd index pull` or `sdd index embed`")
    return lines


def _pull_lines(pulled: PullOutcome) -> list[str]:
    remote = printable_line(pulled.remote)
    if not pulled.commit:
        return [f"nothing to pull: {remote} has no vectors by {printable_line(pulled.model)}"]
    left = f", {format_count(pulled.pending, 'chunk')} left to embed" if pulled.pending else ""
    if pulled.pulled:
        return [f"pulled {format_count(pulled.pulled, 'vector')} from {remote}{left}"]
    return [f"nothing new: {remote} has {format_count(pulled.vectors, 'vector')}{left}"]


def _push_lines(pushed: PushOutcome) -> list[str]:
    remote, vectors = printable_line(pushed.remote), format_count(pushed.vectors, "vector")
    if pushed.pushed:
        return [
            f"pushed {format_count(pushed.pushed, 'vector')} to {remote}, which has {vectors} now"
        ]
    if pushed.commit:
        return [f"nothing to push: {remote} has {vectors}"]
    return [f"nothing to push: no chunk has a vector by {printable_line(pushed.model)}"]
