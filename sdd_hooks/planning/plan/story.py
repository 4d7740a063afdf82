"""The plan of a specification: its stories, what they are made of, and how large they are.

The size of a story is what it obliges to, less what existing code solves.
"""

# Governing: SPEC-0025 REQ "Size"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.text.display import format_count

StoryKind = Literal["story", "foundation"]
SizeName = Literal["XS", "S", "M", "L", "XL"]

SAVED = 0.4
"""The part of the work on a requirement that existing code saves (0..1)."""
POINTS_OF_ARTIFACT = 3
"""Points of a shared artifact without a requirement."""

_LIMITS: tuple[tuple[int, SizeName], ...] = ((5, "XS"), (12, "S"), (25, "M"), (45, "L"))


class CodePlace(NamedTuple):
    """A definition in existing code, "" for a part of a file without one. Lines are 1-based."""

    symbol: str
    first_line: int
    last_line: int


class ReusedCode(NamedTuple):
    """A file that solves a part of some requirements, its places, and why it was chosen."""

    path: str
    places: tuple[CodePlace, ...]
    reason: str


class ImplementedRequirement(NamedTuple):
    """A requirement that code claims to implement, and the places of the claims (path:line)."""

    requirement: PlannedRequirement
    places: tuple[str, ...]


class PlanIssue(NamedTuple):
    """An issue of the tracker, as far as a plan names it."""

    id: str
    title: str
    status: str
    url: str = ""


class CoveredRequirement(NamedTuple):
    """A requirement that another issue names, and that issue."""

    requirement: PlannedRequirement
    issue: PlanIssue


class SharedArtifact(NamedTuple):
    """A type, a helper, a setting, a route or a file that is missing, and that stories share.

    `requirements` are the keys of those that name it.
    """

    name: str
    kind: str
    requirements: tuple[str, ...]


class StorySize(NamedTuple):
    """The size of a story with its points, the same without the existing code, and the reasons."""

    name: SizeName
    points: int
    from_scratch: SizeName
    points_from_scratch: int
    reasons: tuple[str, ...]


class Blocker(NamedTuple):
    """The number of a story that has to be finished before, and why."""

    story: int
    reason: str


class Story(NamedTuple):
    """A part of the work that one person builds. `number` counts from 1 in the order of the plan.

    `keys` are those of its marker: of its requirements, or for a foundation without any of its
    `shared` artifacts. `issue` is its issue, None as long as there is none. `related` are other
    issues about the same.
    """

    number: int
    title: str
    kind: StoryKind
    keys: tuple[str, ...]
    requirements: tuple[PlannedRequirement, ...]
    shared: tuple[SharedArtifact, ...]
    existing: tuple[ReusedCode, ...]
    size: StorySize
    blocked_by: tuple[Blocker, ...] = ()
    issue: PlanIssue | None = None
    related: tuple[PlanIssue, ...] = ()


class Hotspot(NamedTuple):
    """A file that many merges change: in how many of the last `total` it was."""

    path: str
    merges: int
    total: int


class Plan(NamedTuple):
    """The plan of a specification.

    `spec` is its id, or its name without one, `marked` the same in markers. `path` is that of its
    spec.md, `module` its module, "" for the root. `epic` is the issue of the epic, if there is one;
    `other_issues` are those of the plan whose requirements the specification has no more.
    """

    spec: str
    marked: str
    title: str
    path: str
    module: str
    status: str
    stories: tuple[Story, ...]
    implemented: tuple[ImplementedRequirement, ...] = ()
    covered: tuple[CoveredRequirement, ...] = ()
    hotspots: tuple[Hotspot, ...] = ()
    epic: PlanIssue | None = None
    other_issues: tuple[PlanIssue, ...] = ()
    duplicates: tuple[tuple[PlanIssue, PlanIssue], ...] = ()

    @property
    def epic_title(self) -> str:
        """The title of the epic."""
        return f"Implement {self.spec}: {self.title}"

    def story(self, number: int) -> Story:
        """The story with this number."""
        return self.stories[number - 1]

    def blocks(self, number: int) -> tuple[int, ...]:
        """The numbers of the stories that a story blocks."""
        return tuple(
            story.number
            for story in self.stories
            if any(blocker.story == number for blocker in story.blocked_by)
        )


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
    work = {one.key: one.work for one in requirements}
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
