from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import StorageError
from sdd_hooks.system.file_edits import (
    FileEdit,
    FileNotEditable,
    apply_edits,
)
from sdd_hooks.system.files import PathRefused


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def test_all_edits_are_made(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\n")
    (tmp_path / "a.md").chmod(0o640)
    (tmp_path / "b.md").write_bytes(b"two\n")
    edits = [
        FileEdit("a.md", b"one\n", b"1\n"),
        FileEdit("b.md", b"two\n", None),
        FileEdit("new/deep/c.md", None, b"three\n"),
    ]
    apply_edits(tmp_path, edits)
    assert tree(tmp_path) == {"a.md": b"1\n", "new/deep/c.md": b"three\n"}
    assert (tmp_path / "a.md").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("last", "error"),
    [
        (FileEdit("b.md", b"other\n", b"x\n"), FileNotEditable),
        (FileEdit("c.md", b"gone\n", b"x\n"), FileNotEditable),
        (FileEdit("a.md/c.md", None, b"x\n"), (StorageError, FileNotEditable, PathRefused)),
        (FileEdit("../c.md", None, b"x\n"), PathRefused),
        (FileEdit("link.md", None, b"x\n"), (PathRefused, StorageError)),
    ],
)
def test_a_failure_leaves_the_tree_as_it_was(tmp_path: Path, last, error) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "a.md").write_bytes(b"one\n")
    (root / "b.md").write_bytes(b"two\n")
    (root / "gone.md").write_bytes(b"three\n")
    (root / "link.md").symlink_to(tmp_path / "outside.md")
    before = tree(root)
    edits = [
        FileEdit("a.md", b"one\n", b"1\n"),
        FileEdit("gone.md", b"three\n", None),
        FileEdit("new/deep/c.md", None, b"new\n"),
        last,
    ]
    with pytest.raises(error):
        apply_edits(root, edits)
    assert tree(root) == before
    assert not (root / "new").exists()
    assert not (tmp_path / "outside.md").exists()


@pytest.mark.parametrize(
    ("before", "after", "action"),
    [(None, b"x\n", "create"), (b"x\n", b"y\n", "change"), (b"x\n", None, "delete")],
)
def test_the_action_of_an_edit(before, after, action) -> None:
    assert FileEdit("a", before, after).action == action


LINES = st.lists(st.text(st.sampled_from("ab \t\r\v\f\u2028é-+@"), max_size=4), max_size=6)
CONTENT = st.tuples(LINES, st.sampled_from(["", "\n"])).map(lambda one: "\n".join(one[0]) + one[1])


@given(CONTENT, CONTENT)
def test_git_applies_the_diff(tmp_path_factory, before: str, after: str) -> None:
    root = tmp_path_factory.mktemp("diff")
    (root / "d").mkdir()
    (root / "d/a.md").write_bytes(before.encode())
    diff = FileEdit("d/a.md", before.encode(), after.encode()).diff()
    assert bool(diff) == (before != after)
    if diff:
        command = ["git", "apply", "--unidiff-zero", "-"]
        subprocess.run(command, cwd=root, input=diff.encode(), check=True, capture_output=True)
    assert (root / "d/a.md").read_bytes() == after.encode()
