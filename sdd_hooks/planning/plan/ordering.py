"""Order the parts of a plan by what blocks what, and join parts that block each other."""

# Governing: SPEC-0025 REQ "Dependencies"

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

Edges = Mapping[tuple[int, int], str]
"""Reasons by blocker and blocked part, both as places in a list."""


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


def sort_parts(ranks: Sequence[tuple[int, int]], edges: Iterable[tuple[int, int]]) -> list[int]:
    """The places of the parts, each behind those that block it, else by rank.

    The edges have no circle.
    """
    blockers: dict[int, set[int]] = {part: set() for part in range(len(ranks))}
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
