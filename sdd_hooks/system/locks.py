"""Locks between processes. The kernel releases a lock when the process that holds it ends."""

# Governing: ADR-0004 (change detection from git), ADR-0018 (tracker issues as files)

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from sdd_hooks import tracing
from sdd_hooks.errors import StorageError
from sdd_hooks.system.descriptors import lock_now
from sdd_hooks.system.files import open_state

_POLL_SECONDS = 0.02


@contextlib.contextmanager
def hold_lock(path: Path, wait: float) -> Iterator[bool]:
    """Hold the advisory lock of the file at `path` inside the block, if it is free in time.

    Waits at most `wait` seconds and yields whether the lock is held. Creates the file.

    Raises:
        StorageError: the lock file cannot be created, or is not a regular file.
    """
    with hold_open_lock(path, wait) as descriptor:
        yield descriptor is not None


@contextlib.contextmanager
def hold_open_lock(path: Path, wait: float) -> Iterator[int | None]:
    """Like `hold_lock`, but yields the descriptor of the lock, None if it is not held.

    A process that inherits the descriptor holds the lock until it ends, too.
    """
    descriptor = open_lock(path)
    try:
        is_held = lock_descriptor(descriptor, path, time.monotonic() + wait)
        yield descriptor if is_held else None
    finally:
        os.close(descriptor)


def open_lock(path: Path) -> int:
    """Open the lock file at `path`, and create it when missing. Returns a descriptor.

    Raises:
        StorageError: it cannot be created, or is not a regular file.
    """
    try:
        return open_state(path, os.O_RDWR | os.O_CREAT, 0o600)
    except FileNotFoundError as error:
        raise StorageError(f"cannot lock {path} ({error.strerror}): check its directory") from None


def lock_descriptor(descriptor: int, path: Path, deadline: float) -> bool:
    """Lock the open file at `path`, retrying until `deadline` (`time.monotonic`).

    Returns whether it is locked.

    Raises:
        StorageError: its file system has no locks.
    """
    with tracing.span("lock", str(path)) as span:
        while True:
            try:
                is_held = lock_now(descriptor)
            except OSError as error:
                reason = f"cannot lock {path} ({error.strerror})"
                raise StorageError(f"{reason}: use a file system that has locks") from None
            if is_held:
                span.outcome = "taken"
                return True
            if time.monotonic() >= deadline:
                span.outcome = "held by another process"
                return False
            time.sleep(_POLL_SECONDS)
