"""Bounds on the growth of work, and on CPU time, that hold on a machine of any speed."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from tests.support.metered_text import Meter, meter_texts

Input = TypeVar("Input")
Result = TypeVar("Result")

GROWTH = 16
"""An input of 16 times the size takes 16 times as long in linear time, 256 times in quadratic."""

MAX_RATIO = 80
"""Five times linear time: memory that no longer fits a cache or the heap is slower, too."""

MAX_CHARACTERS_RATIO = 30
"""Counts have no noise. A limit of the program, such as the length of a comment, may take effect
only in the larger input."""

COUNTED_PART = 4
"""Counting takes twice as long as the work itself, and its narrow limit detects in a fifth of the
size what `MAX_RATIO` detects in the whole: for quadratic work that is 0.06 times as much as linear
work in the smaller input, where the time must be 0.36 times as much."""

ATTEMPTS = 5

MAX_SECONDS = 10
"""A time beyond this is no noise, and is not measured again."""

_REFERENCE_SECONDS = 0.01
_REFERENCE_TEXT = "a reference to ADR-0042 (and others), as text\n" * 5_600


def assert_linear(
    action: Callable[[Input], object], make: Callable[[int], Input], size: int
) -> None:
    """Assert that the work of `action` grows about linearly up to the input `make(size)`.

    Compares it with `make(size // GROWTH)`: the characters that operations on texts read or copy,
    also on those in lists and tuples, and the CPU time, for loops, patterns and other inputs.
    `size` is large enough that quadratic work outweighs the linear work. A time that is too short
    to measure passes.
    """
    counted = size // COUNTED_PART
    # The first call also compiles patterns and fills caches, which would hide growth.
    few, many = (_count_characters(action, make(one)) for one in (counted // GROWTH, counted))
    small_input, large_input = make(size // GROWTH), make(size)
    assert many <= MAX_CHARACTERS_RATIO * max(few, 1), f"{many} characters, {few} of the smaller"
    action(small_input)
    small = _measure(lambda: action(small_input))
    large = _measure(lambda: action(large_input))
    shortest = _slowness() * _REFERENCE_SECONDS / 4
    for _ in range(ATTEMPTS - 1):
        if large <= max(MAX_RATIO * small, shortest) or large > MAX_SECONDS * _slowness():
            break
        small = min(small, _measure(lambda: action(small_input)))
        large = min(large, _measure(lambda: action(large_input)))
    ratio = large / small
    assert large <= max(MAX_RATIO * small, shortest), f"{ratio:.0f} times for {GROWTH} times"


def assert_cpu_seconds(action: Callable[[], Result], limit: float) -> Result:
    """Assert that `action` takes at most `limit` seconds of CPU time, and return its result.

    The seconds are those of a laptop, where the reference loop takes 10 ms: a machine that is ten
    times slower may take ten times as long.
    """
    results = []
    taken = _measure(lambda: results.append(action()))
    for _ in range(ATTEMPTS - 1):
        if taken <= limit * _slowness():
            break
        _slowness.cache_clear()
        taken = min(taken, _measure(lambda: results.append(action())))
    limit *= _slowness()
    assert taken <= limit, f"{taken:.3f} s of {limit:.3f} s"
    return results[-1]


def _count_characters(action: Callable[[Input], object], value: Input) -> int:
    meter = Meter()
    action(meter_texts(value, meter))
    return meter.characters


@cache
def _slowness() -> float:
    """How many times slower than the laptop this machine is."""
    return min(_measure(_reference) for _ in range(5)) / _REFERENCE_SECONDS


def _reference() -> int:
    """Work as that of the program: strings, tuples, dictionaries and calls."""
    words: dict[str, int] = {}
    for number, line in enumerate(_REFERENCE_TEXT.splitlines()):
        for word in line.replace("(", " ").split():
            words[word.lower()] = max(words.get(word, 0), number)
    return sum(map(len, words))


def _measure(action: Callable[[], object]) -> float:
    """Return the seconds of CPU time of a call, without collections of the whole session's heap."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        started = time.process_time()
        action()
        return time.process_time() - started
    finally:
        if was_enabled:
            gc.enable()
