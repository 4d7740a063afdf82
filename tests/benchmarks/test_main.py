"""A run of several measures, of which some end without a figure."""

from __future__ import annotations

import pytest

from benchmarks.__main__ import main
from benchmarks.report import Figure
from benchmarks.workbench import Workbench


def _take_fast(bench: Workbench) -> list[Figure]:
    return [Figure("a fast one", "1 ms", "", 1, 2, "ms")]


def _take_slow(bench: Workbench) -> list[Figure]:
    return [Figure("a slow one", "3 ms", "", 3, 2, "ms")]


def _fail(bench: Workbench) -> list[Figure]:
    raise ModuleNotFoundError("no module named x")


def _compare_with_qmd(bench: Workbench) -> list[Figure]:
    bench.qmd(1)
    raise AssertionError("qmd was not needed")


def test_a_measure_that_fails_keeps_the_table_of_the_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measures = {"broken": _fail, "fast": _take_fast, "both": _compare_with_qmd}
    only = [argument for name in measures for argument in ("--only", name)]
    assert main([*only, "--qmd", ""], measures) == 2
    output = capsys.readouterr()
    assert "| a fast one | 1 ms |" in output.out
    assert output.out.rstrip().endswith("Not measured: both. Failed: broken.")
    assert "no module named x" in output.err
    assert "skipped both: needs qmd: --qmd DIRECTORY" in output.err


@pytest.mark.parametrize(("arguments", "code"), [([], 1), (["--quick"], 0)])
def test_targets_apply_to_a_complete_run(
    arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--only", "slow", *arguments], {"slow": _take_slow}) == code
    assert ("missed: a slow one" in capsys.readouterr().err) == (code == 1)
