from __future__ import annotations

from pathlib import Path

import cmarkgfm
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdd_hooks.action.outcome import Outcome
from sdd_hooks.action.summary import LONGEST, Part, summary_lines, write_summary

SAID = Outcome(log=("documents: 3 added",), notes=("a note",))
REPORT = Outcome(summary="## Review\n\nAll clear.\n", notes=("a note", "`x` was not posted"))


def test_what_the_parts_did() -> None:
    failed = Outcome(log=("one",), errors=("no model: run `x | y`",))
    assert list(
        summary_lines([Part("update", SAID), Part("embed", failed), Part("review", REPORT)])
    ) == [
        "| command | what it did |",
        "| --- | --- |",
        "| update | documents: 3 added |",
        "| embed | one |",
        r"| embed | failed: no model: run 'x \| y' |",
        "",
        "## Review",
        "",
        "All clear.",
        "",
        "- a note",
        "- `x` was not posted",
        "",
    ]


def test_a_review_alone_has_no_table() -> None:
    assert next(summary_lines([Part("review", REPORT)])) == "## Review"


def test_nothing_to_say(tmp_path: Path) -> None:
    assert list(summary_lines([Part("sync", Outcome())])) == []
    assert write_summary(tmp_path / "summary", []) == ""
    assert not (tmp_path / "summary").exists()


@given(st.text() | st.lists(st.sampled_from(["|", "\\", "`", "\n", "<", "x", " "])).map("".join))
@example("`a|b`")
@example("a\\|b")
@example("`a\\\\|b`")
def test_a_text_stays_in_its_cell(text: str) -> None:
    lines = summary_lines([Part("sync", Outcome(log=(text,), errors=(text,)))])
    html = cmarkgfm.github_flavored_markdown_to_html("\n".join(lines))
    assert html.count("<tr>") == 3
    assert html.count("<td>") == 4
    assert html.partition("</table>")[2].strip() == ""


@pytest.mark.parametrize(
    ("before", "between"), [(b"", b""), (b"x\n", b"\n"), (b"x", b"\n\n"), (b"\xff\n", b"\n")]
)
def test_what_others_wrote_stays(tmp_path: Path, before: bytes, between: bytes) -> None:
    path = tmp_path / "summary"
    path.write_bytes(before)
    assert write_summary(path, ["| a |", "b"]) == ""
    assert path.read_bytes() == before + between + b"| a |\nb\n"


@pytest.mark.parametrize("room", [0, 1, 150, 201, 260, 1_000, 50_000])
def test_no_more_than_a_host_takes(tmp_path: Path, room: int) -> None:
    path = tmp_path / "summary"
    before = b"x" * (LONGEST - room - 1) + b"\n"
    path.write_bytes(before)
    lines = ["<details>", *(f"line {number} ö" for number in range(5_000)), "</details>"]
    problem = write_summary(path, lines)
    written = path.read_bytes()
    assert written.startswith(before)
    assert len(written) <= LONGEST
    added = written[len(before) :].decode().splitlines()
    if room < 200:
        assert (problem, added) == ("there is no room in the summary of the step", [])
        return
    assert problem == ""
    assert added[-1] == "**Cut here:** this is longer than the summary of a step may be."
    assert set(added[:-1]) <= {*lines, ""}
    assert len(written) > LONGEST - 200 or room < 300


def test_what_is_just_short_enough_is_whole(tmp_path: Path) -> None:
    lines = ["x" * 99] * 50
    path = tmp_path / "summary"
    path.write_bytes(b"y" * (LONGEST - 5_002))
    assert write_summary(path, lines) == ""
    assert path.stat().st_size == LONGEST
    assert path.read_text().endswith("x\n")


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    problem = write_summary(tmp_path, ["a"])
    assert problem == "the summary of the step cannot be written (Is a directory)"


def test_bytes_of_a_path_are_shown(tmp_path: Path) -> None:
    assert write_summary(tmp_path / "summary", ["a \udcff b"]) == ""
    assert (tmp_path / "summary").read_bytes() == b"a \\udcff b\n"
