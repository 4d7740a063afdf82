"""The JSON of entries is valid for every text, and says what was saved."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.knowledge.entries import (
    EntryRefused,
    Lesson,
    ReusablePattern,
    check_id,
    clean_tag,
    clean_tags,
    clean_text,
    empty_form,
    entry_data,
    entry_text,
    one_line,
    parse_entry,
    parse_json,
    summarize,
    title_of,
    to_json,
)
from tests.knowledge.bases import LESSON, PATTERN

# With lone surrogates, as bytes of arguments that are no text become.
anything = st.text(st.characters(), max_size=80)
texts = anything.map(clean_text)
tags = st.lists(texts, max_size=8).map(clean_tags)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda v: st.lists(v) | st.dictionaries(texts, v),
)


@given(tags, texts, texts, texts.filter(str.strip), st.dictionaries(st.just("author"), values))
def test_a_lesson_is_read_as_it_was_written(tags, trigger, context, advice, further):
    lesson = Lesson("x", tags, trigger, context, advice, tuple(further.items()))
    data = parse_json(entry_text(lesson).encode())
    assert parse_entry("lesson", data) == lesson
    assert list(data) == ["id", "tags", "trigger", "context", "advice", *further]


@given(texts.filter(str.strip), tags, texts, texts, texts)
def test_a_pattern_is_read_as_it_was_written(name, tags, problem, solution, example):
    pattern = ReusablePattern("x", name, tags, problem, solution, example)
    data = json.loads(entry_text(pattern))
    assert parse_entry("pattern", data) == pattern
    assert list(data)[:5] == ["id", "name", "tags", "problem", "solution"]
    assert ("example" in data) == bool(example)


@given(anything)
def test_every_text_becomes_one_that_utf_8_has(text):
    cleaned = clean_text(text)
    assert json.loads(to_json({"text": cleaned}).encode()) == {"text": cleaned}
    assert clean_tag(clean_tag(text)) == clean_tag(text)
    assert one_line(text, 40).isprintable()
    assert len(one_line(text, 40)) <= 40


@given(st.binary(max_size=200))
def test_bytes_are_json_or_refused_with_a_reason(data):
    try:
        value = parse_json(data)
    except ValueError as error:
        assert str(error)
    else:
        json.dumps(value, ensure_ascii=False).encode()


@pytest.mark.parametrize("value", ["NaN", "[Infinity]", '"\\ud800"', "[" * 100_000, '{"a":1'])
def test_what_other_programs_cannot_read_is_refused(value):
    with pytest.raises(ValueError, match=r"."):
        parse_json(value.encode())


@pytest.mark.parametrize("value", [float("nan"), {1: 2}, "\ud800", object()])
def test_a_value_that_json_has_not_is_not_written(value):
    with pytest.raises(EntryRefused):
        to_json({"further": value})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"advice": " "}, "advice is empty"),
        ({"advice": 3}, "advice is no text"),
        ({"advice": "x" * 20_001}, "20001 characters"),
        ({"tags": "a,b"}, "tags is no list"),
        ({"tags": [1]}, "tags is no list"),
        ({"tags": [f"t{n}" for n in range(31)]}, "31 tags"),
        ({"id": "../x"}, "is no id"),
        ({"id": "a/b"}, "is no id"),
        ({"id": "Upper"}, "is no id"),
        ({"id": "x.json"}, "is no id"),
        ({"id": ""}, "is no id"),
    ],
)
def test_what_is_wrong_with_an_entry_is_said(changes, reason):
    with pytest.raises(ValueError, match=reason):
        parse_entry("lesson", {**entry_data(LESSON), **changes})


def test_fields_that_are_missing_are_named():
    with pytest.raises(ValueError, match="lacks trigger, advice"):
        parse_entry("lesson", {"id": "x", "tags": [], "context": ""})
    with pytest.raises(ValueError, match="no JSON object"):
        parse_entry("lesson", [])


def test_ids_name_files_that_every_system_accepts():
    assert [check_id(name) for name in ("a", "p-003", "db-index-fk", "v1.2")]
    for name in ("-a", "a..b", "a.", ".a", "a b", "é", "a\0"):
        with pytest.raises(ValueError, match="is no id"):
            check_id(name)


def test_tags_are_compared_without_case_and_punctuation():
    assert clean_tags([" Auth ", "#JWT", "auth", "", "api endpoint"]) == (
        "auth",
        "jwt",
        "api-endpoint",
    )


def test_summaries_and_titles_are_one_line():
    assert summarize(PATTERN) == "Standard JWT Auth Flow: Stateless login for an API"
    assert title_of(PATTERN) == "Standard JWT Auth Flow"
    assert title_of(LESSON) == "Prisma createMany does not support returning"
    assert summarize(LESSON._replace(advice="a\nb " * 90)).endswith("…")


def test_the_templates_have_the_fields_of_the_entries():
    assert empty_form("lesson") == {
        "id": "",
        "tags": [],
        "trigger": "",
        "context": "",
        "advice": "",
    }
    assert list(empty_form("pattern")) == ["id", "name", "tags", "problem", "solution", "example"]
