"""The hooks before and after a commit share one git process in a large repository.

In any other one they remember that they have read the states.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.githooks.conftest import ADR
from tests.githooks.recorder import HOOKS, Hooked, Recorder, indexed

SEEN = ".git/sdd-hook-seen"


class Traced:
    """A repository that is marked as large, whose hooks run a `git` that lists its commands."""

    def __init__(self, repo: Hooked, recorder: Recorder, shell: list[str]) -> None:
        self.repo, self.recorder, self.shell = repo, recorder, shell
        self.log = recorder.path.with_name("gits")
        git = recorder.path.with_name("git")
        git.write_text(f'#!/bin/sh\necho "$1" >>"{self.log}"\nexec {shutil.which("git")} "$@"\n')
        git.chmod(0o755)

    def hook(self, event: str, **variables: str) -> list[str]:
        """Run a hook. Returns the git commands that it ran."""
        self.log.unlink(missing_ok=True)
        done = subprocess.run(
            [*self.shell, str(HOOKS / event)],
            cwd=self.repo.root,
            env={**self.repo.environment(), **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return self.log.read_text().split() if self.log.exists() else []

    def stage(self, *paths: str) -> None:
        """Change and stage files, some time ago: the time of a file has a coarse unit."""
        for path in paths:
            self.repo.write(path, f"# {time.monotonic_ns()}\n")
        self.repo.git("add", *paths)
        self.age("index")

    def age(self, *names: str) -> None:
        """Make files in git's directory older than anything that the hooks write from now on."""
        for name in names:
            os.utime(self.repo.root / ".git" / name, (1_000_000_000, 1_000_000_000))

    def commit(self) -> None:
        """Commit what is staged, without hooks; git's index keeps its time."""
        index = self.repo.root / ".git/index"
        times = (index.stat().st_atime_ns, index.stat().st_mtime_ns)
        self.repo.git("-c", f"core.hooksPath={os.devnull}", "commit", "--quiet", "-m", "x")
        os.utime(index, ns=times)

    def index_again(self, large: str = "2", *, later: bool = False) -> None:
        """Write the states for HEAD, some time ago, or later than anything else."""
        indexed(self.repo)
        time = 4_000_000_000 if later else 1_000_000_000
        for name in ("hook", "hook-artifacts"):
            state = self.repo.root / ".sdd/search" / name
            state.write_text(state.read_text().replace(" 0 0 0\n", f" 0 {large} 0\n"))
            os.utime(state, (time, time))

    def seen(self) -> str:
        """The content of the file that the hooks write."""
        path = self.repo.root / SEEN
        return path.read_text() if path.exists() else ""


def trace(repo: Hooked, recorder: Recorder, shell: list[str]) -> Traced:
    repo.search_path = recorder.search_path
    traced = Traced(repo, recorder, shell)
    # A file of git that is newer than the state starts sdd.
    traced.age("info/exclude")
    traced.index_again()
    return traced


@pytest.fixture
def traced(repo: Hooked, recorder: Recorder) -> Traced:
    return trace(repo, recorder, ["sh"])


@pytest.fixture
def traced_in_each(repo: Hooked, recorder: Recorder, shell: list[str]) -> Traced:
    """The same in each shell: they compare times of files in their own ways."""
    return trace(repo, recorder, shell)


def take_note(traced: Traced) -> tuple[list[str], list[str]]:
    """Commit a file that is not indexed. Returns the git commands of both hooks."""
    traced.stage("other.txt")
    before = traced.hook("pre-commit")
    traced.commit()
    return before, traced.hook("post-commit")


def test_commits_that_touch_nothing_indexed_take_one_git_process_each(
    traced_in_each: Traced,
) -> None:
    traced = traced_in_each
    for _ in range(3):
        assert take_note(traced) == (["diff-index"], [])
    assert traced.recorder.calls() == []


def test_an_artifact_starts_sdd(traced: Traced) -> None:
    take_note(traced)
    traced.stage(ADR)
    traced.hook("pre-commit")
    traced.commit()
    assert traced.hook("post-commit") == ["diff-tree"]
    assert traced.recorder.calls() == ["hook pre-commit", "hook post-commit"]


def test_a_commit_that_no_hook_saw_is_compared(traced: Traced) -> None:
    """The commit after it is seen again, because the hook has compared that commit."""
    take_note(traced)
    traced.stage("other.txt")
    traced.commit()
    assert take_note(traced) == (["diff-index"], ["diff-tree"])
    assert take_note(traced) == (["diff-index"], [])
    assert traced.recorder.calls() == []


def test_an_artifact_that_goes_back_to_what_is_indexed_is_checked(traced: Traced) -> None:
    """As after `git reset --soft` of a commit that was not checked."""
    first = traced.repo.head()
    traced.stage(ADR)
    traced.commit()
    traced.index_again()
    traced.repo.git("reset", "--quiet", "--soft", first)
    traced.age("index")
    assert traced.hook("pre-commit") == ["diff-index"]
    assert traced.recorder.calls() == ["hook pre-commit"]


@pytest.mark.parametrize("change", ["index", "state", "again", "rules", "parent", "link", "none"])
def test_a_change_between_the_hooks_is_compared(
    traced_in_each: Traced, tmp_path: Path, change: str
) -> None:
    traced = traced_in_each
    root = traced.repo.root
    traced.stage("other.txt")
    assert traced.hook("pre-commit") == ["diff-index"]
    later = (4_000_000_000, 4_000_000_000)
    if change == "index":
        # Another hook has staged an artifact after this one.
        traced.stage(ADR)
        os.utime(root / ".git/index", later)
    traced.commit()
    if change == "state":
        os.utime(root / ".sdd/search/hook", later)
    elif change == "again":
        (root / ".sdd/search/again").touch()
    elif change == "rules":
        (root / ".git/info/exclude").write_text("x\n")
    elif change == "parent":
        seen = (root / SEEN).read_text().split()
        (root / SEEN).write_text(" ".join([*seen[:-1], "1"]) + "\n")
    elif change == "link":
        (root / SEEN).rename(tmp_path / "seen")
        (root / SEEN).symlink_to(tmp_path / "seen")
    commands = traced.hook("post-commit")
    started = {"index", "again", "rules"}
    assert traced.recorder.calls() == (["hook post-commit"] if change in started else [])
    assert commands == ([] if change in {"none", "again", "rules"} else ["diff-tree"])


def test_nothing_is_written_through_a_link(traced: Traced, tmp_path: Path) -> None:
    target = tmp_path / "target"
    for text in (None, "mine\n"):
        (traced.repo.root / SEEN).unlink(missing_ok=True)
        (traced.repo.root / SEEN).symlink_to(target)
        if text:
            target.write_text(text)
        # What the file has told before is lost.
        assert take_note(traced) == (["diff-index"], ["diff-tree"] if text else [])
        assert (target.read_text() if target.exists() else None) == text


@pytest.mark.parametrize("content", ["", "sdd 1", "sdd 2 {head} {head} {pid}\n", "\0" * 50])
def test_a_damaged_file_is_replaced(traced_in_each: Traced, content: str) -> None:
    traced = traced_in_each
    head, pid = traced.repo.head(), os.getpid()
    traced.stage("other.txt")
    traced.commit()
    (traced.repo.root / SEEN).write_text(content.format(head=head, pid=pid))
    assert traced.hook("post-commit") == ["diff-tree"]
    assert take_note(traced) == (["diff-index"], [])


def test_a_folder_in_its_place_and_a_detached_head(traced: Traced) -> None:
    traced.repo.git("checkout", "--quiet", "--detach")
    assert take_note(traced) == (["diff-index"], [])
    (traced.repo.root / SEEN).unlink()
    (traced.repo.root / SEEN).mkdir()
    assert take_note(traced) == (["diff-index"], ["diff-tree"])


def test_a_branch_that_is_packed_is_compared(traced: Traced) -> None:
    traced.repo.git("pack-refs", "--all")
    # git writes the branch of a commit to a file again.
    assert take_note(traced) == (["diff-index"], ["diff-tree"])
    assert take_note(traced) == (["diff-index"], [])


def test_another_index_file_is_compared(traced: Traced) -> None:
    traced.stage("other.txt")
    assert traced.hook("pre-commit") == ["diff-index"]
    shutil.copy(traced.repo.root / ".git/index", traced.repo.root / "mine")
    os.utime(traced.repo.root / "mine", (4_000_000_000, 4_000_000_000))
    assert traced.hook("post-commit", GIT_INDEX_FILE="mine") == ["diff-tree"]


def test_a_linked_work_tree_has_its_own(traced: Traced, tmp_path: Path) -> None:
    traced.repo.git("worktree", "add", "--quiet", str(tmp_path / "other"), "-b", "other")
    linked = Hooked(tmp_path / "other", traced.repo.search_path)
    shutil.copytree(traced.repo.root / ".sdd", linked.root / ".sdd")
    linked.write("other.txt", "x\n")
    linked.git("add", "other.txt")
    os.utime(traced.repo.root / ".git/worktrees/other/index", (1_000_000_000, 1_000_000_000))
    traced.repo = linked
    assert traced.hook("pre-commit") == ["diff-index"]
    assert traced.hook("post-commit") == []


@pytest.mark.parametrize("large", ["0", "1"])
def test_a_repository_that_is_not_large_compares_in_both_hooks(traced: Traced, large: str) -> None:
    traced.index_again(large)
    compared = ["diff-tree"] if large == "1" else ["diff-index"]
    for _ in range(3):
        assert take_note(traced) == (["diff-index"], compared)
        assert traced.seen() == "sdd 1 0 0 -\n"
    assert traced.recorder.calls() == []
    traced.stage(ADR)
    traced.hook("pre-commit")
    traced.commit()
    traced.hook("post-commit")
    assert traced.recorder.calls() == ["hook pre-commit", "hook post-commit"]


def test_a_repository_may_become_large_and_small_again(traced: Traced) -> None:
    traced.index_again("0")
    assert take_note(traced) == (["diff-index"], ["diff-index"])
    # The states are newer than what the hooks have written, and those that follow are not.
    traced.index_again("2", later=True)
    assert take_note(traced) == (["diff-index"], ["diff-tree"])
    traced.index_again("2")
    assert take_note(traced) == (["diff-index"], [])
    assert traced.seen() != "sdd 1 0 0 -\n"
    traced.index_again("0")
    assert take_note(traced) == (["diff-index"], ["diff-index"])
    assert traced.seen() == "sdd 1 0 0 -\n"


@pytest.mark.parametrize("name", ["hook", "hook-artifacts"])
def test_a_state_that_was_not_read_is_not_remembered(traced: Traced, name: str) -> None:
    traced.index_again("0")
    state = traced.repo.root / ".sdd/search" / name
    whole = state.read_text()
    state.write_text(whole[:-9])
    traced.stage("other.txt")
    traced.hook("pre-commit")
    assert traced.seen() == ""
    started = ["hook pre-commit"] if name == "hook-artifacts" else []
    assert traced.recorder.calls() == started
    # One that was read before may be damaged, too.
    state.write_text(whole)
    traced.hook("pre-commit")
    assert traced.seen() == "sdd 1 0 0 -\n"
    state.write_text(whole[:-9])
    traced.hook("pre-commit")
    traced.commit()
    traced.hook("post-commit")
    assert traced.recorder.calls() == (started or ["hook post-commit"])
