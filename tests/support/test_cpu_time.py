"""The bounds on CPU time detect work that is not linear, or too slow."""

from __future__ import annotations

import pytest

from tests.support.cpu_time import assert_cpu_seconds, assert_linear


def test_linear_work_passes() -> None:
    assert_linear(sum, range, 1_000_000)


def test_n_log_n_work_passes() -> None:
    assert_linear(lambda size: sorted(range(size), key=lambda n: -n % 7919), int, 100_000)


def test_quadratic_work_fails() -> None:
    def count_twice(size: int) -> int:
        return sum(sum(range(size)) for _ in range(size))

    with pytest.raises(AssertionError, match="times for 16 times"):
        assert_linear(count_twice, int, 2_000)


def test_quadratic_copies_fail() -> None:
    def halve(text: str) -> None:
        while text:
            text = text[8:]

    with pytest.raises(AssertionError, match="characters"):
        assert_linear(halve, lambda size: "a" * size, 200_000)


def test_quadratic_searches_fail_behind_slower_linear_work() -> None:
    def find_lines(text: str) -> int:
        return sum(text.rfind("\n", 0, at) + sum(range(500)) for at in range(0, len(text), 20))

    with pytest.raises(AssertionError, match="characters"):
        assert_linear(find_lines, lambda size: "a" * size, 20_000)


def test_the_limit_is_relative_to_the_speed_of_the_machine() -> None:
    assert assert_cpu_seconds(lambda: sum(range(100_000)), 1) == 4999950000
    with pytest.raises(AssertionError, match=r"s of 0\.0\d+ s"):
        assert_cpu_seconds(lambda: sum(range(3_000_000)), 0.003)
