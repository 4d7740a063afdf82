"""The issues of a team of Linear as files, while they change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.trackers.linear.tracker import PER_PAGE
from tests.support.loopback import CannedResponse, Request
from tests.trackers.faults import START
from tests.trackers.folders import assert_as_synced_anew, stored, synced
from tests.trackers.linear.harness import PULL, Bench, opened


@pytest.fixture
def bench() -> Iterator[Bench]:
    with opened() as found:
        yield found


def test_issues_as_files(bench: Bench, tmp_path: Path) -> None:
    workspace = bench.workspace
    workspace.team("OPS")
    ids = [workspace.add(f"Issue {n}", updated=float(START + n)) for n in range(PER_PAGE + 30)]
    url = "https://github.com/acme/shop/pull/12"
    workspace.attach(ids[4], url, "github", PULL)
    workspace.block(ids[0], ids[1])
    workspace.now += 3600
    assert synced(bench, tmp_path).added == len(ids)
    bench.server.asked.clear()
    assert synced(bench, tmp_path).changed == ()
    assert len(bench.server.asked) == 1
    workspace.now += 60
    workspace.edit(ids[3], title="Edited")
    workspace.attach(ids[4], url, "github", {**PULL, "status": "merged"})
    done = synced(bench, tmp_path)
    assert (done.added, done.updated, done.removed) == (0, 2, 0)
    assert f'blocks: ["{ids[1]}"]' in stored(tmp_path)[ids[0]]
    assert "**Status**: merged" in stored(tmp_path)[ids[4]]
    workspace.now += 60
    workspace.delete(ids[5])
    workspace.trash(ids[6])
    assert synced(bench, tmp_path).removed == 1
    workspace.transfer(ids[7], "OPS")
    assert synced(bench, tmp_path, full=True).removed == 2
    assert {*stored(tmp_path)} == {*ids} - {ids[5], ids[6], ids[7]}
    assert_as_synced_anew(bench, tmp_path)


def test_a_pull_request_that_changes_alone_is_one_request(bench: Bench, tmp_path: Path) -> None:
    workspace = bench.workspace
    id, _ = workspace.add(), workspace.add()
    workspace.now += 3600
    workspace.add()
    synced(bench, tmp_path)
    bench.server.asked.clear()
    workspace.now += 3600
    workspace.attach(id, "https://github.com/acme/shop/pull/12", "github", PULL)
    assert synced(bench, tmp_path).updated == 1
    assert synced(bench, tmp_path).changed == ()
    assert len(bench.server.asked) == 2
    assert "**PR**: #12" in stored(tmp_path)[id]


def test_an_issue_that_comes_back_leaves_no_file_of_its_other_name(
    bench: Bench, tmp_path: Path
) -> None:
    workspace = bench.workspace
    workspace.team("OPS")
    id = workspace.add()
    synced(bench, tmp_path)
    workspace.now += 60
    again = workspace.transfer(workspace.transfer(id, "OPS"), "ENG")
    synced(bench, tmp_path)
    assert list(stored(tmp_path)) == [again]


def test_edits_between_the_pages_of_a_sync(bench: Bench, tmp_path: Path) -> None:
    workspace = bench.workspace
    ids = [workspace.add(updated=float(START + n // 40)) for n in range(3 * PER_PAGE)]
    workspace.now += 3600

    def meanwhile(_request: Request) -> None:
        pages = len(bench.server.asked)
        if pages in {2, 3}:
            workspace.now += 0.3
            workspace.edit(ids[pages], title="Edited meanwhile")
            workspace.edit(ids[200 + pages], title="Edited meanwhile")
            ids.append(workspace.add("Added meanwhile"))

    bench.server.faults.append(meanwhile)
    synced(bench, tmp_path)
    workspace.now += 3600
    synced(bench, tmp_path)
    assert {*stored(tmp_path)} == {*ids}
    assert sum("meanwhile" in text for text in stored(tmp_path).values()) == 6
    assert_as_synced_anew(bench, tmp_path)


def test_a_sync_that_fails_on_its_second_page(bench: Bench, tmp_path: Path) -> None:
    ids = [bench.workspace.add(updated=float(START + n)) for n in range(PER_PAGE + 5)]
    bench.server.fail(*[CannedResponse(500, {})] * 4, when=lambda _: len(bench.server.asked) > 1)
    with pytest.raises(RemoteError):
        synced(bench, tmp_path)
    assert len(stored(tmp_path)) == PER_PAGE
    synced(bench, tmp_path)
    assert {*stored(tmp_path)} == {*ids}


def test_two_edits_in_one_second_as_files(bench: Bench, tmp_path: Path) -> None:
    workspace = bench.workspace
    one, two = workspace.add(), workspace.add()
    workspace.edit(one, title="First", updated=START + 5.25)
    synced(bench, tmp_path)
    workspace.edit(two, title="Second", updated=START + 5.75)
    assert synced(bench, tmp_path).updated == 1
    assert "Second" in stored(tmp_path)[two]
