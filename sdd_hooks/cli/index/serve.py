"""`sdd index serve`."""

# Governing: SPEC-0005 REQ "Index", SPEC-0006 REQ "Daemon"

from __future__ import annotations

import sys
from pathlib import Path

import click

from sdd_hooks.cli.shared.context import open_project
from sdd_hooks.cli.shared.options import json_option
from sdd_hooks.cli.shared.output import CommandOutput, show
from sdd_hooks.engines.registry import find_backend
from sdd_hooks.errors import EXIT_OK


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="The port on 127.0.0.1; a free one when not given.",
)
@json_option
@click.pass_obj
def serve(directory: Path | None, port: int, as_json: bool) -> int:
    """Keep the daemon of the engine running.

    Until Ctrl-C, and for this repository. With the qmd engine, searches query it and need not load
    the model each time: for CI, or a day of many searches. The embedded engine needs none.

    \b
    Example:
      sdd index serve
      sdd index serve --port 8181
    """
    project = open_project(directory)

    def announce(url: str, process: int) -> None:
        line = f"serving on {url} ({process})"
        show(CommandOutput({"url": url, "pid": process}, [line], (), project.warnings), as_json)
        # A caller reads the address from a pipe.
        sys.stdout.flush()

    backend = find_backend(project)
    if backend.has_daemon:
        backend.serve(project, port, announce)
        return EXIT_OK
    line = f"the {project.configuration.search.engine} engine needs no daemon"
    return show(CommandOutput({"url": None, "pid": None}, [line], (), project.warnings), as_json)
