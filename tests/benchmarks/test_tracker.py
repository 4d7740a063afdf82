"""Both sides of the sync measure read the same pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.tracker import RequestCounts, tracked
from benchmarks.workbench import Sizes, Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path, Sizes(), tmp_path / "no-qmd", tmp_path / "no-models")


def test_both_sides_read_the_same_pages(bench: Workbench) -> None:
    with tracked(bench, 150) as shop:
        assert shop.bare_loop().output == "150\n"
        assert shop.count_new_requests() == RequestCounts(listings=2, others=0)
        shop.first_sync()
        assert shop.files() == 150
        # The other request is for the number of issues.
        assert shop.count_new_requests() == RequestCounts(listings=2, others=1)
        shop.sync()
        assert shop.count_new_requests() == RequestCounts(listings=1, others=0)
        assert shop.count_new_requests() == RequestCounts(listings=0, others=0)


def test_every_server_has_the_same_issues(bench: Workbench) -> None:
    found = []
    for _ in range(2):
        with tracked(bench, 20) as shop:
            shop.first_sync()
            files = sorted((shop.sdd.root / ".sdd/issues").glob("*.md"))
            texts = [file.read_text().replace(shop.url, "") for file in files]
            found.append(texts)
            (shop.sdd.root).rename(bench.directory / f"was-{len(found)}")
    assert found[0] == found[1]
    assert len(found[0]) == 20
