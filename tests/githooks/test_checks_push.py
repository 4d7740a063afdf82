"""Review of pushed branches: the same changes as in their pull requests."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.githooks.checks import parse_pushed_branches
from sdd_hooks.githooks.context import HookContext
from sdd_hooks.githooks.events import run_hook
from sdd_hooks.usecases.review import PushedBranch
from tests.githooks.reviewed import APP, BROKEN, RECORDS, hook, repository
from tests.support.repos import Repo

NONE = "0" * 40
A, B = "a" * 40, "b" * 40


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A clone of a repository with decisions. A commit of its branch violates a rule."""
    source = repository(tmp_path / "source")
    source.git("clone", "--quiet", "--bare", ".", str(tmp_path / "origin.git"))
    source.git("clone", "--quiet", str(tmp_path / "origin.git"), str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    clone.git("switch", "--quiet", "-c", "topic")
    clone.commit("Change", {APP: BROKEN})
    return clone


def push(repo: Repo, *lines: str, options: tuple[str, ...] = ()) -> tuple[int, str]:
    stdin = "".join(f"{line}\n" for line in lines).encode()
    return hook(repo, "pre-push", "origin", "url", *options, stdin=stdin)


def test_a_new_branch(repo: Repo) -> None:
    code, said = push(repo, f"refs/heads/topic {repo.head()} refs/heads/topic {NONE}")
    assert code == 0
    assert "ADR-0099 does not exist" in said
    assert "\x1b" not in said


def test_findings_refuse_the_push_with_fail_on(repo: Repo) -> None:
    line = f"refs/heads/topic {repo.head()} refs/heads/topic {NONE}"
    assert push(repo, line, options=("--fail-on", "critical"))[0] == 1
    assert push(repo, line, options=("--fail-on=never",))[0] == 0


def test_a_branch_is_reviewed_since_its_merge_base(repo: Repo) -> None:
    before = repo.head()
    repo.commit("More", {"notes.txt": "2\n"})
    _, said = push(repo, f"HEAD {repo.head()} refs/heads/topic {before}")
    assert "ADR-0099 does not exist" in said


def test_the_default_branch_is_compared_with_the_remote_one(repo: Repo) -> None:
    there = repo.git("rev-parse", "origin/main")
    line = f"refs/heads/topic {repo.head()} refs/heads/main"
    assert "ADR-0099" in push(repo, f"{line} {there}")[1]
    head = repo.head()
    repo.commit("More", {"notes.txt": "2\n"})
    assert push(repo, f"refs/heads/topic {repo.head()} refs/heads/main {head}") == (0, "")
    # The new commit of the remote is not in the clone.
    assert "ADR-0099" in push(repo, f"{line} {A}")[1]


@pytest.mark.parametrize(
    "line",
    [
        f"(delete) {NONE} refs/heads/topic {A}",
        f"refs/tags/v1 {A} refs/tags/v1 {NONE}",
        f"refs/notes/x {A} refs/notes/x {NONE}",
        "nonsense",
        "",
    ],
)
def test_nothing_to_review(repo: Repo, line: str) -> None:
    assert push(repo, line) == (0, "")


def test_a_branch_without_a_finding_is_silent(repo: Repo) -> None:
    repo.git("switch", "--quiet", "-c", "other", "origin/main")
    repo.commit("More", {"notes.txt": "2\n"})
    assert push(repo, f"HEAD {repo.head()} refs/heads/other {NONE}") == (0, "")


def test_several_branches(repo: Repo) -> None:
    lines = [f"x {repo.head()} refs/heads/topic-{number} {NONE}" for number in range(7)]
    _, said = push(repo, *lines)
    assert [f"topic-{number}\n" in said for number in range(7)] == [True] * 5 + [False] * 2
    assert said.endswith("sdd: 2 of the branches not reviewed: see `sdd review --head`\n")


def test_the_first_push_of_a_repository(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "new")
    repo.commit("Start", {**RECORDS, APP: BROKEN})
    assert push(repo, f"refs/heads/main {repo.head()} refs/heads/main {NONE}") == (0, "")


def test_a_missing_commit_is_an_error(repo: Repo) -> None:
    code, said = push(repo, f"x {A} refs/heads/topic {NONE}", options=("--fail-on", "info"))
    assert (code, said.count("\n")) == (0, 1)
    assert said.startswith("sdd: nothing was reviewed")


def test_a_branch_in_the_variables_of_pre_commit(repo: Repo) -> None:
    variables = {
        **os.environ,
        "PRE_COMMIT_TO_REF": repo.head(),
        "PRE_COMMIT_FROM_REF": repo.git("rev-parse", "origin/main"),
        "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/topic",
        "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/topic",
        "PRE_COMMIT_REMOTE_NAME": "origin",
    }
    assert "ADR-0099" in hook(repo, "pre-push", environ=variables)[1]
    # For a branch without a commit on the remote, pre-commit names no commits.
    del variables["PRE_COMMIT_TO_REF"], variables["PRE_COMMIT_FROM_REF"]
    assert "ADR-0099" in hook(repo, "pre-push", environ=variables)[1]
    variables["PRE_COMMIT_REMOTE_BRANCH"] = "refs/tags/v1"
    assert hook(repo, "pre-push", environ=variables) == (0, "")


def test_a_push_without_input_is_not_reviewed(repo: Repo) -> None:
    stderr = io.StringIO()
    done = run_hook("pre-push", [], HookContext(repo.root, os.environ, stderr))
    assert (done, stderr.getvalue()) == (0, "")


def test_an_interruption_exits_with_130(repo: Repo) -> None:
    class Interrupted(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise KeyboardInterrupt

    stderr = io.StringIO()
    done = run_hook("pre-push", [], HookContext(repo.root, os.environ, stderr, Interrupted()))
    assert (done, stderr.getvalue()) == (130, "")


def test_a_name_may_have_blanks() -> None:
    line = f"HEAD^{{/fix a bug}} {A} refs/heads/x {B}"
    assert list(parse_pushed_branches(line, "origin")) == [PushedBranch(A, "x", B, "origin")]


@given(st.text())
def test_any_input_is_parsed(text: str) -> None:
    for one in parse_pushed_branches(text, "origin"):
        assert one.head.strip("0")
        assert "\n" not in one.branch
