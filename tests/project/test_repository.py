from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.errors import RepositoryError
from sdd_hooks.project.repository import Repository, discover, find_plain_git_directory
from tests.support.git_version import needs_git
from tests.support.repos import Repo

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="git decides elsewhere")


def at(root: Path) -> Path:
    return Path(os.path.realpath(root))


def test_from_any_subdirectory(repo: Repo):
    repo.write("a/b/c.txt")
    expected = Repository(at(repo.root), at(repo.root / ".git"), at(repo.root / ".git"), os.environ)
    assert discover(repo.root, os.environ) == expected
    assert discover(repo.root / "a" / "b", os.environ) == expected


def test_directories_of_derived_state(repo: Repo):
    found = discover(repo.root, os.environ)
    assert found.state == at(repo.root) / ".sdd"
    assert found.search_dir == at(repo.root) / ".sdd" / "search"
    assert found.shared_dir == at(repo.root) / ".git" / "sdd"


def test_through_a_symlink(repo: Repo, tmp_path: Path):
    (tmp_path / "elsewhere").symlink_to(repo.root)
    assert discover(tmp_path / "elsewhere", os.environ).root == at(repo.root)


def test_without_a_commit_and_detached(repo: Repo):
    assert discover(repo.root, os.environ).slug == "repo"
    repo.commit()
    repo.git("checkout", "--quiet", "--detach")
    assert discover(repo.root, os.environ).slug == "repo"


def test_a_worktree_shares_the_common_dir_and_the_slug(repo: Repo, tmp_path: Path):
    repo.commit()
    linked = repo.worktree(tmp_path / "Another Name", "topic")
    found = discover(linked.root, os.environ)
    assert found.root == at(linked.root)
    assert found.common_dir == at(repo.root / ".git")
    assert found.git_dir == at(repo.root / ".git" / "worktrees" / "Another-Name")
    assert found.slug == discover(repo.root, os.environ).slug == "repo"
    assert found.shared_dir == discover(repo.root, os.environ).shared_dir
    assert found.search_dir != discover(repo.root, os.environ).search_dir


@pytest.mark.parametrize(("bare", "slug"), [("app.git", "app"), ("app/.bare", "app")])
def test_a_worktree_of_a_bare_repository(tmp_path: Path, bare: str, slug: str):
    source = Repo.init(tmp_path / "source")
    source.commit()
    source.git("clone", "--quiet", "--bare", str(source.root), str(tmp_path / bare))
    linked = Repo(tmp_path / bare).worktree(tmp_path / "app-main", "topic")
    assert discover(linked.root, os.environ).slug == slug


def test_a_submodule_is_a_separate_repository(repo: Repo, tmp_path: Path):
    library = Repo.init(tmp_path / "Library")
    library.commit(files={"a": "1"})
    inside = repo.submodule(library, "libs/Core_Lib")
    repo.commit()
    found = discover(inside.root, os.environ)
    assert found.root == at(inside.root)
    assert found.common_dir == at(repo.root / ".git" / "modules" / "libs" / "Core_Lib")
    assert found.slug == "core-lib"
    linked = inside.worktree(tmp_path / "wt", "topic")
    assert discover(linked.root, os.environ).slug == "core-lib"


def test_separate_git_dir(tmp_path: Path):
    repo = Repo.init(tmp_path / "work", "--separate-git-dir", str(tmp_path / "elsewhere.git"))
    assert discover(repo.root, os.environ).slug == "work"


def test_not_a_repository(tmp_path: Path):
    with pytest.raises(RepositoryError) as caught:
        discover(tmp_path, os.environ)
    assert str(caught.value) == (
        f"{tmp_path} is not inside a git repository: run this inside one, or `git init`"
    )
    assert caught.value.exit_code == 3


def test_bare_repository(tmp_path: Path):
    Repo.init(tmp_path / "bare.git", "--bare")
    with pytest.raises(RepositoryError) as caught:
        discover(tmp_path / "bare.git", os.environ)
    assert str(caught.value) == f"{tmp_path}/bare.git is a bare repository: sdd needs a work tree"


# An older git takes it for a repository; its work tree is refused, as in the next test.
@needs_git(2, 38)
def test_a_bare_repository_in_a_directory_of_a_clone(repo: Repo, tmp_path: Path):
    """git would find it there, and its configuration could name programs and another work tree."""
    Repo.init(repo.root / "docs", "--bare")
    (tmp_path / "home").mkdir()
    with (repo.root / "docs/config").open("a") as config:
        config.write(f"[core]\n\tbare = false\n\tworktree = {tmp_path}/home\n")
    for directory in ("docs", "docs/refs"):
        with pytest.raises(RepositoryError, match="is a bare repository: sdd needs a work tree"):
            discover(repo.root / directory, os.environ)


def test_a_work_tree_that_is_not_that_of_the_git_directory(repo: Repo):
    inner = Repo.init(repo.root / "unpacked")
    inner.git("config", "core.worktree", str(repo.root))
    with pytest.raises(RepositoryError, match=r"names the work tree .* which is not its own"):
        discover(inner.root, os.environ)


def test_a_work_tree_with_a_relative_link_to_its_git_directory(repo: Repo, tmp_path: Path):
    repo.commit()
    linked = repo.worktree(tmp_path / "linked", "topic")
    target = (linked.root / ".git").read_text().removeprefix("gitdir: ").strip()
    relative = os.path.relpath(target, linked.root)
    (linked.root / ".git").write_text(f"gitdir: {relative}\n")
    assert discover(linked.root, os.environ).git_dir == at(Path(target))


def test_inside_the_git_directory(repo: Repo):
    with pytest.raises(RepositoryError, match="inside a git directory: run this in the work tree"):
        discover(repo.root / ".git" / "refs", os.environ)


@pytest.mark.parametrize("name", ["nowhere", "file", "nul\0l"])
def test_not_a_directory(repo: Repo, name: str):
    repo.write("file")
    with pytest.raises(RepositoryError) as caught:
        discover(repo.root / name, os.environ)
    assert "\n" not in str(caught.value)


@needs_git(2, 36)
def test_a_repository_of_another_user(repo: Repo):
    # git's test suite simulates another owner in this way.
    script = (
        "import os, sys; from pathlib import Path\n"
        "from sdd_hooks.project.repository import discover\n"
        "from sdd_hooks.errors import RepositoryError\n"
        "try: discover(Path(sys.argv[1]), os.environ)\n"
        "except RepositoryError as error: print(error)\n"
    )
    env = {**os.environ, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    # In the directory itself, sdd compares the owners before git does.
    repo.write("a/b.txt")
    command = [sys.executable, "-c", script, str(repo.root / "a")]
    output = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    assert "detected dubious ownership" in output
    assert "safe.directory" in output
    assert output.count("\n") == 1


def test_leaked_variables_of_another_repository_are_ignored(repo: Repo, tmp_path: Path):
    """Variables that a hook in a linked worktree inherits do not change the repository."""
    other = Repo.init(tmp_path / "other")
    other.commit(files={"other.txt": "1"})
    repo.commit(files={"mine.txt": "1"})
    index = other.root / ".git" / "index"
    before = index.read_bytes()
    script = (
        "import os, sys; from pathlib import Path\n"
        "from sdd_hooks.system.git import Git\n"
        "from sdd_hooks.project.repository import discover\n"
        "root = Path(sys.argv[1])\n"
        "print(discover(root, os.environ).root)\n"
        "git = Git(root, os.environ)\n"
        "git.output('add', '--intent-to-add', 'new.txt')\n"
        "print(git.output('ls-files').decode().split())\n"
    )
    repo.write("new.txt")
    env = {
        **os.environ,
        "GIT_DIR": str(other.root / ".git"),
        "GIT_INDEX_FILE": str(index),
        "GIT_WORK_TREE": str(other.root),
    }
    command = [sys.executable, "-c", script, str(repo.root)]
    output = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    assert output.splitlines() == [str(at(repo.root)), "['mine.txt', 'new.txt']"]
    assert index.read_bytes() == before


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
