"""The index that a report reads: refreshed when it is stale, which the report's header says."""

# Governing: ADR-0015 (tiers of freshness), SPEC-0007 REQ "Before reading",
# SPEC-0018 REQ "The index"

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sdd_hooks.engines.protocol import Engine
from sdd_hooks.freshness.read_gate import open_fresh_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project


class ReportIndex(NamedTuple):
    """The open engine, the lines about the index for the header of a report, and warnings.

    The notes of searches belong into the header, too, behind these lines.
    """

    engine: Engine
    header: tuple[str, ...]
    warnings: tuple[str, ...]


@contextmanager
def open_report_index(project: Project, now: float) -> Iterator[ReportIndex]:
    """Open the index of a project for a report (tier 3). `now` is in seconds since the epoch.

    Raises NotIndexed where nothing was ever indexed, in the words of `sdd search`, and
    EngineUnavailable or StorageError when the index cannot be read: nothing replaces it.
    """
    with open_fresh_index(project, now) as (engine, freshness):
        yield ReportIndex(engine, freshness.notes, freshness.warnings)
