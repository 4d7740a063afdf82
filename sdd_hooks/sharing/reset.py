"""Forget what this machine has of the vectors of others."""

# Governing: ADR-0028 (a vector is used only if it is sound), SPEC-0013 REQ "Reset"

from __future__ import annotations

import shutil
from typing import Protocol, runtime_checkable

from sdd_hooks.engines.protocol import Engine
from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.sharing.options import LOCK_TIMEOUT
from sdd_hooks.sharing.segments import vector_exchange
from sdd_hooks.sharing.vector_ref import DIRECTORY
from sdd_hooks.system.locks import hold_lock

_LOCK = "lock"


@runtime_checkable
class ForgetsPulledVectors(Protocol):
    """A `VectorExchange` that knows which vectors came from other machines."""

    def forget_pulled(self) -> int:
        """Delete the vectors of other machines, of every model. Returns how many there were."""
        ...


class ResetOutcome(NamedTuple):
    """What a reset did: pulled vectors that it deleted, bytes of fetched objects that it deleted.

    `pending` counts the chunks of the index that have no vector now.
    """

    deleted: int
    bytes: int
    pending: int
    notes: tuple[str, ...] = ()


def reset(project: Project, engine: Engine, wait: float = LOCK_TIMEOUT) -> ResetOutcome:
    """Delete the pulled vectors and the fetched objects. The remote does not change.

    Waits at most `wait` seconds for a push or pull of the repository.

    Raises:
        EngineUnavailable: the engine does not share vectors.
        StorageError: another push or pull runs, or something cannot be deleted.
    """
    exchange = vector_exchange(project, engine)
    share = project.repository.shared_dir / DIRECTORY
    size = 0
    try:
        if share.is_symlink() or (share.exists() and not share.is_dir()):
            share.unlink()
        if share.is_dir():
            with hold_lock(share / _LOCK, wait) as is_locked:
                if not is_locked:
                    raise StorageError(
                        "another push or pull of vectors is running here: try again after it"
                    )
                size = sum(file.lstat().st_size for file in share.rglob("*") if not file.is_dir())
                for path in share.iterdir():
                    if path.is_dir() and not path.is_symlink():
                        shutil.rmtree(path)
                    elif path.name != _LOCK:
                        path.unlink()
    except OSError as error:
        raise StorageError(f"cannot delete {share} ({error.strerror}): check it") from None
    deleted = exchange.forget_pulled() if isinstance(exchange, ForgetsPulledVectors) else 0
    return ResetOutcome(deleted, size, engine.coverage().pending, tuple(engine.notes))
