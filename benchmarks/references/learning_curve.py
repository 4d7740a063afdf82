"""The scores by the number of repositories that the weights are fitted to."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Container, Sequence
from typing import NamedTuple

from benchmarks.references.held_out import Outcome, hold_out, hold_out_some
from benchmarks.references.method import Example
from benchmarks.references.scores import brier, count_questions, rank, scored, show
from benchmarks.report import aligned

SIZES = (6, 10, 14, 18)
"""Repositories; more in steps of LARGER_STEP when there are more."""
LARGER_STEP = 8
DRAWS = 10
"""Random choices of repositories for each size."""


class _Measure(NamedTuple):
    """A column of the learning curve: its name, its number of outcomes, and how it is written."""

    name: str
    value: Callable[[Sequence[Outcome]], float]
    form: str


_MEASURES = (
    _Measure("recall@1", lambda outcomes: rank(scored(outcomes)).at_1, ".3f"),
    _Measure("recall@3", lambda outcomes: rank(scored(outcomes)).at_3, ".3f"),
    _Measure("MRR", lambda outcomes: rank(scored(outcomes)).mrr, ".3f"),
    _Measure("needed: right", lambda outcomes: show(outcomes).precision, ".2f"),
    _Measure("coverage", lambda outcomes: show(outcomes).coverage, ".2f"),
    _Measure("ordinary: per 100", lambda outcomes: count_questions(outcomes).per_100, ".1f"),
    _Measure("right", lambda outcomes: count_questions(outcomes).precision, ".2f"),
    _Measure("asked rightly", lambda outcomes: float(count_questions(outcomes).right), ".1f"),
    _Measure("Brier", brier, ".3f"),
)


def tabulate_learning_curve(examples: Sequence[Example], tested: Container[str] = ()) -> str:
    """The table of scores by the number of repositories that the weights are fitted to.

    With sets `tested`, only these are scored, and the repositories are those of the others. The
    scores are means over DRAWS random choices, with their standard deviations.
    """
    known = {one.row.repo for one in examples if one.row.source not in tested}
    total = len(known)
    lines = [("repositories", *(measure.name for measure in _MEASURES))]
    sizes = [*SIZES, *range(SIZES[-1] + LARGER_STEP, total, LARGER_STEP)]
    for size in (size for size in sizes if size < total):
        draws = [hold_out_some(examples, size, draw, tested) for draw in range(DRAWS)]
        lines.append((str(size), *(_spread(measure, draws) for measure in _MEASURES)))
    outcomes = hold_out(examples, tested)
    everything = (format(measure.value(outcomes), measure.form) for measure in _MEASURES)
    lines.append(("all others", *everything))
    return aligned(lines)


def _spread(measure: _Measure, draws: Sequence[Sequence[Outcome]]) -> str:
    values = [measure.value(outcomes) for outcomes in draws]
    mean, deviation = statistics.fmean(values), statistics.pstdev(values)
    text = format(mean, measure.form)
    return f"{text} ± {deviation:{measure.form}}" if deviation else text
