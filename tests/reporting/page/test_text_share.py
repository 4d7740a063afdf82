"""Test sdd_hooks.reporting.page.text_share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.reporting.page.text_share import common_length


@pytest.mark.parametrize(
    ("lengths", "total", "expected"),
    [([], 10, 1), ([3, 4], 10, 4), ([10, 10], 10, 5), ([2, 10, 10], 12, 5), ([9], 0, 1)],
)
def test_the_longer_texts_share_the_rest(lengths: list[int], total: int, expected: int) -> None:
    assert common_length(lengths, total) == expected


@given(st.lists(st.integers(0, 1000), max_size=20), st.integers(100, 5000))
def test_the_share_fits_and_wastes_little(lengths: list[int], total: int) -> None:
    length = common_length(lengths, total)
    used = sum(min(one, length) for one in lengths)
    assert used <= total
    assert used == sum(lengths) or used > total - len(lengths)
