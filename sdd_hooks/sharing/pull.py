"""Pull the vectors that other machines pushed to a remote, and forget what was pulled."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Pull",
# REQ "Reset", ADR-0028 (a vector is used only if it is sound)

from __future__ import annotations

import shutil
from typing import Protocol, runtime_checkable

from sdd_hooks.engines.protocol import Engine, Progress, report_progress
from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.sharing.options import DEFAULT_OPTIONS, LOCK_TIMEOUT, SharingOptions
from sdd_hooks.sharing.segment_tree import SegmentReader, most_common_dimensions, vector_exchange
from sdd_hooks.sharing.vector_ref import DIRECTORY, open_vector_ref, vector_ref_name
from sdd_hooks.system.locks import hold_lock

_LOCK = "lock"


class PullOutcome(NamedTuple):
    """What a pull did. Of the `vectors` on the remote, `pulled` are new on this machine.

    `commit` is the commit of `ref`; "" where the remote has no such ref. `pending` counts the
    chunks of the index that still have no vector. `notes` has a line for each thing that was
    refused.
    """

    remote: str
    ref: str
    model: str
    pulled: int
    vectors: int
    commit: str
    pending: int
    notes: tuple[str, ...] = ()


def pull(
    project: Project,
    engine: Engine,
    options: SharingOptions = DEFAULT_OPTIONS,
    progress: Progress | None = None,
) -> PullOutcome:
    """Store every vector of the configured model that the remote has and this machine lacks.

    A vector that this machine has stays unchanged. A segment that cannot be used is refused with a
    note; each of the others is stored whole or not at all.

    Raises:
        EngineUnavailable: other machines cannot use the engine's vectors, or the model cannot run.
        RepositoryError: there is no such remote.
        AccessRefused: the remote does not accept the credentials.
        RemoteError: the remote cannot be reached.
        StorageError: another push or pull runs, or nothing can be written.
    """
    exchange = vector_exchange(project, engine)
    name = vector_ref_name(exchange.model, exchange.storage)
    pulled = vectors = 0
    with open_vector_ref(project.repository, name, options) as ref:
        commit = ref.fetch()
        entries, refused = ref.read_entries(commit) if commit else ([], [])
        dimensions = exchange.dimensions or most_common_dimensions(ref.objects, entries)
        stored = set(exchange.held())
        reader = SegmentReader(ref.objects, exchange, dimensions, refused)
        for _, segment in reader.read(entries, progress):
            vectors += segment.header.count
            missing = [pair for pair in segment.pairs if pair[0] not in stored]
            if missing:
                pulled += exchange.adopt(dimensions, missing)
                stored.update(key for key, _ in missing)
        if entries:
            report_progress(progress, "Reading vectors", len(entries), len(entries))
        ref.delete_unused_objects(entries)
    pending = engine.coverage().pending
    notes = (*engine.notes, *refused)
    return PullOutcome(
        options.remote, name, exchange.model, pulled, vectors, commit, pending, notes
    )


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
