"""Tidy up after the merge of an issue's branch: worktree, branch, and the index of the code."""

# Governing: SPEC-0026 REQ "After the merge", SPEC-0007 REQ "After a mutation"

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sdd_hooks.changes.base import find_merge_base, resolve_commit
from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.conventions import issue_reference
from sdd_hooks.planning.work.branches import list_worktrees, plan_branch
from sdd_hooks.planning.work.brief import BranchPlan
from sdd_hooks.project.project import Project
from sdd_hooks.system.git import Git, first_error_line
from sdd_hooks.text.display import printable_line
from sdd_hooks.trackers.issue import LinkedPull
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.source import TrackerSource
from sdd_hooks.usecases.forge import find_forge, open_forge
from sdd_hooks.usecases.sprint.read_issues import find_issue
from sdd_hooks.usecases.sprint.work_siblings import starting_branch
from sdd_hooks.usecases.upkeep.refresh import refresh_after_write
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks

if TYPE_CHECKING:
    from sdd_hooks.forges.protocol import Forge


KEPT_STATE = ("knowledge", "context", "logs")
"""Directories of `.sdd/` that people and agents write: no command deletes them."""


class NotMerged(SddError):
    """The branch of an issue is not merged, as far as git, the forge and the tracker know."""

    code = "not-merged"


class FinishedWork(NamedTuple):
    """What was done, and warnings about what was not.

    `merged_by` says who knows that the branch is merged. `removed_worktree` is its path, "" for
    none, `deleted_branch` the name of the branch, "" where it stays.
    """

    branch: str
    merged_by: str
    removed_worktree: str
    deleted_branch: str
    warnings: tuple[str, ...] = ()


class _Merge(NamedTuple):
    """Who knows of a merge, and the commit that was merged, "" if that is not known."""

    by: str
    head: str = ""


def finish_work(
    project: Project,
    sources: Sequence[TrackerSource],
    id: str,
    now: float,
    callbacks: SyncCallbacks,
) -> FinishedWork:
    """Remove the worktree and the branch of a merged issue, and refresh the index of the code.

    A worktree is removed only if it is clean, and a branch only if all of its commits are merged. A
    second run changes nothing. `now` is in seconds since the epoch.

    Raises:
        Missing: no tracker has the issue.
        NotMerged: the branch is not merged.
        RepositoryError: git fails.
    """
    found = find_issue(project, sources, id, now, callbacks)
    git = project.repository.git
    configuration = project.module_configuration(found.module)
    plan = plan_branch(git, found.issue, configuration, starting_branch(project.repository))
    merge = _find_merge(project, found.issue, plan, now, callbacks)
    warnings = list(found.warnings)
    removed, kept = _remove_worktree(git, plan)
    warnings += filter(None, [kept])
    deleted = ""
    if not kept and plan.exists:
        deleted, kept = _delete_branch(git, plan, merge)
        warnings += filter(None, [kept])
    warnings += refresh_after_write(project, project.select(("code",)))
    return FinishedWork(plan.name, merge.by, removed, deleted, tuple(warnings))


def _find_merge(
    project: Project, issue: StoredIssue, plan: BranchPlan, now: float, callbacks: SyncCallbacks
) -> _Merge:
    git = project.repository.git
    if plan.exists and (_contains(git, plan.base, plan.name) or _is_squashed(git, plan)):
        return _Merge("git", resolve_commit(git, f"refs/heads/{plan.name}"))
    pulls = [one for one in issue.pulls if one.branch == plan.name]
    known = _forge_head(project, pulls, now, callbacks)
    if known:
        return known
    merged = next((one for one in pulls if one.status == "merged"), None)
    if merged:
        return _Merge(f"pull request {issue_reference(merged.number)}")
    if not plan.exists and issue.status in ("closed", "merged"):
        return _Merge(f"issue {issue_reference(issue.id)}, which is {issue.status}")
    reason = f"`{plan.base}` lacks its commits" if plan.exists else "there is no such branch"
    raise NotMerged(
        f"{printable_line(plan.name)} is not merged: {reason}, and no pull request of the issue is"
        " merged; after the merge run `git pull`, then this again"
    )


def _forge_head(
    project: Project, pulls: Sequence[LinkedPull], now: float, callbacks: SyncCallbacks
) -> _Merge | None:
    """The merge of one of the pull requests as the forge knows it."""
    numbers = [one.number for one in pulls if one.number.isdecimal()]
    if not numbers:
        return None
    try:
        with open_forge(find_forge(project, now), callbacks.on_wait) as forge:
            for number in numbers:
                pull = cast("Forge", forge).pull_request(int(number))
                if pull.is_merged:
                    return _Merge(f"pull request {issue_reference(number)}", pull.head)
    except SddError:
        # The tracker has synced the state of the pull request, without its head.
        return None
    return None


def _remove_worktree(git: Git, plan: BranchPlan) -> tuple[str, str]:
    """The path of the removed worktree, and why one stays; each may be ""."""
    path = list_worktrees(git).get(plan.name)
    if path is None:
        return "", ""
    shown = printable_line(path)
    if Path(path).resolve() == git.root.resolve():
        return "", f"{shown} stays: this command runs in it; run it in another worktree"
    written = [name for name in KEPT_STATE if any((Path(path) / ".sdd" / name).glob("*"))]
    if written:
        return "", f"{shown} stays: its `.sdd/{written[0]}/` has files that cannot be made again"
    done = git.run("worktree", "remove", path)
    if done.returncode:
        reason = printable_line(first_error_line(done.stderr))
        return "", f"{shown} stays: {reason}"
    return path, ""


def _delete_branch(git: Git, plan: BranchPlan, merge: _Merge) -> tuple[str, str]:
    """The name of the deleted branch, and why one stays; each may be ""."""
    if plan.name == plan.base:
        return "", ""
    tip = resolve_commit(git, f"refs/heads/{plan.name}")
    where = [plan.base, merge.head, f"refs/remotes/origin/{plan.name}"]
    if not any(name and (name == tip or _contains(git, name, tip)) for name in where):
        shown = printable_line(plan.name)
        return "", f"{shown} stays: it has commits that {merge.by} does not have"
    # The expected commit: one that is made meanwhile is not lost.
    git.output("update-ref", "-d", f"refs/heads/{plan.name}", tip)
    return plan.name, ""


def _is_squashed(git: Git, plan: BranchPlan) -> bool:
    """Whether a commit of the base makes the same change as the whole branch."""
    base, tip = resolve_commit(git, plan.base), resolve_commit(git, f"refs/heads/{plan.name}")
    common = find_merge_base(git, (plan.base, base), (plan.name, tip))
    if not common:
        return False
    # A commit that no branch has: git removes it in time.
    identity = ("-c", "user.name=sdd", "-c", "user.email=sdd@localhost")
    squashed = git.try_output(*identity, "commit-tree", f"{tip}^{{tree}}", "-p", common, "-m", "x")
    listed = git.try_output("cherry", base, (squashed or b"").decode().strip()) or b""
    return listed.startswith(b"-")


def _contains(git: Git, name: str, commit: str) -> bool:
    """Whether the history of `name` has a commit; False if either is not in this clone."""
    return not git.run("merge-base", "--is-ancestor", commit, name).returncode
