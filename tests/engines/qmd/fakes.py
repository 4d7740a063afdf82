"""Programs that stand in for a qmd that is old, slow or broken."""

from __future__ import annotations

import os
from pathlib import Path


def program(path: Path, script: str) -> Path:
    """Create an executable shell script at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def environment(tmp_path: Path, *directories: Path) -> dict[str, str]:
    """Return an environment with a separate home and these directories first in `PATH`."""
    path = os.pathsep.join([*map(str, directories), "/usr/bin", "/bin"])
    return {"HOME": str(tmp_path / "home"), "PATH": path}
