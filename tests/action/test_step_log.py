from __future__ import annotations

import io
import os
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdd_hooks.action.step_log import (
    INTERVAL_SECONDS,
    StepLog,
    escape_commands,
    load_commands,
    open_step_log,
)
from sdd_hooks.errors import StorageError
from tests.action.steps import read_log
from tests.support.programs import run_python

PIECES = ["::", ":", "#", "[", "]", " ", "\n", "\r", "\x1b", "add-mask"]
HOSTILE = st.lists(st.sampled_from(PIECES)).map("".join)
MANY = st.lists(st.text() | HOSTILE, max_size=5)


class Files:
    """Like actions-toolkit, when its file is missing."""

    def prepare_key_value_message(self, name: str, value: str) -> str:
        return f"{name}\n{value}"

    def issue_file_command(self, command: str, message: str) -> None:
        raise Exception(f"Missing file at path: /x/{message}")  # noqa: TRY002


@given(st.text() | HOSTILE)
@example("  ::add-mask::x")
@example("\u2003::error::x")
@example("a ##[add-mask]x")
@example("###[error]x")
@example("##\x00[error]x")
def test_no_line_is_a_command(text: str) -> None:
    line = escape_commands(text)
    assert len(line.splitlines()) <= 1
    assert read_log(line).commands == []


def test_an_escaped_line_stays_readable() -> None:
    assert escape_commands("::error::see ##[x]") == ": :error::see # #[x]"
    assert escape_commands("src/a.py::test_b: see #1") == "src/a.py::test_b: see #1"


@given(MANY, MANY)
def test_untrusted_output_of_a_group_is_no_command(inside: list[str], after: list[str]) -> None:
    stream = io.StringIO()
    log = StepLog(stream, load_commands())
    with redirect_stdout(stream):
        with log.group("a part"):
            for text in inside:
                # As a library writes to stdout.
                stream.write(f"{text}\n")
        for text in after:
            log.write(text)
        log.write_error("\n".join(after) or "x")
    names = [one.name for one in read_log(stream.getvalue()).commands]
    assert names == ["group", "endgroup", "error"]


def test_an_exception_ends_the_group() -> None:
    stream = io.StringIO()
    log = StepLog(stream, load_commands())
    with redirect_stdout(stream), pytest.raises(KeyboardInterrupt), log.group("a part"):
        raise KeyboardInterrupt
    assert [one.name for one in read_log(stream.getvalue()).commands] == ["group", "endgroup"]


def test_a_log_outside_a_runner_is_plain() -> None:
    stream = io.StringIO()
    errors = io.StringIO()
    log = open_step_log({}, stream, errors)
    log.mask("s3cret")
    with log.group("sdd update"):
        log.write("one\ntwo")
    log.set_output("device", "cpu")
    log.set_output("sarif", "")
    log.write_error("no \x1b[31mmodel")
    assert stream.getvalue().splitlines() == [
        "sdd update:",
        "one two",
        "device: cpu",
    ]
    assert errors.getvalue() == "sdd: no \\u001b[31mmodel\n"


def test_a_pipe_that_is_not_read_is_no_file_of_outputs(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    log = StepLog(io.StringIO(), load_commands(str(pipe)))
    with pytest.raises(StorageError, match=r"output report cannot be written .*GITHUB_OUTPUT$"):
        log.set_output("report", "x")


def test_the_library_loads_no_http_client() -> None:
    """The process that holds the tokens writes commands with two small modules."""
    program = (
        "import sys; from sdd_hooks.action.step_log import load_commands\n"
        "before = set(sys.modules); commands = load_commands(); assert commands\n"
        "commands.error('x'); loaded = set(sys.modules) - before\n"
        "print(*sorted({name.partition('.')[0] for name in loaded}))\n"
        "print(*sorted(name for name in loaded if name.startswith('actions_toolkit')))"
    )
    done = run_python(program)
    _, packages, modules = done.stdout.splitlines()
    assert not {"requests", "github", "urllib3", "cryptography", "nacl", "jwt"} & {
        *packages.split()
    }
    assert modules.split() == [
        "actions_toolkit",
        "actions_toolkit.command",
        "actions_toolkit.file_command",
        "actions_toolkit.utils",
    ]


def test_progress_is_written_at_intervals() -> None:
    stream, now = io.StringIO(), [0.0]
    progress = StepLog(stream, None, lambda: now[0]).progress()
    for done in range(4):
        now[0] += INTERVAL_SECONDS / 2
        progress("embedding", 1_000 * done, 3_000)
    now[0] += INTERVAL_SECONDS
    progress("looking", 5, 0)
    assert stream.getvalue().splitlines() == [
        "embedding 1,000/3,000",
        "embedding 3,000/3,000",
        "looking 5",
    ]
