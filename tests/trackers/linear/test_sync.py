"""Syncing a team of Linear to a folder of files, with concurrent changes in Linear."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.trackers.folders import stored, synced
from tests.trackers.linear.harness import PULL, LinearHarness, open_harness


@pytest.fixture
def harness() -> Iterator[LinearHarness]:
    with open_harness() as found:
        yield found


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
