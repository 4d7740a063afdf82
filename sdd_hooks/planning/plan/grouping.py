"""Group the requirements of a specification by what they are about.

Two groups are joined while they share enough rare words and the result stays a story that one
person builds in a few days. The texts alone decide: a change of the code groups nothing anew.
"""

# Governing: ADR-0052 (stories come from the text), SPEC-0025 REQ "Stories"

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from sdd_hooks.planning.plan.requirements import PlannedRequirement
from sdd_hooks.review.references.words.splitting import find_identifiers, split_words
from sdd_hooks.text.query_match import stem

MAX_MEMBERS = 5
"""Requirements of a story."""
MAX_WORK = 45
"""Obligations and scenarios of a story of several requirements."""
USUAL_MEMBERS = 3
"""Requirements of a usual story. With fewer on average, less similar ones are joined as well."""
MIN_SIMILARITY = 0.17
"""The similarity of two groups that are joined in any case (0..1)."""
LEAST_SIMILARITY = 0.07
"""The similarity of two groups that are joined while there are many small ones (0..1)."""
WINDOW = 12
"""Places in the specification between two requirements that may be in one story."""
TINY_WORK = 5
"""Obligations and scenarios up to which a group is too small for a story."""
TINY_SIMILARITY = 0.05
"""The similarity of a group that is too small with the one that it is joined with (0..1)."""

_NAME_WEIGHT = 2
_SPAN_WEIGHT = 3
_NEIGHBOUR = 0.04
_OTHER_SECTION = 0.12
_RFC_WORDS = frozenset({"must", "shall", "should", "may", "required", "when", "then", "given"})

Group = tuple[int, ...]
"""The places of requirements in their specification, in order."""

_Vector = Mapping[str, float]


def group_requirements(requirements: Sequence[PlannedRequirement]) -> list[Group]:
    """Group requirements, in the order of the first of each group."""
    vectors = _vectors(requirements)
    groups: list[Group] = [(place,) for place in range(len(requirements))]
    similar = {
        (left, right): _similarity(requirements, vectors, left, right)
        for left in range(len(requirements))
        for right in range(left + 1, min(left + WINDOW + 1, len(requirements)))
    }
    while candidates := _candidates(groups, requirements, similar):
        *_, left, right = max(candidates)
        rest = [group for group in groups if group not in (left, right)]
        groups = sorted([*rest, tuple(sorted(left + right))])
    return groups


def _candidates(
    groups: Sequence[Group],
    requirements: Sequence[PlannedRequirement],
    similar: Mapping[tuple[int, int], float],
) -> list[tuple[float, int, int, Group, Group]]:
    """The pairs of groups that may be joined, with their similarity first."""
    is_divided = len(groups) * USUAL_MEMBERS > len(requirements)
    usual = LEAST_SIMILARITY if is_divided else MIN_SIMILARITY
    work = {group: sum(requirements[place].work for place in group) for group in groups}
    found = []
    for at, left in enumerate(groups):
        for right in groups[at + 1 : at + WINDOW + 1]:
            is_tiny = min(work[left], work[right]) <= TINY_WORK
            score = _joined(left, right, similar)
            if score >= (TINY_SIMILARITY if is_tiny else usual) and (
                len(left) + len(right) <= MAX_MEMBERS and work[left] + work[right] <= MAX_WORK
            ):
                found.append((score, -left[0], -right[0], left, right))
    return found


def _joined(left: Group, right: Group, similar: Mapping[tuple[int, int], float]) -> float:
    """The mean similarity of the members of two groups."""
    pairs = [(min(a, b), max(a, b)) for a in left for b in right]
    return sum(similar.get(pair, 0.0) for pair in pairs) / len(pairs)


def _similarity(
    requirements: Sequence[PlannedRequirement], vectors: Sequence[_Vector], left: int, right: int
) -> float:
    score = _cosine(vectors[left], vectors[right])
    if right == left + 1:
        score += _NEIGHBOUR
    if requirements[left].section != requirements[right].section:
        score -= _OTHER_SECTION
    return score


def _vectors(requirements: Sequence[PlannedRequirement]) -> list[_Vector]:
    """The words of each requirement with their weights, of length 1."""
    counts = [_words(one) for one in requirements]
    having = Counter(word for words in counts for word in words)
    total = len(requirements)
    return [
        _normalized(
            {
                word: (1 + math.log(count)) * math.log((0.5 + total) / having[word])
                for word, count in words.items()
            }
        )
        for words in counts
    ]


def _words(requirement: PlannedRequirement) -> Counter[str]:
    words = Counter(map(stem, split_words(requirement.text)))
    for word in split_words(requirement.name):
        words[stem(word)] += _NAME_WEIGHT
    for name in find_identifiers(requirement.spans):
        words[name] += _SPAN_WEIGHT
    for word in _RFC_WORDS:
        del words[word]
    return words


def _normalized(vector: _Vector) -> _Vector:
    length = math.sqrt(sum(weight * weight for weight in vector.values()))
    return {word: weight / length for word, weight in vector.items()} if length else {}


def _cosine(left: _Vector, right: _Vector) -> float:
    if len(left) > len(right):
        left, right = right, left
    return sum(weight * right.get(word, 0.0) for word, weight in left.items())
