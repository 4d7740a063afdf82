"""The files of a folder are those of its tracker, also after failures and with wrong clocks."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.json_fields import format_utc
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.protocol import IssuePage
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.stored_issues import read_issues
from sdd_hooks.trackers.sync import SyncResult, last_synced, sync
from tests.support.loopback import CannedResponse
from tests.support.sync_harness import DAY, NOW, SyncHarness, counts, fingerprint
from tests.support.tracker import START, FakeTracker, TrackerBackend, tracking
from tests.support.waiting import TIMEOUT


def test_the_first_sync_fetches_every_issue(harness: SyncHarness) -> None:
    done = harness.sync()
    assert counts(done) == (10, 0, 0, 0, 0)
    assert done.changed == tuple(sorted(f".sdd/issues/{n}.md" for n in range(1, 11)))
    assert done.warnings == ()
    assert [one.id for one in read_issues(harness.folder)] == [str(n) for n in range(1, 11)]
    assert last_synced(harness.folder) == NOW
    assert [set(query) - {"after"} for query in harness.queries()] == [{"page"}] * 4


def test_the_next_sync_fetches_and_writes_changes_alone(harness: SyncHarness) -> None:
    harness.sync()
    before = fingerprint(harness.folder.path)
    harness.queries()
    harness.backend.now += 60
    harness.backend.edit("4", title="Changed", labels=("bug",))
    harness.backend.add("11")
    harness.now += 600
    done = harness.sync()
    assert counts(done) == (1, 1, 0, 1, 0)  # the newest is requested again
    assert done.changed == (".sdd/issues/11.md", ".sdd/issues/4.md")
    after = fingerprint(harness.folder.path)
    assert {name for name in after if after[name] != before.get(name)} == {"4.md", "11.md"}
    assert harness.issue("4").labels == ("bug",)
    (query,) = harness.queries()
    assert query["issues"] == "2026-02-02T02:41:28Z"
    assert last_synced(harness.folder) == NOW + 600
    harness.assert_as_synced_anew()


def test_a_sync_without_changes_writes_no_file(harness: SyncHarness) -> None:
    harness.sync()
    before = fingerprint(harness.folder.path)
    done = harness.sync()
    assert (done.changed, done.since) == ((), done.revision)
    done = harness.sync(full=True)
    assert counts(done) == (0, 0, 0, 10, 0)
    assert done.changed == ()
    assert fingerprint(harness.folder.path) == before


def test_an_issue_that_changes_behind_the_pages_is_fetched_by_the_next_sync(
    harness: SyncHarness,
) -> None:
    """A listing in descending order does not return to its first page."""
    harness.sync()

    class NewestFirst(FakeTracker):
        def fetch(self, since: Any, notes: Any) -> Iterator[IssuePage]:
            at = harness.backend.now
            yield IssuePage((replace(harness.backend.issues["10"]),), at)
            harness.backend.now += 5
            harness.backend.edit("2", title="Missed", updated=f"{format_utc(at - 1)}")
            harness.backend.edit("3", title="Seen late")
            yield IssuePage((harness.backend.issues["3"],), at + 5)

    tracker = NewestFirst(harness.server.url)
    sync(tracker, harness.folder, clock=lambda: NOW)
    tracker.disconnect()
    harness.sync()
    assert harness.issue("2").title == "Missed"


@pytest.mark.parametrize("size", [1, 3, 100])
def test_failure_on_a_later_page_keeps_the_cursor_and_whole_files(
    harness: SyncHarness, size: int
) -> None:
    harness.sync()
    before = harness.cursor()
    harness.backend.size = size
    harness.backend.now += 60
    for number in range(1, 6):
        harness.backend.edit(str(number), title=f"Changed {number}")
    last = "1" if size == 100 else "2"
    harness.server.fail(
        *[CannedResponse(500)] * 4, when=lambda request: request.query.get("page") == last
    )
    with pytest.raises(RemoteError, match="500"):
        harness.sync()
    assert harness.cursor() == before
    assert len(list(read_issues(harness.folder))) == 10
    assert last_synced(harness.folder) == NOW
    done = harness.sync()
    assert done.updated + done.unchanged >= 5
    # If nothing was written before the failure, the revision is known.
    assert bool(done.since) == (size != 3)
    harness.assert_as_synced_anew()


def test_an_empty_tracker_is_synced(tmp_path: Path) -> None:
    backend = TrackerBackend()
    with tracking(backend) as server:
        harness = SyncHarness(IssueFolder(tmp_path, ".sdd/issues"), backend, server)
        assert counts(harness.sync()) == (0, 0, 0, 0, 0)
        assert last_synced(harness.folder) == NOW
        backend.add("1")
        assert harness.sync().added == 1


def test_the_callbacks_get_the_total_and_the_progress(harness: SyncHarness) -> None:
    totals: list[int | None] = []
    shown: list[tuple[str, int, int]] = []
    harness.sync(on_start=totals.append, on_progress=lambda *args: shown.append(args))
    assert totals == [10]
    step = "Syncing issues from Fake"
    assert shown == [(step, 3, 10), (step, 6, 10), (step, 9, 10), (step, 10, 10)]


def test_the_notes_of_the_tracker_are_passed_to_its_next_fetch(
    harness: SyncHarness,
) -> None:
    seen: list[dict[str, str]] = []

    class Noting(FakeTracker):
        def fetch(self, since: Any, notes: Any) -> Iterator[IssuePage]:
            seen.append(dict(notes))
            return super().fetch(since, notes)

    for full in (False, False, True):
        tracker = Noting(harness.server.url)
        sync(tracker, harness.folder, full=full, clock=lambda: NOW)
        tracker.disconnect()
    assert seen == [{}, {"pages": "4"}, {}]


@pytest.mark.parametrize("jump", [-10 * 365 * DAY, -3600.0, 3600.0, 10 * 365 * DAY])
def test_the_clock_of_this_machine_does_not_change_the_fetch(
    harness: SyncHarness, jump: float
) -> None:
    harness.sync()
    harness.now += jump
    harness.backend.now += 5
    harness.backend.edit("3", title="Changed")
    harness.sync()
    harness.now -= jump
    harness.backend.now += 5
    harness.backend.edit("4", title="Changed, too")
    harness.sync()
    harness.assert_as_synced_anew()


@pytest.mark.parametrize("jump", [-60.0, -3600.0, -DAY * 400])
def test_a_tracker_clock_that_goes_back_fetches_every_issue(
    harness: SyncHarness, jump: float
) -> None:
    harness.sync()
    harness.backend.now += jump
    harness.backend.edit("3", title="Changed before it was made")
    harness.backend.delete("5")
    done = harness.sync()
    assert done.removed == 1
    assert harness.issue("3").title == "Changed before it was made"
    harness.backend.now += 1
    harness.backend.edit("4", title="And later")
    harness.sync()
    harness.assert_as_synced_anew()


def test_a_date_in_the_future_does_not_move_the_cursor_there(harness: SyncHarness) -> None:
    harness.backend.edit("3", updated="9999-12-31T23:59:59Z")
    harness.sync()
    harness.backend.now += 30
    harness.backend.edit("4", title="Changed")
    harness.sync()
    harness.assert_as_synced_anew()


@pytest.mark.parametrize("updated", ["", "yesterday", "9999-99-99T99:99:99Z", "zzz"])
def test_an_invalid_date_does_not_move_the_cursor(harness: SyncHarness, updated: str) -> None:
    harness.backend.edit("3", updated=updated)
    harness.sync()
    harness.backend.now += 30
    harness.backend.edit("4", title="Changed")
    harness.sync()
    assert harness.issue("4").title == "Changed"


def test_a_sync_during_another_does_nothing(harness: SyncHarness) -> None:
    is_inside, resume = threading.Event(), threading.Event()

    def hold(page: int) -> None:
        if page == 2:
            is_inside.set()
            resume.wait(TIMEOUT)

    harness.backend.hook = hold
    first = threading.Thread(target=harness.sync)
    first.start()
    assert is_inside.wait(TIMEOUT)
    done = harness.sync()
    assert done == SyncResult(ran=False)
    resume.set()
    first.join()
    harness.assert_as_synced_anew()


def test_a_sync_can_wait_for_another(harness: SyncHarness) -> None:
    harness.folder.path.mkdir(parents=True)
    with hold_lock(harness.folder.path / ".lock", 0):
        waiting = threading.Thread(target=harness.sync, kwargs={"wait": 60.0})
        waiting.start()
    waiting.join()
    assert len(harness.files()) == 10


def test_memory_does_not_grow_with_the_number_of_issues(tmp_path: Path) -> None:
    """A page waits for the one before; only names are kept."""

    class Endless(FakeTracker):
        def __init__(self, pages: int) -> None:
            super().__init__("http://127.0.0.1:9")
            self.pages = pages

        def fetch(self, since: Any, notes: Any) -> Iterator[IssuePage]:
            for page in range(self.pages):
                numbers = range(page * 50, page * 50 + 50)
                yield IssuePage(tuple(issue(str(number)) for number in numbers), START)

    def issue(id: str) -> Issue:
        body = f"{id}\n" + "x" * 20_000
        return Issue(id, "t", "open", (), (), "", "", format_utc(START), "", "", "n", body)

    peaks = []
    for pages in (4, 40):
        tracker = Endless(pages)
        tracemalloc.start()
        assert sync(tracker, IssueFolder(tmp_path, str(pages))).added == pages * 50
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        tracker.disconnect()
    assert peaks[1] < peaks[0] + 2_000_000
