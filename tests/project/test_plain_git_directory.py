"""The usual form of a repository is recognised as git recognises it; the rest is left to git."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.project.plain_git_directory import find_plain_git_directory
from tests.support.repos import Repo

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="git decides elsewhere")


def found_by_git(top: Path) -> tuple[str, str] | None:
    """The work tree and the git directory that git finds in a directory; None if it refuses."""
    command = ["git", "-C", str(top), "rev-parse", "--show-toplevel", "--absolute-git-dir"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    values = done.stdout.splitlines()
    return None if done.returncode else (values[0], values[1])


def resolved(repo: Repo) -> Path:
    return Path(os.path.realpath(repo.root))


def is_plain(repo: Repo) -> bool:
    return find_plain_git_directory(resolved(repo)) is not None


def test_a_new_repository_one_with_a_commit_and_a_detached_one(repo: Repo) -> None:
    top = resolved(repo)
    assert find_plain_git_directory(top) == top / ".git"
    repo.commit("Start", {"a.txt": "a\n"})
    repo.git("remote", "add", "origin", "https://example.org/x.git")
    assert is_plain(repo)
    repo.git("checkout", "-q", "--detach")
    assert is_plain(repo)


def test_a_clone_is_plain(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Start", {"a.txt": "a\n"})
    subprocess.run(["git", "clone", "-q", repo.root, tmp_path / "clone"], check=True)
    assert is_plain(Repo(tmp_path / "clone"))


def test_a_subdirectory_a_worktree_and_a_submodule_are_left_to_git(
    repo: Repo, tmp_path: Path
) -> None:
    repo.commit("Start", {"a/b.txt": "a\n"})
    repo.git("worktree", "add", "-q", str(tmp_path / "tree"))
    assert find_plain_git_directory(resolved(repo) / "a") is None
    assert not is_plain(Repo(tmp_path / "tree"))
    assert find_plain_git_directory(tmp_path / "nothing") is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.worktree", "/tmp"),
        ("core.bare", "true"),
        ("core.repositoryFormatVersion", "1"),
        ("extensions.worktreeConfig", "true"),
        ("include.path", "more"),
        ("includeIf.gitdir:/.path", "more"),
        ("alias.x", '"quoted" \\ value'),
    ],
)
def test_unusual_settings_are_left_to_git(repo: Repo, key: str, value: str) -> None:
    subprocess.run(["git", "config", "--file", repo.root / ".git/config", key, value], check=True)
    assert not is_plain(repo)


@pytest.mark.parametrize("name", ["HEAD", "config", "objects", "refs"])
def test_links_are_left_to_git(repo: Repo, name: str) -> None:
    part = repo.root / ".git" / name
    part.rename(repo.root / "moved")
    part.symlink_to(repo.root / "moved")
    assert not is_plain(repo)
    part.unlink()
    assert not is_plain(repo)


def test_a_pipe_is_left_to_git(repo: Repo) -> None:
    (repo.root / ".git/HEAD").unlink()
    os.mkfifo(repo.root / ".git/HEAD")
    assert not is_plain(repo)


def test_a_long_configuration_is_left_to_git(repo: Repo) -> None:
    config = repo.root / ".git/config"
    config.write_text(config.read_text() + "# a comment\n" * 10_000)
    assert not is_plain(repo)


def test_a_repository_of_another_user_is_left_to_git(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_plain(repo)
    monkeypatch.setattr(os, "geteuid", lambda: 123_456)
    assert not is_plain(repo)


LINES = st.lists(
    st.sampled_from(
        [
            "[core]", "[core] bare = true", "\tbare = false", "bare", "bare = true", "bare = FALSE",
            "BARE = yes", "worktree = /", "work\\", "tree = /", "repositoryformatversion = 0",
            "repositoryformatversion = 00", "[remote \"a\"]", "[remote \"a]\"]", "url = x ; bare",
            "url = \"a", "[", "]", "# bare = true", "key = a\\", "bare = true\\", "", "[a.b]",
            "-x = 1", "1x = 1", "x-1 = 2", "x\r", "\ufeff[core]", "x = \x01", "é = 1",
        ]
    ),
    max_size=8,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(LINES)
def test_what_is_plain_is_what_git_finds(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    top = Path(os.path.realpath(tmp_path_factory.mktemp("plain")))
    Repo.init(top)
    head = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
    (top / ".git/config").write_text(head + "\n".join(lines) + "\n", newline="")
    if git_dir := find_plain_git_directory(top):
        assert found_by_git(top) == (str(top), str(git_dir))
