"""The debug log: off by default, and without secrets when it is on."""

from __future__ import annotations

import io
import re

import pytest

from sdd_hooks import tracing
from tests.support.programs import run_python


def test_a_span_is_one_line_with_its_outcome_and_milliseconds(debug_log: io.StringIO) -> None:
    with tracing.span("git", "rev-parse", "HEAD") as span:
        assert debug_log.getvalue() == ""
        span.outcome = "exit 0"
    line = r"\d\d:\d\d:\d\d\.\d{3} sdd\[\d+\] git rev-parse HEAD: exit 0 \(\d+\.\d ms\)\n"
    assert re.fullmatch(line, debug_log.getvalue())


def test_an_event_has_no_duration(debug_log: io.StringIO) -> None:
    tracing.log("sync", "github", outcome="skipped")
    assert debug_log.getvalue().endswith(" sync github: skipped\n")


def test_an_exception_is_logged_by_its_class(debug_log: io.StringIO) -> None:
    with pytest.raises(ValueError, match="s3cret"), tracing.span("http", "GET"):
        raise ValueError("s3cret")
    assert " http GET: ValueError (" in debug_log.getvalue()
    assert "s3cret" not in debug_log.getvalue()


@pytest.mark.parametrize(
    ("subject", "logged"),
    [
        ("https://ada:s3cret@host.example/x.git", "https://***@host.example/x.git"),
        ("https://s3cret@host.example", "https://***@host.example"),
        ("https://host.example/a?token=s3cret&b=1 next", "https://host.example/a?*** next"),
        ("https://host.example/a#s3cret", "https://host.example/a?***"),
        ("two\nlines\x1b[31m", "two\\nlines\\x1b[31m"),
        ("docs/##[add-mask]x", "docs/# #[add-mask]x"),
        ("x" * 400, "x" * tracing.MAX_SUBJECT + "…"),
    ],
)
def test_credentials_queries_and_control_characters_are_not_logged(
    debug_log: io.StringIO, subject: str, logged: str
) -> None:
    tracing.log("http", subject, outcome="200")
    assert debug_log.getvalue().endswith(f" http {logged}: 200\n")
    assert "s3cret" not in debug_log.getvalue()


def test_a_stream_that_cannot_be_written_is_ignored(capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.StringIO()
    tracing.enable(stream)
    stream.close()
    tracing.log("git", "status", outcome="exit 0")
    tracing.disable()
    assert capsys.readouterr() == ("", "")


def test_a_closed_stderr_is_ignored() -> None:
    tracing.enable(None)
    assert not tracing.is_enabled()


@pytest.mark.parametrize("value", ["", "0", "false", "No", "OFF"])
def test_the_environment_does_not_enable_the_log(value: str) -> None:
    assert not tracing.is_requested({tracing.VARIABLE: value})
    assert not tracing.is_requested({})


def test_the_environment_enables_the_log() -> None:
    assert tracing.is_requested({tracing.VARIABLE: "1"})


def test_take_option_removes_it_from_the_arguments() -> None:
    stream = io.StringIO()
    assert tracing.take_option(["post-commit", "--verbose"], stream) == ["post-commit"]
    assert tracing.is_enabled()
    tracing.disable()
    assert tracing.take_option(["post-commit"], stream) == ["post-commit"]
    assert not tracing.is_enabled()


def test_a_disabled_log_writes_nothing_and_does_not_import_logging() -> None:
    program = (
        "import sys\n"
        "from sdd_hooks import tracing\n"
        "with tracing.span('git', 'status') as span:\n"
        "    span.outcome = 'exit 0'\n"
        "tracing.log('git', 'status', outcome='exit 0')\n"
        "assert 'logging' not in sys.modules\n"
    )
    done = run_python(program)
    assert (done.stdout, done.stderr) == ("", "")
