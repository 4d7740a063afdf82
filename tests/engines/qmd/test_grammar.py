"""Whatever is asked stays one line of its own type, in a form that qmd takes."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sdd_hooks.engines.protocol import Query, SubQuery
from sdd_hooks.engines.qmd.grammar import LONGEST, MOST_WORDS, document, lines, one_line
from sdd_hooks.engines.qmd.process import run
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
def test_no_text_leaves_its_line_or_its_type(searches: tuple[SubQuery, ...], intent: str) -> None:
    asked = lines(Query(searches), by_words=False)
    said = document(asked, intent).split("\n") if asked else []
    told = [f"intent: {one_line(intent)}"] if one_line(intent) else []
    assert said == [f"{one.type}: {one.text}" for one in asked] + (told if asked else [])
    for one in asked:
        assert one.type == searches[one.number].type
        assert not refused(one.type, one.text)
        assert one.text == one.text.strip()
        one.text.encode()


@given(SEARCHES)
def test_by_words_no_line_needs_a_model(searches: tuple[SubQuery, ...]) -> None:
    assert {one.type for one in lines(Query(searches), by_words=True)} <= {"lex"}


def spelled(text: str) -> list[tuple[str, bool]]:
    return [(one.text, one.whole) for one in lines(Query((SubQuery("lex", text),)), by_words=True)]


@pytest.mark.parametrize(
    ("text", "whole", "words"),
    [
        ("session", "session", []),
        ("where do we keep sessions", "keep sessions", ["keep", "sessions"]),
        ("a token -redis", 'token -"redis"', []),
        ("session token -x", 'session token -"x"', ['session -"x"', 'token -"x"']),
        ('"session token" cookie', '"session token" cookie', ['"session token"', "cookie"]),
        ("parse_user_id x", '"parse user id" "x"', ['"parse user id"', '"x"']),
        ('cache -"page one"', 'cache -"page one"', []),
        ('a "b', '"b"', []),
    ],
)
def test_words_are_asked_together_and_one_by_one(text: str, whole: str, words: list[str]) -> None:
    assert spelled(text) == [(whole, True), *((one, False) for one in words)]


@pytest.mark.parametrize("text", ["", " ", "-redis", '""', "\ufeff", "()", "-"])
def test_what_asks_for_nothing_is_not_asked(text: str) -> None:
    assert spelled(text) == []


def test_many_words_are_asked_together_only() -> None:
    text = " ".join(f"word{n}" for n in range(MOST_WORDS + 1))
    assert spelled(text) == [(text, True)]


def test_a_long_text_is_cut() -> None:
    (only,) = lines(Query((SubQuery("vec", "word " * LONGEST),)), by_words=False)
    assert len(only.text) <= LONGEST


def test_what_is_excluded_has_no_meaning() -> None:
    (only,) = lines(Query((SubQuery("vec", 'cache -redis -"a b" well-known'),)), by_words=False)
    assert only.text == "cache well-known"


@pytest.fixture(scope="session")
def asked_qmd(real_qmd: RealQmd, tmp_path_factory: pytest.TempPathFactory) -> tuple[RealQmd, Repo]:
    """A real index to put questions to."""
    repo = Repo.init(tmp_path_factory.mktemp("asked") / "repo")
    repo.write("docs/a.md", "# Sessions\n\nA session token in SQLite.\n")
    place = real_qmd.place(repo.root)
    real_qmd.declare(place, app_docs="docs")
    done = run(real_qmd.installation, place, "update", deadline=60, environ=real_qmd.environ)
    assert done.code == 0, done
    return real_qmd, repo


@settings(max_examples=15)
@given(SEARCHES, TEXT)
def test_the_real_qmd_takes_every_question(
    asked_qmd: tuple[RealQmd, Repo], searches: tuple[SubQuery, ...], intent: str
) -> None:
    real, repo = asked_qmd
    asked = lines(Query(searches), by_words=False)
    if not asked:
        return
    args = ("query", document(asked, intent), "--format", "json", "--no-rerank", "-c", "app-docs")
    done = run(real.installation, real.place(repo.root), *args, deadline=60, environ=real.environ)
    assert done.code == 0, done
    assert isinstance(json.loads(done.out), list)
    kinds = "+".join(one.type for one in asked)
    assert f"Structured search: {len(asked)} queries ({kinds})" in done.err
