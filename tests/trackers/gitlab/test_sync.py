"""Syncing a project on GitLab to a folder of files, with concurrent changes on GitLab."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.loopback import CannedResponse
from tests.trackers.folders import assert_as_synced_anew, stored, synced
from tests.trackers.gitlab.harness import GitLabHarness, open_harness


@pytest.fixture
def harness() -> Iterator[GitLabHarness]:
    with open_harness() as found:
        yield found


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
