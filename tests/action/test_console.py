from __future__ import annotations

import io
from contextlib import redirect_stdout

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdd_hooks.action.console import INTERVAL, Console, guarded, open_console
from sdd_hooks.action.toolkit import Toolkit, load_toolkit
from sdd_hooks.errors import StorageError
from tests.action.steps import read_log

PIECES = ["::", ":", "#", "[", "]", " ", "\n", "\r", "\x1b", "add-mask"]
HOSTILE = st.lists(st.sampled_from(PIECES)).map("".join)
MANY = st.lists(st.text() | HOSTILE, max_size=5)


class Core:
    """What actions-toolkit would be, when its file is gone."""

    def set_output(self, name: str, value: str) -> None:
        raise Exception(f"Missing file at path: /x/{name}\n{value}")  # noqa: TRY002


@given(st.text() | HOSTILE)
@example("  ::add-mask::x")
@example("\u2003::error::x")
@example("a ##[add-mask]x")
@example("###[error]x")
@example("##\x00[error]x")
def test_no_line_is_a_command(text: str) -> None:
    line = guarded(text)
    assert len(line.splitlines()) <= 1
    assert read_log(line).commands == []


def test_what_is_guarded_can_be_read() -> None:
    assert guarded("::error::see ##[x]") == ": :error::see # #[x]"
    assert guarded("src/a.py::test_b: see #1") == "src/a.py::test_b: see #1"


@given(MANY, MANY)
def test_whatever_a_part_says_the_runner_does_what_we_say(
    inside: list[str], after: list[str]
) -> None:
    stream = io.StringIO()
    console = Console(stream, load_toolkit())
    with redirect_stdout(stream):
        with console.part("a part"):
            for text in inside:
                # As a library that knows nothing of this would.
                stream.write(f"{text}\n")
        for text in after:
            console.say(text)
        console.fail("\n".join(after) or "x")
    names = [one.name for one in read_log(stream.getvalue()).commands]
    assert names == ["group", "endgroup", "error"]


def test_a_part_that_fails_leaves_the_group() -> None:
    stream = io.StringIO()
    console = Console(stream, load_toolkit())
    with redirect_stdout(stream), pytest.raises(KeyboardInterrupt), console.part("a part"):
        raise KeyboardInterrupt
    assert [one.name for one in read_log(stream.getvalue()).commands] == ["group", "endgroup"]


def test_a_plain_log() -> None:
    stream = io.StringIO()
    console = open_console({}, stream)
    console.mask("s3cret")
    with console.part("sdd update"):
        console.say("one\ntwo")
    console.output("device", "cpu")
    console.output("sarif", "")
    console.fail("no \x1b[31mmodel")
    assert stream.getvalue().splitlines() == [
        "sdd update:",
        "one two",
        "device: cpu",
        "error: no \\u001b[31mmodel",
    ]


def test_outputs_that_cannot_be_written() -> None:
    console = Console(io.StringIO(), Toolkit(Core()))
    with pytest.raises(StorageError) as failed:
        console.output("report", "x")
    assert str(failed.value) == (
        "the output report cannot be written (Missing file at path: /x/report x):"
        " check GITHUB_OUTPUT"
    )


def test_progress_is_said_now_and_then() -> None:
    stream, now = io.StringIO(), [0.0]
    progress = Console(stream, None, lambda: now[0]).progress()
    for done in range(4):
        now[0] += INTERVAL / 2
        progress("embedding", 1_000 * done, 3_000)
    now[0] += INTERVAL
    progress("looking", 5, 0)
    assert stream.getvalue().splitlines() == [
        "embedding 1,000/3,000",
        "embedding 3,000/3,000",
        "looking 5",
    ]
