"""A push sends hardly more than its vectors, at any size."""

from __future__ import annotations

from pathlib import Path

from benchmarks.measures import share
from benchmarks.workbench import Sizes, Workbench


def test_what_is_sent_is_within_its_mark(tmp_path: Path) -> None:
    sizes = Sizes(shared=600, pulls=1)
    first, _, pulled = share(Workbench(tmp_path, sizes, tmp_path / "no-qmd", tmp_path))
    assert first.reached, first
    assert first.value > 0.9
    assert pulled.measure == "pull of 606 vectors"
