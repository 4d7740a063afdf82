import stat

import pytest

from sdd_hooks.errors import StorageError
from sdd_hooks.setup.file_edits import FileEdit, apply_edits


def test_the_diff_of_an_edit(tmp_path):
    change = FileEdit(tmp_path / "a", "a", b"one\ntwo\r\n\xff\n", b"one\n2\n\xff\n")
    assert change.action == "change"
    assert change.diff() == ["@@ -1,3 +1,3 @@", " one", "-two", "+2", " \\xff"]
    assert FileEdit(tmp_path / "a", "a", None, b"x\n").diff() == ["@@ -0,0 +1 @@", "+x"]


def test_files_are_written_and_keep_their_mode(tmp_path):
    old = tmp_path / "old"
    old.write_bytes(b"1")
    old.chmod(0o640)
    apply_edits([FileEdit(old, "old", b"1", b"2"), FileEdit(tmp_path / "new", "new", None, b"3")])
    assert (old.read_bytes(), stat.S_IMODE(old.stat().st_mode)) == (b"2", 0o640)
    assert (tmp_path / "new").read_bytes() == b"3"


def test_after_a_failure_the_other_files_are_restored(tmp_path):
    old = tmp_path / "old"
    old.write_bytes(b"1")
    changes = [
        FileEdit(old, "old", b"1", b"2"),
        FileEdit(tmp_path / "new", "new", None, b"3"),
        FileEdit(tmp_path / "missing" / "x", "missing/x", None, b"4"),
    ]
    with pytest.raises(StorageError, match="cannot write"):
        apply_edits(changes)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert old.read_bytes() == b"1"
