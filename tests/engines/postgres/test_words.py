"""A chunk as PostgreSQL stores its words: the tokens of FTS5, with their fields and positions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.postgres.words import (
    TermCounter,
    chunk_words,
    split_words,
    term_expression,
    term_phrases,
    title_expression,
)
from sdd_hooks.engines.ranking.query_terms import parse_terms
from sdd_hooks.engines.reading import ChunkFields

psycopg = pytest.importorskip("psycopg")

TEXT = st.text(max_size=80) | st.text("ab'\\=<->&|!:*() \"_-AB", max_size=60)


def counts(query: str, title: str, body: str) -> dict[int, float]:
    words = chunk_words(*ChunkFields("src/x.py", title).of_chunk("", body))
    phrases = [term_phrases(term) for term in parse_terms(query)]
    return dict(TermCounter(phrases).count(words.vector, 1.0).counts)


def test_words_are_the_stems_that_fts5_stores() -> None:
    assert split_words("Ünïcode configurations, parse_user_id") == [
        "unicod",
        "configur",
        "pars",
        "user",
        "id",
    ]


def test_a_word_counts_double_in_the_titles_and_half_in_a_name() -> None:
    assert counts("session", "Session", "No other.") == {0: 2.0}
    assert counts("session", "", "A session and the sessions.") == {0: 2.0}
    assert counts("user", "", "parseUserName") == {0: 0.5}
    assert counts("url", "", "parseURLs") == {0: 0.5}


def test_a_phrase_counts_adjacent_words_of_one_field_only() -> None:
    assert counts('"session token"', "", "The session token of a session, a token.") == {0: 1.0}
    assert counts('"session token"', "Keep the session", "token by token") == {}


def test_a_beginning_of_a_word_counts_less() -> None:
    assert counts("auth", "", "authentication") == {0: 0.6}


def test_a_word_that_is_longer_than_a_tsvector_takes_is_found_by_its_beginning() -> None:
    assert counts("x" * 5000, "", "x" * 6000) == {0: 1.0}


def test_a_chunk_with_more_words_than_there_are_positions_is_stored() -> None:
    words = chunk_words("", " ".join(f"w{n}" for n in range(20_000)), "")
    assert words.length == 20_000
    assert max(int(found) for found in re.findall(r":(\d+)B", words.vector)) <= 16_383


@given(TEXT, TEXT, TEXT)
def test_any_text_is_counted_without_an_error(query: str, title: str, body: str) -> None:
    for term, count in counts(query, title, body).items():
        assert count > 0
        assert term >= 0


def test_postgresql_reads_what_any_text_becomes(pgserver_dsn: str) -> None:
    """Every expression parses, and matches exactly those chunks in which the counter finds it."""
    with psycopg.connect(pgserver_dsn) as connection:

        @given(TEXT.filter(lambda text: "\0" not in text and text.isprintable()), TEXT)
        def check(query: str, body: str) -> None:
            words = chunk_words("Title", body.replace("\0", ""), "")
            for term in parse_terms(query):
                phrases = term_phrases(term)
                if not phrases:
                    continue
                row = connection.execute(
                    "SELECT %(words)s::tsvector @@ %(term)s::tsquery, %(title)s::tsquery IS NULL",
                    {
                        "words": words.vector,
                        "term": term_expression(phrases),
                        "title": title_expression(phrases),
                    },
                ).fetchone()
                counted = TermCounter([phrases]).count(words.vector, 1.0).counts
                assert row == (bool(counted), False)

        check()
