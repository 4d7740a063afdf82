"""The process that git starts for a hook: its directory, environment and streams."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO


class HookContext(NamedTuple):
    """Where a hook runs. `stdin` is what git pipes into pre-push, None for nothing.

    `check_seconds` limits the check of artifacts: the shims have deadlines, hook managers none.
    """

    cwd: Path
    environ: Mapping[str, str]
    stderr: TextIO
    stdin: BinaryIO | None = None
    check_seconds: float = 10.0
