"""One process at a time, across processes, by a lock that the kernel releases at a death."""

# Governing: ADR-0004 (change detection from git), ADR-0018 (tracker issues as files)

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from sdd_hooks.errors import StorageError

_POLL_SECONDS = 0.02


@contextlib.contextmanager
def held(path: Path, wait: float) -> Iterator[bool]:
    """Hold the lock file's advisory lock inside the block, waiting at most `wait` seconds.

    Yields whether it is held. The kernel lets go of it when the process dies, however it dies.

    Raises:
        StorageError: the lock file cannot be created.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StorageError(f"cannot lock {path} ({error.strerror}): check its directory") from error
    try:
        yield acquire(descriptor, time.monotonic() + wait)
    finally:
        os.close(descriptor)


def acquire(descriptor: int, deadline: float) -> bool:
    """Lock an open file, trying until `deadline` (`time.monotonic`). Says whether it is locked."""
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)
        else:
            return True
