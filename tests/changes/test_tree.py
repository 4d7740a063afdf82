"""Trees are read from git's objects: commits, indexes, and submodules at their commit."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.changes import tree as module
from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.project.collections import Collection
from tests.review.repositories import staged_subject_of, subject_of
from tests.support.repos import Repo

ONE = "docs/adrs/ADR-0001-one.md"
TWO = "docs/adrs/ADR-0002-two.md"
SPEC = "docs/openspec/specs/a/spec.md"


def adr(number: int, words: str = "Yes.") -> str:
    return f"---\nstatus: accepted\n---\n# ADR-{number:04}: N\n\n## Decision Outcome\n\n{words}\n"


def collections(repo: Repo) -> Sequence[Collection]:
    return [one for one in repo.project().collections if one.kind in ("adrs", "specs")]


def ids(corpus: Corpus) -> list[str]:
    return [str(artifact.id) for artifact in corpus.artifacts]


def paths(tree: Tree, *specs: str) -> list[str]:
    return [blob.path for blob in tree.blobs(specs)]


def test_the_files_of_a_commit_and_of_the_index(repo: Repo) -> None:
    base = repo.commit(files={"a": "1\n", "b/c": "2\n"})
    repo.link("link", "a")
    repo.commit(files={"d": "3\n"})
    repo.write("e", "4\n")
    repo.git("add", "e")
    repo.write("f", "not staged\n")
    assert paths(Tree(repo.handle, base)) == ["a", "b/c"]
    assert paths(Tree(repo.handle, repo.head())) == ["a", "b/c", "d"]
    assert paths(Tree(repo.handle)) == ["a", "b/c", "d", "e"]
    assert paths(Tree(repo.handle), ":(literal)b") == ["b/c"]
    assert paths(Tree(repo.handle, base), ":(literal)b") == ["b/c"]
    assert set(paths(Tree(repo.handle, base), ":(glob)b/*")) >= {"b/c"}


def test_texts(repo: Repo) -> None:
    head = repo.commit(
        files={
            "utf-8": "café\n",
            "latin": b"caf\xe9\n",
            "utf-16": "café\n".encode("utf-16"),
            "binary": b"a\0b",
            "empty": "",
            "large": b"x" * (8 << 20) + b"x",
            "fits": b"x" * (8 << 20),
            "folder/file": "inside\n",
        }
    )
    repo.link("link", "utf-8")
    repo.commit()
    tree = Tree(repo.handle, repo.head())
    for path in ("utf-8", "latin", "utf-16"):
        assert tree.text(path) == "café\n", path
    no_files = ("nowhere", "", "../x", "a\nb", "a\0b", "/etc/passwd", ".", "folder", "x" * 300_000)
    for path in ("binary", "empty", "large", "link", *no_files):
        assert tree.text(path) == "", path
    assert len(tree.text("fits")) == 8 << 20
    found = Tree(repo.handle, head).texts(tree.blobs())
    assert found.keys() == {"utf-8", "latin", "utf-16", "fits", "folder/file"}
    assert tree.texts(tree.blobs()) == found


@pytest.mark.parametrize("path", ["line\nbreak", ":(glob)*", 'quo"te', "-x", "0:x", "a b"])
def test_hostile_paths(repo: Repo, path: str) -> None:
    base = repo.commit(files={path: "1\n", "other": "0\n"})
    repo.write(path, "2\n")
    repo.git("add", "--all")
    for tree, text in ((Tree(repo.handle, base), "1\n"), (Tree(repo.handle), "2\n")):
        assert tree.text(path) == text
        assert Tree(repo.handle, tree.commit).texts(tree.blobs())[path] == text


def test_the_index_file_of_a_commit_being_made(repo: Repo, tmp_path: Path) -> None:
    repo.commit(files={ONE: adr(1), "a": "1\n"})
    repo.commit(files={"a": "2\n"})
    hook = repo.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    program = (
        "import os, pathlib, sys\n"
        "from sdd_hooks.changes.diff import read_staged\n"
        "from sdd_hooks.changes.tree import Tree\n"
        "from sdd_hooks.system.git import Git\n"
        "git = Git(pathlib.Path.cwd(), os.environ)\n"
        "index = os.path.abspath(os.environ['GIT_INDEX_FILE'])\n"
        "change = read_staged(git, index)\n"
        "print([(file.path, file.added[0].text) for file in change.files])\n"
        "print(repr(Tree(git, '', index).text('a')), len(Tree(git, '', index).blobs()))\n"
    )
    hook.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{program}" > {tmp_path}/printed\n')
    hook.chmod(0o755)
    repo.write("a", "3\n")
    repo.write("b", "left out\n")
    repo.git("commit", "-q", "-a", "-m", "All")
    assert (tmp_path / "printed").read_text() == "[('a', '3')]\n'3\\n' 2\n"
    repo.write("a", "4\n")
    repo.git("add", "b")
    repo.git("commit", "-q", "-m", "One", "a")
    assert (tmp_path / "printed").read_text() == "[('a', '4')]\n'4\\n' 2\n"


def test_files_added_with_intent_to_add(repo: Repo) -> None:
    repo.commit(files={"a": "1\n", "empty": ""})
    repo.write(ONE, adr(1))
    repo.write("meant", "")
    repo.git("add", "--intent-to-add", ONE, "meant")
    tree = Tree(repo.handle)
    assert paths(tree) == ["a", "empty"]
    assert tree.text(ONE) == ""
    assert ids(tree.corpus(collections(repo))) == []


def test_a_sparse_index(repo: Repo) -> None:
    repo.commit(files={ONE: adr(1), "in/a": "1\n", "out/b/c": "1\n"})
    before = collections(repo)
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    assert not (repo.root / ONE).exists()
    assert paths(Tree(repo.handle)) == [ONE, "in/a", "out/b/c"]
    assert ids(Tree(repo.handle).corpus(before)) == ["ADR-0001"]


def test_sides_of_a_conflict_are_not_files(repo: Repo) -> None:
    repo.commit(files={ONE: adr(1), "a": "1\n"})
    repo.git("checkout", "-q", "-b", "other")
    repo.commit(files={ONE: adr(1, "No.")})
    repo.git("checkout", "-q", "main")
    repo.commit(files={ONE: adr(1, "Perhaps.")})
    assert repo.run("merge", "other").returncode == 1
    assert paths(Tree(repo.handle)) == ["a"]
    assert Tree(repo.handle).text(ONE) == ""


def test_artifacts_are_read_from_the_tree_and_not_from_the_work_tree(repo: Repo) -> None:
    base = repo.commit(files={ONE: adr(1)})
    spec = "# SPEC-0001: S\n\n### Requirement: R\n\nIt MUST.\n"
    repo.remove(ONE)
    head = repo.commit(files={SPEC: spec, TWO: adr(2)})
    repo.write("docs/adrs/ADR-0003-three.md", adr(3))
    found = collections(repo)
    assert ids(Tree(repo.handle, base).corpus(found)) == ["ADR-0001"]
    tree = Tree(repo.handle, head)
    assert ids(tree.corpus(found)) == ["ADR-0002", "SPEC-0001"]
    assert tree.text(SPEC) == spec


@pytest.fixture
def workspace(repo: Repo, tmp_path: Path) -> Repo:
    """A repository with a submodule that has a record."""
    other = Repo.init(tmp_path / "other")
    other.commit(files={"docs/adrs/ADR-0007-seven.md": adr(7)})
    repo.commit(files={ONE: adr(1)})
    repo.submodule(other, "lib")
    repo.commit("Add lib")
    return repo


def test_artifacts_of_a_submodule_at_its_commit(workspace: Repo) -> None:
    inner = Repo(workspace.root / "lib")
    inner.commit(files={"docs/adrs/ADR-0008-eight.md": adr(8)})
    moved = workspace.commit("Move lib")
    inner.write("docs/adrs/ADR-0009-nine.md", adr(9))
    found = collections(workspace)
    first, second = f"{moved}~2", f"{moved}~1"
    assert ids(Tree(workspace.handle, first).corpus(found)) == ["ADR-0001"]
    assert ids(Tree(workspace.handle, second).corpus(found)) == ["ADR-0001", "[lib]/ADR-0007"]
    after = Tree(workspace.handle, moved)
    assert ids(after.corpus(found)) == ["ADR-0001", "[lib]/ADR-0007", "[lib]/ADR-0008"]
    assert after.text("lib/docs/adrs/ADR-0008-eight.md") == adr(8)
    assert ids(Tree(workspace.handle).corpus(found)) == ids(after.corpus(found))


def test_a_submodule_that_lacks_its_commit(workspace: Repo) -> None:
    inner = Repo(workspace.root / "lib")
    elsewhere = "1234567890" * 4
    workspace.git("update-index", "--cacheinfo", f"160000,{elsewhere},lib")
    inner.write("docs/adrs/ADR-0009-nine.md", adr(9))
    found = ids(Tree(workspace.handle).corpus(collections(workspace)))
    assert found == ["ADR-0001", "[lib]/ADR-0007", "[lib]/ADR-0009"]


def test_expected_files_are_read_together(repo: Repo) -> None:
    head = repo.commit(files={f"{number}": f"text {number}\n" for number in range(700)})
    tree, listed = Tree(repo.handle, head), Tree(repo.handle, head).blobs()
    for blob in listed:
        tree.expect(blob)
    tree.expect(Blob("gone", ""))
    assert tree.text("gone") == ""
    assert tree.text(listed[0].path) == "text 0\n"
    # The texts of the same batch are cached.
    objects = repo.root / ".git/objects"
    objects.rename(repo.root / "away")
    assert tree.text(listed[499].path) == f"text {listed[499].path}\n"
    (repo.root / "away").rename(objects)
    assert all(tree.text(blob.path) == f"text {blob.path}\n" for blob in reversed(listed))


def test_the_cache_of_texts_is_limited(repo: Repo) -> None:
    size = 7_000_000
    head = repo.commit(files={f"{number}": f"{number}" * size for number in range(10)})
    tree = Tree(repo.handle, head)
    for blob in tree.blobs():
        tree.expect(blob)
    for _ in range(2):
        for number in range(10):
            assert tree.text(f"{number}")[-1] == f"{number}"
    kept = tree._cache._texts
    assert sum(map(len, kept.values())) <= module.MAX_CACHED
    assert len(kept) == module.MAX_CACHED // size


def test_a_text_with_a_wide_character_takes_four_bytes_of_the_cache_for_each(repo: Repo) -> None:
    size = 4_000_000
    head = repo.commit(files={f"{number}": "🚀" + "a" * size for number in range(5)})
    tree = Tree(repo.handle, head)
    for blob in tree.blobs():
        assert tree.text(blob.path)[-1] == "a"
    assert len(tree._cache._texts) == module.MAX_CACHED // (4 * size + 100)


def test_a_subject_reads_both_sides(tmp_path: Path) -> None:
    subject = subject_of(
        tmp_path,
        {"a.txt": "1\n", "gone.txt": "gone\n", "old.txt": "same\n" * 9, ONE: adr(1)},
        {"a.txt": "2\n", "gone.txt": None, "old.txt": None, "sub/new.txt": "same\n" * 9},
    )
    assert (subject.text_before("a.txt"), subject.text("a.txt")) == ("1\n", "2\n")
    assert (subject.text_before("gone.txt"), subject.text("gone.txt")) == ("gone\n", "")
    assert (subject.text_before("sub/new.txt"), subject.text("sub/new.txt")) == ("", "same\n" * 9)
    assert (subject.text_before("old.txt"), subject.text("old.txt")) == ("same\n" * 9, "")
    assert subject.text(ONE) == subject.text_before(ONE) == adr(1)
    assert subject.corpus_before is subject.corpus


def test_artifacts_before_and_after(tmp_path: Path) -> None:
    subject = staged_subject_of(tmp_path, {ONE: adr(1)}, {ONE: None, TWO: adr(2)})
    assert (ids(subject.corpus_before), ids(subject.corpus)) == (["ADR-0001"], ["ADR-0002"])
    assert (subject.text_before(ONE), subject.text(TWO)) == (adr(1), adr(2))


def test_a_change_of_the_commit_of_a_submodule(workspace: Repo) -> None:
    from sdd_hooks.changes.diff import read_change
    from sdd_hooks.review.review import subject_of as subject

    Repo(workspace.root / "lib").commit(files={"docs/adrs/ADR-0008-eight.md": adr(8)})
    workspace.commit("Move lib")
    change = read_change(workspace.handle, "HEAD~1", "HEAD")
    found = subject(workspace.project(), change)
    assert len(found.corpus.artifacts) == len(found.corpus_before.artifacts) + 1
