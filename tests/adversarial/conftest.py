"""The fixture `rounds`, which runs a generator of random cases for a while, each with a seed."""

from __future__ import annotations

import json
import random
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Rounds:
    """Seeds from `first` to `last`, until `seconds` are over; at least one.

    With a `tally`, a failure is a line in that file, and the seeds after it are tried, too.
    """

    first: int
    seconds: float
    last: int
    tally: Path | None

    def run(self, case: Callable[[random.Random], None]) -> None:
        """Call `case` with a generator for each seed. A failure names its seed."""
        deadline = time.monotonic() + self.seconds
        seed = self.first
        while seed == self.first or (time.monotonic() < deadline and seed <= self.last):
            failure = ""
            try:
                case(random.Random(seed))
            except BaseException as error:
                sys.stdout.write(f"repeat it with --seed={seed} --seconds=0\n")
                if self.tally is None or not isinstance(error, Exception):
                    raise
                failure = traceback.format_exc()
            if self.tally is not None:
                with self.tally.open("a") as file:
                    file.write(json.dumps([seed, failure]) + "\n")
            seed += 1


@pytest.fixture
def rounds(request: pytest.FixtureRequest) -> Rounds:
    """Rounds for as long as the option `--seconds` of the test run says."""
    first, seconds, last, tally = map(
        request.config.getoption, ("--seed", "--seconds", "--last", "--tally")
    )
    return Rounds(int(first), float(seconds), int(last), tally)
