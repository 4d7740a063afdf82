"""The directories of records of a work tree, and the cache of them."""

from __future__ import annotations

import os
from binascii import crc32
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.project.discovery import (
    CACHE_FILE,
    MAX_WALKED_ENTRIES,
    Look,
    Place,
    discover_records,
    walk_documents,
)
from tests.support.repos import Repo

ROOT = Place("", is_repository=False)
RECORD = "# Use queues\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use queues.\n"


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    """A repository in which the result is cached."""
    repo.commit(files={"docs/adr/0001-x.md": ""})
    found(repo, "all")
    assert cache(repo).exists()
    return repo


def cache(repo: Repo) -> Path:
    return repo.repository.private_dir / CACHE_FILE


def found(repo: Repo, look: Look = "tracked", *places: Place) -> list[str]:
    recognised = discover_records(repo.repository, (ROOT, *places), look)
    return [
        "/".join(filter(None, (root, folder.path)))
        for root, recognition in recognised.items()
        for folder in recognition.folders
    ]


def test_without_a_result_untracked_directories_count(repo: Repo):
    repo.write("docs/adr/0001-x.md")
    assert found(repo, "cached") == found(repo) == ["docs/adr"]


def test_the_cache_needs_no_index_and_is_outside_of_the_work_tree(indexed: Repo):
    assert not (indexed.root / ".sdd").exists()
    indexed.write("lib/adr/0001-x.md")
    assert found(indexed) == found(indexed, "cached") == ["docs/adr"]


def test_the_first_records_of_a_repository_are_found_untracked(repo: Repo):
    assert found(repo, "all") == []
    assert not cache(repo).exists()
    assert found(repo, "cached") == []
    repo.write("docs/adr/0001-x.md")
    assert found(repo, "cached") == []
    assert found(repo) == found(repo, "cached") == ["docs/adr"]


def test_each_work_tree_has_a_cache(indexed: Repo, tmp_path: Path):
    linked = indexed.worktree(tmp_path / "linked", "topic")
    linked.commit(files={"lib/adr/0001-x.md": ""})
    assert found(linked) == ["docs/adr", "lib/adr"]
    assert found(indexed, "cached") == found(indexed) == ["docs/adr"]
    assert cache(linked) != cache(indexed)


def test_a_cache_that_cannot_be_written(repo: Repo):
    repo.commit(files={"docs/adr/0001-x.md": ""})
    repo.repository.private_dir.touch()
    assert found(repo, "all") == found(repo) == found(repo, "cached") == ["docs/adr"]


def test_ignored_files_do_not_count(repo: Repo):
    repo.write(".gitignore", "out/\n")
    repo.write("out/adr/0001-x.md")
    assert found(repo) == []


def test_a_hook_uses_the_last_result(indexed: Repo):
    indexed.commit(files={"lib/adr/0001-x.md": ""})
    assert found(indexed, "cached") == ["docs/adr"]
    assert found(indexed, "tracked") == ["docs/adr", "lib/adr"]
    assert found(indexed, "cached") == ["docs/adr", "lib/adr"]


def test_untracked_directories_are_found_when_all_files_are_listed(indexed: Repo):
    indexed.write("lib/adr/0001-x.md")
    assert found(indexed, "tracked") == ["docs/adr"]
    assert found(indexed, "all") == ["docs/adr", "lib/adr"]
    # They stay until they hold no record, without a list of untracked files.
    indexed.commit(files={"src/app.py": ""}, message="x")
    indexed.git("rm", "--quiet", "--cached", "-r", "lib")
    assert found(indexed, "tracked") == ["docs/adr", "lib/adr"]
    (indexed.root / "lib/adr/0001-x.md").unlink()
    indexed.commit(files={"src/app.py": "pass\n"}, message="y")
    assert found(indexed, "tracked") == ["docs/adr"]


def test_a_removed_directory_is_no_longer_found(indexed: Repo):
    indexed.git("rm", "--quiet", "-r", "docs")
    assert found(indexed) == []


def test_contents_are_read_where_names_do_not_decide(repo: Repo):
    repo.write("docs/rationale/0012-queues.md", RECORD)
    repo.write("docs/chapters/0012-queues.md", "# Chapter\n")
    assert found(repo) == ["docs/rationale"]


def test_a_directory_belongs_to_the_innermost_place(repo: Repo):
    repo.commit(files={"adr/0001-a.md": "", "api/adr/0001-a.md": "", "api/v2/adr/0001-a.md": ""})
    places = (Place("api", is_repository=False), Place("api/v2", is_repository=False))
    recognised = discover_records(repo.repository, (ROOT, *places), "tracked")
    assert {root: one.paths("adrs") for root, one in recognised.items()} == {
        "": ("adr",),
        "api": ("adr",),
        "api/v2": ("adr",),
    }


def test_a_submodule_lists_its_own_files(repo: Repo, tmp_path: Path):
    library = Repo.init(tmp_path / "library")
    library.commit(files={"docs/adr/0001-x.md": ""})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", str(library.root), "lib")
    assert found(repo, "all", Place("lib", is_repository=True)) == ["lib/docs/adr"]


def test_other_modules_do_not_use_the_cache(indexed: Repo):
    indexed.commit(files={"api/adr/0001-x.md": ""})
    assert found(indexed, "cached") == ["docs/adr"]
    assert found(indexed, "cached", Place("api", is_repository=False)) == ["docs/adr", "api/adr"]


def test_a_directory_that_became_a_link_does_not_count(indexed: Repo, tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/0001-x.md").touch()
    (indexed.root / "docs/adr/0001-x.md").unlink()
    (indexed.root / "docs/adr").rmdir()
    indexed.link("docs/adr", tmp_path / "elsewhere")
    assert found(indexed, "cached") == found(indexed) == found(indexed, "all") == []


def test_a_cache_that_is_a_link_is_not_read_and_replaced(indexed: Repo, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.write_bytes(cache(indexed).read_bytes())
    cache(indexed).unlink()
    cache(indexed).symlink_to(outside)
    indexed.write("lib/adr/0001-x.md")
    assert found(indexed, "cached") == ["docs/adr", "lib/adr"]
    assert not cache(indexed).is_symlink()
    assert b"lib/adr" not in outside.read_bytes()


@pytest.mark.parametrize("path", ["../x", "/etc", ".git/hooks", "a/../../x", "a//b", "."])
def test_a_cache_names_no_directory_outside(indexed: Repo, path: str):
    content = cache(indexed).read_bytes().partition(b"\0")[2].replace(b"docs/adr", path.encode())
    cache(indexed).write_bytes(b"%d\0%b" % (crc32(content), content))
    assert found(indexed, "cached") == ["docs/adr"]


def test_names_that_are_not_utf8(repo: Repo):
    repo.write(os.fsdecode(b"caf\xe9/adr/0001-x.md"))
    assert found(repo, "all") == found(repo, "cached") == [os.fsdecode(b"caf\xe9/adr")]


@given(st.data())
def test_any_damage_of_the_cache(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject):
    root = tmp_path_factory.getbasetemp() / "damaged-cache"
    repo = Repo(root) if root.exists() else Repo.init(root)
    if not (root / "docs").exists():
        repo.commit(files={"docs/adr/0001-x.md": ""})
    cache(repo).unlink(missing_ok=True)
    found(repo, "all")
    content = cache(repo).read_bytes()
    at = data.draw(st.integers(0, len(content)))
    damage = data.draw(st.binary(max_size=4))
    cache(repo).write_bytes(content[:at] + damage + content[at + len(damage) :])
    assert found(repo, "cached") == ["docs/adr"]


def test_a_walk_ends(tmp_path: Path):
    for number in range(MAX_WALKED_ENTRIES + 50):
        (tmp_path / f"d{number:04}").mkdir()
        (tmp_path / f"d{number:04}/a.md").touch()
    assert len(list(walk_documents(tmp_path))) <= MAX_WALKED_ENTRIES
