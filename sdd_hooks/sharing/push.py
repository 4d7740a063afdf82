"""Push the vectors of this machine to a remote, for other machines."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Push",
# REQ "Concurrent pushes", REQ "Bounded history"

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

from sdd_hooks.engines.protocol import Engine, Progress
from sdd_hooks.errors import RemoteError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.sharing.merge import MergedSegments, merge_segments
from sdd_hooks.sharing.options import DEFAULT_OPTIONS, SharingOptions
from sdd_hooks.sharing.segment_tree import SegmentEntry, vector_exchange, write_commit
from sdd_hooks.sharing.vector_ref import VectorRef, open_vector_ref, vector_ref_name
from sdd_hooks.system.git_errors import PushRejected

_MAX_ATTEMPTS = 10
"""How often a push is tried while other machines push first."""

_MAX_PAUSE_SECONDS = 3.0


class PushOutcome(NamedTuple):
    """What a push did. `pushed` vectors are new on the remote, which then holds `vectors` of them.

    `commit` is the commit of `ref` after the push; "" where the remote has no such ref and there
    was nothing to push. `notes` has a line for each thing that was refused or left out.
    """

    remote: str
    ref: str
    model: str
    pushed: int
    vectors: int
    commit: str
    notes: tuple[str, ...] = ()


class PushBackoff(NamedTuple):
    """How to pause between attempts. `chance` returns a number in 0..1, which spreads machines."""

    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

    def pause(self, attempt: int) -> None:
        """Sleep before an attempt (1, 2, …). The longest sleep doubles with each."""
        self.sleep(self.chance() * min(_MAX_PAUSE_SECONDS, 0.1 * 2**attempt))


DEFAULT_BACKOFF = PushBackoff()


def push(
    project: Project,
    engine: Engine,
    options: SharingOptions = DEFAULT_OPTIONS,
    progress: Progress | None = None,
    backoff: PushBackoff = DEFAULT_BACKOFF,
) -> PushOutcome:
    """Add the vectors of the index that the remote lacks to those that it has.

    Only vectors and the hashes of their texts are sent. When another machine pushes first, the
    push is tried again on top of its commit, after a pause of random length. What cannot be used
    there is left out of the next commit, with a note: also vectors of other dimensions than those
    that the model gives here.

    Raises:
        EngineUnavailable: other machines cannot use the engine's vectors, or the model cannot run.
        RepositoryError: there is no such remote.
        AccessRefused: the remote does not accept the credentials.
        RemoteError: the remote cannot be reached, or rejects the push.
        StorageError: another push or pull runs, or nothing can be written.
    """
    exchange = vector_exchange(project, engine)
    model = exchange.model
    name = vector_ref_name(model, exchange.storage)
    with open_vector_ref(project.repository, name, options) as ref:
        known_keys: dict[SegmentEntry, Sequence[bytes]] = {}
        for attempt in range(_MAX_ATTEMPTS):
            if attempt:
                backoff.pause(attempt)
            before = ref.fetch()
            entries, refused = ref.read_entries(before) if before else ([], [])
            merged = merge_segments(ref, exchange, entries, known_keys, progress)
            needs_push = merged.changed or refused
            commit = _push_segments(ref, merged, model, before) if needs_push else before
            if commit is not None:
                ref.delete_unused_objects(merged.entries if needs_push else entries)
                notes = (*engine.notes, *refused, *merged.notes)
                return PushOutcome(
                    options.remote, name, model, merged.new, merged.vectors, commit, notes
                )
    raise RemoteError(
        f"other machines keep pushing to {name} of {options.remote}: run it again later"
    )


def _push_segments(ref: VectorRef, merged: MergedSegments, model: str, before: str) -> str | None:
    """Push a commit of the segments. Returns its id, or None when the ref has moved meanwhile.

    The commit replaces `before` and has no parent. A host that accepts only fast-forwards gets one
    with `before` as its parent.
    """
    is_commit = bool(before) and ref.objects.kind(before) == "commit"
    if is_commit and ref.objects.has_parent(before):
        parents = [before]
    else:
        parents = ["", before] if is_commit else [""]
    for parent in parents:
        commit = write_commit(ref.objects, merged.entries, model, parent)
        try:
            ref.push(commit, before)
        except PushRejected as rejected:
            if rejected.is_busy or ref.fetch() != before:
                return None
            error = rejected.error
        else:
            return commit
    raise error
