"""The child processes of the process that runs the tests, as Linux lists them."""

from __future__ import annotations

import os
from pathlib import Path


def child_processes(module: str) -> list[int]:
    """Those that this process has started and not waited for, with `module` in their command."""
    children = []
    for entry in Path("/proc").iterdir():
        try:
            parent = (entry / "stat").read_text().rpartition(") ")[2].split()[1]
            command = (entry / "cmdline").read_bytes()
        except (OSError, IndexError):
            continue
        if parent == str(os.getpid()) and module.encode() in command:
            children.append(int(entry.name))
    return children
