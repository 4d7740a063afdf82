"""`sdd index push`."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Push"

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdd_hooks.cli.context import open_index, open_project
from sdd_hooks.cli.options import json_option, remote_option
from sdd_hooks.cli.output import Report, format_count, printable_line, show
from sdd_hooks.cli.progress import waiting_line

if TYPE_CHECKING:
    from sdd_hooks.sharing.outcome import Pushed


@click.command()
@remote_option
@json_option
@click.pass_obj
def push(directory: Path | None, remote: str, as_json: bool) -> int:
    """Give the vectors of the index to other machines.

    Through a ref of a remote, where those are kept that it has. Only vectors are sent, and the
    hashes of the texts they were made of. git's own credentials are used, and nobody is asked.

    \b
    Example:
      sdd index push
      sdd index push --remote upstream
    """
    from sdd_hooks.sharing.push import push as push_vectors

    project = open_project(directory)
    with open_index(project) as engine, waiting_line(sys.stderr, f"Pushing vectors to {remote}"):
        done = push_vectors(project, engine, remote=remote)
    return show(Report(push_data(done), push_lines(done), done.notes, project.warnings), as_json)


def push_data(done: Pushed) -> dict[str, object]:
    """A push for programs."""
    data = done._asdict()
    del data["notes"]
    return {**data, "commit": done.commit or None}


def push_lines(done: Pushed) -> list[str]:
    """A push for people."""
    remote, vectors = printable_line(done.remote), format_count(done.vectors, "vector")
    if done.pushed:
        return [
            f"pushed {format_count(done.pushed, 'vector')} to {remote}, which has {vectors} now"
        ]
    if done.commit:
        return [f"nothing to push: {remote} has {vectors}"]
    return [f"nothing to push: no chunk has a vector by {printable_line(done.model)}"]
