"""Terms of queries, checked against the tokenizer that indexes documents."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.ranking.hits import query_words
from sdd_hooks.engines.ranking.query_terms import identifier_parts, parse_terms, separate_unspaced


def matches(document: str, query: str) -> bool:
    """Whether every term of the query matches a document that is indexed as the engine does."""
    connection = apsw.Connection(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE words USING fts5(body, parts,"
        " tokenize='porter unicode61 remove_diacritics 2')"
    )
    connection.execute(
        "INSERT INTO words VALUES(?, ?)", (separate_unspaced(document), identifier_parts(document))
    )
    terms = parse_terms(query)
    assert terms
    return all(
        (not term.excluded)
        == bool(
            connection.execute(
                "SELECT count(*) FROM words WHERE words MATCH ?", (term.expression,)
            ).get
        )
        for term in terms
    )


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("call parseUserID first", "parseUserID"),
        ("call parseUserID first", "user id"),
        ("call parse_user_id first", "parseUserID"),
        ("call parseUserID first", "parseuserid"),
        ("the HTTPServer starts", "server"),
        ("call parseURLs first", "url"),
        ("call parse_url first", "parseURLs"),
        ("call listAPIsByName first", "apis"),
        ("the API", "APIs"),
        ("see internal/session/store.go", "session store"),
        ("see os.path.join", "path.join"),
        ("décision architecturale", "decision"),
        ("a decision", "décision"),
        ("検索エンジンを選ぶ", "エンジン"),
        ("검색 엔진을 선택", "엔진"),
        ("authentication of users", "auth"),
        ("tokens are validated", "validate token"),
        ("sessions expire after one hour", '"expire after"'),
        ("sessions expire", "sessions -redis"),
        ("to be or not to be", "to be"),
    ],
)
def test_a_query_matches_a_document(document: str, query: str) -> None:
    assert matches(document, query)


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("ends after one hour, expire", '"expire after"'),
        ("エジンン", "エンジン"),
        ("redis sessions", "sessions -redis"),
    ],
)
def test_a_query_does_not_match_a_document(document: str, query: str) -> None:
    assert not matches(document, query)


def test_stop_words_are_dropped_unless_the_query_has_no_other_term() -> None:
    assert [t.phrases[0] for t in parse_terms("how do we store the sessions")] == [
        '"store"',
        '"sessions"',
    ]
    assert [t.phrases[0] for t in parse_terms("what is it")] == ['"what"', '"is"', '"it"']


def test_repeated_words_are_one_term() -> None:
    assert len(parse_terms("token token token")) == 1


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("parseUserID", ["parse", "user", "id"]),
        ("read_user_profile", ["read", "user", "profile"]),
        ("how does XMLParser work with parser", ["xml"]),
        ("users of a store", []),
        ('"parseUserID" -readFile', []),
        ("isValid", ["valid"]),
        ("public APIs", []),
        ("parseURLs", ["parse", "urls"]),
        ("parseIDAsString", ["parse", "id", "string"]),
    ],
)
def test_the_parts_of_identifiers_are_terms(query: str, parts: list[str]) -> None:
    found = [term.phrases[0].strip('"') for term in parse_terms(query) if term.is_part]
    assert found == parts


def test_a_term_counts_how_often_the_query_has_it() -> None:
    times = {t.phrases[0].strip('"'): t.times for t in parse_terms("session userSession token")}
    assert times == {"session": 2, "userSession": 1, "token": 1, "user": 1}


@pytest.mark.parametrize(
    ("query", "short_forms"),
    [
        ("the request context", ["req", "ctx"]),
        ("Directories", ["dir", "dirs"]),
        ("statistics", ["stats"]),
        # Keywords, suffixes and folders are in most files.
        ("definition of a string in a text", []),
        ('"request context" -message', []),
        ("requestContext req", []),
    ],
)
def test_a_word_also_matches_its_short_forms(query: str, short_forms: list[str]) -> None:
    terms = parse_terms(query)
    assert [form.strip('"') for term in terms for form in term.short_forms] == short_forms


def test_a_short_form_in_an_identifier_matches_its_word() -> None:
    assert matches("readReqCtx", "request context")


def test_the_words_of_a_query_are_not_its_short_forms() -> None:
    assert query_words("request context") == {"request", "context"}


@given(st.text())
def test_any_query_is_a_valid_expression(query: str) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5(body)")
    for term in parse_terms(query):
        connection.execute("SELECT * FROM words WHERE words MATCH ?", (term.expression,)).fetchall()


def test_the_plural_of_an_acronym_is_no_identifier() -> None:
    assert identifier_parts("all APIs and ADRs of listURLs") == "list URLs"


@given(st.from_regex(r"[a-z]+([A-Z][a-z]+)+", fullmatch=True))
def test_the_parts_of_an_identifier_are_its_letters(identifier: str) -> None:
    parts = identifier_parts(f"x {identifier} y")
    assert parts.replace(" ", "") == identifier
    assert len(parts.split()) > 1


def test_long_words_without_capitals_take_linear_time() -> None:
    assert identifier_parts("a" * 2_000_000) == ""
    assert identifier_parts("A" + "a" * 2_000_000) == ""
