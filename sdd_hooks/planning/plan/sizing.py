"""The size of a story: what it obliges to, less what existing code solves."""

# Governing: SPEC-0025 REQ "Size"

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.planning.plan.story import Hotspot, ReusedCode, SharedArtifact, SizeName, StorySize
from sdd_hooks.text.display import format_count

SAVED = 0.4
"""The part of the work on a requirement that existing code saves (0..1)."""
POINTS_OF_ARTIFACT = 3
"""Points of a shared artifact without a requirement."""

_LIMITS: tuple[tuple[int, SizeName], ...] = ((5, "XS"), (12, "S"), (25, "M"), (45, "L"))


def size_name(points: int) -> SizeName:
    """The name of a size: XS to 5 points, S to 12, M to 25, L to 45, XL above."""
    return next((name for limit, name in _LIMITS if points <= limit), "XL")


def size_story(
    requirements: Sequence[PlannedRequirement],
    shared: Sequence[SharedArtifact],
    existing: Mapping[str, Sequence[ReusedCode]],
    hotspots: Sequence[Hotspot],
) -> StorySize:
    """The size of a story. `existing` has the existing code by the key of the requirement, and
    `hotspots` are those that the story changes."""
    obligations = sum(one.obligations for one in requirements)
    scenarios = sum(len(one.scenarios) for one in requirements)
    work = {one.key: max(1, one.obligations + len(one.scenarios)) for one in requirements}
    extra = len(hotspots) + (0 if requirements else POINTS_OF_ARTIFACT * len(shared))
    scratch = sum(work.values()) + extra
    saved = sum(SAVED * work[key] for key in work if existing.get(key))
    # Existing code makes a story smaller, however small it is.
    points = max(1, scratch - round(max(saved, 1.0))) if saved else scratch
    reasons = [
        ", ".join(
            (
                format_count(len(requirements), "requirement"),
                format_count(obligations, "obligation"),
                format_count(scenarios, "scenario"),
            )
        )
        if requirements
        else f"{format_count(len(shared), 'shared artifact')} to create"
    ]
    if saved:
        files = {one.path for found in existing.values() for one in found}
        extended = sum(bool(existing.get(key)) for key in work)
        reasons.append(
            f"{format_count(len(files), 'existing file')} for {extended} of them:"
            f" {format_count(points, 'point')} instead of {scratch}"
        )
    reasons += [f"changes the hotspot {one.path}" for one in hotspots]
    return StorySize(size_name(points), points, size_name(scratch), scratch, tuple(reasons))
