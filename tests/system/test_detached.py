"""Logs in a directory that everybody writes to, and which of them are none of ours."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from sdd_hooks.embedding.background import open_embed_log
from sdd_hooks.errors import StorageError
from sdd_hooks.system.detached import LogOfAnother, claim, open_log, start
from tests.support.repos import Repo
from tests.support.waiting import until

NOBODY = 65534


def stranger(path: Path, mode: int) -> None:
    """A file that belongs to somebody else."""
    if os.geteuid():
        pytest.skip("only root can give files away")
    path.write_text("theirs")
    os.chown(path, NOBODY, NOBODY)
    path.chmod(mode)


def test_a_log_is_for_its_owner_alone_and_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("old\n")
    path.chmod(0o644)
    log = open_log(path, private=True)
    os.write(log, b"new\n")
    assert path.read_text() == "old\nnew\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not os.get_inheritable(log)
    assert claim(log)
    assert path.read_text() == ""
    other = open_log(path, private=True)
    os.write(log, b"kept\n")
    assert not claim(other)
    assert path.read_text() == "kept\n"
    os.close(log)
    os.close(other)


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
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


def test_a_file_of_somebody_else_is_refused(tmp_path: Path) -> None:
    stranger(tmp_path / "log", 0o666)
    with pytest.raises(LogOfAnother, match="belongs to another user: remove it"):
        open_log(tmp_path / "log", private=True)
    assert (tmp_path / "log").read_text() == "theirs"


def test_two_repositories_of_one_name_have_a_log_each(tmp_path: Path) -> None:
    one = Repo.init(tmp_path / "a" / "Shop.js").repository
    two = Repo.init(tmp_path / "b" / "Shop.js").repository
    first, path = open_embed_log(one, tmp_path)
    assert path == tmp_path / "qmd-embed-shop-js.log"
    second, other = open_embed_log(two, tmp_path)
    assert other.name.startswith("qmd-embed-shop-js-")
    assert len(other.name) == len("qmd-embed-shop-js-12345678.log")
    with pytest.raises(StorageError, match=f"^the log {other} is being written by another"):
        open_embed_log(two, tmp_path)
    os.close(first)
    os.close(second)
    third, path = open_embed_log(two, tmp_path)
    assert path.name == "qmd-embed-shop-js.log"
    os.close(third)


def test_where_another_user_has_the_name_there_is_another(tmp_path: Path) -> None:
    stranger(tmp_path / "qmd-embed-shop.log", 0o600)
    log, path = open_embed_log(Repo.init(tmp_path / "shop").repository, tmp_path)
    os.close(log)
    assert path.name.startswith("qmd-embed-shop-")
    assert (tmp_path / "qmd-embed-shop.log").read_text() == "theirs"


def test_a_long_name_is_no_obstacle(tmp_path: Path) -> None:
    log, path = open_embed_log(Repo.init(tmp_path / ("x" * 250)).repository, tmp_path)
    os.close(log)
    assert path.exists()


def test_a_process_has_a_session_of_its_own_and_nothing_of_git(tmp_path: Path) -> None:
    module = tmp_path / "told.py"
    module.write_text(
        "import json, os, sys\n"
        "def main(arguments):\n"
        "    names = [name for name in os.environ if name.startswith('GIT_')]\n"
        "    said = [arguments, os.getcwd(), os.getsid(0) == os.getpid(), sys.path[0], names]\n"
        "    print(json.dumps(said))\n"
    )
    log = open_log(tmp_path / "log", private=True)
    environ = {**os.environ, "PYTHONPATH": str(tmp_path), "GIT_DIR": "/x", "GIT_INDEX_FILE": "x"}
    start("told", ["one", "two words"], environ, log=log)
    os.close(log)
    said = until((tmp_path / "log").read_text)
    assert '[["one", "two words"], "/", true, "' in said
    assert "GIT_DIR" not in said
    assert "GIT_INDEX_FILE" not in said
