"""Give the vectors that this machine has to the others."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Push",
# REQ "Concurrent pushes", REQ "Bounded history"

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from sdd_hooks.engines.protocol import Engine, Progress, VectorExchange
from sdd_hooks.errors import EngineUnavailable, RemoteError
from sdd_hooks.project.project import Project
from sdd_hooks.sharing.git_errors import Rejected
from sdd_hooks.sharing.limits import LIMITS, Limits
from sdd_hooks.sharing.merge import Union, union
from sdd_hooks.sharing.outcome import Pushed
from sdd_hooks.sharing.pull import WAIT
from sdd_hooks.sharing.segments import dimensions_of, exchange_of
from sdd_hooks.sharing.vector_ref import Entry, Place, opened_place, ref_of

_ATTEMPTS = 10
"""How often a push is made anew because another one came first."""

_LONGEST_PAUSE = 3.0


def push(
    project: Project,
    engine: Engine,
    *,
    remote: str = "origin",
    access: Mapping[str, str] = MappingProxyType({}),
    limits: Limits = LIMITS,
    wait: float = WAIT,
    progress: Progress | None = None,
    sleep: Callable[[float], None] = time.sleep,
    chance: Callable[[], float] = random.random,
) -> Pushed:
    """Put the vectors of the index that `remote` lacks beside those that it has.

    Only vectors and the hashes of the texts they were made of are sent. Where another push comes
    first, this one is made anew on what that left; `chance` (0..1) spreads the attempts. `access`
    is what git's environment has to have for the remote.

    Raises:
        EngineUnavailable: the engine's vectors are of no use elsewhere, the model cannot run, or
            the remote has vectors of other dimensions under its name.
        RepositoryError: there is no such remote.
        AccessRefused: it wants other credentials.
        RemoteError: it cannot be reached, or does not take the ref.
        StorageError: another push or pull goes on, or nothing can be written.
    """
    exchange = exchange_of(project, engine)
    ref = ref_of(exchange.model, exchange.storage)
    with opened_place(project.repository, remote, ref, access, limits, wait) as place:
        known: dict[Entry, Sequence[bytes]] = {}
        for attempt in range(_ATTEMPTS):
            if attempt:
                sleep(chance() * min(_LONGEST_PAUSE, 0.1 * 2**attempt))
            tip = place.tip()
            entries, refused = place.entries(tip) if tip else ([], [])
            _agree(place, exchange, entries)
            made = union(place, exchange, entries, known, progress)
            changed = made.changed or refused
            now = _published(place, made, exchange.model, tip) if changed else tip
            if now is not None:
                place.tidy(now)
                notes = (*refused, *made.notes)
                return Pushed(remote, ref, exchange.model, made.new, made.vectors, now, notes)
    raise RemoteError(f"others keep pushing to {ref} of {remote}: run it again later")


def _published(place: Place, made: Union, model: str, tip: str) -> str | None:
    """The commit that the ref is at now; None where it has moved meanwhile.

    Its history is one commit. A host that takes nothing but a longer history gets one.
    """
    parents = [tip] if tip and place.has_parent(tip) else ["", tip] if tip else [""]
    for parent in parents:
        commit = place.commit(made.entries, model, parent)
        try:
            place.push(commit, tip)
        except Rejected as rejected:
            if rejected.busy or place.tip() != tip:
                return None
            error = rejected.error
        else:
            return commit
    raise error


def _agree(place: Place, exchange: VectorExchange, entries: list[Entry]) -> None:
    """Make sure that the remote's vectors can stand beside those that are here."""
    there = dimensions_of(place, entries)
    if there and exchange.dimensions and there != exchange.dimensions:
        raise EngineUnavailable(
            f"{place.remote} has vectors of {there} dimensions for {exchange.model}, not"
            f" {exchange.dimensions}: give the model another name in `Embed Model`"
        )
