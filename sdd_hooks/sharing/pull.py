"""Take the vectors that other machines made."""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "Pull"

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sdd_hooks.engines.protocol import Engine, Progress, report_progress
from sdd_hooks.project.project import Project
from sdd_hooks.sharing.limits import LIMITS, Limits
from sdd_hooks.sharing.outcome import Pulled
from sdd_hooks.sharing.segments import dimensions_of, exchange_of, segments
from sdd_hooks.sharing.vector_ref import opened_place, ref_of

WAIT = 60.0
"""Seconds to wait for another push or pull of the repository."""


def pull(
    project: Project,
    engine: Engine,
    *,
    remote: str = "origin",
    access: Mapping[str, str] = MappingProxyType({}),
    limits: Limits = LIMITS,
    wait: float = WAIT,
    progress: Progress | None = None,
) -> Pulled:
    """Keep every vector of the configured model that `remote` has and this machine has not.

    A vector that is here stays as it is. A segment that cannot be used is refused, in a note, and
    the others are kept, each whole or not at all. `access` is what git's environment has to have
    for the remote.

    Raises:
        EngineUnavailable: the engine's vectors are of no use elsewhere, or the model cannot run.
        RepositoryError: there is no such remote.
        AccessRefused: it wants other credentials.
        RemoteError: it cannot be reached.
        StorageError: another push or pull goes on, or nothing can be written.
    """
    exchange = exchange_of(project, engine)
    ref = ref_of(exchange.model, exchange.storage)
    pulled = vectors = 0
    with opened_place(project.repository, remote, ref, access, limits, wait) as place:
        tip = place.tip()
        entries, refused = place.entries(tip) if tip else ([], [])
        dimensions = exchange.dimensions or dimensions_of(place, entries)
        here = set(exchange.held())
        for _, segment in segments(place, entries, exchange, dimensions, refused, progress):
            vectors += segment.header.count
            lacking = [pair for pair in segment.pairs if pair[0] not in here]
            if lacking:
                pulled += exchange.adopt(dimensions, lacking)
                here.update(key for key, _ in lacking)
        if entries:
            report_progress(progress, "Reading vectors", len(entries), len(entries))
        place.tidy(tip)
    pending = engine.coverage().pending
    return Pulled(remote, ref, exchange.model, pulled, vectors, tip, pending, tuple(refused))
