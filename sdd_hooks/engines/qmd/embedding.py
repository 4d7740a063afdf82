"""`qmd embed`, round by round: it ends by itself after half an hour, done or not."""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Embedding"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdd_hooks.engines.protocol import Progress, report_progress
from sdd_hooks.engines.qmd import device
from sdd_hooks.engines.qmd.failures import failure
from sdd_hooks.engines.qmd.installation import Installation
from sdd_hooks.engines.qmd.output import EmbedOutcome, parse_embed
from sdd_hooks.engines.qmd.process import Place, run
from sdd_hooks.errors import StorageError

ROUNDS = 5

_ROUND = 45 * 60.0
"""Seconds of a round: qmd's own half hour, and a download of the model before it."""


@dataclass(frozen=True)
class Embedded:
    """What an embed did, in chunks, and the device it ran on."""

    embedded: int
    failed: int
    device: str
    notes: tuple[str, ...]


def embed(
    qmd: Installation,
    place: Place,
    environ: Mapping[str, str],
    collections: Sequence[str],
    progress: Progress | None = None,
) -> Embedded:
    """Embed what has no vectors in these collections, one after the other; "" is the whole index.

    A round that ran out of time is followed by another while that brings something.

    Raises:
        StorageError: another process is embedding, or the index cannot be written.
        EngineUnavailable: the model cannot be had, or qmd fails.
    """
    embedded, failed, notes, where = 0, 0, [], ""
    for place_in_line, name in enumerate(collections):
        report_progress(progress, "Embedding", place_in_line, len(collections))
        for _ in range(ROUNDS):
            outcome = _round(qmd, place, environ, name)
            embedded += outcome.embedded
            where = outcome.device or where
            if not (outcome.expired and outcome.embedded):
                break
        failed += outcome.failed
        notes += [f"not embedded: {one}" for one in outcome.failures]
    if where:
        device.learn(qmd, environ, where)
    return Embedded(embedded, failed, device.device(qmd, environ, place), tuple(notes))


def _round(
    qmd: Installation, place: Place, environ: Mapping[str, str], collection: str
) -> EmbedOutcome:
    scope = ("-c", collection) if collection else ()
    args = ("embed", *scope, "--chunk-strategy", "auto")
    done = run(qmd, place, *args, deadline=_ROUND, environ=environ)
    outcome = parse_embed(done.out, done.err)
    if outcome.busy:
        raise StorageError(
            f"another embed of {place.database} is running: try again when it has finished"
        )
    if done.code:
        raise failure("embed", done, place)
    return outcome
