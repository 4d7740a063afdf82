import io
import json
import os
import pty

from sdd_hooks.cli.shared.output import CommandOutput, detect_terminal, error_document, show, table


def test_results_go_to_stdout_and_notes_to_stderr(capsys):
    report = CommandOutput({"a": 1}, ["one", "two"], ["mind this"], ["CLAUDE.md:3: odd"], 1)
    assert show(report, False) == 1
    assert capsys.readouterr() == ("one\ntwo\n", "note: mind this\nwarning: CLAUDE.md:3: odd\n")


def test_json_is_one_object_with_everything(capsys):
    show(CommandOutput({"a": ["é"]}, ["one"], ["n"], ["w"]), True)
    out, err = capsys.readouterr()
    assert err == ""
    expected = {"schema_version": 1, "a": ["é"], "notes": ["n"], "warnings": ["w"]}
    assert json.loads(out) == expected
    assert out.isascii()


def test_errors_have_the_documented_format():
    """Scenario "An error as JSON" of SPEC-0001."""
    assert json.loads(error_document("storage", "full", 7)) == {
        "schema_version": 1,
        "error": {"code": "storage", "message": "full", "exit_code": 7},
    }


def test_numbers_are_flush_right():
    rows = [("name", "count"), ("a", 5), ("long", 1234)]
    assert table(rows) == ["name  count", "a         5", "long  1,234"]


def test_styles_need_a_terminal_without_no_color():
    assert detect_terminal(io.StringIO(), {}).strong("x") == "x"
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as stream:
        assert detect_terminal(stream, {}).strong("x") == "\x1b[1mx\x1b[0m"
        assert detect_terminal(stream, {}).faint("x") == "\x1b[2mx\x1b[0m"
        assert detect_terminal(stream, {"NO_COLOR": "1"}).strong("x") == "x"
        assert detect_terminal(stream, {"TERM": "dumb"}).faint("x") == "x"
    os.close(leader)
