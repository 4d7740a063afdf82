"""The table has the figures of both sides, and whether they reach the target."""

from __future__ import annotations

import pytest

from benchmarks.process import Run
from benchmarks.report import (
    FIGURES,
    QUALITY,
    Figure,
    describe_machine,
    human_seconds,
    marks,
    median_seconds,
    ratio,
    replace_section,
    table,
)

REACHED = Figure("search", "97.2 ms", "qmd search: 203 ms", 0.479, 0.8, "")
MISSED = Figure("memory", "81.0 MB", "", 81.04, 80, "MB")


def test_a_figure_is_reached_up_to_its_target() -> None:
    assert REACHED.reached
    assert not MISSED.reached
    assert Figure("x", "", "", 80, 80, "MB").reached


def test_the_table_is_aligned_markdown() -> None:
    missing = Figure("embed", "2.10 s", "x: missing", None, 1.7, "", "", "45 MB")
    pace = Figure("pace", "", "1.0 ms", 1.04, None, "ms", "1.20")
    assert table([REACHED, MISSED, missing, pace]) == (
        "| measure | sdd     | compared with      | result  | by CPU | memory | must reach |   |\n"
        "|---------|---------|--------------------|---------|--------|--------|------------|---|\n"
        "| search  | 97.2 ms | qmd search: 203 ms | 0.48    |        |        | ≤ 0.8      | ✓ |\n"
        "| memory  | 81.0 MB |                    | 81.0 MB |        |        | ≤ 80 MB    | ✗ |\n"
        "| embed   | 2.10 s  | x: missing         | missing |        | 45 MB  | ≤ 1.7      |   |\n"
        "| pace    |         | 1.0 ms             | 1.0 ms  | 1.20   |        |            |   |"
    )


def test_a_ratio_is_the_median_of_those_of_pairs() -> None:
    ours, theirs = (
        [Run(n, 0, "", n / 2) for n in (2, 40, 6)],
        [Run(n, 0, "", n) for n in (1, 10, 3)],
    )
    assert (ratio(ours, theirs), ratio(ours, theirs, "cpu")) == (2, 1)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.00421, "4.2 ms"), (0.0993, "99.3 ms"), (0.316, "316 ms"), (1.352, "1.35 s")],
)
def test_seconds_keep_three_digits(seconds: float, text: str) -> None:
    assert human_seconds(seconds) == text


def test_the_median_is_that_of_the_wall_times() -> None:
    assert median_seconds([Run(3, 0, ""), Run(1, 0, ""), Run(1.5, 0, "")]) == 1.5


START, END = marks(FIGURES)


def test_the_section_between_the_marks_is_replaced() -> None:
    document = f"before\n{START}\nold\n{END}\nafter\n"
    replaced = replace_section(document, "new")
    assert replaced == f"before\n{START}\n\nnew\n\n{END}\nafter\n"
    assert replace_section(replaced, "new") == replaced
    with pytest.raises(ValueError, match="quality: start"):
        replace_section(replaced, "new", QUALITY)


@pytest.mark.parametrize("document", ["", START, f"{END}{START}"])
def test_a_document_without_the_marks_is_refused(document: str) -> None:
    with pytest.raises(ValueError, match="benchmarks: start"):
        replace_section(document, "new")


def test_the_machine_is_described_in_one_line() -> None:
    description = describe_machine()
    assert "\n" not in description
    assert "cores" in description
    assert "Python 3." in description
