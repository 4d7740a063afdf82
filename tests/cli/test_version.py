"""The version names the commit of an installation that is no release."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sdd_hooks import __version__
from sdd_hooks.cli.group import describe_version
from tests.support.repos import Repo, only_git


@pytest.fixture
def package(repo: Repo) -> Path:
    """The package in a checkout, as an editable installation imports it."""
    repo.write("hatch_build.py", "")
    repo.write("sdd_hooks/__init__.py", "")
    repo.commit("Start")
    return repo.root / "sdd_hooks"


def test_a_checkout_is_named_by_its_commit(repo: Repo, package: Path) -> None:
    commit = repo.git("rev-parse", "--short=12", "HEAD").strip()
    repo.git("tag", "v9.9.9")
    assert describe_version(package, os.environ) == f"{__version__} (commit {commit})"


def test_the_commit_of_the_tag_is_the_release(repo: Repo, package: Path) -> None:
    repo.git("tag", f"v{__version__}")
    assert describe_version(package, os.environ) == __version__
    repo.write("more", "")
    repo.commit("Go on")
    assert describe_version(package, os.environ).startswith(f"{__version__} (commit ")


def test_the_repository_of_a_running_hook_is_not_asked(repo: Repo, package: Path) -> None:
    expected = describe_version(package, os.environ)
    elsewhere = {**os.environ, "GIT_DIR": str(repo.root / "missing.git")}
    assert describe_version(package, elsewhere) == expected


def test_an_installed_package_names_the_commit_that_the_build_recorded(tmp_path: Path) -> None:
    """Scenario "Installed from a commit" of SPEC-0001."""
    assert describe_version(tmp_path, os.environ) == __version__
    (tmp_path / "commit").write_text("0123456789ab\n")
    assert describe_version(tmp_path, {}) == f"{__version__} (commit 0123456789ab)"


@pytest.mark.parametrize(
    "text", [b"", b"\xff\xfe", b"\x1b[31m", b"not a commit", b"0123456789ab x"]
)
def test_a_damaged_record_is_left_out(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "commit").write_bytes(text)
    assert describe_version(tmp_path, os.environ) == __version__


def test_a_repository_that_has_the_packages_is_no_checkout(repo: Repo) -> None:
    repo.write("sdd_hooks/__init__.py", "")
    repo.commit("Vendor")
    assert describe_version(repo.root / "sdd_hooks", os.environ) == __version__


def test_no_git_is_no_failure(package: Path, tmp_path: Path) -> None:
    empty = tmp_path / "programs"
    empty.mkdir()
    assert describe_version(package, {"PATH": str(empty)}) == __version__
    with_git = {**os.environ, "PATH": only_git(tmp_path / "bin")}
    assert "commit" in describe_version(package, with_git)
