"""`sdd doctor`: print every check in one line."""

# Governing: SPEC-0005 REQ "Doctor"

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from sdd_hooks.cli.shared.context import start_directory
from sdd_hooks.cli.shared.options import json_option
from sdd_hooks.cli.shared.output import (
    CommandOutput,
    Terminal,
    detect_terminal,
    printable_line,
    show,
)
from sdd_hooks.errors import EXIT_FINDINGS, EXIT_OK, SddError
from sdd_hooks.githooks.install import inspect_hooks
from sdd_hooks.githooks.managers import find_command_obstacle
from sdd_hooks.project.project import load_project
from sdd_hooks.project.repository import Repository
from sdd_hooks.setup.doctor import Check, git_check, project_checks
from sdd_hooks.system.descriptors import IS_POSIX
from sdd_hooks.system.git import Git


@click.command()
@json_option
@click.pass_obj
def doctor(directory: Path | None, as_json: bool) -> int:
    """Check that everything sdd needs is in place.

    Uses no network and changes nothing: every line that is not ok says what to do. Exits with 1
    when a check failed.

    \b
    Example:
      sdd doctor
    """
    checks = list(_checks(start_directory(directory)))
    screen = detect_terminal(sys.stdout, os.environ)
    failed = any(check.level == "fail" for check in checks)
    return show(
        CommandOutput(
            {"checks": [asdict(check) for check in checks]},
            [_line(check, screen) for check in checks],
            exit_code=EXIT_FINDINGS if failed else EXIT_OK,
        ),
        as_json,
    )


def _checks(start: Path) -> Iterator[Check]:
    yield git_check(Git(start, os.environ))
    try:
        project = load_project(start, os.environ, "all")
    except SddError as error:
        yield Check(error.code, "fail", str(error))
        return
    yield from project_checks(project, time.time())
    yield _hooks(project.repository)


def _hooks(repository: Repository) -> Check:
    try:
        report = inspect_hooks(repository)
    except SddError as error:
        return Check("hooks", "fail" if IS_POSIX else "warn", str(error))
    unfit = [hook for hook in report.hooks if hook.is_unfit]
    if unfit:
        named = "; ".join(f"{hook.event}: {hook.detail or hook.state}" for hook in unfit)
        managed = all(hook.manager for hook in unfit)
        return Check("hooks", "fail", named, "" if managed else "run `sdd hooks install`")
    lacking = [hook.event for hook in report.hooks if hook.state in {"absent", "foreign"}]
    if lacking:
        return Check(
            "hooks", "warn", f"no hook of sdd for {', '.join(lacking)}", "run `sdd hooks install`"
        )
    missing = [hook.event for hook in report.hooks if hook.state == "missing"]
    if missing:
        message = f"{report.manager} does not run sdd on {', '.join(missing)}"
        return Check("hooks", "warn", message, "`sdd hooks install` has the lines to add")
    if report.manager and (obstacle := find_command_obstacle(repository)):
        return Check("hooks", "fail", f"{report.manager} cannot run sdd: {obstacle}")
    by = f" through {report.manager}" if report.manager else ""
    return Check("hooks", "ok", f"in {report.folder}{by}")


def _line(check: Check, screen: Terminal) -> str:
    level = check.level if check.level == "ok" else screen.strong(check.level)
    text = printable_line(check.message) + (
        f": {printable_line(check.advice)}" if check.advice else ""
    )
    return f"{level}{' ' * (6 - len(check.level))}{check.name:<15}{text}"
