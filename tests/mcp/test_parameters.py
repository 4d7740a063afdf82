"""The schema of a tool, and the check of what a client sends, say the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from sdd_hooks.mcp.parameters import BadArgument, Parameter, check_arguments, input_schema
from sdd_hooks.mcp.qmd import TOOLS as QMD_TOOLS
from sdd_hooks.mcp.tools import TOOLS

EVERY = (
    Parameter("query", "text", "Text.", required=True, high=8),
    Parameter("kind", "text", "One.", choices=("a", "b")),
    Parameter("paths", "texts", "Many.", high=4, items=2),
    Parameter("limit", "number", "Number.", default=3, low=1, high=9),
    Parameter("score", "score", "Score.", default=0),
    Parameter("staged", "flag", "Flag.", default=False),
    Parameter("searches", "searches", "Queries.", high=4, items=2),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.booleans()
    | st.integers(-2, 12)
    | st.floats(-1, 2)
    | st.text(max_size=9).filter(lambda text: "\0" not in text)
    | st.sampled_from(["a", "lex"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "query"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from([one.name for one in EVERY] + ["other"]), VALUES))
def test_a_value_is_accepted_if_the_schema_allows_it(arguments: dict[str, Any]) -> None:
    allowed = Draft202012Validator(input_schema(EVERY)).is_valid(arguments)
    try:
        values = check_arguments(EVERY, arguments)
    except BadArgument as error:
        assert not allowed, error
        assert "\n" not in str(error)
    else:
        assert allowed
        assert set(values) == {one.name for one in EVERY}


@pytest.mark.parametrize("tool", [*TOOLS, *QMD_TOOLS], ids=lambda tool: tool.name)
def test_every_schema_is_valid_and_closed(tool: Any) -> None:
    schema = input_schema(tool.parameters)
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert all(one.description for one in tool.parameters)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "the argument query is missing"),
        ({"query": 3}, "query is not text"),
        ({"query": "x" * 9}, "query has 9 characters: the limit is 8"),
        ({"query": "a\0b"}, "query contains a character that is no text"),
        ({"query": "\ud800"}, "query contains a character that is no text"),
        ({"query": "a", "kind": "c\n"}, "kind is c: it is one of a, b"),
        ({"query": "a", "limit": 10}, "limit is 10: it is from 1 to 9"),
        ({"query": "a", "limit": True}, "limit is not a number"),
        ({"query": "a", "limit": 1.5}, "limit is 1.5: it is a whole number"),
        ({"query": "a", "limit": float("nan")}, "limit is nan: it is from 1 to 9"),
        ({"query": "a", "paths": ["a"] * 3}, "paths has 3 entries: the limit is 2"),
        ({"query": "a", "paths": "a"}, "paths is not a list"),
        ({"query": "a", "staged": 1}, "staged is not true or false"),
        (
            {"query": "a", "searches": [{"query": "a"}]},
            "searches has an entry without the type lex, vec or hyde",
        ),
        (
            {"query": "a", "no\x1bpe": 1},
            "there is no argument no\\u001bpe: the tool takes query, kind, paths, limit, score,"
            " staged, searches",
        ),
    ],
)
def test_a_refused_value_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadArgument) as raised:
        check_arguments(EVERY, arguments)
    assert str(raised.value) == message


def test_null_is_no_value() -> None:
    assert check_arguments(EVERY, {"query": "a", "limit": None})["limit"] == 3
