"""Reading and writing the files of a folder of issues."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.errors import StorageError
from sdd_hooks.trackers.store import IssueFolder, open_store
from sdd_hooks.trackers.stored_issues import read_issue, read_issues

FILE = '---\nid: "{id}"\ntitle: "T"\nstatus: open\ntracker: github\n---\n\n# T\n\nBody of {id}.\n'


@pytest.fixture
def folder(tmp_path: Path) -> IssueFolder:
    found = IssueFolder(tmp_path, ".sdd/issues")
    found.path.mkdir(parents=True)
    for id in ("10", "9", "PROJ-10", "PROJ-9", "%a%2fb"):
        (found.path / f"{id}.md").write_text(FILE.replace("{id}", id))
    return found


def test_issues_are_read_in_the_order_of_their_ids(folder: IssueFolder) -> None:
    found = list(read_issues(folder))
    assert [one.path.rpartition("/")[2] for one in found] == [
        "9.md",
        "10.md",
        "PROJ-9.md",
        "PROJ-10.md",
        "%a%2fb.md",
    ]
    assert found[0].body == "Body of 9."


def test_other_files_are_left_out(folder: IssueFolder) -> None:
    (folder.path / "README.md").write_text("# Read me\n")
    (folder.path / "11.md").write_bytes(b"")
    (folder.path / "12.md").mkdir()
    (folder.path / "13.txt").write_text(FILE)
    (folder.path / "14.md").symlink_to(folder.path / "9.md")
    assert len(list(read_issues(folder))) == 5


def test_one_issue_is_found_by_its_id(folder: IssueFolder) -> None:
    for id, name in (("9", "9"), ("PROJ-9", "PROJ-9"), ("a/b", "%a%2fb")):
        found = read_issue(folder, id)
        assert found is not None
        assert found.path == f".sdd/issues/{name}.md"
    for id in ("11", "", "../issues/9", "%a%2fb", "x" * 999, "9.md", "proj-9"):
        assert read_issue(folder, id) is None


def test_a_missing_folder_has_no_issues(tmp_path: Path) -> None:
    folder = IssueFolder(tmp_path, ".sdd/issues")
    assert list(read_issues(folder)) == []
    assert read_issue(folder, "9") is None
    with open_store(folder) as store:
        assert store is None
    assert not (tmp_path / ".sdd").exists()


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / ".sdd").write_text("")
    with pytest.raises(StorageError, match=r"\.sdd"):
        list(read_issues(IssueFolder(tmp_path, ".sdd/issues")))


def test_a_written_file_has_the_mode_of_the_umask(folder: IssueFolder) -> None:
    with open_store(folder) as store:
        assert store is not None
        store.write("new.md", b"x" * 3_000_000)
        assert store.read("new.md") == b"x" * 3_000_000
        store.write("new.md", b"short")
    made = (folder.path / "new.md").stat()
    assert (made.st_size, made.st_nlink) == (5, 1)
    other = folder.path / "by-hand"
    other.write_text("")
    assert made.st_mode == other.stat().st_mode


def test_a_file_without_an_issue_is_not_removed(folder: IssueFolder) -> None:
    (folder.path / "notes.md").write_text("# Notes\n")
    with open_store(folder) as store:
        assert store is not None
        assert store.remove("9.md")
        assert not store.remove("9.md")
        assert not store.remove("notes.md")
        assert not store.remove("../issues")
    assert (folder.path / "notes.md").exists()
