"""Whether the machine has a GPU, whatever a model makes of it."""

# Governing: SPEC-0012 REQ "Devices and caches"

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sdd_hooks.errors import SddError
from sdd_hooks.system.processes import Program, find_executable, run_program
from sdd_hooks.text.display import one_line

PROGRAM = "nvidia-smi"
DEADLINE = 20.0
"""Seconds: the driver may have to be loaded first."""


def gpu_of(environ: Mapping[str, str], root: Path) -> str:
    """What the first NVIDIA GPU of this machine is called, "" for none that works.

    A program of that name in the repository at `root` is none.
    """
    program = find_executable(PROGRAM, environ, outside=root)
    if program is None:
        return ""
    command = (program, "--query-gpu=name", "--format=csv,noheader")
    try:
        done = run_program(Program(PROGRAM, command, Path("/"), environ), DEADLINE)
    except SddError:
        return ""
    names = done.out.splitlines()
    return one_line(names[0])[:100] if names and not done.code else ""
