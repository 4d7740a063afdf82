"""The process that git starts for a hook: its directory, environment and streams."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, TextIO

from sdd_hooks.named_tuple import NamedTuple


class HookContext(NamedTuple):
    """Where a hook runs. `stdin` is what git pipes into pre-push, None for nothing.

    `seconds` replaces the time that the hook has.
    """

    cwd: Path
    environ: Mapping[str, str]
    stderr: TextIO
    stdin: BinaryIO | None = None
    seconds: float | None = None
