"""Run a program that must not ask anybody anything, and read what it prints, within a deadline."""

# Governing: ADR-0019 (a token belongs to one host)

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path


def output(
    command: Sequence[str],
    cwd: Path,
    environ: Mapping[str, str],
    deadline: float,
    stdin: bytes = b"",
) -> bytes | None:
    """What `command` prints in `cwd` with exactly `environ`, given `stdin`.

    It has no terminal. None when it cannot be started, fails, or takes over `deadline` seconds;
    whatever it started is ended with it. What it says besides is lost.
    """
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError):
        return None
    with process:
        try:
            printed, _ = process.communicate(stdin, deadline)
        except subprocess.TimeoutExpired:
            return None
        finally:
            # What it left behind would hold its pipe open.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
    return printed if process.returncode == 0 else None
