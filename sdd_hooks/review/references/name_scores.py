"""Scores from names: identifiers, paths, mentions in files, and words of what names a record.

Each function returns one number for each record, in order; 0 means no evidence. A record is known
by its index among the records.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sdd_hooks.named_tuple import NamedTuple

if TYPE_CHECKING:
    from sdd_hooks.review.references.query import ChangeQuery

NEAREST_WEIGHT = 0.5
"""The weight of a mention in the same directory; each directory further up has half of it."""
MIN_WEIGHT = 0.1
"""The weight below which directories further up are ignored."""


class Neighbourhood(NamedTuple):
    """Of a directory and those below: how many files mention records, and which how often."""

    files: int
    records: Mapping[int, int]


def used_names(query: ChangeQuery) -> set[str]:
    """The names that a change uses: its identifiers, the words of its title, parts of its paths."""
    used = {*query.identifiers, *query.title}
    for file in query.files:
        for part in file.path.lower().split("/"):
            used |= {part, PurePosixPath(part).stem}
    return used


def identifier_scores(
    names: Sequence[Collection[str]], sizes: Sequence[int], frequency: Mapping[str, int]
) -> list[float]:
    """Score the used names that each record has. Rare ones count more.

    `sizes` are how many names each record has, `frequency` is how many records have a name.
    """
    return [
        sum(math.log(1 + len(sizes) / frequency[name]) for name in sorted(shared))
        / (1 + math.log1p(size))
        for shared, size in zip(names, sizes, strict=True)
    ]


def path_scores(query: ChangeQuery, paths: Sequence[Collection[str]]) -> list[float]:
    """Score the share of the change at paths that a record names. Deeper paths count more."""
    return [
        sum(
            query.share * query.path_names[path] * (1 + path.count("/"))
            for path in sorted(in_record)
        )
        for in_record in paths
    ]


def comment_scores(
    query: ChangeQuery, mentioned: Mapping[str, Sequence[Collection[int]]], count: int
) -> list[float]:
    """Score the mentions in the changed files. `mentioned` are the records of each mention."""
    scores = [0.0] * count
    for file in query.files:
        mentions = mentioned.get(file.before or file.path, ())
        counts = Counter(index for indexes in mentions for index in indexes)
        for index, times in counts.items():
            scores[index] += query.share * (1 + math.log(times))
    return scores


def neighbour_scores(
    query: ChangeQuery,
    mentioned: Mapping[str, Sequence[Collection[int]]],
    below: Mapping[str, Neighbourhood],
    count: int,
) -> list[float]:
    """Score the mentions in other files of the same directory, and of the directories above."""
    scores = [0.0] * count
    nothing = Neighbourhood(0, {})
    for file in query.files:
        in_file = {index for indexes in mentioned.get(file.path, ()) for index in indexes}
        weight = NEAREST_WEIGHT
        for directory in directories(file.path):
            around = below.get(directory, nothing)
            others = around.files - (file.path in mentioned)
            for index, times in around.records.items():
                in_others = times - (index in in_file)
                scores[index] += query.share * weight * in_others / (others + 2)
            weight /= 2
            if weight < MIN_WEIGHT:
                break
    return scores


def directories(path: str) -> list[str]:
    """The directories above a path, innermost first, without the root."""
    return [str(parent) for parent in PurePosixPath(path).parents][:-1]


def message_weights(query: ChangeQuery) -> Mapping[str, float]:
    """The words by which a change is compared with messages: those of its title and its paths."""
    return query.title + Counter(query.words.paths)
