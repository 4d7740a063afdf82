"""Run the installed commands as processes in a directory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.support import warm
from tests.support.programs import run_python
from tests.support.signals import default_signals
from tests.support.waiting import TIMEOUT

SCRIPTS = Path(sys.executable).parent

OFFLINE = {"HF_HUB_OFFLINE": "1"}

ADR = """\
---
status: accepted
date: 2026-01-02
---
# ADR-0001: Store the index in SQLite

## Context

The index must survive a crash.

## Decision Outcome

We keep it in one SQLite database, because every laptop has room for one.
"""

SPEC = """\
# SPEC-0001: Search

## Overview

How people find things.

### Requirement: Typo tolerance

A query MUST find a title with one wrong letter.

#### Scenario: One letter off

- **WHEN** a user searches for `lettr`
- **THEN** what is about letters is found
"""

FILES = {
    "docs/adrs/ADR-0001-sqlite.md": ADR,
    "docs/openspec/specs/search/spec.md": SPEC,
    "docs/openspec/specs/search/design.md": "# Design\n\nTrigrams.\n",
    "src/parse.py": "def parse_user_id(text):\n    return int(text)\n",
}

WORKSPACE = {
    "CLAUDE.md": "## Architecture Context\n\n### Workspace Modules\n\n"
    "| Module | Root |\n|---|---|\n| api | services/api |\n",
    "services/api/docs/adrs/ADR-0001-x.md": ADR,
}


class Done(NamedTuple):
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its output, which is one JSON document, without a note on stderr."""
        assert self.err == "", self.err
        return json.loads(self.out)

    @property
    def hits(self) -> list[Any]:
        """The hits of `sdd search --json`, of all kinds."""
        return [hit for group in self.json["groups"] for hit in group["hits"]]


def run(
    where: Path,
    *args: str,
    script: str = "sdd",
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    **options: Any,
) -> Done:
    """Run an installed command in `where`, without a terminal and without the model hub."""
    environ = {**os.environ, **OFFLINE, **(env or {})}
    if script == "sdd" and not options and warm.can_fork(environ, stdin):
        done = warm.run(args, where, environ, stdin, timeout=TIMEOUT)
    else:
        done = subprocess.run(
            [str(SCRIPTS / script), *args],
            cwd=where,
            env=environ,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=TIMEOUT,
            **options,
        )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def one_line(done: Done, code: int) -> str:
    """The one line on stderr that a failed command prints."""
    assert (done.code, done.out) == (code, ""), done
    assert done.err.startswith("sdd: "), done
    assert done.err.endswith("\n"), done
    assert done.err.count("\n") == 1, done
    return done.err.removeprefix("sdd: ").rstrip("\n")


TERMINAL = """
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
answers, output = sys.argv[1], b""
answers = answers.splitlines() if "\\n" in answers else list(answers)
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        part = b""
    if not part:
        break
    output += part
    if output.endswith(b"]: ") and answers:
        os.write(terminal, answers.pop(0).encode() + b"\\n")
sys.stdout.buffer.write(output.replace(b"\\r\\n", b"\\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def on_terminal(
    where: Path, answers: str, *args: str, env: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Run `sdd` on a terminal, and answer each prompt with a key or a line."""
    with default_signals():
        done = run_python(
            TERMINAL,
            answers,
            str(SCRIPTS / "sdd"),
            *args,
            cwd=where,
            env={**os.environ, **OFFLINE, "TERM": "dumb", **(env or {})},
            timeout=TIMEOUT,
            check=False,
        )
    # pytest explains no assertion of a module without tests.
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout
