"""The scores that a search shows: an engine's, on a scale whose middle says something.

An engine's score is the evidence for a hit, whose meaning depends on what was compared: a question
that nothing answers shares words with some section anyway. The scale puts the score that such
questions do not reach at 0.5, and one with a rare word of the question at 0.3, the usual minimum.
0 and 1 stay where they are, and hits keep their order.

`python -m benchmarks.quality.reliability` fits the constants, and says how often a score is right.
"""

# Governing: ADR-0009 (score), SPEC-0005 REQ "Search"

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sdd_hooks.engines.protocol import Hit
from sdd_hooks.named_tuple import NamedTuple

LEAST = 0.3
"""The usual minimum. What has few words of a question may answer it, too."""

MIDDLE = 0.5

_ROUNDED = 0.0002


class Scale(NamedTuple):
    """A scale of scores: `unanswered` and `least` are the engine's scores (0..1) that are shown as
    0.5 and as 0.3."""

    unanswered: float
    least: float = LEAST

    @property
    def _points(self) -> tuple[tuple[float, float], ...]:
        return (0.0, 0.0), (self.least, LEAST), (self.unanswered, MIDDLE), (1.0, 1.0)

    def show(self, score: float) -> float:
        """Return the score to show for an engine's score (both 0..1)."""
        return _between(self._points, score)

    def read(self, shown: float) -> float:
        """Return the engine's score that is shown as `shown` (both 0..1)."""
        return _between([(to, of) for of, to in self._points], shown)


def _between(points: Sequence[tuple[float, float]], at: float) -> float:
    """Return the value at a place between points, each a place and its value."""
    (low, first), (high, last) = next(pair for pair in pairwise(points) if at <= pair[1][0])
    return first + (at - low) / (high - low) * (last - first)


WORDS = Scale(0.45, 0.15)
"""Of documents, in a search by words."""

HYBRID = Scale(0.45, 0.2)
"""Of documents, in a search by words and by meaning."""

CODE = Scale(0.65)
"""Of code, in which the words of any question occur as names."""


def least_score(kind: str, min_score: float) -> float:
    """Return the minimum to request from an engine, where hits below `min_score` are not shown."""
    return min(scale.read(min_score) for scale in _scales(kind))


def show_scores(kind: str, hits: Sequence[Hit], min_score: float) -> tuple[Hit, ...]:
    """Return the hits of a search of one kind of collection with the scores to show.

    Those below `min_score` are left out.
    """
    words, hybrid = _scales(kind)
    scale = hybrid if any(hit.cosine is not None for hit in hits) else words
    shown = (hit._replace(score=round(scale.show(hit.score), 4)) for hit in hits)
    # The engine's score was rounded: it may be shown as a little less than the minimum it has.
    return tuple(hit for hit in shown if hit.score >= min_score - _ROUNDED)


def _scales(kind: str) -> tuple[Scale, Scale]:
    return (CODE, CODE) if kind == "code" else (WORDS, HYBRID)
