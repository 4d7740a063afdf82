"""How often the right record is shown, how often its excerpt answers, and the tables of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from benchmarks.answers.questions import Question
from benchmarks.answers.tools import Shown
from benchmarks.quality.measure import interval
from benchmarks.report import aligned

FIRST, ANSWERS, SILENT = "record first", "excerpt answers", "no answer: silent or weak"
MEASURES = (FIRST, "among three", ANSWERS, "one of three answers", "first is not weak", SILENT)


class Score(NamedTuple):
    """A question, what was shown, and 0 or 1 by measure."""

    question: Question
    shown: Sequence[Shown]
    values: dict[str, float]


def score(question: Question, shown: Sequence[Shown]) -> Score:
    """Judge what a tool shows for a question, best first."""
    if not question.answers:
        return Score(question, shown, {SILENT: float(all(one.is_weak for one in shown))})
    answers = {_key(path): lines for path, lines in question.answers.items()}
    right = [answers.get(_key(one.path)) for one in shown[:3]]
    answering = [bool(of and of & one.lines) for of, one in zip(right, shown, strict=False)]
    sure = [not one.is_weak for one in shown[:1]]
    values = [any(one) for one in (right[:1], right, answering[:1], answering, sure)]
    return Score(question, shown, dict(zip(MEASURES, map(float, values), strict=False)))


def _key(path: str) -> str:
    # qmd writes paths with other marks.
    return "".join(filter(str.isalnum, path.casefold()))


def render(tools: Mapping[str, Sequence[Score]]) -> str:
    """The table of all tools, and how far the first is ahead of each other one."""
    values = [
        [[s.values[one] for s in scores if one in s.values] for one in MEASURES]
        for scores in tools.values()
    ]
    rows = [(name, *map(_share, each)) for name, each in zip(tools, values, strict=True)]
    for name, theirs in [*zip(tools, values, strict=True)][1:]:
        pairs = zip(values[0], theirs, strict=True)
        gains = ([a - b for a, b in zip(*pair, strict=True)] for pair in pairs)
        rows.append((f"{rows[0][0]} − {name}", *map(_share, gains)))
    return aligned([("", *MEASURES), *rows])


def _share(values: Sequence[float]) -> str:
    low, high = interval(values)
    return f"{fmean(values):.2f} ({low:.2f} to {high:.2f})"


def misses(scores: Sequence[Score]) -> list[str]:
    """A line for each measure and question that fails, with what is shown first."""
    return [
        f"{name}: {one.question.repository}: {one.question.question} → "
        + (f"{one.shown[0].path}: {one.shown[0].excerpt}" if one.shown else "nothing")
        for one in scores
        for name in (FIRST, ANSWERS, SILENT)
        if not one.values.get(name, 1)
    ]
