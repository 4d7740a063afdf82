"""`sdd hook EVENT`, for help and for `sdd -C`; `entry` runs the hooks of git without click."""

# Governing: ADR-0005 (hook shims decide in sh)

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from sdd_hooks import tracing
from sdd_hooks.cli.context import start_directory
from sdd_hooks.githooks.context import HookContext
from sdd_hooks.githooks.events import run_hook


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("event")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[ARGUMENT]...")
@click.pass_obj
def hook(directory: Path | None, event: str, arguments: tuple[str, ...]) -> int:
    """Act on a git event; the hooks call this.

    EVENT is the name of a git hook, followed by what git gave it, or `auto` under pre-commit. A
    refresh that fails is a line on stderr and never fails git; `pre-commit` checks the artifacts
    that are staged and fails when they are not right.

    The events of the review are `check` (the rules, on staged changes), `commit-msg` (the ids that
    a message names) and `pre-push` (the whole review of each branch). With --fail-on SEVERITY they
    fail for findings of critical, warning or info, in place of the setting `Fail On`.

    \b
    Example:
      sdd hook post-commit
      sdd hook check --fail-on critical
    """
    cwd = start_directory(directory)
    stdin = sys.stdin.buffer if sys.stdin else None
    given = tracing.take_option(arguments, sys.stderr)
    return run_hook(event, given, HookContext(cwd, os.environ, sys.stderr, stdin))
