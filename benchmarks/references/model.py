"""The logistic model behind what is shown: fitted by Newton's method, with a ridge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

RIDGE = 10.0
"""How strongly weights are held at nothing, in units of standardised facts."""
ORDINARY_WEIGHS = 0.3
"""An ordinary commit as an example of one that needs nothing: many are in fact governed."""
STEPS = 60


class Model(NamedTuple):
    """Weights of the facts as they are, and the intercept."""

    weights: tuple[float, ...]
    intercept: float

    def probability(self, facts: Sequence[float]) -> float:
        """How likely it is that the first record is right, from 0 to 1."""
        logit = self.intercept + sum(w * f for w, f in zip(self.weights, facts, strict=True))
        return 1 / (1 + math.exp(-logit))


def fit(examples: Sequence[tuple[Sequence[float], bool, float]]) -> Model:
    """The model of (facts, whether the first record is right, what the example weighs)."""
    facts = np.array([one[0] for one in examples], float)
    right = np.array([one[1] for one in examples], float)
    weighs = np.array([one[2] for one in examples], float)
    mean, spread = facts.mean(0), facts.std(0) + 1e-9
    design = np.column_stack([np.ones(len(facts)), (facts - mean) / spread])
    ridge = RIDGE * np.diag([0.0] + [1.0] * facts.shape[1])
    found = np.zeros(design.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-design @ found))
        slope = design.T @ (weighs * (likely - right)) + ridge @ found
        bend = (design * (weighs * likely * (1 - likely))[:, None]).T @ design + ridge
        found = found - np.linalg.solve(bend, slope)
    weights = found[1:] / spread
    return Model(tuple(float(w) for w in weights), float(found[0] - weights @ mean))
