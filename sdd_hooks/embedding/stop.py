"""End an embed that runs in the background, and nothing else."""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Stop"

from __future__ import annotations

import os
import signal
import time

from sdd_hooks.embedding.lock import Holder, holder
from sdd_hooks.errors import StorageError
from sdd_hooks.project.repository import Repository

GRACE = 10.0
"""Seconds to end in good order: a batch of texts is not interrupted, and an engine of its own
processes ends them."""

_POLL_SECONDS = 0.05


def stop(repository: Repository, *, grace: float = GRACE) -> Holder | None:
    """End the embed of this repository and all its group. Returns who it was; None: none runs.

    It is asked to end, and made to after `grace` seconds. A signal goes only to a process that has
    the lock and leads a session, as an embed in the background does.

    Raises:
        StorageError: it is in the foreground, is not ours to end, or does not end.
    """
    found = holder(repository)
    deadline = time.monotonic() + grace
    while found is not None and not found.pid and time.monotonic() < deadline:
        # It is being started: who it is follows in an instant.
        time.sleep(_POLL_SECONDS)
        found = holder(repository)
    if found is None:
        return None
    if found.pid and not found.background:
        raise StorageError(
            f"the embed of this repository (pid {found.pid}) is in the foreground:"
            " press Ctrl-C where it runs"
        )
    for number in (signal.SIGTERM, signal.SIGKILL):
        _signal(found, number)
        if _ended(repository, found, grace):
            return found
    raise StorageError(f"the embed (pid {found.pid}) does not end: look at it with `ps`")


def _signal(found: Holder, number: signal.Signals) -> None:
    try:
        if not found.pid or os.getsid(found.pid) != found.pid:
            raise StorageError(
                "an embed of this repository is running that does not say which process it is:"
                " wait for it"
            )
        os.killpg(found.pid, number)
    except ProcessLookupError:
        # It has just ended.
        return
    except PermissionError:
        raise StorageError(
            f"the embed (pid {found.pid}) belongs to another user: ask them to stop it"
        ) from None


def _ended(repository: Repository, found: Holder, wait: float) -> bool:
    deadline = time.monotonic() + wait
    while holder(repository) == found:
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True
