"""What a session was told."""

import os

import pytest

from sdd_hooks.agents.session import (
    KEPT_SECONDS,
    MAX_HANDED,
    Session,
    load_session,
    remove_old_sessions,
    store_session,
)


@pytest.mark.parametrize("id", ["", "a", "../../etc/passwd", "\ud800", "x" * 200])
def test_a_session_is_loaded_as_it_was_stored(tmp_path, id):
    folder = tmp_path / "agents"
    assert load_session(folder, id) == Session()
    stored = Session("Do it “now”", ("a.md:1", "b.md:2"))
    store_session(folder, id, stored)
    assert load_session(folder, id) == stored
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert load_session(folder, f"{id}-other") == Session()


def test_what_was_told_first_is_forgotten_first(tmp_path):
    store_session(tmp_path, "s", Session("", tuple(map(str, range(MAX_HANDED + 5)))))
    assert load_session(tmp_path, "s").handed[0] == "5"


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"prompt": 1, "handed": []}', b'{"prompt": "", "handed": {}}']
)
def test_a_damaged_session_is_a_new_one(tmp_path, data):
    store_session(tmp_path, "s", Session("x"))
    (file,) = tmp_path.iterdir()
    file.write_bytes(data)
    assert load_session(tmp_path, "s") == Session()


def test_old_sessions_are_removed(tmp_path):
    store_session(tmp_path, "old", Session("x"))
    (old,) = tmp_path.iterdir()
    os.utime(old, (0, old.stat().st_mtime - KEPT_SECONDS - 60))
    store_session(tmp_path, "new", Session("y"))
    (tmp_path / "table").touch()
    os.utime(tmp_path / "table", (0, 0))
    remove_old_sessions(tmp_path)
    assert load_session(tmp_path, "old") == Session()
    assert load_session(tmp_path, "new") == Session("y")
    assert (tmp_path / "table").exists()
    remove_old_sessions(tmp_path / "missing")
