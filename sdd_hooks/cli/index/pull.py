"""`sdd index pull`, and the pull before an embed."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Pull"

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdd_hooks.cli.context import open_index, open_project
from sdd_hooks.cli.options import json_option, remote_option
from sdd_hooks.cli.output import Report, format_count, printable_line, show
from sdd_hooks.cli.progress import waiting_line
from sdd_hooks.engines.protocol import Engine
from sdd_hooks.errors import SddError
from sdd_hooks.project.project import Project

if TYPE_CHECKING:
    from sdd_hooks.sharing.outcome import Pulled


@click.command()
@remote_option
@json_option
@click.pass_obj
def pull(directory: Path | None, remote: str, as_json: bool) -> int:
    """Take the vectors that other machines pushed.

    Those of the configured model need not be made here then. What is here already stays as it is.
    With `Share Vectors` this happens by itself: before an embed, and after a merge.

    \b
    Example:
      sdd index pull
      sdd index pull --remote upstream
    """
    project = open_project(directory)
    with open_index(project) as engine:
        done = _pulled(project, engine, remote)
    return show(Report(pull_data(done), pull_lines(done), done.notes, project.warnings), as_json)


def pull_if_shared(project: Project, engine: Engine) -> tuple[int | None, tuple[str, ...]]:
    """Before an embed: how many vectors a pull brought, and what to note about it.

    None where vectors are not shared, or could not be had: what is missing is then made here.
    """
    if not project.configuration.search.share_vectors:
        return None, ()
    try:
        done = _pulled(project, engine, "origin")
    except SddError as error:
        return None, (f"no vectors pulled: {error}",)
    return done.pulled, done.notes


def pull_data(done: Pulled) -> dict[str, object]:
    """A pull for programs."""
    data = done._asdict()
    del data["notes"]
    return {**data, "commit": done.commit or None}


def pull_lines(done: Pulled) -> list[str]:
    """A pull for people."""
    remote = printable_line(done.remote)
    if not done.commit:
        return [f"nothing to pull: {remote} has no vectors by {printable_line(done.model)}"]
    left = f", {format_count(done.pending, 'chunk')} left to embed" if done.pending else ""
    if done.pulled:
        return [f"pulled {format_count(done.pulled, 'vector')} from {remote}{left}"]
    return [f"nothing new: {remote} has {format_count(done.vectors, 'vector')}{left}"]


def _pulled(project: Project, engine: Engine, remote: str) -> Pulled:
    from sdd_hooks.sharing.pull import pull as pull_vectors

    with waiting_line(sys.stderr, f"Pulling vectors from {remote}"):
        return pull_vectors(project, engine, remote=remote)
