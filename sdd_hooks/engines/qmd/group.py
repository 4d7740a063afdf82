"""Programs that belong to qmd: where one fails, the engine cannot run."""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Deadlines"

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.system import processes
from sdd_hooks.system.processes import Done, Ended, end, ended_by_signals

__all__ = ["Done", "Ended", "end", "ended_by_signals", "finish", "start"]


def finish(
    name: str,
    command: Sequence[str],
    cwd: Path,
    environ: Mapping[str, str],
    deadline: float,
    on_line: Callable[[str], None] | None = None,
    given: bytes = b"",
) -> Done:
    """As `processes.finish`. Raises EngineUnavailable."""
    return processes.finish(
        name,
        command,
        cwd,
        environ,
        deadline,
        on_line,
        given,
        failed=EngineUnavailable,
        advice="run it again, or see what `qmd doctor` says",
    )


def start(
    name: str,
    command: Sequence[str],
    cwd: Path,
    environ: Mapping[str, str],
    stdin: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """As `processes.start`. Raises EngineUnavailable."""
    return processes.start(name, command, cwd, environ, stdin, failed=EngineUnavailable)
