"""Programs that a test runs to their end, with what they print as text."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


def run_program(
    *command: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    input: str | None = None,
    timeout: float | None = None,
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run a program. Unless `check` is False, raises for another exit code than 0."""
    return subprocess.run(
        command,
        cwd=cwd,
        env=env,
        input=input,
        timeout=timeout,
        check=check,
        capture_output=True,
        text=True,
    )


def run_python(
    program: str,
    *args: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run the text of a program with this Python, like `run_program`."""
    command = (sys.executable, "-c", program, *args)
    return run_program(*command, cwd=cwd, env=env, timeout=timeout, check=check)
