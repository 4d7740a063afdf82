"""Tier 4: issues are fetched when a sprint command begins, since they change elsewhere."""

# Governing: ADR-0015 (tiers of freshness), SPEC-0007 REQ "Issues of the tracker"

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from sdd_hooks.errors import SddError
from sdd_hooks.freshness import tiers
from sdd_hooks.freshness.mutation import after_mutation
from sdd_hooks.project.project import Project


class IssueSync(Protocol):
    """What fetches the issues of a tracker into `.sdd/issues/`. Methods raise SddError."""

    @property
    def tracker(self) -> str:
        """What people call the tracker."""
        ...

    def synced(self) -> float | None:
        """When a sync last came to its end (seconds, epoch); None for never."""
        ...

    def expected(self) -> int | None:
        """How many issues the next sync fetches; None where that shows only on the way."""
        ...

    def sync(self) -> None:
        """Fetch what changed and write it."""
        ...


@dataclass(frozen=True)
class IssuesFreshness:
    """What became of the issues. `synced` says that they were fetched now.

    When `degraded`, the files may be out of date: this run asks the tracker itself.
    """

    synced: bool = False
    degraded: bool = False
    warnings: tuple[str, ...] = ()


def sync_issues(
    project: Project,
    sync: IssueSync,
    now: float,
    *,
    environ: Mapping[str, str],
    say: Callable[[str], None],
    trace: Callable[[str], None],
) -> IssuesFreshness:
    """Fetch the issues unless that was done a moment ago, then refresh their collections (tier 4).

    `say` is given the note for people before the tracker is asked, `trace` what they need not know.
    No failure of the tracker is raised: a run goes on without.
    """
    try:
        synced = sync.synced()
        if not tiers.sync_is_due(now, synced, project.configuration.freshness):
            trace(tiers.sync_skipped(tiers.age(now, synced) or 0.0, sync.tracker))
            return IssuesFreshness()
        say(tiers.syncing(sync.expected(), sync.tracker))
        sync.sync()
    except SddError as error:
        trace(f"issues sync failed: {error}")
        return IssuesFreshness(degraded=True, warnings=(tiers.DEGRADED,))
    issues = [one for one in project.collections if one.kind == "issues"]
    return IssuesFreshness(synced=True, warnings=after_mutation(project, issues, environ=environ))
