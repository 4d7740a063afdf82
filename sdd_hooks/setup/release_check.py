"""The question which release is the newest, in a background process.

pip or uv asks, so that mirrors, proxies, certificates and passwords are those that are configured
for them, and a release counts only if this Python can install it. Nothing is installed, and no code
of a release runs.
"""

# Governing: ADR-0062 (a newer release is noted from a cache), SPEC-0005 REQ "Newer releases"

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from sdd_hooks.errors import SddError
from sdd_hooks.setup.release_note import parse_release, read_facts, write_facts
from sdd_hooks.system.installation import NAME, RunningProgram, find_running_program
from sdd_hooks.system.processes import Program, ProgramResult, find_executable, run_program

DEADLINE = 60.0
"""Seconds after which the question is given up."""

_REQUEST_SECONDS = "5"
_INSTALLED = re.compile(rf"^ *\+ {NAME}==(\S+)", re.MULTILINE)


def find_newest(
    program: RunningProgram, environ: Mapping[str, str], deadline: float = DEADLINE
) -> str:
    """The newest release that this Python can install, such as `1.2.3`; "" if it is unknown.

    `deadline` is in seconds.
    """
    if program.has_pip:
        return _newest_of_report(_run(_pip(program), environ, deadline).out)
    uv = find_executable("uv", environ)
    if uv is None:
        return ""
    limits = {"UV_HTTP_TIMEOUT": _REQUEST_SECONDS, "UV_HTTP_RETRIES": "0"}
    match = _INSTALLED.search(_run(_uv(uv, program), {**environ, **limits}, deadline).err)
    return match[1] if match and parse_release(match[1]) else ""


def _pip(program: RunningProgram) -> list[str]:
    return [
        *(str(program.python), "-I", "-m", "pip", "install", "--dry-run", "--report", "-"),
        *("--quiet", "--upgrade", "--no-deps", "--only-binary", ":all:", "--no-input"),
        *("--disable-pip-version-check", "--timeout", _REQUEST_SECONDS, "--retries", "0", NAME),
    ]


def _uv(uv: str, program: RunningProgram) -> list[str]:
    return [
        *(uv, "pip", "install", "--dry-run", "--upgrade", "--no-deps", "--no-build"),
        *("--color", "never", "--no-progress", "--python", str(program.python), NAME),
    ]


def _newest_of_report(report: str) -> str:
    """The release in an installation report of pip.

    https://pip.pypa.io/en/stable/reference/installation-report/
    """
    try:
        found = [str(one["metadata"]["version"]) for one in json.loads(report)["install"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return found[0] if len(found) == 1 and parse_release(found[0]) else ""


def _run(command: Sequence[str], environ: Mapping[str, str], deadline: float) -> ProgramResult:
    """The output of a program; none if it fails, writes too much, or is too late."""
    try:
        done = run_program(Program("newest release", command, Path("/"), environ), deadline)
    except SddError:
        return ProgramResult(1, "", "")
    return done if done.code == 0 else ProgramResult(done.code, "", "")


def main(arguments: Sequence[str]) -> None:  # noqa: ARG001
    """Ask for the newest release, and cache it for the commands of the next days."""
    program = find_running_program()
    if program is None or not program.upgrade_command():
        return
    environ = os.environ
    newest = find_newest(program, environ)
    if newest:
        write_facts({**read_facts(environ), "newest": newest}, environ, time.time())
