from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import RepositoryError
from sdd_hooks.text.display import columns_of, counted, one_line, plain, plain_lines, reason


def test_what_a_terminal_would_act_on_is_shown_instead():
    assert plain("a\x1b[31mb") == "a\\u001b[31mb"
    assert plain("a\u202eb\u2066c\x9b") == "a\\u202eb\\u2066c\\u009b"
    assert plain("two\nlines\t here") == "two lines here"
    assert plain("caf\udce9") == "caf\\udce9"
    assert plain("می\u200cخواهم 日本") == "می\u200cخواهم 日本"


@given(st.text())
def test_plain_text_is_one_printable_line(text):
    assert "\x1b" not in plain(text)
    assert len(plain(text).splitlines()) <= 1


def test_lines_keep_their_blanks_and_lose_what_is_around_them():
    assert plain_lines("\n\n  a\tb  \n\n\x1bc\n\n") == ["  a b", "", "\\u001bc"]
    assert plain_lines("\n \n") == []


def test_columns_are_those_of_a_terminal():
    texts = ("abc", "日本", "e\u0301", "")
    assert [columns_of(text) for text in texts] == [3, 4, 1, 0]


@given(st.text())
def test_an_error_is_one_line(text):
    assert len(one_line(text).splitlines()) <= 1
    assert one_line(text).isprintable()


def test_an_error_that_is_not_ours_is_told_by_its_class():
    assert reason(RepositoryError("no\nsuch")) == "no such"
    assert reason(KeyError("x")) == "KeyError: 'x'"


def test_counted():
    texts = (counted(1, "chunk"), counted(0, "chunk"), counted(1200, "chunk"))
    assert texts == ("1 chunk", "0 chunks", "1,200 chunks")
