"""Files of other users of the machine, and what may not be written."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_OTHER_USER = 65534


def foreign_file(path: Path, mode: int) -> None:
    """Create a file with the text `foreign` that belongs to another user."""
    if os.geteuid():
        pytest.skip("only root can change the owner of a file")
    path.write_text("foreign")
    os.chown(path, _OTHER_USER, _OTHER_USER)
    path.chmod(mode)


def without_rights_of_root(*command: str) -> list[str]:
    """A command that obeys the modes of files, which root may ignore."""
    if os.geteuid():
        return [*command]
    program = shutil.which("setpriv")
    if program is None:
        pytest.skip("needs setpriv")
    begin = [program, "--bounding-set=-dac_override,-dac_read_search"]
    done = subprocess.run([*begin, "true"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"may not drop rights here: {os.fsdecode(done.stderr).strip()}")
    return [*begin, *command]


@contextmanager
def read_only_tree(top: Path) -> Iterator[None]:
    """Take the right to write away from `top` and everything in it."""
    paths = [top, *(path for path in top.rglob("*") if not path.is_symlink())]
    modes = [path.stat().st_mode for path in paths]
    for path, mode in zip(paths, modes, strict=True):
        path.chmod(mode & ~0o222)
    try:
        yield
    finally:
        for path, mode in zip(paths, modes, strict=True):
            path.chmod(mode)
