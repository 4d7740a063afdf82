"""Divide requirements into parts that can be built one after the other, and say what blocks what.

A missing artifact that several parts need is built first: by the part with the requirement that
defines it, else by a part without a requirement. Parts that need each other are joined.
"""

# Governing: SPEC-0025 REQ "Foundation stories", SPEC-0025 REQ "Dependencies"

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.plan import ordering
from sdd_hooks.planning.plan.known_issues import words_of
from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.planning.plan.shared_artifacts import NamedArtifact
from sdd_hooks.planning.plan.story import SharedArtifact

_LONG_NAME = 3
"""Words of a name that means the requirement without the word "requirement"."""


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
    circles = ordering.join_circles(len(parts), [edge for edge in needs if not fixed & set(edge)])
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
    return joined, ordering.without_circles(reasons)


def rank(part: Part) -> tuple[int, int]:
    """The place of a part among those that nothing blocks: foundations first."""
    first = min(part.places, default=-1)
    return (0 if part.is_foundation else 1, first)


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
