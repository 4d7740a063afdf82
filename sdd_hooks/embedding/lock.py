"""One embed of a repository at a time, whoever asked for it, and who that is.

The lock is `flock` on a file beside the vectors that all work trees share. Whoever takes it writes
down who it is; that is believed only while the lock is held, so that an old file, or one that
somebody else wrote, names nobody.
"""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Single flight"

from __future__ import annotations

import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from sdd_hooks.errors import StorageError
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.locks import acquire

NAME = "embedding"

# Whoever merely asks holds the lock for an instant.
_PATIENCE = 0.2

_LARGEST = 10_000
_MOST_PROCESSES = 1 << 31


@dataclass(frozen=True)
class Holder:
    """The process of an embed. `pid` is 0 for the moment in which it is being started.

    `root` is the work tree it was asked for in.
    """

    pid: int
    root: str
    background: bool


def path_of(repository: Repository) -> Path:
    """The file that is locked. It is there once anything was embedded in the repository."""
    return repository.shared_dir / NAME


def take(repository: Repository) -> int | None:
    """Take the lock. Returns a descriptor to close when done, or None: another embed has it.

    A process that inherits the descriptor keeps the lock. Raises StorageError.
    """
    path = path_of(repository)
    try:
        path.parent.mkdir(exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        lock = os.open(path, flags, 0o600)
    except OSError as error:
        raise StorageError(f"cannot lock {path} ({error.strerror}): check its directory") from None
    if not acquire(lock, time.monotonic() + _PATIENCE):
        os.close(lock)
        return None
    os.ftruncate(lock, 0)
    return lock


def sign(lock: int, holder: Holder) -> None:
    """Write down who has the lock."""
    os.pwrite(lock, json.dumps(asdict(holder)).encode(), 0)


def holder(repository: Repository) -> Holder | None:
    """Who embeds in this repository now; None for nobody."""
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        lock = os.open(path_of(repository), flags)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(os.read(lock, _LARGEST))
    else:
        return None
    finally:
        os.close(lock)


def _read(text: bytes) -> Holder:
    try:
        found = json.loads(text)
        pid, root, background = found["pid"], found["root"], found["background"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return Holder(0, "", background=False)
    sound = isinstance(pid, int) and isinstance(root, str) and isinstance(background, bool)
    return (
        Holder(pid, root, background)
        if sound and 1 < pid < _MOST_PROCESSES
        else Holder(0, "", background=False)
    )
