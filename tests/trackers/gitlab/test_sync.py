"""Syncing a project on GitLab to a folder of files, with concurrent changes on GitLab."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.loopback import CannedResponse
from tests.trackers.fetching import START
from tests.trackers.folders import assert_as_synced_anew, stored, synced
from tests.trackers.gitlab.harness import PAGE, GitLabHarness, open_harness


@pytest.fixture
def harness() -> Iterator[GitLabHarness]:
    with open_harness() as found:
        yield found


def test_a_first_sync_and_a_sync_of_changes(harness: GitLabHarness, tmp_path: Path) -> None:
    gitlab = harness.gitlab
    ids = [gitlab.add(f"Issue {n}", updated=float(START + n)) for n in range(PAGE + 30)]
    merge = gitlab.merge(f"Closes #{ids[4]}", closes=[int(ids[5])])
    gitlab.block(ids[0], ids[1])
    gitlab.now += 3600
    assert synced(harness, tmp_path).added == len(ids)
    assert synced(harness, tmp_path).changed == ()
    harness.server.requests.clear()
    assert synced(harness, tmp_path).changed == ()
    assert harness.requested_paths() == ["issues", "merge_requests"], "by then their tags are known"
    gitlab.now += 60
    gitlab.edit(ids[3], title="Edited")
    gitlab.edit_merge(merge, state="merged")
    done = synced(harness, tmp_path)
    assert (done.added, done.updated, done.removed) == (0, 3, 0)
    assert "blocks: [2]" in stored(tmp_path)[ids[0]]
    assert all("status: merged" not in stored(tmp_path)[ids[n]] for n in (4, 5)), "both are open"
    assert all("**Status**: merged" in stored(tmp_path)[ids[n]] for n in (4, 5))
    gitlab.now += 60
    gitlab.delete(ids[6])
    gitlab.move(ids[7])
    assert synced(harness, tmp_path).removed == 1
    assert synced(harness, tmp_path, full=True).removed == 1
    assert {*stored(tmp_path)} == {*ids} - {ids[6], ids[7]}
    assert_as_synced_anew(harness, tmp_path)


def test_an_edge_survives_a_404_of_one_call(harness: GitLabHarness, tmp_path: Path) -> None:
    gitlab = harness.gitlab
    ids = [gitlab.add() for _ in range(4)]
    gitlab.block(ids[0], ids[1])
    gitlab.block(ids[0], ids[2])
    synced(harness, tmp_path)
    before = stored(tmp_path)
    for fault in (CannedResponse(404, {}), CannedResponse(200, {"message": "error"})):
        harness.server.fail(fault, when=lambda request: request.path.endswith("/1/links"))
        gitlab.now += 60
        synced(harness, tmp_path, full=True)
        assert stored(tmp_path) == before
    gitlab.now += 60
    synced(harness, tmp_path)
    assert_as_synced_anew(harness, tmp_path)
