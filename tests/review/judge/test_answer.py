"""A model's answer is read as JSON, or not at all."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.judge.answer import LONGEST, parse_answer, word


@pytest.mark.parametrize(
    "answer",
    ['{"path": "a"}', '  {"path":"a"}\n', '```json\n{"path": "a"}\n```', '```\n{"path": "a"}\n```'],
)
def test_an_object_is_read_in_a_fence_or_without(answer: str) -> None:
    assert parse_answer(answer) == {"path": "a"}


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "null",
        "[]",
        '"path"',
        'Sure! {"path": "a"}',
        '{"path": "a"} {"path": "b"}',
        '{"path": "a", "path": "b"}',
        '{"findings": [{"line": NaN}]}',
        '{"line": Infinity}',
        "{'path': 'a'}",
        '{"path": "a",}',
        '```json\n{"path": "a"}\n```\n```json\n{"path": "b"}\n```',
        "[" * 10_000,
        '{"a":' * 3_000,
        '{"path": "' + "a" * LONGEST + '"}',
        '{"n": ' + "9" * 10_000 + "}",
    ],
)
def test_anything_else_is_none(answer: str) -> None:
    assert parse_answer(answer) is None


def test_words_are_text_or_nothing() -> None:
    assert word({"a": "b"}, "a") == "b"
    entries: list[object] = [{"a": 1}, {"a": None}, {}, [], "a", None]
    assert [word(entry, "a") for entry in entries] == [""] * 6


@given(st.text() | st.binary().map(lambda data: data.decode("utf-8", "surrogateescape")))
def test_any_text_is_answered(text: str) -> None:
    found = parse_answer(text)
    assert found is None or isinstance(found, dict)


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text())))
def test_every_object_comes_back(content: dict[str, object]) -> None:
    assert parse_answer(json.dumps(content)) == content
