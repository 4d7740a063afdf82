"""Words of a query in other forms."""

import pytest

from sdd_hooks.text.query_match import count_matches, stem


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("hashing", "It hashes them"),
        ("idempotency", "be idempotent"),
        ("user", "parse_user_id"),
        ("retries", "we retry"),
        ("authenticated", "Authentication is"),
        ("日本", "これは日本語です"),
    ],
)
def test_other_forms_match(word: str, text: str) -> None:
    assert count_matches(text, frozenset({word})) == 1


@pytest.mark.parametrize(("word", "text"), [("art", "start"), ("zebra", "zero"), ("key", "monkey")])
def test_other_words_do_not(word: str, text: str) -> None:
    assert count_matches(text, frozenset({word})) == 0


def test_a_short_word_has_no_stem() -> None:
    assert (stem("is"), stem("bus"), stem("event")) == ("is", "bus", "event")
