import io
import json
import os
import pty

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.cli.output import Report, counted, error_document, plain, show, table, terminal


def test_results_and_remarks_part_ways(capsys):
    report = Report({"a": 1}, ["one", "two"], ["mind this"], ["CLAUDE.md:3: odd"], 1)
    assert show(report, False) == 1
    assert capsys.readouterr() == ("one\ntwo\n", "note: mind this\nwarning: CLAUDE.md:3: odd\n")


def test_json_is_one_object_with_everything(capsys):
    show(Report({"a": ["é"]}, ["one"], ["n"], ["w"]), True)
    out, err = capsys.readouterr()
    assert err == ""
    expected = {"schema_version": 1, "a": ["é"], "notes": ["n"], "warnings": ["w"]}
    assert json.loads(out) == expected
    assert out.isascii()


def test_errors_have_the_shape_that_is_promised():
    assert json.loads(error_document("storage", "full", 7)) == {
        "schema_version": 1,
        "error": {"code": "storage", "message": "full", "exit_code": 7},
    }


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


def test_numbers_are_flush_right():
    rows = [("name", "count"), ("a", 5), ("long", 1234)]
    assert table(rows) == ["name  count", "a         5", "long  1,234"]


def test_counted():
    texts = (counted(1, "chunk"), counted(0, "chunk"), counted(1200, "chunk"))
    assert texts == ("1 chunk", "0 chunks", "1,200 chunks")


def test_styles_need_a_terminal_and_consent():
    assert terminal(io.StringIO(), {}).strong("x") == "x"
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as stream:
        assert terminal(stream, {}).strong("x") == "\x1b[1mx\x1b[0m"
        assert terminal(stream, {}).faint("x") == "\x1b[2mx\x1b[0m"
        assert terminal(stream, {"NO_COLOR": "1"}).strong("x") == "x"
        assert terminal(stream, {"TERM": "dumb"}).faint("x") == "x"
    os.close(leader)
