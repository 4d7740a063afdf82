"""The size of a push is close to that of its vectors, at any number."""

from __future__ import annotations

from pathlib import Path

from benchmarks.measures import share
from benchmarks.workbench import Sizes, Workbench


def test_the_sent_bytes_reach_the_target(tmp_path: Path) -> None:
    sizes = Sizes(shared=600, pulls=1)
    first, _, pulled = share(Workbench(tmp_path, sizes, tmp_path / "no-qmd", tmp_path))
    assert first.reached, first
    assert first.value > 0.9
    assert pulled.measure == "pull of 606 vectors"
