"""Which process embeds is decided by the lock, not by the text in its file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sdd_hooks.embedding.lock import (
    LockHolder,
    acquire_lock,
    find_holder,
    lock_path,
    stop_embed,
    write_holder,
)
from sdd_hooks.errors import StorageError
from sdd_hooks.project.repository import Repository
from tests.support.repos import Repo
from tests.support.waiting import TIMEOUT, until

# Holds the lock, and writes the given text into its file.
HOLDER = """
import os, sys
from pathlib import Path
from sdd_hooks.embedding.lock import acquire_lock
from sdd_hooks.project.repository import discover
lock = acquire_lock(discover(Path(sys.argv[1]), os.environ))
os.pwrite(lock, sys.argv[2].replace("PID", str(os.getpid())).encode(), 0)
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def repository(repo: Repo) -> Repository:
    return repo.repository


def held_by(repository: Repository, text: str, **options: bool) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(repository.root), text],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def bystander() -> subprocess.Popen[bytes]:
    """A process that leads a session and has nothing to do with sdd."""
    return subprocess.Popen(["cat"], stdin=subprocess.PIPE, start_new_session=True)


def test_one_process_acquires_the_lock_and_writes_its_holder(repository: Repository) -> None:
    assert find_holder(repository) is None
    lock = acquire_lock(repository)
    assert lock is not None
    own = LockHolder(os.getpid(), str(repository.root), background=False)
    assert find_holder(repository) == LockHolder(0, "", background=False)
    write_holder(lock, own)
    assert find_holder(repository) == own
    assert acquire_lock(repository) is None
    os.close(lock)
    assert find_holder(repository) is None
    # Reading the holder does not keep the lock.
    second = acquire_lock(repository)
    assert second is not None
    os.close(second)


def test_a_holder_without_the_lock_is_not_signalled(repository: Repository) -> None:
    """Scenario "A stale lock file" of SPEC-0003."""
    with bystander() as other:
        path = lock_path(repository)
        path.parent.mkdir()
        path.write_text(json.dumps({"pid": other.pid, "root": "/", "background": True}))
        assert find_holder(repository) is None
        assert stop_embed(repository) is None
        assert other.poll() is None
        other.kill()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[" * 5000,
        '{"pid": 1, "root": "/", "background": true}',
        '{"pid": -1, "root": "/", "background": true}',
        '{"pid": true, "root": "/", "background": true}',
        '{"pid": "PID", "root": "/", "background": true}',
        '{"pid": 99999999999999999999, "root": 1, "background": true}',
    ],
)
def test_a_holder_that_cannot_be_parsed_is_not_signalled(repository: Repository, text: str) -> None:
    with held_by(repository, text, start_new_session=True) as process:
        assert find_holder(repository) == LockHolder(0, "", background=False)
        with pytest.raises(StorageError, match="does not name its process"):
            stop_embed(repository, grace=0.1)
        assert process.poll() is None
        process.kill()
    until(lambda: find_holder(repository) is None)


def test_a_process_that_leads_no_session_is_not_signalled(repository: Repository) -> None:
    """Its process group would be the one of its parent."""
    text = '{"pid": PID, "root": "/", "background": true}'
    with held_by(repository, text) as process:
        with pytest.raises(StorageError, match="does not name its process"):
            stop_embed(repository, grace=0.1)
        assert process.poll() is None
        process.kill()


def test_an_impossible_process_id_is_not_signalled(repository: Repository) -> None:
    text = '{"pid": 99999999999999999999, "root": "/", "background": true}'
    with held_by(repository, text, start_new_session=True) as process:
        with pytest.raises(StorageError, match="does not name its process"):
            stop_embed(repository, grace=0.1)
        process.kill()


def test_the_holder_of_the_lock_is_ended(repository: Repository) -> None:
    text = '{"pid": PID, "root": "/", "background": true}'
    with held_by(repository, text, start_new_session=True) as process:
        assert stop_embed(repository, grace=TIMEOUT) == LockHolder(
            process.pid, "/", background=True
        )
        assert process.wait(timeout=TIMEOUT) == -signal.SIGTERM


def test_a_lock_file_that_is_a_link_is_refused(repository: Repository, tmp_path: Path) -> None:
    lock_path(repository).parent.mkdir()
    lock_path(repository).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match=r"embedding is a symbolic link: remove it$"):
        acquire_lock(repository)
    assert find_holder(repository) is None
    assert not (tmp_path / "elsewhere").exists()
