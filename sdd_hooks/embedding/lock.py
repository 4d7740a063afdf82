"""The lock that allows one embed per repository at a time, and how to stop its holder.

The lock is `flock` on a file in the directory that all work trees share. The holder writes its
process into the file. Readers trust that text only while the lock is held: an old or forged file
identifies no process.
"""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Single flight",
# SPEC-0008 REQ "Stop"

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.descriptors import is_locked
from sdd_hooks.system.files import open_state
from sdd_hooks.system.locks import lock_descriptor, open_lock
from sdd_hooks.system.processes import KILL

NAME = "embedding"

# `find_holder` takes the lock for an instant.
_LOCK_TIMEOUT = 0.2

_MAX_HOLDER_BYTES = 10_000
_MAX_PID = (1 << 31) - 1

GRACE_SECONDS = 10.0
"""How long `stop_embed` waits after each signal: a running batch of texts is not interrupted, and
an engine first ends the processes it started."""

_POLL_SECONDS = 0.05


class LockHolder(NamedTuple):
    """The process of an embed. `pid` is 0 while the process is being started, or when the text in
    the lock file is invalid.

    `root` is the work tree in which the embed was started.
    """

    pid: int
    root: str
    background: bool


_UNKNOWN_HOLDER = LockHolder(0, "", background=False)


def lock_path(repository: Repository) -> Path:
    """The lock file. It exists once anything was embedded in the repository."""
    return repository.shared_dir / NAME


def acquire_lock(repository: Repository) -> int | None:
    """Acquire the lock. Returns a descriptor to close at the end; None while another embed runs.

    A process that inherits the descriptor keeps the lock. Raises StorageError.
    """
    path = lock_path(repository)
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot lock {path} ({error.strerror}): check its directory") from None
    lock = open_lock(path)
    if not lock_descriptor(lock, path, time.monotonic() + _LOCK_TIMEOUT):
        os.close(lock)
        return None
    os.ftruncate(lock, 0)
    return lock


def write_holder(lock: int, holder: LockHolder) -> None:
    """Write the holder into the open lock file."""
    os.lseek(lock, 0, os.SEEK_SET)
    os.write(lock, json.dumps(holder._asdict()).encode())


def find_holder(repository: Repository) -> LockHolder | None:
    """The process that embeds in this repository now; None when the lock is free."""
    try:
        lock = open_state(lock_path(repository), os.O_RDONLY)
    except (OSError, StorageError):
        return None
    try:
        if not is_locked(lock):
            return None
        return _parse_holder(os.read(lock, _MAX_HOLDER_BYTES))
    except PermissionError:
        # On Windows, other processes cannot read what is locked.
        return _UNKNOWN_HOLDER
    finally:
        os.close(lock)


def stop_embed(repository: Repository, *, grace: float = GRACE_SECONDS) -> LockHolder | None:
    """Stop the background embed of this repository. Returns its process; None when none runs.

    Sends SIGTERM, and SIGKILL after `grace` seconds. Signals only a process that holds the lock
    and leads a session, as a background embed does.

    Raises:
        StorageError: the embed runs in the foreground, belongs to another user, or does not end.
    """
    holder = find_holder(repository)
    deadline = time.monotonic() + grace
    while holder is not None and not holder.pid and time.monotonic() < deadline:
        # The process is being started and its id is not written yet.
        time.sleep(_POLL_SECONDS)
        holder = find_holder(repository)
    if holder is None:
        return None
    if holder.pid and not holder.background:
        raise StorageError(
            f"the embed of this repository (pid {holder.pid}) is in the foreground:"
            " press Ctrl-C where it runs"
        )
    for number in (signal.SIGTERM, KILL):
        _signal_group(holder, number)
        if _wait_for_end(repository, holder, grace):
            return holder
    raise StorageError(f"the embed (pid {holder.pid}) does not end: inspect it with `ps`")


def _parse_holder(text: bytes) -> LockHolder:
    try:
        fields = json.loads(text)
        pid, root, background = fields["pid"], fields["root"], fields["background"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return _UNKNOWN_HOLDER
    valid = isinstance(pid, int) and isinstance(root, str) and isinstance(background, bool)
    return LockHolder(pid, root, background) if valid and 1 < pid <= _MAX_PID else _UNKNOWN_HOLDER


def _signal_group(holder: LockHolder, number: signal.Signals) -> None:
    try:
        if not holder.pid or os.getsid(holder.pid) != holder.pid:
            raise StorageError(
                "an embed of this repository is running that does not name its process: wait for it"
            )
        os.killpg(holder.pid, number)
    except ProcessLookupError:
        # It has just ended.
        return
    except PermissionError:
        raise StorageError(
            f"the embed (pid {holder.pid}) belongs to another user: ask them to stop it"
        ) from None


def _wait_for_end(repository: Repository, holder: LockHolder, timeout: float) -> bool:
    deadline = time.monotonic() + timeout
    while find_holder(repository) == holder:
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True
