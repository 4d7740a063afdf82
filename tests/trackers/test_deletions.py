"""A deletion that a listing reports is confirmed by each issue's own address."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sdd_hooks.trackers.sync import MAX_ASKED
from tests.support.loopback import CannedResponse, Request
from tests.support.sync_harness import DAY, SyncHarness


@pytest.fixture
def crowded(harness: SyncHarness) -> SyncHarness:
    """A hundred issues, synced."""
    for number in range(11, 101):
        harness.backend.add(str(number))
        harness.backend.now += 10
    harness.sync()
    harness.now += DAY
    return harness


def lists_ids(request: Request) -> bool:
    return request.path == "/ids"


def lists(harness: SyncHarness, *ids: str) -> None:
    """Let the next listing have these ids alone."""
    harness.server.fail(CannedResponse(data={"ids": list(ids)}), when=lists_ids)


def asked(harness: SyncHarness) -> int:
    """The number of requests for single issues."""
    return sum(path.startswith("/issues/") for path in harness.server.paths())


def test_an_empty_listing_deletes_nothing(crowded: SyncHarness) -> None:
    lists(crowded)
    done = crowded.sync()
    assert done.removed == 0
    (warning,) = done.warnings
    assert warning == (
        "Fake does not list 99 of the 100 issues here, but still has 1, 10, 12: "
        "nothing was deleted, try again later"
    )
    crowded.assert_as_synced_anew()


def test_a_short_listing_deletes_nothing(crowded: SyncHarness) -> None:
    lists(crowded, *map(str, range(1, 51)))
    done = crowded.sync()
    assert (done.removed, len(done.warnings)) == (0, 1)
    crowded.assert_as_synced_anew()


def test_one_issue_that_is_still_there_refutes_a_mass_deletion(crowded: SyncHarness) -> None:
    for number in range(1, 50):
        crowded.backend.delete(str(number))
    lists(crowded, *map(str, range(51, 101)))
    assert crowded.sync().removed == 0
    assert crowded.sync(full=True).removed == 49
    crowded.assert_as_synced_anew()


def test_archived_issues_stay_and_keep_no_deletion_from_being_seen(crowded: SyncHarness) -> None:
    for number in range(1, 41):
        crowded.backend.issues[str(number)] = replace(
            crowded.backend.issues[str(number)], archived=True
        )
    crowded.backend.delete("50")
    crowded.backend.delete("51")
    done = crowded.sync()
    assert (done.removed, done.warnings) == (2, ())
    assert crowded.sync(full=True).warnings == ()
    files = {path.stem for path in crowded.folder.path.glob("*.md")}
    assert files == {str(number) for number in range(1, 101) if number not in (50, 51)}


def test_of_more_archived_issues_only_those_that_were_asked_for_are_removed(
    crowded: SyncHarness,
) -> None:
    for number in range(1, 81):
        crowded.backend.issues[str(number)] = replace(
            crowded.backend.issues[str(number)], archived=True
        )
    for number in range(81, 91):
        crowded.backend.delete(str(number))
    crowded.server.requests.clear()
    removed = 0
    while done := crowded.sync(full=True).removed:
        removed += done
    assert asked(crowded) <= 4 * MAX_ASKED
    assert removed >= 5
    assert len(list(crowded.folder.path.glob("*.md"))) == 100 - removed


def test_an_empty_listing_of_a_complete_fetch_deletes_nothing(crowded: SyncHarness) -> None:
    empty = {"at": crowded.backend.now, "issues": [], "pulls": [], "gone": [], "total": 0}
    crowded.server.fail(
        CannedResponse(data={**empty, "after": None}), when=lambda request: request.path == "/all"
    )
    done = crowded.sync(full=True)
    assert (done.removed, len(done.warnings)) == (0, 1)
    assert crowded.sync().warnings == ()
    crowded.assert_as_synced_anew()


def test_a_mass_deletion_that_the_tracker_confirms(crowded: SyncHarness) -> None:
    for number in range(1, 91):
        crowded.backend.delete(str(number))
    crowded.server.requests.clear()
    done = crowded.sync()
    assert (done.removed, done.warnings) == (90, ())
    assert asked(crowded) == MAX_ASKED
    crowded.assert_as_synced_anew()


def test_a_few_issues_that_a_listing_lacks_stay_and_the_deleted_go(crowded: SyncHarness) -> None:
    crowded.backend.delete("7")
    lists(crowded, *(str(number) for number in range(1, 101) if number not in {7, 8}))
    done = crowded.sync()
    assert done.changed == (".sdd/issues/7.md",)
    assert done.warnings == ("Fake does not list 8, but still has it: kept",)
    crowded.assert_as_synced_anew()


def test_a_tracker_that_does_not_answer_deletes_nothing(crowded: SyncHarness) -> None:
    crowded.backend.delete("7")
    crowded.server.fail(
        *[CannedResponse(401, {"message": "no"})] * 2,
        when=lambda request: request.path.startswith("/issues/"),
    )
    done = crowded.sync()
    assert done.removed == 0
    (warning,) = done.warnings
    assert warning.startswith("Fake does not list 1 of the 100 issues here: kept, because Fake")


def test_the_listing_is_compared_again_an_hour_after_a_contradiction(crowded: SyncHarness) -> None:
    lists(crowded)
    crowded.sync()
    crowded.backend.delete("7")
    assert crowded.sync().removed == 0
    crowded.now += 3600
    assert crowded.sync().changed == (".sdd/issues/7.md",)


def test_another_project_is_not_asked_for_the_issues_of_the_first(crowded: SyncHarness) -> None:
    crowded.backend.issues.clear()
    crowded.backend.add("3", "Another project's")
    crowded.server.requests.clear()
    assert crowded.sync(place="tracker.example/acme/other").removed == 99
    assert asked(crowded) == 0
