"""Programs that belong to qmd: where one fails, the engine cannot run."""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Deadlines"

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sdd_hooks import tracing
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.system import processes
from sdd_hooks.system.processes import (
    Program,
    ProgramResult,
    SignalExit,
    end_program,
    exit_on_signals,
)

__all__ = ["ProgramResult", "SignalExit", "end_program", "exit_on_signals", "finish", "start"]


def finish(
    name: str,
    command: Sequence[str],
    cwd: Path,
    environ: Mapping[str, str],
    deadline: float,
    on_line: Callable[[str], None] | None = None,
    given: bytes = b"",
) -> ProgramResult:
    """As `processes.run_program`. Raises EngineUnavailable."""
    program = Program(name, command, cwd, environ, EngineUnavailable)
    advice = "run it again, or see what `qmd doctor` says"
    return processes.run_program(program, deadline, on_line, given, advice)


def start(
    name: str,
    command: Sequence[str],
    cwd: Path,
    environ: Mapping[str, str],
    stdin: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """As `processes.start_program`. Raises EngineUnavailable."""
    program = Program(name, command, cwd, environ, EngineUnavailable)
    tracing.log("run", name, outcome="started")
    return processes.start_program(program, stdin)
