"""Tidying up after the merge: worktree, branch, and the index of the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.usecases.sprint.work import WorkRequest, write_brief
from sdd_hooks.usecases.sprint.work_finish import FinishedWork, NotMerged, finish_work
from tests.planning.work.shop import COPY
from tests.support.clock import set_touched
from tests.support.oracle import documents
from tests.support.repos import Repo
from tests.usecases.shop import NOW, Shop

BRANCH = "feature/7-resolve-user-sessions-by-token"


def start(work: Shop) -> Repo:
    """A worktree for issue 7 with one commit."""
    request = WorkRequest("7", None, worktree=True)
    result = write_brief(work.repo.project(), [work.source()], request, NOW, work.callbacks)
    checkout = Repo(work.repo.root / result.branch.worktree)
    checkout.commit("Work", {"internal/api/user.go": COPY})
    return checkout


def finish(work: Shop) -> FinishedWork:
    return finish_work(work.repo.project(), [work.source()], "7", NOW, work.callbacks)


def branches(work: Shop) -> str:
    return work.repo.git("branch", "--list", "feature/*", "--format=%(refname:short)")


def squash(work: Shop) -> None:
    """Merge the branch into one commit, and edit the result as a reviewer does."""
    work.repo.git("merge", "--quiet", "--squash", BRANCH)
    work.repo.commit("Resolve sessions (#12)", {"internal/api/user.go": f"{COPY}\n// edited\n"})


def test_after_a_merge_worktree_and_branch_go_and_the_code_is_indexed(work: Shop) -> None:
    checkout = start(work)
    work.repo.git("merge", "--quiet", BRANCH)
    done = finish(work)
    assert (done.merged_by, done.deleted_branch, done.warnings) == ("git", BRANCH, ())
    assert done.removed_worktree == str(checkout.root)
    assert not checkout.root.exists()
    assert branches(work) == ""
    # The code of the merge is in the index, without another refresh (tier 1).
    assert "internal/api/user.go" in documents(work.repo)


def test_a_second_run_changes_nothing(work: Shop) -> None:
    start(work)
    work.repo.git("merge", "--quiet", BRANCH)
    finish(work)
    work.backend.now += 400
    work.backend.edit("7", status="closed")
    set_touched(work.repo, NOW)
    again = finish_work(work.repo.project(), [work.source()], "7", NOW + 400, work.callbacks)
    assert (again.removed_worktree, again.deleted_branch, again.warnings) == ("", "", ())
    assert again.merged_by == "issue #7, which is closed"


def test_a_branch_that_is_not_merged_stays(work: Shop) -> None:
    checkout = start(work)
    with pytest.raises(NotMerged, match="`main` lacks its commits"):
        finish(work)
    assert checkout.root.exists()
    assert branches(work) == BRANCH


def test_one_commit_with_the_whole_change_is_a_merge(work: Shop) -> None:
    checkout = start(work)
    checkout.commit("More", {"internal/api/more.go": "package api\n"})
    work.repo.git("merge", "--quiet", "--squash", BRANCH)
    work.repo.commit("Resolve sessions")
    done = finish(work)
    assert (done.merged_by, done.deleted_branch, done.warnings) == ("git", BRANCH, ())


def test_a_squashed_branch_is_deleted_if_all_of_it_was_pushed(work: Shop, tmp_path: Path) -> None:
    start(work)
    work.repo.git("init", "--quiet", "--bare", str(tmp_path / "bare.git"))
    work.repo.git("remote", "add", "origin", str(tmp_path / "bare.git"))
    work.repo.git("push", "--quiet", "origin", BRANCH)
    squash(work)
    work.backend.pull("12", "7", branch=BRANCH, status="merged")
    work.backend.now += 400
    done = finish_work(work.repo.project(), [work.source()], "7", NOW + 400, work.callbacks)
    assert (done.merged_by, done.deleted_branch) == ("pull request #12", BRANCH)


def test_commits_that_were_never_pushed_are_kept(work: Shop) -> None:
    checkout = start(work)
    squash(work)
    work.backend.pull("12", "7", branch=BRANCH, status="merged")
    work.backend.now += 400
    done = finish_work(work.repo.project(), [work.source()], "7", NOW + 400, work.callbacks)
    assert done.removed_worktree == str(checkout.root)
    assert done.deleted_branch == ""
    assert done.warnings == (f"{BRANCH} stays: it has commits that pull request #12 does not have",)
    assert branches(work) == BRANCH


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("internal/half.go", "contains modified or untracked files"),
        (".sdd/knowledge/note.md", "`.sdd/knowledge/` has files that cannot be made again"),
    ],
)
def test_a_worktree_with_work_in_it_stays(work: Shop, path: str, reason: str) -> None:
    checkout = start(work)
    work.repo.git("merge", "--quiet", BRANCH)
    checkout.write(path, "x\n")
    done = finish(work)
    assert (done.removed_worktree, done.deleted_branch) == ("", "")
    (warning,) = done.warnings
    assert reason in warning
    assert (checkout.root / path).exists()
    assert branches(work) == BRANCH


def test_the_worktree_of_the_command_stays(work: Shop) -> None:
    checkout = start(work)
    work.repo.git("merge", "--quiet", BRANCH)
    inside = Shop(checkout, work.backend, work.server)
    done = finish_work(checkout.project(), [inside.source()], "7", NOW, inside.callbacks)
    assert "this command runs in it" in done.warnings[0]
    assert checkout.root.exists()


def test_a_refresh_that_fails_is_one_warning(work: Shop) -> None:
    start(work)
    work.repo.git("merge", "--quiet", BRANCH)
    lock = work.repo.root / ".sdd/search/lock"
    lock.unlink()
    lock.mkdir()
    done = finish(work)
    assert done.deleted_branch == BRANCH
    assert done.warnings == (
        "Index refresh failed for shop-code — run `sdd index update` manually",
    )
