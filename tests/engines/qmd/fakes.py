"""Programs that stand in for qmd where the real one would be too good, or too new."""

from __future__ import annotations

import os
from pathlib import Path


def program(path: Path, script: str) -> Path:
    """A shell script at `path` that runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def environment(tmp_path: Path, *directories: Path) -> dict[str, str]:
    """A home of its own, and these directories before the system's in `PATH`."""
    path = os.pathsep.join([*map(str, directories), "/usr/bin", "/bin"])
    return {"HOME": str(tmp_path / "home"), "PATH": path}
