"""The results of a push and of a pull of vectors."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 (shared-vectors)

from __future__ import annotations

from sdd_hooks.named_tuple import NamedTuple


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
