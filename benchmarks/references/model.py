"""The logistic model of the confidence, fitted by Newton's method with ridge regularization."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

RIDGE = 10.0
"""The strength of the regularization, for standardized features."""
INTERCEPT_RIDGE = 1e-3
"""That for the intercept: with examples that are all right or all wrong it would be infinite."""
STEPS = 60
"""Steps of Newton's method."""


class LogisticModel(NamedTuple):
    """The weights of the features, not standardized, and the intercept."""

    weights: tuple[float, ...]
    intercept: float

    def probability(self, features: Sequence[float]) -> float:
        """The probability, from 0 to 1, that the first record is right."""
        logit = self.intercept + sum(w * f for w, f in zip(self.weights, features, strict=True))
        return 1 / (1 + math.exp(-logit))


def fit(examples: Sequence[tuple[Sequence[float], bool, float]]) -> LogisticModel:
    """Fit a model to examples of (features, whether the first record is right, weight)."""
    features = np.array([example[0] for example in examples], float)
    right = np.array([example[1] for example in examples], float)
    importance = np.array([example[2] for example in examples], float)
    mean, spread = features.mean(0), features.std(0) + 1e-9
    design = np.column_stack([np.ones(len(features)), (features - mean) / spread])
    ridge = RIDGE * np.diag([INTERCEPT_RIDGE / RIDGE] + [1.0] * features.shape[1])
    solution = np.zeros(design.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-design @ solution))
        gradient = design.T @ (importance * (likely - right)) + ridge @ solution
        hessian = (design * (importance * likely * (1 - likely))[:, None]).T @ design + ridge
        solution = solution - np.linalg.solve(hessian, gradient)
    weights = solution[1:] / spread
    return LogisticModel(tuple(float(w) for w in weights), float(solution[0] - weights @ mean))
