"""File systems that are full or read-only, for real where the tests may mount."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.programs import run_program


@contextmanager
def small_disk(at: Path, kilobytes: int) -> Iterator[None]:
    """Mount a file system of this size at `at`."""
    _mount("-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(at))
    try:
        yield
    finally:
        _unmount(at)


@contextmanager
def read_only(at: Path) -> Iterator[None]:
    """Make the directory `at` read-only: by a mount for root, by its mode for other users."""
    if os.geteuid():
        directories = [at, *(path for path in at.rglob("*") if path.is_dir())]
        modes = [path.stat().st_mode for path in directories]
        for path in directories:
            path.chmod(0o555)
        try:
            yield
        finally:
            for path, mode in zip(directories, modes, strict=True):
                path.chmod(mode)
        return
    _mount("--bind", str(at), str(at))
    try:
        _mount("-o", "remount,bind,ro", str(at))
        yield
    finally:
        _unmount(at)


def _mount(*args: str) -> None:
    try:
        done = run_program("mount", *args, check=False)
    except FileNotFoundError:
        pytest.skip("needs mount")
    if done.returncode:
        pytest.skip(f"may not mount here: {done.stderr.strip()}")


def _unmount(at: Path) -> None:
    subprocess.run(["umount", str(at)], check=True)
