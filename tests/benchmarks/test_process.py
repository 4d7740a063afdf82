"""A measured process: its time, its memory, and what happens when it fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchmarks.process import ProcessFailed, Run, alternate, run


def python(code: str, root: Path) -> Run:
    return run([sys.executable, "-c", code], root, os.environ)


def test_a_run_has_its_time_and_output(tmp_path: Path) -> None:
    done = python("import os; print(os.getcwd())", tmp_path)
    assert done.output == f"{tmp_path.resolve()}\n"
    assert 0 < done.seconds < 60
    assert 0 < done.cpu < 60


def test_the_peak_is_that_of_the_largest_process(tmp_path: Path) -> None:
    parent = (
        "import subprocess, sys;"
        "subprocess.run([sys.executable, '-c', 'x = bytearray(300_000_000)'], check=True)"
    )
    assert python(parent, tmp_path).peak > 300_000_000


def test_the_peak_does_not_begin_with_the_memory_of_the_benchmarks(tmp_path: Path) -> None:
    large = bytearray(b"x") * 300_000_000
    assert python("pass", tmp_path).peak < len(large) // 3


def test_the_error_of_a_failed_run_has_command_and_output(tmp_path: Path) -> None:
    with pytest.raises(ProcessFailed, match=r"exited 3: out of luck"):
        python("print('out of luck'); raise SystemExit(3)", tmp_path)


def test_sides_alternate_after_one_uncounted_call_each() -> None:
    calls = []

    def side(name: str, number: int) -> Run:
        calls.append(f"{name}{number}")
        return Run(number, 0, name)

    ours, theirs = alternate(2, lambda n: side("a", n), lambda n: side("b", n))
    assert calls == ["a0", "b0", "a1", "b1", "a2", "b2"]
    assert [r.seconds for r in ours] == [1, 2]
    assert [r.output for r in theirs] == ["b", "b"]
