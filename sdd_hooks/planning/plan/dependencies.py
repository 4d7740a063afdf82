"""Divide requirements into parts that can be built one after the other, and say what blocks what.

A missing artifact that several parts need is built first: by the part with the requirement that
defines it, else by a part without a requirement. Parts that need each other are joined.
"""

# Governing: SPEC-0025 REQ "Foundation stories", SPEC-0025 REQ "Dependencies"

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.plan.known_issues import words_of
from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.planning.plan.shared_artifacts import NamedArtifact
from sdd_hooks.planning.plan.story import SharedArtifact

_LONG_NAME = 3
"""Words of a name that means the requirement without the word "requirement"."""

Edges = Mapping[tuple[int, int], str]
"""Reasons by blocker and blocked part, both as places in a list."""


class Part(NamedTuple):
    """A future story: the places of its requirements, and the shared artifacts that it provides."""

    places: tuple[int, ...]
    shared: tuple[SharedArtifact, ...] = ()

    @property
    def is_foundation(self) -> bool:
        """Whether other parts need what it provides."""
        return bool(self.shared)


class NeededArtifact(NamedTuple):
    """A shared artifact, the place of its part, and the places of the parts that need it."""

    artifact: SharedArtifact
    provider: int
    users: tuple[int, ...]


def divide(
    groups: Sequence[tuple[int, ...]],
    named: Sequence[NamedArtifact],
    fixed: Collection[int],
    provided: Mapping[str, str],
) -> tuple[list[Part], list[NeededArtifact]]:
    """Divide groups of requirements, and add the parts that provide shared artifacts.

    A requirement that defines what other groups need becomes a part alone, unless it is one of
    `fixed`, which stay where they are. `provided` has the issues that provide artifacts already, by
    their names. One group alone has no foundation.
    """
    parts = [Part(places) for places in _split(groups, named, fixed)]
    needed: list[NeededArtifact] = []
    together: dict[tuple[object, ...], list[tuple[SharedArtifact, tuple[int, ...]]]] = {}
    for one in named:
        users = tuple(at for at, part in enumerate(parts) if set(part.places) & set(one.named_in))
        if len(users) < 2:
            continue
        if one.defined_in is None:
            issue = provided.get(one.artifact.name)
            key: tuple[object, ...] = (issue,) if issue else users
            together.setdefault(key, []).append((one.artifact, users))
            continue
        provider = next(at for at in users if one.defined_in in parts[at].places)
        parts[provider] = parts[provider]._replace(shared=(*parts[provider].shared, one.artifact))
        rest = tuple(at for at in users if at != provider)
        needed.append(NeededArtifact(one.artifact, provider, rest))
    for artifacts in together.values():
        parts.append(Part((), tuple(one for one, _ in artifacts)))
        needed += [NeededArtifact(one, len(parts) - 1, users) for one, users in artifacts]
    return parts, needed


def connect(
    parts: Sequence[Part],
    needed: Sequence[NeededArtifact],
    requirements: Sequence[PlannedRequirement],
    is_fixed: Callable[[Part], bool],
) -> tuple[list[Part], dict[tuple[int, int], str]]:
    """Join the parts that need each other, and connect the others: reasons by blocker and blocked.

    A part that `is_fixed` is joined with none. A requirement that mentions another one is built
    after it. Of what would close a circle then, the later is left out.
    """
    needs: dict[tuple[int, int], list[str]] = {}
    for one in needed:
        for user in one.users:
            needs.setdefault((one.provider, user), []).append(one.artifact.name)
    fixed = {at for at, part in enumerate(parts) if is_fixed(part)}
    circles = join_circles(len(parts), [edge for edge in needs if not fixed & set(edge)])
    place = {part: at for at, circle in enumerate(circles) for part in circle}
    joined = [_join([parts[part] for part in circle]) for circle in circles]
    reasons: dict[tuple[int, int], str] = {}
    for (blocker, blocked), names in needs.items():
        reason = f"needs {', '.join(dict.fromkeys(names))}"
        reasons.setdefault((place[blocker], place[blocked]), reason)
    of_requirement = {one: at for at, part in enumerate(joined) for one in part.places}
    for source, target in _mentions(requirements):
        edge = (of_requirement[target], of_requirement[source])
        reasons.setdefault(edge, f"mentions {requirements[target].label}")
    return joined, without_circles(reasons)


def _split(
    groups: Sequence[tuple[int, ...]], named: Sequence[NamedArtifact], fixed: Collection[int]
) -> Iterator[tuple[int, ...]]:
    for group in groups:
        alone = {
            one.defined_in
            for one in named
            if one.defined_in in group
            and one.defined_in not in fixed
            and not set(one.named_in) <= set(group)
        }
        yield from ((place,) for place in group if place in alone)
        rest = tuple(place for place in group if place not in alone)
        if rest:
            yield rest


def _join(parts: Sequence[Part]) -> Part:
    places = sorted(place for part in parts for place in part.places)
    shared = dict.fromkeys(artifact for part in parts for artifact in part.shared)
    return Part(tuple(places), tuple(shared))


def _mentions(requirements: Sequence[PlannedRequirement]) -> Iterator[tuple[int, int]]:
    """The pairs of requirements of which the first mentions the second, by their places."""
    names: Mapping[int, str] = {at: words_of(one.name) for at, one in enumerate(requirements)}
    texts = [words_of(one.text.removeprefix(one.name)) for one in requirements]
    for source, text in enumerate(texts):
        for target, name in names.items():
            if source != target and _is_mentioned(name, text):
                yield source, target


def _is_mentioned(name: str, text: str) -> bool:
    count = len(name.split())
    return f"{name}requirement " in text or (count >= _LONG_NAME and name in text)


def join_circles(count: int, edges: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The parts 0 to `count` - 1, those of a circle together, in the order of their first part."""
    reached = [_reachable(part, _successors(edges)) for part in range(count)]
    joined: list[tuple[int, ...]] = []
    done: set[int] = set()
    for part in range(count):
        if part not in done:
            circle = [one for one in reached[part] if part in reached[one]]
            joined.append(tuple(sorted({part, *circle})))
            done.update(joined[-1])
    return joined


def without_circles(edges: Edges) -> dict[tuple[int, int], str]:
    """The edges without each that closes a circle with those before it."""
    kept: dict[tuple[int, int], str] = {}
    for (blocker, blocked), reason in edges.items():
        if blocker != blocked and blocker not in _reachable(blocked, _successors(kept)):
            kept[blocker, blocked] = reason
    return kept


def sort_parts(parts: Sequence[Part], edges: Iterable[tuple[int, int]]) -> list[int]:
    """The places of the parts, each behind those that block it, else foundations first.

    The edges have no circle.
    """
    ranks = [(not part.is_foundation, min(part.places, default=-1)) for part in parts]
    blockers: dict[int, set[int]] = {part: set() for part in range(len(parts))}
    for blocker, blocked in edges:
        blockers[blocked].add(blocker)
    order: list[int] = []
    while blockers:
        free = [part for part, blocking in blockers.items() if blocking <= set(order)]
        part = min(free, key=lambda one: ranks[one])
        order.append(part)
        del blockers[part]
    return order


def chain(
    order: Sequence[int], parts: Iterable[int], edges: Iterable[tuple[int, int]]
) -> Iterable[tuple[int, int]]:
    """The edges that put `parts` one after the other in this order, unless `edges` do already."""
    successors = _successors(edges)
    chained = [part for part in order if part in set(parts)]
    for before, after in pairwise(chained):
        if after not in _reachable(before, successors):
            yield before, after


def _successors(edges: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    successors: dict[int, set[int]] = {}
    for blocker, blocked in edges:
        successors.setdefault(blocker, set()).add(blocked)
    return successors


def _reachable(start: int, successors: Mapping[int, set[int]]) -> set[int]:
    found: set[int] = set()
    pending = [start]
    while pending:
        for one in successors.get(pending.pop(), ()):
            if one not in found:
                found.add(one)
                pending.append(one)
    return found
