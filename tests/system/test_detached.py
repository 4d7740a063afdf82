"""Background processes, and their logs in a directory that every user can write."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path

import pytest

from sdd_hooks.errors import StorageError
from sdd_hooks.system.detached import ForeignLog, claim_log, open_log, start_detached
from tests.support.users import foreign_file
from tests.support.waiting import until


def test_a_private_log_is_readable_by_its_owner_and_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("old\n")
    path.chmod(0o644)
    log = open_log(path, private=True)
    os.write(log, b"new\n")
    assert path.read_text() == "old\nnew\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not os.get_inheritable(log)
    assert claim_log(log)
    assert path.read_text() == ""
    other = open_log(path, private=True)
    os.write(log, b"kept\n")
    assert not claim_log(other)
    assert path.read_text() == "kept\n"
    os.close(log)
    os.close(other)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("keep")
    (tmp_path / "link").symlink_to(tmp_path / "precious")
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    (tmp_path / "second").hardlink_to(tmp_path / "precious")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    expected = {
        "link": "is a symbolic link: remove it",
        "nowhere": "is a symbolic link: remove it",
        "second": "is a hard link: remove it",
        "pipe": "is not a regular file: remove it",
        "folder": "cannot be opened (Is a directory): check its directory",
        "no/log": "cannot be opened (No such file or directory): check its directory",
    }
    for name, message in expected.items():
        with pytest.raises(StorageError) as caught:
            open_log(tmp_path / name, private=True)
        assert str(caught.value) == f"the log {tmp_path / name} {message}"
    assert (tmp_path / "precious").read_text() == "keep"
    assert not (tmp_path / "gone").exists()


def test_a_pipe_with_a_reader_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(StorageError, match="is not a regular file"):
        open_log(tmp_path / "pipe", private=True)
    os.close(reader)


def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    foreign_file(tmp_path / "log", 0o666)
    with pytest.raises(ForeignLog, match="belongs to another user: remove it"):
        open_log(tmp_path / "log", private=True)
    assert (tmp_path / "log").read_text() == "foreign"


def test_a_process_has_its_own_session_and_no_variables_of_git(tmp_path: Path) -> None:
    module = tmp_path / "recorder.py"
    module.write_text(
        "import json, os, sys\n"
        "def main(arguments):\n"
        "    names = [name for name in os.environ if name.startswith('GIT_')]\n"
        "    result = [arguments, os.getcwd(), os.getsid(0) == os.getpid(), sys.path[0], names]\n"
        "    print(json.dumps(result))\n"
    )
    log = open_log(tmp_path / "log", private=True)
    environ = {**os.environ, "PYTHONPATH": str(tmp_path), "GIT_DIR": "/x", "GIT_INDEX_FILE": "x"}
    start_detached("recorder", ["one", "two words"], environ, log=log)
    os.close(log)
    output = until((tmp_path / "log").read_text)
    assert '[["one", "two words"], "/", true, "' in output
    assert "GIT_DIR" not in output
    assert "GIT_INDEX_FILE" not in output


def test_a_process_writes_the_debug_log_of_its_parent(
    tmp_path: Path, debug_log: io.StringIO
) -> None:
    (tmp_path / "traced.py").write_text(
        "from sdd_hooks import tracing\n"
        "def main(arguments):\n"
        "    tracing.log('test', *arguments, outcome='done')\n"
    )
    log = open_log(tmp_path / "log", private=True)
    pid = start_detached("traced", ["x"], {"PYTHONPATH": str(tmp_path)}, log=log)
    os.close(log)
    assert f" background traced: started as process {pid}\n" in debug_log.getvalue()
    assert until((tmp_path / "log").read_text).endswith(f" sdd[{pid}] test x: done\n")
