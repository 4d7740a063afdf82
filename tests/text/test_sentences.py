"""The sentences of the prose of a Markdown text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.text.sentences import (
    MAX_LINES,
    Sentence,
    introduces,
    is_open,
    split_sentences,
    without_conjunction,
)
from tests.support.cpu_time import assert_linear


@pytest.mark.parametrize(
    "ending",
    [
        *(
            " because",
            ", because.",
            ", **because**",
            " because of the following reasons:",
            ", since",
        ),
        *(
            " for these reasons",
            " as follows.",
            ", weil",
            ", denn:",
            " aus folgenden Gründen",
            ", car",
        ),
        *(" parce que", ", porque", " ya que", " perché", " потому что", "，因为", " puisque…"),
    ],
)
def test_a_sentence_that_a_list_goes_on_with(ending: str) -> None:
    assert is_open(f"We use npm{ending}")
    assert introduces(f"We use npm{ending}")
    assert without_conjunction(f"We use npm{ending}") == "We use npm"


@pytest.mark.parametrize(
    "text",
    ["We go by car.", "It is what we want.", "It has run ever since.", "A because of B.", ""],
)
def test_a_sentence_that_is_complete(text: str) -> None:
    assert not is_open(text)
    assert without_conjunction(text) == text


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two!\nThree? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Lines are\njoined  by spaces.", ["Lines are joined by spaces."]),
        ("Version 1.2 is out, e.g. Redis, i.e. A cache.", None),
        ("- one\n- two\n\n1. three", ["one", "two", "three"]),
        ("# Title\n\nText.\n\n| a | b |\n|---|---|\n", ["Text."]),
        ("```\ncode. More.\n```\nText.", ["Text."]),
        ("<!-- comment -->\n[link]: https://x\n---\n> Quoted.", ["Quoted."]),
        ("It said “Yes.” Then **“No.”** Then", ["It said “Yes.”", "Then **“No.”**", "Then"]),
        ("事件写入发件箱。不得直接发布！", ["事件写入发件箱。", "不得直接发布！"]),
        ("", []),
    ],
)
def test_sentences_of_prose(text: str, sentences: list[str] | None) -> None:
    assert texts(text) == ([text] if sentences is None else sentences)


def test_a_sentence_has_the_line_on_which_it_begins() -> None:
    text = "# A\n\nOne\nmore. Two.\nThree.\n"
    assert list(split_sentences(text, 10)) == [
        Sentence("One more.", 12),
        Sentence("Two.", 13),
        Sentence("Three.", 14),
    ]


def test_later_lines_are_not_read() -> None:
    assert len(texts("x\n\n" * MAX_LINES)) == MAX_LINES // 2


@given(st.text(alphabet="aA.!? \n\t-*_`>|#[]:1\"'”", max_size=200))
def test_sentences_of_any_text_are_on_its_lines(text: str) -> None:
    lines = text.split("\n")
    for sentence in split_sentences(text):
        assert sentence.text == " ".join(sentence.text.split()) != ""
        assert sentence.text.split()[0] in lines[sentence.line - 1]


def test_the_cost_grows_with_the_text() -> None:
    assert_linear(
        lambda text: list(split_sentences(text)), lambda size: "A. " * (size // 3), 1 << 16
    )
