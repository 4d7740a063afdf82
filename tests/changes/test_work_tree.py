"""The work tree as a tree: with edits and untracked files, without ignored ones and links."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.changes.work_tree import FileLines, WorkFiles, WorkTree
from sdd_hooks.system.git import GitError
from sdd_hooks.text.lines import NumberedLine
from tests.support.repos import Repo


def tree_of(repo: Repo, *submodules: str, skips: str = "") -> WorkTree:
    files = WorkFiles(repo.handle, submodules)
    return WorkTree(repo.handle, files=files, skips=lambda path: bool(skips) and path == skips)


def paths(tree: Tree, *specs: str) -> list[str]:
    return [blob.path for blob in tree.blobs(specs)]


def test_edits_and_untracked_files_count_and_ignored_ones_do_not(repo: Repo) -> None:
    repo.commit(files={".gitignore": "*.log\n", "a": "old\n", "b/c": "2\n", "gone": "3\n"})
    repo.write("a", "new\n")
    repo.write("untracked", "4\n")
    repo.write("x.log", "5\n")
    repo.write(".sdd/search/hook", "state\n")
    (repo.root / "gone").unlink()
    tree = tree_of(repo)
    assert paths(tree) == [".gitignore", "a", "b/c", "untracked"]
    assert tree.text("a") == "new\n"
    assert tree.text("gone") == ""
    assert paths(tree, ":(literal)b") == ["b/c"]
    assert [blob.path for blob in tree.grep(["4"])] == ["untracked"]
    assert tree.grep(["5"]) == []
    assert dict(tree.texts([Blob("a", "a"), Blob("gone", "gone")])) == {"a": "new\n"}


def test_what_is_left_out_is_neither_listed_nor_read(repo: Repo) -> None:
    repo.commit(files={"a": "x\n", "b": "x\n"})
    tree = tree_of(repo, skips="a")
    assert paths(tree) == ["b"]
    assert tree.text("a") == ""
    assert [blob.path for blob in tree.grep(["x"])] == ["b"]


def test_links_are_not_followed(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret\n")
    repo.commit(files={"a": "1\n", "d/b": "2\n"})
    repo.link("out", str(tmp_path / "secret"))
    repo.link("in", "a")
    tree = tree_of(repo)
    assert [blob.path for blob in tree.links()] == ["in", "out"]
    assert list(tree.contents(["in", "out"], 100)) == [b"a", str(tmp_path / "secret").encode()]
    assert paths(tree) == ["a", "d/b"]
    (repo.root / "d/b").unlink()
    (repo.root / "d").rmdir()
    (repo.root / "d").symlink_to(tmp_path)
    assert tree_of(repo).text("d/secret") == ""


def test_binary_and_large_files_have_no_text(repo: Repo) -> None:
    repo.commit(files={"binary": b"a\0b", "large": "x" * ((8 << 20) + 1), "text": "t\n"})
    tree = tree_of(repo)
    assert tree.text("binary") == ""
    assert tree.text("large") == ""
    files = tree.files
    assert [files.is_binary(name) for name in ("binary", "text", "none")] == [True, False, True]
    assert [files.is_large(name) for name in ("large", "text", "none")] == [True, False, False]


def test_submodules_have_their_files(repo: Repo, tmp_path: Path) -> None:
    inner = Repo.init(tmp_path / "inner")
    inner.commit(files={"src/x": "inside\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "api")
    repo.commit("Add")
    (repo.root / "api/new").write_text("inside\n")
    tree = tree_of(repo, "api")
    assert paths(tree) == [".gitmodules", "api/new", "api/src/x"]
    assert [blob.path for blob in tree.grep(["inside"])] == ["api/new", "api/src/x"]
    assert paths(tree, ":(literal)api") == ["api/new", "api/src/x"]


def test_a_search_that_git_refuses_raises(repo: Repo) -> None:
    with pytest.raises(GitError, match="git grep"):
        tree_of(repo).grep(["x"], (), "--no-such-option")


def test_lines_are_read_when_needed(repo: Repo) -> None:
    repo.write("a", "one\r\ntwo\n" + "x" * 3000)
    lines = FileLines(tree_of(repo), "a")
    assert len(lines) == 3
    assert bool(lines)
    assert lines[1] == NumberedLine(2, "two")
    assert lines[-2] == NumberedLine(2, "two")
    assert [line.number for line in lines[1:]] == [2, 3]
    assert len(lines[2].text) == 2000
    assert not FileLines(tree_of(repo), "none")
