"""Queries in qmd's grammar, and the ranked list of each sub-query."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sdd_hooks.engines.protocol import Query, SubQuery
from sdd_hooks.engines.qmd.installation import run_qmd
from sdd_hooks.engines.qmd.output import Contribution, QmdResult
from sdd_hooks.engines.qmd.query import (
    MAX_QUERY,
    MAX_WORDS,
    DocumentKey,
    QueryLine,
    lists_of_command,
    one_line,
    query_arguments,
    query_document,
    query_lines,
)
from sdd_hooks.engines.ranking.fusion import fuse
from tests.support.qmd import RealQmd
from tests.support.repos import Repo

NASTY = st.sampled_from(
    [
        *("\n", "\r", "\u2028", "\x85", "\x00", "\ufeff", "\udc80", "\u200b", " ", "\t"),
        *('"', "-", '-"', "(", "*", "word", "two words", "日本", "🦜"),
        *("expand:", "lex:", "vec: x", "intent: y", "hyde:"),
    ]
)
TEXT = st.lists(NASTY | st.text(max_size=5), max_size=12).map("".join)
SEARCHES = st.lists(
    st.builds(SubQuery, st.sampled_from(["lex", "vec", "hyde"]), TEXT), min_size=1, max_size=4
).map(tuple)

# As qmd 2.8.3 has them: JavaScript's `\s` and its `trim` know U+FEFF too, and `\w` is ASCII.
SPACE = r"[\s\ufeff]"
NEGATION = re.compile(rf'(?:^|{SPACE})-[A-Za-z0-9_"]')


def refused(type_: str, text: str) -> bool:
    """Whether qmd refuses the line, and with it the whole query."""
    if not re.sub(rf"^{SPACE}+|{SPACE}+$", "", text) or re.search(r"[\r\n]", text):
        return True
    if type_ == "lex":
        return text.count('"') % 2 == 1
    return bool(NEGATION.search(text))


@given(SEARCHES, TEXT)
@example((SubQuery("vec", '-""-"'),), "")
def test_a_text_stays_in_its_line_and_type(searches: tuple[SubQuery, ...], intent: str) -> None:
    lines = query_lines(Query(searches), words_only=False)
    written = query_document(lines, intent).split("\n") if lines else []
    expected = [f"{line.type}: {line.text}" for line in lines]
    if lines and one_line(intent):
        expected.append(f"intent: {one_line(intent)}")
    assert written == expected
    for line in lines:
        assert line.type == searches[line.number].type
        assert not refused(line.type, line.text)
        assert line.text == line.text.strip()
        line.text.encode()


@given(SEARCHES)
def test_words_only_leaves_no_line_that_needs_a_model(searches: tuple[SubQuery, ...]) -> None:
    assert {line.type for line in query_lines(Query(searches), words_only=True)} <= {"lex"}


def lexical_lines(text: str) -> list[tuple[str, bool]]:
    lines = query_lines(Query((SubQuery("lex", text),)), words_only=True)
    return [(line.text, line.whole) for line in lines]


@pytest.mark.parametrize(
    ("text", "whole", "words"),
    [
        ("session", "session", []),
        ("where do we keep sessions", "keep sessions", ["keep", "sessions"]),
        ("a token -redis", 'token -"redis"', []),
        ("session token -x", 'session token -"x"', ['session -"x"', 'token -"x"']),
        ('"session token" cookie', '"session token" cookie', ['"session token"', "cookie"]),
        (
            "parse_user_id x",
            '"parse user id" "x"',
            ['"parse user id"', '"x"', "parse", "user", '"id"'],
        ),
        ('cache -"page one"', 'cache -"page one"', []),
        ('a "b', '"b"', []),
    ],
)
def test_words_are_searched_together_and_one_by_one(
    text: str, whole: str, words: list[str]
) -> None:
    assert lexical_lines(text) == [(whole, True), *((word, False) for word in words)]


@pytest.mark.parametrize("text", ["", " ", "-redis", '""', "\ufeff", "()", "-"])
def test_a_text_without_a_searchable_word_has_no_line(text: str) -> None:
    assert lexical_lines(text) == []


def test_many_words_are_only_searched_together() -> None:
    text = " ".join(f"word{n}" for n in range(MAX_WORDS + 1))
    assert lexical_lines(text) == [(text, True)]


def test_a_long_text_is_truncated() -> None:
    (only,) = query_lines(Query((SubQuery("vec", "word " * MAX_QUERY),)), words_only=False)
    assert len(only.text) <= MAX_QUERY


def test_excluded_words_are_left_out_of_a_search_by_meaning() -> None:
    (only,) = query_lines(
        Query((SubQuery("vec", 'cache -redis -"a b" well-known'),)), words_only=False
    )
    assert only.text == "cache well-known"


@pytest.fixture(scope="session")
def indexed_repo(
    real_qmd: RealQmd, tmp_path_factory: pytest.TempPathFactory
) -> tuple[RealQmd, Repo]:
    """A repository with an index of the real qmd."""
    repo = Repo.init(tmp_path_factory.mktemp("indexed") / "repo")
    repo.write("docs/a.md", "# Sessions\n\nA session token in SQLite.\n")
    folder = real_qmd.index_folder(repo.root)
    real_qmd.declare(folder, app_docs="docs")
    done = run_qmd(real_qmd.installation, folder, "update", timeout=60, environ=real_qmd.environ)
    assert done.code == 0, done
    return real_qmd, repo


@settings(max_examples=6)
@given(SEARCHES, TEXT)
def test_the_real_qmd_accepts_every_query(
    indexed_repo: tuple[RealQmd, Repo], searches: tuple[SubQuery, ...], intent: str
) -> None:
    real, repo = indexed_repo
    lines = query_lines(Query(searches), words_only=False)
    if not lines:
        return
    args = (
        "query",
        query_document(lines, intent),
        "--format",
        "json",
        "--no-rerank",
        "-c",
        "app-docs",
    )
    done = run_qmd(
        real.installation, real.index_folder(repo.root), *args, timeout=60, environ=real.environ
    )
    assert done.code == 0, done
    assert isinstance(json.loads(done.out), list)
    kinds = "+".join(line.type for line in lines)
    assert f"Structured search: {len(lines)} queries ({kinds})" in done.err


WHOLE = QueryLine(0, "lex", "session token")
WORDS = [QueryLine(0, "lex", "session", whole=False), QueryLine(0, "lex", "token", whole=False)]
MEANING = QueryLine(1, "vec", "session token")


def result(
    path: str, *matches: tuple[str, str, float], collection: str = "a", line: int = 1
) -> QmdResult:
    contributions = tuple(
        Contribution("fts" if kind == "lex" else "vec", kind, text, score)
        for kind, text, score in matches
    )
    return QmdResult(collection, path, line, "", contributions)


def key_of(result: QmdResult) -> DocumentKey | None:
    return None if result.path == "foreign" else (result.collection, result.path)


def test_the_arguments_begin_with_the_query_and_name_every_collection() -> None:
    arguments = query_arguments(
        [WHOLE, MEANING], Query((SubQuery("lex", ""),), intent="a\nb"), ["x", "y"]
    )
    assert arguments[:2] == ["query", "lex: session token\nvec: session token\nintent: a b"]
    assert arguments[-4:] == ["-c", "x", "-c", "y"]
    assert {"--no-rerank", "--explain"} <= set(arguments)


def test_by_words_the_strength_is_the_share_of_the_words() -> None:
    results = [
        result("one", ("lex", "session", 0.9)),
        result("both", ("lex", "session", 0.1), ("lex", "token", 0.1)),
        result("whole", ("lex", "session token", 0.2), ("lex", "token", 0.1)),
        result("foreign", ("lex", "session", 0.9)),
    ]
    ((weight, matches),) = lists_of_command([WHOLE, *WORDS], results, key_of).lists
    assert weight == 2.0
    assert [(match.key[1], match.strength) for match in matches] == [
        ("whole", 1.0),
        ("both", 1.0),
        ("one", 0.5),
    ]


def test_by_meaning_the_strength_is_the_cosine() -> None:
    results = [
        result("near", ("vec", "session token", 0.7), line=4),
        result("far", ("vec", "session token", -0.1), ("lex", "session token", 0.3)),
    ]
    ranked = lists_of_command([WHOLE, MEANING], results, key_of)
    (_, by_words), (weight, by_meaning) = ranked.lists
    assert weight == 1.0
    assert [(match.key[1], match.strength, match.cosine) for match in by_meaning] == [
        ("near", 0.7, 0.7),
        ("far", 0.0, -0.1),
    ]
    assert [(match.key[1], match.cosine) for match in by_words] == [("far", None)]
    assert ranked.by_meaning
    assert ranked.results["a", "near"].line == 4


def test_results_without_a_match_by_meaning_are_recognised() -> None:
    results = [result("x", ("lex", "session token", 0.5))]
    assert not lists_of_command([WHOLE, MEANING], results, key_of).by_meaning


COSINES = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.floats(-1, 1)), max_size=6
)


@given(COSINES, st.randoms())
def test_the_order_of_the_results_does_not_matter(
    cosines: list[tuple[str, str, float]], random: object
) -> None:
    unique = {(c, p): score for c, p, score in cosines}
    results = [
        result(p, ("vec", "session token", score), ("lex", "session", abs(score)), collection=c)
        for (c, p), score in unique.items()
    ]
    lines = [WHOLE, *WORDS, MEANING]
    fused = fuse(lists_of_command(lines, results, key_of).lists)
    shuffled = list(results)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    again = fuse(lists_of_command(lines, shuffled, key_of).lists)
    assert list(map(vars, again)) == list(map(vars, fused))
    assert {match.key for match in fused} == set(unique)
    assert all(0 <= match.score <= 1 for match in fused)
