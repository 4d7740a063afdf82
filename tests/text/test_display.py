import json
import os

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import RepositoryError
from sdd_hooks.text.display import (
    clipped,
    describe_error,
    display_width,
    format_count,
    is_unicode,
    json_document,
    one_line,
    printable_line,
    printable_lines,
    shorten_words,
)


def test_control_characters_are_escaped():
    assert printable_line("a\x1b[31mb") == "a\\u001b[31mb"
    assert printable_line("a\u202eb\u2066c\x9b") == "a\\u202eb\\u2066c\\u009b"
    assert printable_line("two\nlines\t here") == "two lines here"
    assert printable_line("caf\udce9") == "caf\\udce9"
    assert printable_line("می\u200cخواهم 日本") == "می\u200cخواهم 日本"


@given(st.text())
def test_printable_line_is_one_line_without_escape_sequences(text):
    assert "\x1b" not in printable_line(text)
    assert len(printable_line(text).splitlines()) <= 1


def test_a_word_longer_than_any_file_name_is_cut():
    assert shorten_words(f"no 'ADR-{'7' * 5000}' here") == f"no 'ADR-{'7' * 95}… here"
    path = "/".join(["a" * 255] * 9)
    assert shorten_words(path) == path
    assert shorten_words("word " * 999) == "word " * 999


def test_a_longer_text_is_clipped_with_an_ellipsis():
    assert clipped("four", 4) == "four"
    assert clipped("fives", 4) == "fiv…"
    assert clipped("fives", 1) == "…"


def test_printable_lines_keep_indentation_and_drop_surrounding_blank_lines():
    assert printable_lines("\n\n  a\tb  \n\n\x1bc\n\n") == ["  a b", "", "\\u001bc"]
    assert printable_lines("\n \n") == []


def test_display_width_counts_terminal_columns():
    texts = ("abc", "日本", "e\u0301", "")
    assert [display_width(text) for text in texts] == [3, 4, 1, 0]


@given(st.text())
def test_one_line_is_printable_and_has_no_line_breaks(text):
    assert len(one_line(text).splitlines()) <= 1
    assert one_line(text).isprintable()


def test_an_unexpected_error_is_described_with_its_class_name():
    assert describe_error(RepositoryError("no\nsuch")) == "no such"
    assert describe_error(KeyError("x")) == "KeyError: 'x'"


def test_format_count():
    texts = (format_count(1, "chunk"), format_count(0, "chunk"), format_count(1200, "chunk"))
    assert texts == ("1 chunk", "0 chunks", "1,200 chunks")


@given(st.text())
def test_text_that_utf_8_can_encode(text: str) -> None:
    assert is_unicode(text)
    assert not is_unicode(f"{text}{os.fsdecode(bytes([0xE9]))}")


def test_json_document_is_one_object_with_its_schema_version_first():
    text = json_document({"name": "é\udce9", "list": [1]})
    assert list(json.loads(text)) == ["schema_version", "name", "list"]
    assert json.loads(text)["schema_version"] == 1
    assert text.isascii()
    assert text.endswith("}\n")
