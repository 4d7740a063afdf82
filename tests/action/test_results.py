from __future__ import annotations

from pathlib import Path

import cmarkgfm
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdd_hooks.action.results import (
    MAX_SUMMARY_BYTES,
    CommandResult,
    FinishedCommand,
    summary_lines,
    write_summary,
)

UPDATED = CommandResult(log=("documents: 3 added",), notes=("a note",))
REPORT = CommandResult(summary="## Review\n\nAll clear.\n", notes=("a note", "`x` was not posted"))


def test_the_summary_has_a_table_a_report_and_notes() -> None:
    failed = CommandResult(log=("one",), errors=("no model: run `x | y`",))
    assert list(
        summary_lines(
            [
                FinishedCommand("update", UPDATED),
                FinishedCommand("embed", failed),
                FinishedCommand("review", REPORT),
            ]
        )
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
    assert next(summary_lines([FinishedCommand("review", REPORT)])) == "## Review"


def test_an_empty_summary_writes_no_file(tmp_path: Path) -> None:
    assert list(summary_lines([FinishedCommand("sync", CommandResult())])) == []
    assert write_summary(tmp_path / "summary", []) == ""
    assert not (tmp_path / "summary").exists()


@given(st.text() | st.lists(st.sampled_from(["|", "\\", "`", "\n", "<", "x", " "])).map("".join))
@example("`a|b`")
@example("a\\|b")
@example("`a\\\\|b`")
def test_a_text_stays_in_its_cell(text: str) -> None:
    lines = summary_lines([FinishedCommand("sync", CommandResult(log=(text,), errors=(text,)))])
    html = cmarkgfm.github_flavored_markdown_to_html("\n".join(lines))
    assert html.count("<tr>") == 3
    assert html.count("<td>") == 4
    assert html.partition("</table>")[2].strip() == ""


@pytest.mark.parametrize(
    ("before", "between"), [(b"", b""), (b"x\n", b"\n"), (b"x", b"\n\n"), (b"\xff\n", b"\n")]
)
def test_earlier_content_is_kept(tmp_path: Path, before: bytes, between: bytes) -> None:
    path = tmp_path / "summary"
    path.write_bytes(before)
    assert write_summary(path, ["| a |", "b"]) == ""
    assert path.read_bytes() == before + between + b"| a |\nb\n"


@pytest.mark.parametrize("room", [0, 1, 150, 201, 260, 1_000, 50_000])
def test_a_long_summary_is_cut(tmp_path: Path, room: int) -> None:
    path = tmp_path / "summary"
    before = b"x" * (MAX_SUMMARY_BYTES - room - 1) + b"\n"
    path.write_bytes(before)
    lines = ["<details>", *(f"line {number} ö" for number in range(5_000)), "</details>"]
    problem = write_summary(path, lines)
    written = path.read_bytes()
    assert written.startswith(before)
    assert len(written) <= MAX_SUMMARY_BYTES
    added = written[len(before) :].decode().splitlines()
    if room < 200:
        assert (problem, added) == ("there is no room in the summary of the step", [])
        return
    assert problem == ""
    assert added[-1] == "**Cut here:** this is longer than the summary of a step may be."
    assert set(added[:-1]) <= {*lines, ""}
    assert len(written) > MAX_SUMMARY_BYTES - 200 or room < 300


def test_a_summary_that_just_fits_is_complete(tmp_path: Path) -> None:
    lines = ["x" * 99] * 50
    path = tmp_path / "summary"
    path.write_bytes(b"y" * (MAX_SUMMARY_BYTES - 5_002))
    assert write_summary(path, lines) == ""
    assert path.stat().st_size == MAX_SUMMARY_BYTES
    assert path.read_text().endswith("x\n")


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    problem = write_summary(tmp_path, ["a"])
    assert problem == (
        "the summary of the step cannot be written (Is a directory): check GITHUB_STEP_SUMMARY"
    )


def test_bytes_that_are_not_text_are_escaped(tmp_path: Path) -> None:
    assert write_summary(tmp_path / "summary", ["a \udcff b"]) == ""
    assert (tmp_path / "summary").read_bytes() == b"a \\udcff b\n"
