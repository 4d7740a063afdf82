"""The URL of the remote `origin`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.project.repository import discover
from sdd_hooks.trackers.detection import origin_url
from tests.support.programs import run_python
from tests.support.repos import Repo


def origin(root: Path) -> str | None:
    return origin_url(discover(root, os.environ))


def test_the_url_of_origin(repo: Repo) -> None:
    assert origin(repo.root) is None
    repo.git("remote", "add", "upstream", "https://forge.example/other/repo")
    assert origin(repo.root) is None
    repo.git("remote", "add", "origin", "git@forge.example:owner/repo.git")
    assert origin(repo.root) == "git@forge.example:owner/repo.git"


def test_the_first_of_several_addresses(repo: Repo) -> None:
    repo.git("remote", "add", "origin", "https://a.example/x/y")
    repo.git("remote", "set-url", "--add", "origin", "https://b.example/x/y")
    repo.git("remote", "set-url", "--push", "origin", "https://c.example/x/y")
    assert origin(repo.root) == "https://a.example/x/y"


def test_abbreviations_of_urls_are_expanded(repo: Repo) -> None:
    repo.git("config", "url.https://forge.example/.insteadOf", "forge:")
    repo.git("remote", "add", "origin", "forge:owner/repo")
    assert origin(repo.root) == "https://forge.example/owner/repo"


def test_a_linked_worktree_and_a_directory_below(repo: Repo, tmp_path: Path) -> None:
    repo.commit(files={"docs/a.md": "a"})
    repo.git("remote", "add", "origin", "https://forge.example/owner/repo")
    linked = repo.worktree(tmp_path / "linked", "other")
    assert origin(linked.root) == "https://forge.example/owner/repo"
    assert origin(repo.root / "docs") == "https://forge.example/owner/repo"


def test_a_submodule_has_its_own_origin(repo: Repo, tmp_path: Path) -> None:
    inner = Repo.init(tmp_path / "inner")
    inner.commit(files={"a": "a"})
    repo.git("remote", "add", "origin", "https://forge.example/outer/repo")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", str(inner.root), "libs/inner")
    assert origin(repo.root / "libs/inner") == str(inner.root)
    assert origin(repo.root) == "https://forge.example/outer/repo"


@pytest.fixture
def leaked(repo: Repo, tmp_path: Path) -> Iterator[None]:
    """The variables that a hook of another repository leaks into the environment."""
    other = Repo.init(tmp_path / "other")
    other.git("remote", "add", "origin", "https://evil.example/x/y")
    git_dir = other.root / ".git"
    names = {
        "GIT_DIR": str(git_dir),
        "GIT_WORK_TREE": str(other.root),
        "GIT_INDEX_FILE": str(git_dir / "index"),
        "GIT_COMMON_DIR": str(git_dir),
        "GIT_PREFIX": "x/",
    }
    os.environ.update(names)
    yield
    for name in names:
        del os.environ[name]


def test_leaked_variables_of_a_hook_are_overridden(repo: Repo, leaked: None) -> None:
    repo.git("remote", "add", "origin", "https://forge.example/owner/repo")
    assert origin(repo.root) == "https://forge.example/owner/repo"


@pytest.mark.parametrize("url", ["--upload-pack=id", "https://a.example/x y", "../elsewhere", " "])
def test_an_invalid_url_is_returned_as_it_is(repo: Repo, url: str) -> None:
    repo.git("config", "remote.origin.url", url)
    assert origin(repo.root) == url.strip("\n")


def test_a_git_in_a_relative_entry_of_the_path_is_not_started(repo: Repo, tmp_path: Path) -> None:
    repo.git("remote", "add", "origin", "https://forge.example/owner/repo")
    trap, proof = repo.root / "git", tmp_path / "started"
    trap.write_text(f"#!/bin/sh\n: >{proof}\n")
    trap.chmod(0o755)
    program = (
        "import os, pathlib; from sdd_hooks.project.repository import discover;"
        " from sdd_hooks.trackers.detection import origin_url;"
        " print(origin_url(discover(pathlib.Path('.'), os.environ)))"
    )
    done = run_python(program, cwd=repo.root, env={**os.environ, "PATH": f".:{os.environ['PATH']}"})
    assert done.stdout == "https://forge.example/owner/repo\n"
    assert not proof.exists()
