"""One embed of a repository, told by who has the lock and never by what a file says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sdd_hooks.embedding.lock import Holder, holder, path_of, sign, take
from sdd_hooks.embedding.stop import stop
from sdd_hooks.errors import StorageError
from sdd_hooks.project.repository import Repository
from tests.support.repos import Repo
from tests.support.waiting import until

# Holds the lock with whatever is written into the file, in a session of its own or not.
HOLDER = """
import os, sys
from pathlib import Path
from sdd_hooks.embedding.lock import take
from sdd_hooks.project.repository import discover
lock = take(discover(Path(sys.argv[1]), os.environ))
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
    """A process that leads a session, as many do that are none of sdd's business."""
    return subprocess.Popen(["cat"], stdin=subprocess.PIPE, start_new_session=True)


def test_one_takes_it_and_says_who_it_is(repository: Repository) -> None:
    assert holder(repository) is None
    lock = take(repository)
    assert lock is not None
    me = Holder(os.getpid(), str(repository.root), background=False)
    assert holder(repository) == Holder(0, "", background=False)
    sign(lock, me)
    assert holder(repository) == me
    assert take(repository) is None
    os.close(lock)
    assert holder(repository) is None
    # Asking is not taking.
    again = take(repository)
    assert again is not None
    os.close(again)


def test_nobody_is_signalled_for_what_an_old_file_says(repository: Repository) -> None:
    with bystander() as other:
        path = path_of(repository)
        path.parent.mkdir()
        path.write_text(json.dumps({"pid": other.pid, "root": "/", "background": True}))
        assert holder(repository) is None
        assert stop(repository) is None
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
def test_a_holder_that_does_not_say_who_it_is_is_not_signalled(
    repository: Repository, text: str
) -> None:
    with held_by(repository, text, start_new_session=True) as process:
        assert holder(repository) == Holder(0, "", background=False)
        with pytest.raises(StorageError, match="does not say which process it is"):
            stop(repository, grace=0.1)
        assert process.poll() is None
        process.kill()
    until(lambda: holder(repository) is None)


def test_a_process_that_leads_no_session_is_not_signalled(repository: Repository) -> None:
    """Its group would be that of whoever started it."""
    text = '{"pid": PID, "root": "/", "background": true}'
    with held_by(repository, text) as process:
        with pytest.raises(StorageError, match="does not say which process it is"):
            stop(repository, grace=0.1)
        assert process.poll() is None
        process.kill()


def test_a_process_id_that_cannot_be_is_not_signalled(repository: Repository) -> None:
    text = '{"pid": 99999999999999999999, "root": "/", "background": true}'
    with held_by(repository, text, start_new_session=True) as process:
        with pytest.raises(StorageError, match="does not say which process it is"):
            stop(repository, grace=0.1)
        process.kill()


def test_what_holds_it_is_ended(repository: Repository) -> None:
    text = '{"pid": PID, "root": "/", "background": true}'
    with held_by(repository, text, start_new_session=True) as process:
        assert stop(repository) == Holder(process.pid, "/", background=True)
        assert process.wait(timeout=30) == -signal.SIGTERM


def test_a_place_where_nothing_can_be_locked(repository: Repository, tmp_path: Path) -> None:
    path_of(repository).parent.mkdir()
    path_of(repository).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match=r"^cannot lock .*: check its directory$"):
        take(repository)
    assert holder(repository) is None
    assert not (tmp_path / "elsewhere").exists()
