"""Decide whether `qmd update` has to run, and count what it did."""

# Governing: ADR-0014 (the qmd engine), ADR-0004 (change detection from git),
# SPEC-0006 REQ "Updates"

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sdd_hooks.engines.protocol import CollectionChanges, Counts
from sdd_hooks.engines.qmd.output import parse_update
from sdd_hooks.engines.qmd.state import CollectionState
from sdd_hooks.errors import EngineUnavailable


def is_due(change: CollectionChanges, fingerprint: str, seen: str) -> bool:
    """Whether qmd has to index a change with this fingerprint; `seen` is that of the last update.

    A change names a path again as long as it is not committed, and always names all issues. If
    no file differs from the last update, qmd need not run.
    """
    if change.complete and change.collection.kind != "issues":
        return True
    return bool(change.paths or change.complete) and fingerprint != seen


def compute_fingerprint(root: Path, change: CollectionChanges) -> str:
    """Return a digest of the files that a change names: their paths, sizes and times."""
    from hashlib import sha256

    digest = sha256(change.collection.definition().encode())
    for path in change.paths:
        try:
            status = os.lstat(root / path)
            entry = f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0{status.st_ino}\0"
        except (OSError, ValueError):
            entry = f"{path}\0gone\0"
        digest.update(entry.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def count_unchanged(root: Path, change: CollectionChanges) -> Counts:
    """Return the counts of a change for which qmd did not run."""
    return Counts(unchanged=sum(os.path.lexists(root / path) for path in change.paths))


def parse_counts(out: str, names: Sequence[str]) -> dict[str, Counts]:
    """Parse the counts of an update. Raises EngineUnavailable if a collection of `names` lacks."""
    counts = parse_update(out)
    for name in names:
        if name not in counts:
            raise EngineUnavailable(
                f"qmd update says nothing about {name}: sdd cannot read this qmd, run `sdd doctor`"
            )
    return counts


def count_change(change: CollectionChanges, counts: Mapping[str, Counts]) -> Counts:
    """Return the counts of one change from those of qmd, which include every document."""
    found = counts[change.collection.name]
    if change.complete:
        return found
    return replace(found, unchanged=max(0, len(change.paths) - found.changed))


def with_documents(
    states: Mapping[str, CollectionState], counts: Mapping[str, Counts]
) -> dict[str, CollectionState]:
    """Return the states with the number of documents after an update."""
    return {
        name: replace(state, documents=count.added + count.updated + count.unchanged)
        if (count := counts.get(name))
        else state
        for name, state in states.items()
    }
