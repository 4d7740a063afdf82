"""The order in which pull requests are merged: tiers without overlap inside, and circles."""

# Governing: ADR-0054 (pull requests and issues are changed in batches),
# SPEC-0027 REQ "Merge order"

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from sdd_hooks.named_tuple import NamedTuple


class OrderedPull(NamedTuple):
    """What the order depends on.

    `files` are the paths that a pull request changes, None if they are unknown: then it overlaps
    with every other one. `after` are the numbers of those that must be merged before it.
    """

    number: int
    files: frozenset[str] | None
    after: frozenset[int] = frozenset()
    is_foundation: bool = False


class MergeOrder(NamedTuple):
    """The tiers, each sorted by size, in the order of merges.

    `overlaps` has the shared paths of two pull requests, by number, () for unknown ones. `circles`
    are the pull requests that wait for each other, each with its first member repeated at its end.
    `waiting` are those that come after a member of a circle.
    """

    tiers: tuple[tuple[int, ...], ...]
    overlaps: Mapping[int, Mapping[int, tuple[str, ...]]]
    circles: tuple[tuple[int, ...], ...] = ()
    waiting: tuple[int, ...] = ()

    def tier_of(self, number: int) -> int | None:
        """The tier of a pull request, from 1 on; None for one without a place."""
        places = (place for place, tier in enumerate(self.tiers, 1) if number in tier)
        return next(places, None)


def merge_order(pulls: Sequence[OrderedPull]) -> MergeOrder:
    """Order pull requests: those without overlap, then foundation, then by overlap.

    Inside a class, the one with fewer overlaps comes first, then the smaller one, then the older
    one. What `after` names comes before all that. Predecessors outside of `pulls` do not count.
    """
    by_number = {pull.number: pull for pull in pulls}
    overlaps = _overlaps(pulls)
    before = {pull.number: (pull.after & by_number.keys()) - {pull.number} for pull in pulls}
    rank = {pull.number: _rank(pull, overlaps[pull.number]) for pull in pulls}
    placed: dict[int, int] = {}
    left = set(by_number)
    while ready := [number for number in left if before[number] <= placed.keys()]:
        number = min(ready, key=lambda one: rank[one])
        placed[number] = _tier(number, placed, before[number] | overlaps[number].keys(), rank)
        left.remove(number)
    tiers: dict[int, list[int]] = {}
    for number, tier in placed.items():
        tiers.setdefault(tier, []).append(number)
    circles = _circles(left, before)
    members = {number for circle in circles for number in circle}
    ordered = (tuple(sorted(tiers[tier], key=lambda one: rank[one])) for tier in sorted(tiers))
    return MergeOrder(tuple(ordered), overlaps, circles, tuple(sorted(left - members)))


def _rank(pull: OrderedPull, overlaps: Mapping[int, object]) -> tuple[int, int, int, int]:
    kind = 0 if not overlaps else 1 if pull.is_foundation else 2
    size = len(pull.files) if pull.files is not None else 1 << 30
    return kind, len(overlaps), size, pull.number


def _tier(
    number: int,
    placed: Mapping[int, int],
    predecessors: Set[int],
    rank: Mapping[int, tuple[int, int, int, int]],
) -> int:
    """The first tier after the predecessors that are placed, and after those of lower classes."""
    kind = rank[number][0]
    earlier = (
        tier for other, tier in placed.items() if other in predecessors or rank[other][0] < kind
    )
    return max(earlier, default=0) + 1


def _overlaps(pulls: Sequence[OrderedPull]) -> dict[int, dict[int, tuple[str, ...]]]:
    overlaps: dict[int, dict[int, tuple[str, ...]]] = {pull.number: {} for pull in pulls}
    changed: dict[str, list[int]] = {}
    for pull in pulls:
        for path in pull.files or ():
            changed.setdefault(path, []).append(pull.number)
    for path in sorted(changed):
        for number in changed[path]:
            for other in changed[path]:
                if other != number:
                    overlaps[number][other] = (*overlaps[number].get(other, ()), path)
    unknown = [pull.number for pull in pulls if pull.files is None]
    for number in unknown:
        for other, shared in overlaps.items():
            if other != number:
                overlaps[number].setdefault(other, ())
                shared.setdefault(number, ())
    return overlaps


def _circles(left: Iterable[int], before: Mapping[int, Set[int]]) -> tuple[tuple[int, ...], ...]:
    """The circles among these numbers, each once, from its smallest member on.

    Every number has a predecessor among them, so that a walk backwards ends in a circle.
    """
    found: dict[frozenset[int], tuple[int, ...]] = {}
    known = set(left)
    for start in sorted(known):
        walk: list[int] = []
        at = start
        while at not in walk:
            walk.append(at)
            at = min(before[at] & known)
        circle = walk[walk.index(at) :]
        smallest = circle.index(min(circle))
        # The walk went from each one to one that comes before it.
        turned = [*circle[smallest:], *circle[:smallest], circle[smallest]]
        found.setdefault(frozenset(circle), tuple(reversed(turned)))
    return tuple(sorted(found.values()))
