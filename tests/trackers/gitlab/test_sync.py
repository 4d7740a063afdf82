"""The issues of a project on GitLab as files, while they change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.errors import RemoteError
from tests.support.loopback import CannedResponse, Request
from tests.trackers.faults import START
from tests.trackers.folders import assert_as_synced_anew, stored, synced
from tests.trackers.gitlab.bench import PAGE, Bench, opened


@pytest.fixture
def bench() -> Iterator[Bench]:
    with opened() as found:
        yield found


def test_issues_as_files(bench: Bench, tmp_path: Path) -> None:
    there = bench.gitlab
    ids = [there.add(f"Issue {n}", updated=float(START + n)) for n in range(PAGE + 30)]
    merge = there.merge(f"Closes #{ids[4]}", closes=[int(ids[5])])
    there.block(ids[0], ids[1])
    there.now += 3600
    assert synced(bench, tmp_path).added == len(ids)
    assert synced(bench, tmp_path).changed == ()
    bench.server.asked.clear()
    assert synced(bench, tmp_path).changed == ()
    assert bench.asked() == ["issues", "merge_requests"], "by then their tags are known"
    there.now += 60
    there.edit(ids[3], title="Edited")
    there.edit_merge(merge, state="merged")
    done = synced(bench, tmp_path)
    assert (done.added, done.updated, done.removed) == (0, 3, 0)
    assert "blocks: [2]" in stored(tmp_path)[ids[0]]
    assert all("status: merged" not in stored(tmp_path)[ids[n]] for n in (4, 5)), "both are open"
    assert all("**Status**: merged" in stored(tmp_path)[ids[n]] for n in (4, 5))
    there.now += 60
    there.delete(ids[6])
    there.move(ids[7])
    assert synced(bench, tmp_path).removed == 1
    assert synced(bench, tmp_path, full=True).removed == 1
    assert {*stored(tmp_path)} == {*ids} - {ids[6], ids[7]}
    assert_as_synced_anew(bench, tmp_path)


def test_edits_between_the_pages_of_a_sync(bench: Bench, tmp_path: Path) -> None:
    there = bench.gitlab
    ids = [there.add(updated=float(START + n // 40)) for n in range(3 * PAGE)]
    merge = there.merge(f"Closes #{ids[0]}")
    there.now += 3600
    pages = 0

    def meanwhile(request: Request) -> None:
        nonlocal pages
        if request.path.endswith("/issues"):
            pages += 1
            if pages in {2, 3}:
                there.now += 0.3
                there.edit(ids[pages], title="Edited meanwhile")
                there.edit(ids[200 + pages], title="Edited meanwhile")
                ids.append(there.add("Added meanwhile"))
                there.edit_merge(merge, description=f"Closes #{ids[pages]}")

    bench.server.faults.append(meanwhile)
    synced(bench, tmp_path)
    there.now += 3600
    synced(bench, tmp_path)
    assert {*stored(tmp_path)} == {*ids}
    assert sum("meanwhile" in text for text in stored(tmp_path).values()) == 6
    assert_as_synced_anew(bench, tmp_path)


def test_a_sync_that_fails_on_its_second_page(bench: Bench, tmp_path: Path) -> None:
    ids = [bench.gitlab.add(updated=float(START + n)) for n in range(PAGE + 5)]
    bench.server.fail(
        *[CannedResponse(500, {})] * 4, when=lambda request: "updated_after" in request.query
    )
    with pytest.raises(RemoteError):
        synced(bench, tmp_path)
    assert len(stored(tmp_path)) == PAGE
    synced(bench, tmp_path)
    assert {*stored(tmp_path)} == {*ids}


def test_two_edits_in_one_second_as_files(bench: Bench, tmp_path: Path) -> None:
    one, two = bench.gitlab.add(), bench.gitlab.add()
    bench.gitlab.edit(one, title="First", updated=START + 5.25)
    bench.gitlab.now = START + 5.5
    synced(bench, tmp_path)
    bench.gitlab.edit(two, title="Second", updated=START + 5.75)
    bench.gitlab.now = START + 5.9
    assert synced(bench, tmp_path).updated == 1
    assert "Second" in stored(tmp_path)[two]
