"""Syncing a team of Linear to a folder of files, with concurrent changes in Linear."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.trackers.linear.tracker import PER_PAGE
from tests.trackers.fetching import START
from tests.trackers.folders import assert_as_synced_anew, stored, synced
from tests.trackers.linear.harness import PULL, LinearHarness, open_harness


@pytest.fixture
def harness() -> Iterator[LinearHarness]:
    with open_harness() as found:
        yield found


def test_a_first_sync_and_a_sync_of_changes(harness: LinearHarness, tmp_path: Path) -> None:
    workspace = harness.workspace
    workspace.team("OPS")
    ids = [workspace.add(f"Issue {n}", updated=float(START + n)) for n in range(PER_PAGE + 30)]
    url = "https://github.com/acme/shop/pull/12"
    workspace.attach(ids[4], url, "github", PULL)
    workspace.block(ids[0], ids[1])
    workspace.now += 3600
    assert synced(harness, tmp_path).added == len(ids)
    harness.server.requests.clear()
    assert synced(harness, tmp_path).changed == ()
    assert len(harness.server.requests) == 1
    workspace.now += 60
    workspace.edit(ids[3], title="Edited")
    workspace.attach(ids[4], url, "github", {**PULL, "status": "merged"})
    done = synced(harness, tmp_path)
    assert (done.added, done.updated, done.removed) == (0, 2, 0)
    assert f'blocks: ["{ids[1]}"]' in stored(tmp_path)[ids[0]]
    assert "**Status**: merged" in stored(tmp_path)[ids[4]]
    workspace.now += 60
    workspace.delete(ids[5])
    workspace.trash(ids[6])
    assert synced(harness, tmp_path).removed == 1
    workspace.transfer(ids[7], "OPS")
    assert synced(harness, tmp_path, full=True).removed == 2
    assert {*stored(tmp_path)} == {*ids} - {ids[5], ids[6], ids[7]}
    assert_as_synced_anew(harness, tmp_path)


def test_a_changed_pull_request_takes_one_request(harness: LinearHarness, tmp_path: Path) -> None:
    workspace = harness.workspace
    id, _ = workspace.add(), workspace.add()
    workspace.now += 3600
    workspace.add()
    synced(harness, tmp_path)
    harness.server.requests.clear()
    workspace.now += 3600
    workspace.attach(id, "https://github.com/acme/shop/pull/12", "github", PULL)
    assert synced(harness, tmp_path).updated == 1
    assert synced(harness, tmp_path).changed == ()
    assert len(harness.server.requests) == 2
    assert "**PR**: #12" in stored(tmp_path)[id]


def test_an_issue_moved_back_to_its_team_leaves_no_file_of_its_other_identifier(
    harness: LinearHarness, tmp_path: Path
) -> None:
    workspace = harness.workspace
    workspace.team("OPS")
    id = workspace.add()
    synced(harness, tmp_path)
    workspace.now += 60
    again = workspace.transfer(workspace.transfer(id, "OPS"), "ENG")
    synced(harness, tmp_path)
    assert list(stored(tmp_path)) == [again]
