"""A temporary directory of git objects beside those of a repository, which a fetch may fill."""

# Governing: ADR-0034 (numbers that are not merged yet), ADR-0003 (one module talks to git)

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sdd_hooks.system.git import Git


@contextmanager
def temporary_objects(git: Git) -> Iterator[Path]:
    """A directory for `objects` of `Git.output`, deleted after the block. Raises OSError."""
    command = ("rev-parse", "--path-format=absolute", "--git-path", "objects")
    own = git.output(*command).removesuffix(b"\n")
    with tempfile.TemporaryDirectory(prefix="sdd-pulls-", ignore_cleanup_errors=True) as folder:
        for name in ("info", "pack"):
            Path(folder, name).mkdir()
        Path(folder, "info", "alternates").write_bytes(own + b"\n")
        yield Path(folder)
