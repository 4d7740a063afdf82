"""A folder of issues follows its tracker, whatever happens on the way."""

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
from sdd_hooks.system.locks import held
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.protocol import IssuePage
from sdd_hooks.trackers.store import IssueFolder, read_issues
from sdd_hooks.trackers.sync import SyncResult, last_synced, sync
from tests.support.desk import DAY, NOW, Desk, counts, fingerprint
from tests.support.loopback import CannedResponse, Request
from tests.support.tracker import START, Backend, NobodysTracker, tracking


def test_the_first_sync_brings_everything(desk: Desk) -> None:
    done = desk.sync()
    assert counts(done) == (10, 0, 0, 0, 0)
    assert done.changed == tuple(sorted(f".sdd/issues/{n}.md" for n in range(1, 11)))
    assert done.warnings == ()
    assert [one.id for one in read_issues(desk.folder)] == [str(n) for n in range(1, 11)]
    assert last_synced(desk.folder) == NOW
    assert [set(query) - {"after"} for query in desk.queries()] == [{"page"}] * 4


def test_the_next_asks_for_what_changed_and_touches_nothing_else(desk: Desk) -> None:
    desk.sync()
    before = fingerprint(desk.folder.path)
    desk.queries()
    desk.backend.now += 60
    desk.backend.edit("4", title="Changed", labels=("bug",))
    desk.backend.add("11")
    desk.now += 600
    done = desk.sync()
    assert counts(done) == (1, 1, 0, 1, 0)  # the newest is asked for again
    assert done.changed == (".sdd/issues/11.md", ".sdd/issues/4.md")
    after = fingerprint(desk.folder.path)
    assert {name for name in after if after[name] != before.get(name)} == {"4.md", "11.md"}
    assert desk.issue("4").labels == ("bug",)
    (query,) = desk.queries()
    assert query["issues"] == "2026-02-02T02:41:28Z"
    assert last_synced(desk.folder) == NOW + 600
    desk.assert_as_synced_anew()


def test_when_nothing_changed_no_file_is_touched(desk: Desk) -> None:
    desk.sync()
    before = fingerprint(desk.folder.path)
    done = desk.sync()
    assert (done.changed, done.since) == ((), done.state)
    done = desk.sync(full=True)
    assert counts(done) == (0, 0, 0, 10, 0)
    assert done.changed == ()
    assert fingerprint(desk.folder.path) == before


def test_two_edits_in_one_second_are_both_seen(desk: Desk) -> None:
    desk.sync()
    desk.backend.edit("4", title="First")
    desk.sync()
    assert desk.issue("4").title == "First"
    # The clock of the tracker has not moved on.
    desk.backend.edit("4", title="Second")
    desk.backend.edit("5", title="Another")
    assert desk.sync().updated == 2
    desk.assert_as_synced_anew()


def test_more_in_one_second_than_there_is_on_a_page(desk: Desk) -> None:
    for number in range(100, 120):
        desk.backend.add(str(number))
    assert desk.sync().added == 30
    desk.assert_as_synced_anew()


def test_an_issue_that_changes_while_pages_come_is_not_missed(desk: Desk) -> None:
    def meanwhile(page: int) -> None:
        if page == 2:
            desk.backend.now += 1
            desk.backend.edit("1", title="Changed behind our back")
            desk.backend.edit("9", title="Changed ahead of us")
            desk.backend.add("50")

    desk.backend.hook = meanwhile
    desk.sync()
    desk.backend.hook = lambda _page: None
    desk.sync()
    assert desk.issue("1").title == "Changed behind our back"
    desk.assert_as_synced_anew()


def test_one_that_changes_behind_the_pages_is_fetched_the_next_time(desk: Desk) -> None:
    """A listing, newest first, never comes back to its first page."""
    desk.sync()

    class NewestFirst(NobodysTracker):
        def fetch(self, since: Any, notes: Any) -> Iterator[IssuePage]:
            at = desk.backend.now
            yield IssuePage((replace(desk.backend.issues["10"]),), at)
            desk.backend.now += 5
            desk.backend.edit("2", title="Missed", updated=f"{format_utc(at - 1)}")
            desk.backend.edit("3", title="Seen late")
            yield IssuePage((desk.backend.issues["3"],), at + 5)

    tracker = NewestFirst(desk.server.url)
    sync(tracker, desk.folder, clock=lambda: NOW)
    tracker.disconnect()
    desk.sync()
    assert desk.issue("2").title == "Missed"


@pytest.mark.parametrize("size", [1, 3, 100])
def test_failure_on_a_later_page_keeps_the_cursor_and_whole_files(desk: Desk, size: int) -> None:
    desk.sync()
    before = desk.cursor()
    desk.backend.size = size
    desk.backend.now += 60
    for number in range(1, 6):
        desk.backend.edit(str(number), title=f"Changed {number}")
    last = "1" if size == 100 else "2"
    desk.server.fail(*[CannedResponse(500)] * 4, when=lambda asked: asked.query.get("page") == last)
    with pytest.raises(RemoteError, match="500"):
        desk.sync()
    assert desk.cursor() == before
    assert len(list(read_issues(desk.folder))) == 10
    assert last_synced(desk.folder) == NOW
    done = desk.sync()
    assert done.updated + done.unchanged >= 5
    # Where nothing was written before the failure, the state of the files is known.
    assert bool(done.since) == (size != 3)
    desk.assert_as_synced_anew()


def test_a_body_that_is_cut_off_is_asked_for_again(desk: Desk) -> None:
    whole = desk.backend.answer

    def cut(request: Request) -> CannedResponse | None:
        if request.query.get("page") == "2" and len(cuts) < 2:
            cuts.append(request)
            return replace(whole(request), cut=40)
        return None

    cuts: list[Request] = []
    desk.server.faults.append(cut)
    assert desk.sync().added == 10
    desk.assert_as_synced_anew()


def test_an_empty_tracker_is_a_sync_as_well(tmp_path: Path) -> None:
    backend = Backend()
    with tracking(backend) as server:
        desk = Desk(IssueFolder(tmp_path, ".sdd/issues"), backend, server)
        assert counts(desk.sync()) == (0, 0, 0, 0, 0)
        assert last_synced(desk.folder) == NOW
        backend.add("1")
        assert desk.sync().added == 1


def test_how_many_come_is_told_once_and_progress_as_they_do(desk: Desk) -> None:
    begun: list[int | None] = []
    shown: list[tuple[str, int, int]] = []
    desk.sync(begun=begun.append, progress=lambda *step: shown.append(step))
    assert begun == [10]
    what = "Syncing issues from Nobody's"
    assert shown == [(what, 3, 10), (what, 6, 10), (what, 9, 10), (what, 10, 10)]


def test_what_the_tracker_notes_comes_back_to_it_unless_everything_is_asked(desk: Desk) -> None:
    seen: list[dict[str, str]] = []

    class Noting(NobodysTracker):
        def fetch(self, since: Any, notes: Any) -> Iterator[IssuePage]:
            seen.append(dict(notes))
            return super().fetch(since, notes)

    for full in (False, False, True):
        tracker = Noting(desk.server.url)
        sync(tracker, desk.folder, full=full, clock=lambda: NOW)
        tracker.disconnect()
    assert seen == [{}, {"pages": "4"}, {}]


@pytest.mark.parametrize("jump", [-10 * 365 * DAY, -3600.0, 3600.0, 10 * 365 * DAY])
def test_ours_never_decides_what_is_fetched(desk: Desk, jump: float) -> None:
    desk.sync()
    desk.now += jump
    desk.backend.now += 5
    desk.backend.edit("3", title="Changed")
    desk.sync()
    desk.now -= jump
    desk.backend.now += 5
    desk.backend.edit("4", title="Changed, too")
    desk.sync()
    desk.assert_as_synced_anew()


@pytest.mark.parametrize("jump", [-60.0, -3600.0, -DAY * 400])
def test_when_the_trackers_goes_back_everything_is_fetched(desk: Desk, jump: float) -> None:
    desk.sync()
    desk.backend.now += jump
    desk.backend.edit("3", title="Changed before it was made")
    desk.backend.delete("5")
    done = desk.sync()
    assert done.removed == 1
    assert desk.issue("3").title == "Changed before it was made"
    desk.backend.now += 1
    desk.backend.edit("4", title="And later")
    desk.sync()
    desk.assert_as_synced_anew()


def test_a_date_in_the_future_does_not_move_the_cursor_there(desk: Desk) -> None:
    desk.backend.edit("3", updated="9999-12-31T23:59:59Z")
    desk.sync()
    desk.backend.now += 30
    desk.backend.edit("4", title="Changed")
    desk.sync()
    desk.assert_as_synced_anew()


@pytest.mark.parametrize("updated", ["", "yesterday", "9999-99-99T99:99:99Z", "zzz"])
def test_a_date_that_is_none_does_not_either(desk: Desk, updated: str) -> None:
    desk.backend.edit("3", updated=updated)
    desk.sync()
    desk.backend.now += 30
    desk.backend.edit("4", title="Changed")
    desk.sync()
    assert desk.issue("4").title == "Changed"


def test_the_second_leaves_it_to_the_first(desk: Desk) -> None:
    inside, go = threading.Event(), threading.Event()

    def hold(page: int) -> None:
        if page == 2:
            inside.set()
            go.wait(30)

    desk.backend.hook = hold
    first = threading.Thread(target=desk.sync)
    first.start()
    assert inside.wait(30)
    done = desk.sync()
    assert done == SyncResult(ran=False)
    go.set()
    first.join()
    desk.assert_as_synced_anew()


def test_or_waits_for_it(desk: Desk) -> None:
    desk.folder.path.mkdir(parents=True)
    with held(desk.folder.path / ".lock", 0):
        waiting = threading.Thread(target=desk.sync, kwargs={"wait": 60.0})
        waiting.start()
    waiting.join()
    assert len(desk.files()) == 10


def test_memory_does_not_grow_with_the_backlog(tmp_path: Path) -> None:
    """Pages wait for each other; nothing but names is kept."""

    class Endless(NobodysTracker):
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
