"""The minimum time of a model: its operations over the rate at which a device multiplies."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

_SECONDS = 3.0
_SIZES = {"cuda": 8_192, "cpu": 1_024}


class Shape(NamedTuple):
    """An encoder: its number of layers, their width, and their inner width."""

    layers: int
    width: int
    inner: int


def operations(tokens: Sequence[int], shape: Shape) -> int:
    """Multiplications and additions of matrices in a forward pass over texts of so many tokens.

    No padding, no normalisation, no embedding: what is left out makes the floor lower.
    """
    projections = 4 * shape.width**2 + 2 * shape.width * shape.inner
    return sum(
        shape.layers * (2 * count * projections + 4 * count**2 * shape.width) for count in tokens
    )


def matrix_rate(device: str, precision: Any) -> float:
    """Operations per second of a product of two large matrices, the best of some seconds."""
    import torch

    size = _SIZES[device]
    left, right = (torch.rand(size, size, device=device, dtype=precision) for _ in range(2))
    best = 0.0
    until = time.perf_counter() + _SECONDS
    while time.perf_counter() < until:
        started = time.perf_counter()
        torch.matmul(left, right)
        if device == "cuda":
            torch.cuda.synchronize()
        best = max(best, 2 * size**3 / (time.perf_counter() - started))
    return best
