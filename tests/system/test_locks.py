"""Locks between processes: one holder at a time, and a lock is free when its holder ends."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sdd_hooks.errors import StorageError
from sdd_hooks.system.locks import hold_lock, lock_descriptor
from tests.support.waiting import TIMEOUT

HOLDER = """
import sys
from pathlib import Path
from sdd_hooks.system.locks import hold_lock
with hold_lock(Path(sys.argv[1]), 0) as is_held:
    print(is_held, flush=True)
    sys.stdin.read()
"""


def start_holder(path: Path) -> subprocess.Popen[str]:
    """A process that holds the lock until its standard input closes."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    return process


def test_a_lock_has_one_holder(tmp_path: Path, debug_log: io.StringIO) -> None:
    with start_holder(tmp_path / "lock") as process:
        with hold_lock(tmp_path / "lock", 0) as is_held:
            assert not is_held
        process.kill()
    assert f" lock {tmp_path}/lock: held by another process (" in debug_log.getvalue()


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path, debug_log: io.StringIO) -> None:
    with start_holder(tmp_path / "lock") as process:
        process.kill()
        with hold_lock(tmp_path / "lock", TIMEOUT) as is_held:
            assert is_held
    assert f" lock {tmp_path}/lock: taken (" in debug_log.getvalue()


def test_hold_lock_waits_for_the_other_process(tmp_path: Path) -> None:
    with start_holder(tmp_path / "lock") as process:
        assert process.stdin is not None
        process.stdin.close()
        with hold_lock(tmp_path / "lock", TIMEOUT) as is_held:
            assert is_held


def test_a_lock_that_is_a_symlink_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError), hold_lock(tmp_path / "lock", 0):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_system_without_locks_is_one_line(tmp_path: Path) -> None:
    """As a descriptor that only names a file, which no system locks."""
    path = tmp_path / "lock"
    path.touch()
    descriptor = os.open(path, getattr(os, "O_PATH", os.O_RDONLY))
    if not hasattr(os, "O_PATH"):
        os.close(descriptor)
    with pytest.raises(StorageError, match=r"cannot lock .*: use a file system that has locks"):
        lock_descriptor(descriptor, path, 0.0)
