"""`sdd ci`: the command that the action runs."""

# Governing: ADR-0024 (the action is a command), SPEC-0012 REQ "Inputs"

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import click

from sdd_hooks.action.inputs import COMMANDS, FAIL_ON
from sdd_hooks.cli.shared.context import start_directory
from sdd_hooks.cli.shared.options import Command
from sdd_hooks.errors import SddError


def _input(name: str, metavar: str, help: str) -> Callable[[Command], Command]:
    """An input of the action, as an option and as an environment variable."""
    variable = f"SDD_{name.upper().replace('-', '_')}"
    return click.option(
        f"--{name}",
        name.replace("-", "_"),
        metavar=metavar,
        envvar=variable,
        show_envvar=True,
        help=help,
    )


@click.command()
@click.argument(
    "command",
    metavar="COMMAND",
    required=False,
    envvar="SDD_COMMAND",
    shell_complete=lambda _, __, typed: [name for name in COMMANDS if name.startswith(typed)],
)
@_input("engine", "NAME", "The engine, in place of the configured one.")
@_input("fail-on", "SEVERITY", f"Exit with 1 for findings this severe: {', '.join(FAIL_ON)}.")
@_input("base", "REV", "What to compare with, in place of the base of the event.")
@_input(
    "comment",
    "true|false",
    "Whether the review becomes a comment on the pull request. [default: true]",
)
@_input(
    "inline", "true|false", "Whether findings become comments on lines as well. [default: false]"
)
@_input("comment-key", "KEY", "A name for the comments of this job, if other jobs post some, too.")
@_input("sarif-file", "FILE", "Where to write the findings as SARIF.")
@_input("embed-model", "MODEL", "The embedding model, in place of the configured one.")
@_input("judge", "MODEL", "Ask this model of llm as well.")
@_input("scan", "FILES", "Results of scanners, in SARIF, one a line or with commas.")
@_input("report", "FILE", "Where to write the review as JSON.")
@_input("page", "PATH", "Audit the repository, and write a page to look at to this path.")
@click.pass_obj
def ci(directory: Path | None, /, **given: str | None) -> int:
    """Sync, update, embed or review in a job of CI.

    The action runs this command on any runner. COMMAND is sync, update, embed, review or all. On a
    pull request only review does anything; elsewhere all is sync, update and embed. The variable
    SDD_TOKEN is a token of the host that runs the job, SDD_TRACKER_TOKEN one of the tracker.

    \b
    Example:
      sdd ci review
      sdd ci all --fail-on critical
    """
    from sdd_hooks.action.inputs import read_inputs
    from sdd_hooks.action.job import run_job
    from sdd_hooks.action.step_log import open_step_log
    from sdd_hooks.action.tokens import take_tokens
    from sdd_hooks.cli.shared.crash_log import explain_error

    tokens = take_tokens(os.environ)
    log = open_step_log(os.environ, sys.stdout, sys.stderr)
    for token in tokens:
        log.mask(token)
    try:
        named = {name.replace("_", "-"): value or "" for name, value in given.items()}
        inputs = read_inputs(named, tokens)
        start = start_directory(directory)
    except SddError as error:
        log.write_error(str(error))
        return error.exit_code

    def explain(error: Exception) -> tuple[str, int]:
        _, message, exit_code = explain_error(error, sys.argv[1:], os.environ)
        return message, exit_code

    return run_job(start, inputs, dict(os.environ), log, explain)
