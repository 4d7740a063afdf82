"""A table of rows that is looked up by bisection."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.text.sorted_rows import find_row, write_rows

VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.text(max_size=12), VALUES, max_size=40), st.text(max_size=12))
def test_a_row_is_found_and_another_key_is_not(rows, other):
    data = write_rows(rows)
    for key, value in rows.items():
        assert find_row(data, key) == value
    if other not in rows:
        assert find_row(data, other) is None


@given(st.binary(max_size=200), st.sampled_from(["", "a", 'é\n\t"']))
def test_content_of_any_kind_is_no_error(data, key):
    find_row(data, key)


class Metered(bytes):
    """Bytes that count how often they are searched."""

    searches = 0

    def find(self, *arguments):
        Metered.searches += 1
        return super().find(*arguments)


@pytest.mark.parametrize("count", [1_000, 16_000])
def test_a_lookup_takes_a_logarithm_of_steps(count):
    data = Metered(write_rows({f"w:{number:x}": [number] for number in range(count)}))
    Metered.searches = 0
    assert find_row(data, f"w:{count - 1:x}") == [count - 1]
    assert Metered.searches <= math.log2(len(data)) + 1
