"""The fixture `rounds`, which runs a generator of random cases for a while, each with a seed."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Rounds:
    """Seeds from `first`, until `seconds` are over; at least one."""

    first: int
    seconds: float

    def run(self, case: Callable[[random.Random], None]) -> None:
        """Call `case` with a generator for each seed. A failure names its seed."""
        deadline = time.monotonic() + self.seconds
        seed = self.first
        while seed == self.first or time.monotonic() < deadline:
            try:
                case(random.Random(seed))
            except BaseException:
                sys.stdout.write(f"repeat it with --seed={seed} --seconds=0\n")
                raise
            seed += 1


@pytest.fixture
def rounds(request: pytest.FixtureRequest) -> Rounds:
    """Rounds for as long as the option `--seconds` of the test run says."""
    config = request.config
    return Rounds(int(config.getoption("--seed")), float(config.getoption("--seconds")))
