"""The regular expression that selects a part of a call graph."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.callgraph.filters import MAX_TOKEN, MAX_TOKENS, derive_filter, keyword_filter


@pytest.mark.parametrize(
    ("matches", "tokens"),
    [
        ([("auth/jwt.go", "")], ["jwt", "auth"]),
        ([("auth/jwt.go", "validateToken")], ["jwt", "auth", "validateToken"]),
        ([("a/jwt.go", ""), ("a/jwt.go", "parse")], ["jwt", "parse"]),
        ([("src/login.test.ts", "Login of a user")], ["login", "Login", "user"]),
        ([("user-store.js", "")], ["user\\-store"]),
        ([(".eslintrc.js", "Class.method")], ["eslintrc", "Class\\.method"]),
    ],
)
def test_names_of_files_and_symbols(matches: list[tuple[str, str]], tokens: list[str]) -> None:
    assert derive_filter(matches, "a query") == "|".join(tokens)


def test_without_code_the_words_of_the_query() -> None:
    assert derive_filter([], "Payment Processing for the API") == "payment|processing|api"
    assert derive_filter([("-", "")], "x token") == "token"
    assert keyword_filter("the of a") == ""


def test_the_number_and_length_of_tokens_are_limited() -> None:
    many = derive_filter([(f"name{number}.py", "") for number in range(99)], "")
    assert len(many.split("|")) == MAX_TOKENS
    assert derive_filter([("x" * (MAX_TOKEN + 1) + ".py", "")], "word") == "word"


HOSTILE = st.text(alphabet=st.sampled_from("ab|()[]{}*+?.\\^$-`\"'<>!# \n/;&日_=%"), max_size=30)


@given(st.lists(st.tuples(HOSTILE, HOSTILE), max_size=4), HOSTILE)
def test_no_name_breaks_the_expression(matches: list[tuple[str, str]], query: str) -> None:
    regex = derive_filter(matches, query)
    re.compile(regex)
    for token in re.split(r"(?<!\\)\|", regex) if regex else ():
        # Each alternative matches its own letters, and nothing that differs from them.
        plain = re.sub(r"\\(.)", r"\1", token)
        assert re.fullmatch(token, plain)
        assert not re.fullmatch(token, plain + "x")
    assert not re.search(r"[\s`\"'<>;&]|-->", regex)
    assert not regex.startswith("-")
