"""Files that a second process writes are those that this process would write."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.errors import RemoteError
from sdd_hooks.system.detached import usable_cores
from sdd_hooks.system.locks import hold_lock, hold_open_lock
from sdd_hooks.system.open_directory import open_directory
from sdd_hooks.trackers.files import FileMark, digest_of
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.stored_issues import read_issue
from sdd_hooks.trackers.sync import SyncResult
from sdd_hooks.trackers.writing_process import HEAD_START, PARTIAL, WritingProcess
from tests.support.children import child_processes
from tests.support.loopback import CannedResponse
from tests.support.sync_harness import SyncHarness
from tests.support.tracker import TrackerBackend, tracking
from tests.support.waiting import until

ISSUES = 600

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the process is found in /proc"),
    pytest.mark.skipif(usable_cores() < 2, reason="needs two cores"),
]


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[SyncHarness]:
    """Many issues, fifty on a page, and a folder that does not exist."""
    backend = TrackerBackend(size=50)
    for number in range(1, ISSUES + 1):
        backend.add(str(number), body=f"Text of {number}.\n" * (number % 90))
        backend.now += 10
    with tracking(backend) as server:
        yield SyncHarness(IssueFolder(tmp_path, ".sdd/issues"), backend, server)


def children() -> list[int]:
    return child_processes("writing_process")


def at_page(harness: SyncHarness, number: int, happen: Callable[[], object]) -> None:
    """Call `happen` before the tracker responds with that page."""

    def hook(page: int) -> None:
        if page == number:
            happen()

    harness.backend.hook = hook


def sync_beside(harness: SyncHarness, **options: Any) -> SyncResult:
    try:
        return harness.sync(environ=os.environ, **options)
    finally:
        harness.backend.hook = lambda _page: None
        assert children() == []
        assert not (harness.folder.path / PARTIAL).exists()


def assert_complete(harness: SyncHarness) -> None:
    """The files are those of a sync without a second process, and each has its mark."""
    harness.assert_as_synced_anew()
    marks = {name: FileMark(*mark) for name, mark in harness.meta()["files"].items()}
    for name, data in harness.files().items():
        modified = (harness.folder.path / name).stat().st_mtime_ns
        assert marks.pop(name) == (len(data), modified, digest_of(data))
    assert marks == {}
    assert harness.sync().changed == ()


def test_a_second_process_writes_the_files_of_a_long_sync(harness: SyncHarness) -> None:
    found: list[int] = []
    at_page(harness, 6, lambda: found.extend(children()))
    assert sync_beside(harness).added == ISSUES
    assert len(found) == 1
    assert_complete(harness)


def test_a_short_sync_starts_no_process(harness: SyncHarness) -> None:
    for number in range(HEAD_START + 1, ISSUES + 1):
        harness.backend.delete(str(number))
    found: list[int] = []
    harness.backend.hook = lambda _page: found.extend(children())
    assert sync_beside(harness).added == HEAD_START
    assert found == []


def test_a_killed_process_is_replaced_by_this_one(harness: SyncHarness) -> None:
    at_page(harness, 6, lambda: os.kill(children()[0], signal.SIGKILL))
    assert sync_beside(harness).added == ISSUES
    assert_complete(harness)


def test_a_process_that_cannot_run_is_replaced_by_this_one(harness: SyncHarness) -> None:
    broken = {**os.environ, "PYTHONHOME": "/nonexistent"}
    assert harness.sync(environ=broken).added == ISSUES
    assert children() == []
    assert_complete(harness)


def test_what_changes_while_it_is_listed(harness: SyncHarness) -> None:
    backend = harness.backend

    def change() -> None:
        backend.now += 10
        backend.edit("170", title="Changed before it is listed again")
        backend.rename("180", "PROJ-180")
        backend.pull("9001", "171", "172", "599")

    backend.pull("9000", "5", "300")
    at_page(harness, 6, change)
    done = sync_beside(harness)
    assert (done.added, done.failed) == (ISSUES, 0)
    assert harness.issue("170").title == "Changed before it is listed again"
    assert harness.pulls("171") == harness.pulls("599") == ["9001 open"]
    assert read_issue(harness.folder, "180") is None
    assert_complete(harness)


def test_a_failure_of_the_tracker_leaves_what_was_listed(harness: SyncHarness) -> None:
    at_page(harness, 7, lambda: harness.server.fail(CannedResponse(404)))
    with pytest.raises(RemoteError):
        sync_beside(harness)
    found = harness.files()
    assert len(found) > HEAD_START
    assert harness.meta()["files"].keys() == found.keys()
    assert sync_beside(harness).added == ISSUES - len(found)
    assert_complete(harness)


def test_an_interrupt_leaves_whole_files_and_no_process(harness: SyncHarness) -> None:
    def interrupt(_step: str, done: int, _total: int) -> None:
        if done >= 300:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sync_beside(harness, on_progress=interrupt)
    assert harness.meta()["files"].keys() == harness.files().keys()
    assert len(harness.files()) == 300
    sync_beside(harness)
    assert_complete(harness)


@contextmanager
def begun(top: Path, lock: int) -> Iterator[WritingProcess]:
    """A process that writes to the folder `files`, after the files that this process writes."""
    (top / "files").mkdir()
    with closing(open_directory(top / "files")) as directory:

        def write(name: str, data: bytes) -> FileMark:
            return FileMark(len(data), directory.write_whole(name, data, "half"), digest_of(data))

        process = WritingProcess(directory, write, lock, os.environ)
        for number in range(HEAD_START):
            assert process.write(f"first-{number}", b"here") is not None
        yield process
        process.end()
        assert children() == []


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[WritingProcess]:
    with hold_open_lock(tmp_path / "lock", 0) as lock:
        assert lock is not None
        with begun(tmp_path, lock) as process:
            yield process


@contextmanager
def stopped() -> Iterator[int]:
    """The second process does not run in this block."""
    (child,) = children()
    os.kill(child, signal.SIGSTOP)
    try:
        yield child
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGCONT)


def test_content_can_be_read_until_it_is_written(writing: WritingProcess, tmp_path: Path) -> None:
    assert writing.write("a", b"one") is None
    assert writing.write("a", b"two") is None
    assert writing.write("b", b"") is None
    assert (writing.queued("a"), writing.queued("b"), writing.queued("c")) == (b"two", b"", None)
    writing.finish()
    assert writing.queued("a") is None
    assert (tmp_path / "files/a").read_bytes() == b"two"
    assert (tmp_path / "files/b").read_bytes() == b""
    marks = writing.take_marks()
    assert [(name, mark.digest) for name, mark in marks.items()] == [
        ("a", digest_of(b"two")),
        ("b", digest_of(b"")),
    ]
    assert writing.take_marks() == {}


def test_the_lock_is_held_until_the_second_process_ends(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with ExitStack() as stack:
        with hold_open_lock(path, 0) as lock:
            assert lock is not None
            writing = stack.enter_context(begun(tmp_path, lock))
            writing.write("a", b"one")
            stack.enter_context(stopped())
        # As if the first process had ended.
        with hold_lock(path, 0) as is_held:
            assert not is_held
    with hold_lock(path, 0) as is_held:
        assert is_held


def test_an_interrupted_exchange_is_not_continued(writing: WritingProcess, tmp_path: Path) -> None:
    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    data = os.urandom(300_000)
    writing.write("a", b"one")
    usual = signal.signal(signal.SIGALRM, interrupt)
    try:
        # The pipe is full while the second process is stopped.
        with stopped(), pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            writing.write("b", data)
    finally:
        signal.signal(signal.SIGALRM, usual)
    assert children() == []
    assert writing.queued("b") == data
    writing.finish()
    assert (tmp_path / "files/a").read_bytes() == b"one"
    assert (tmp_path / "files/b").read_bytes() == data
    assert set(writing.take_marks()) == {"a", "b"}
    # This process goes on alone.
    assert writing.write("c", b"three") is not None


def test_many_small_and_large_files_keep_their_order(
    writing: WritingProcess, tmp_path: Path
) -> None:
    for number in range(2000):
        writing.write(f"{number % 700}", b"%d " % number * (number % 5000))
    writing.finish()
    for number in range(1300, 2000):
        written = (tmp_path / f"files/{number % 700}").read_bytes()
        assert written == b"%d " % number * (number % 5000)


def test_a_process_that_ends_between_two_frames(writing: WritingProcess, tmp_path: Path) -> None:
    writing.write("a", b"one")
    writing.finish()
    (child,) = children()
    os.kill(child, signal.SIGKILL)
    until(lambda: Path(f"/proc/{child}/stat").read_text().rpartition(") ")[2][0] == "Z")
    for number in range(1000):
        writing.write(f"n{number}", b"x" * number)
    writing.finish()
    assert len(list((tmp_path / "files").iterdir())) == HEAD_START + 1 + 1000
    assert len(writing.take_marks()) > 1
