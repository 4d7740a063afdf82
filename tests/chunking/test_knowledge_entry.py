"""A committed pattern or lesson is indexed as the text that a person would read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.chunking.document import chunk_document, read_entry_text

LESSON = {
    "id": "x",
    "tags": ["a", "b"],
    "trigger": "designing-a",
    "context": "c",
    "advice": "Do. It.",
}


def test_the_texts_are_paragraphs_and_the_title_a_sentence():
    document = chunk_document("kb/lessons/x.json", json.dumps(LESSON, indent=2).encode())
    assert document.title == "Do."
    (chunk,) = document.chunks
    assert chunk.text == "Do. It.\n\nc\n\ndesigning-a\n\na, b\n"
    assert (chunk.anchor, chunk.first_line, chunk.last_line) == ("file", 1, 10)


def test_a_pattern_is_called_by_its_name():
    data = {"name": "Flow", "solution": "s", "tags": []}
    assert read_entry_text("patterns/x.json", json.dumps(data)) == ("Flow", "Flow\n\ns\n\n\n")


@pytest.mark.parametrize("text", ["{", "[]", "3", '{"advice": 3}', "{}", "[" * 100_000])
def test_other_files_are_text(text):
    assert read_entry_text("lessons/x.json", text) is None
    assert chunk_document("lessons/x.json", text.encode()).chunks


def test_only_files_in_directories_of_entries_are_entries():
    for path in ("x.json", "lessons/x.md", "lessons/a/x.json", "notlessons/x.json"):
        assert read_entry_text(path, json.dumps(LESSON)) is None


@given(
    st.dictionaries(
        st.sampled_from(["advice", "context", "tags"]),
        st.text(st.characters()) | st.lists(st.text()),
    )
)
def test_any_object_is_cut_into_text(data):
    document = chunk_document("lessons/x.json", json.dumps(data).encode())
    for chunk in document.chunks:
        chunk.text.encode()
