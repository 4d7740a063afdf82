"""Where the values of a JSON document stand."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.text.json_spans import MAX_DEPTH, find_spans, value_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def rebuilt(text, span):
    """The value of a span, from the values of its parts."""
    if span.kind == "array":
        return [rebuilt(text, one) for one in span.items]
    if span.kind == "object":
        return {one.key: rebuilt(text, one) for one in span.items}
    return value_of(text, span)


@given(VALUES, st.sampled_from([None, 0, 2, "\t"]), st.sampled_from(["", " \r\n"]))
def test_the_spans_are_those_of_the_values(value, indent, space):
    text = space + json.dumps(value, indent=indent) + space
    span = find_spans(text)
    assert text[span.start : span.end] == text.strip(" \r\n\t") or space == ""
    assert rebuilt(text, span) == value


def test_the_last_of_two_members_with_a_key_counts():
    text = '{"a": 1, "\\u0061": [2]}'
    found = find_spans(text).member("a")
    assert value_of(text, found) == [2]
    assert find_spans(text).member("b") is None


@pytest.mark.parametrize("text", ["", "{", "[1,]", '{"a" 1}', "[" * 200 + "]" * 200, "[" * 100_000])
def test_what_is_no_json_is_an_error(text):
    with pytest.raises(ValueError, match=r"."):
        find_spans(text)


def test_the_deepest_document_is_read():
    assert find_spans("[" * MAX_DEPTH + "]" * MAX_DEPTH)
