"""The index has exactly the structure of the seed, and nothing in it is trusted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.knowledge.index import (
    EMPTY_INDEX,
    IndexEntry,
    index_entry,
    index_of,
    index_text,
    parse_index,
)
from tests.knowledge.bases import LESSON, PATTERN
from tests.support.cpu_time import assert_linear


def test_the_structure_is_that_of_the_seed():
    known = index_of([index_entry(LESSON), index_entry(PATTERN)])
    assert json.loads(index_text(known)) == {
        "patterns": {
            "auth-jwt-flow": {
                "tags": ["auth", "jwt", "api"],
                "summary": "Standard JWT Auth Flow: Stateless login for an API",
                "file": "patterns/auth-jwt-flow.json",
            }
        },
        "lessons": {
            "prisma-no-returning": {
                "tags": ["prisma", "orm", "batch"],
                "trigger": "implementing-api-endpoint",
                "summary": LESSON.advice,
                "file": "lessons/prisma-no-returning.json",
            }
        },
    }


def test_an_empty_one_is_the_text_of_the_seed():
    assert index_text(index_of([])).strip() == '{ "patterns": {}, "lessons": {} }'
    assert parse_index(EMPTY_INDEX.encode()).count == 0


entries = st.builds(
    IndexEntry,
    st.sampled_from(["pattern", "lesson"]),
    st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True),
    st.lists(st.text(max_size=9).filter(lambda text: text.isprintable()), max_size=4).map(tuple),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
).map(lambda one: one._replace(trigger="designing-x" if one.kind == "lesson" else ""))


@given(st.lists(entries, max_size=8, unique_by=lambda one: (one.kind, one.id)))
def test_an_index_is_read_as_it_was_written(listed):
    known = index_of(listed)
    assert parse_index(index_text(known).encode()) == known
    assert sorted(known) == sorted(listed)


@given(st.binary(max_size=300))
def test_bytes_are_an_index_or_refused(data):
    with pytest.raises(ValueError, match=r"."):
        parse_index(b'{"patterns":' + data)


@pytest.mark.parametrize(
    "line",
    [
        '{"tags": [], "summary": "", "file": "patterns/../../x"}',
        '{"tags": [], "summary": "", "file": "/etc/passwd"}',
        '{"tags": [1], "summary": "", "file": "patterns/a.json"}',
        '{"tags": [], "file": "patterns/a.json"}',
        "[]",
    ],
)
def test_a_hostile_line_makes_the_index_invalid(line):
    with pytest.raises(ValueError, match=r"."):
        parse_index(f'{{"patterns": {{"a": {line}}}, "lessons": {{}}}}'.encode())


@pytest.mark.parametrize("text", ["[]", "{}", '{"patterns": [], "lessons": {}}', "null"])
def test_another_object_is_no_index(text):
    with pytest.raises(ValueError, match=r"."):
        parse_index(text.encode())


def test_the_cost_grows_with_the_entries():
    def make(size):
        lines = (index_entry(LESSON._replace(id=f"l-{n}")) for n in range(size))
        return index_text(index_of(lines)).encode()

    assert_linear(parse_index, make, 8_000)
