"""kill -9 at any moment of a sync: files are complete, and the next sync fetches the rest."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sdd_hooks.trackers.issue_file import parse
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync_state import parse_sync_state
from tests.support.sync_harness import SyncHarness
from tests.support.tracker import TrackerBackend, happen, tracking

ISSUES = 500
KILLS = 20
END = "\nThe end."

# Imports once; each line on stdin starts a sync in a forked process.
SYNCER = """
import os, sys
from pathlib import Path
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.sync import sync
from tests.support.tracker import FakeTracker

url, root = sys.argv[1:]
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        tracker = FakeTracker(url)
        folder = IssueFolder(Path(root), ".sdd/issues")
        full = line == "full\\n"
        # Another process may still end the work of the one that was killed.
        done = sync(tracker, folder, full=full, clock=lambda: 1.8e9, wait=60, environ=os.environ)
        assert done.ran
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Syncer:
    """A process that runs syncs in child processes, which can be killed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def sync(self, *, full: bool, seconds: float | None = None) -> bool:
        """Sync, and kill the process after `seconds`. Returns whether the sync completed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("full\n" if full else "changes\n")
        self._process.stdin.flush()
        child = int(self._process.stdout.readline())
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            os.kill(child, signal.SIGKILL)
        status = int(self._process.stdout.readline())
        assert status in {0, -signal.SIGKILL}
        return status == 0


@contextmanager
def syncing(url: str, root: Path) -> Iterator[Syncer]:
    process = subprocess.Popen(
        [sys.executable, "-c", SYNCER, url, str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    with process:
        yield Syncer(process)
        assert process.stdin is not None
        process.stdin.close()
    assert process.returncode == 0


def test_a_sync_that_is_killed_twenty_times_ends_as_a_clean_one(tmp_path: Path) -> None:
    chance = random.Random(2026)
    backend = TrackerBackend(size=100)
    for number in range(ISSUES):
        backend.now += chance.choice([0, 1, 30])
        backend.add(str(number), body="Text.\n" * chance.randrange(200) + END)
    with tracking(backend) as server:
        harness = SyncHarness(IssueFolder(tmp_path, ".sdd/issues"), backend, server)
        clean = IssueFolder(tmp_path, "clean")
        began = time.monotonic()
        harness.sync(clean)
        whole = time.monotonic() - began
        killed, half = 0, False
        with syncing(server.url, tmp_path) as syncer:
            while killed < KILLS:
                for _ in range(20):
                    happen(backend, chance, END)
                # The first half has no cursor yet, the other half compares all issues.
                full = killed >= KILLS / 2
                if killed == KILLS / 2 and not half:
                    half = True
                    # Only a comparison finds deleted issues, if a sync was completed before.
                    assert syncer.sync(full=True)
                    harness.assert_as_synced_anew()
                seconds = chance.uniform(0, whole)
                if syncer.sync(full=full, seconds=seconds):
                    whole *= 0.9
                else:
                    killed += 1
                assert_whole(harness.folder.path)
            assert syncer.sync(full=True)
        harness.assert_as_synced_anew()
        assert not list(harness.folder.path.glob(".sdd-half*"))
        assert harness.sync().changed == ()


def assert_whole(folder: Path) -> None:
    """Assert that every file is complete."""
    for path in folder.iterdir() if folder.exists() else ():
        if path.name == "_meta.json":
            assert parse_sync_state(path.read_bytes()) is not None
        elif path.suffix == ".md":
            found = parse(path.read_bytes())
            assert found is not None, path
            assert found.body.endswith(END), path
