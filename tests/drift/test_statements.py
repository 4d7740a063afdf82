"""Statements with the keywords of RFC 2119, and the pairs of them that exclude each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.drift.statements import Statement, find_oppositions, read_statements


def statements(*texts: str, path: str = "spec.md") -> list[Statement]:
    return [
        one
        for number, text in enumerate(texts, 1)
        for one in read_statements(path, text, number, f"R{number}")
    ]


def opposing(*texts: str) -> list[tuple[int, int]]:
    return [(one.first.line, one.second.line) for one in find_oppositions(statements(*texts))]


def test_a_statement_has_its_words_around_the_keyword() -> None:
    (one,) = statements("The session token MUST NOT be stored for 15 minutes.")
    assert (one.subject, one.predicate, one.numbers) == (
        ("session", "token"),
        ("stored", "minutes"),
        ("15",),
    )
    assert (one.word, one.level, one.negative, one.line) == ("MUST NOT", "must", True, 1)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Tokens MUST be stored in a cookie.", "Tokens MUST NOT be stored in a cookie."),
        ("The tokens SHALL be stored in cookie.", "All tokens MUST NOT be stored in the cookie."),
        ("Tokens MUST live 15 minutes.", "Tokens MUST live 60 minutes."),
        ("Tokens SHOULD use a cookie.", "Tokens MUST NOT use a cookie."),
    ],
)
def test_what_excludes_each_other(first: str, second: str) -> None:
    assert opposing(first, second) == [(1, 2)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # Another subject, another predicate, a condition, a permission, the same twice.
        ("Tokens MUST be stored in a cookie.", "Passwords MUST NOT be stored in a cookie."),
        ("Tokens MUST be stored in a cookie.", "Tokens MUST NOT be stored in a log."),
        ("Tokens MUST be stored in a cookie.", "Tokens MUST NOT be stored in a cookie if old."),
        ("Tokens MUST be stored unless in a cookie.", "Tokens MUST NOT be stored in a cookie."),
        ("Tokens MAY be stored in a cookie.", "Tokens MUST NOT be stored in a cookie."),
        ("Tokens MUST use a cookie.", "Tokens MUST use a cookie."),
        ("Tokens SHOULD live 15 minutes.", "Tokens SHOULD live 60 minutes."),
        ("Tokens MUST NOT live 15 minutes.", "Tokens MUST NOT live 60 minutes."),
        ("MUST be stored in a cookie.", "MUST NOT be stored in a cookie."),
        ("Tokens MUST expire.", "Tokens MUST NOT expire."),
    ],
)
def test_what_does_not(first: str, second: str) -> None:
    assert opposing(first, second) == []


def test_two_sentences_of_one_requirement_are_read_together() -> None:
    text = "Tokens MUST be stored in a cookie. Tokens MUST NOT be stored in a cookie."
    assert opposing(text) == []


def test_each_statement_is_in_one_pair() -> None:
    yes, no = "Tokens MUST use a cookie.", "Tokens MUST NOT use a cookie."
    assert opposing(yes, no, yes) == [(1, 2)]


def test_the_statements_of_two_records() -> None:
    first = statements("Tokens MUST use a cookie.", path="a.md")
    second = statements("Tokens MUST NOT use a cookie.", path="b.md")
    assert [(one.first.path, one.second.path) for one in find_oppositions(first, second)] == [
        ("a.md", "b.md")
    ]
    assert list(find_oppositions(first, first)) == []


def test_sentences_that_cannot_be_compared_are_left_out() -> None:
    assert statements("Tokens MUST be short and MUST be unique.") == []
    assert statements(f"Tokens MUST be {'very ' * 100}short.") == []
    assert statements("No must.", "```\nTokens MUST x y.\n```") == []


@given(st.lists(st.text(alphabet="MUSTNO a1.\n`*|-", max_size=60), max_size=6))
def test_any_text_is_read(texts: list[str]) -> None:
    found = statements(*texts)
    for one in find_oppositions(found):
        assert one.first.line <= one.second.line
        assert {one.first, one.second} <= set(found)
