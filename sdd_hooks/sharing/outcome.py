"""What became of a push or a pull of vectors."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 (shared-vectors)

from __future__ import annotations

from typing import NamedTuple


class Pushed(NamedTuple):
    """What a push did. `pushed` vectors are new on the remote, which then holds `vectors` of them.

    `commit` is where `ref` is then; "" where the remote has none, as nothing here is embedded.
    `notes` has a line for each thing that was refused or left out.
    """

    remote: str
    ref: str
    model: str
    pushed: int
    vectors: int
    commit: str
    notes: tuple[str, ...] = ()


class Pulled(NamedTuple):
    """What a pull did. Of the `vectors` on the remote, `pulled` are new here.

    `commit` is where `ref` was; "" where the remote has none. `pending` counts the chunks of the
    index that have no vector still. `notes` has a line for each thing that was refused.
    """

    remote: str
    ref: str
    model: str
    pulled: int
    vectors: int
    commit: str
    pending: int
    notes: tuple[str, ...] = ()
