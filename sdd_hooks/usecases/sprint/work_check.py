"""Check a finished branch: what it writes again, and where it departs from the brief."""

# Governing: SPEC-0026 REQ "Check of a branch"

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from sdd_hooks.changes.base import resolve_commit
from sdd_hooks.changes.diff import read_change
from sdd_hooks.changes.tree import Tree
from sdd_hooks.errors import Missing
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.work.branch_check import (
    BranchCheck,
    brief_findings,
    duplicate_findings,
    ordered,
    sibling_findings,
    worker_messages,
)
from sdd_hooks.planning.work.brief import WorkBrief
from sdd_hooks.planning.work.definitions import find_added_symbols
from sdd_hooks.planning.work.duplicates import find_duplicates
from sdd_hooks.project.project import Project
from sdd_hooks.system.git import Git
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.source import NoTracker
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.stored_issues import read_issue
from sdd_hooks.usecases.sprint.work_siblings import starting_branch

# `42-keep-sessions`, `PROJ-12-title`
_ISSUE = lazy_regex(r"([0-9]{1,18}|[A-Z][A-Z0-9_]{0,20}-[0-9]{1,18})(?:-.*)?")

MAX_PARTS = 24
"""Parts between hyphens at the start of a branch's name that may be an id."""


class BranchCheckRequest(NamedTuple):
    """What to check: the branch that is checked out against `base`, "" for the main branch, as the
    work on `issue`, "" for the one that the name of the branch says."""

    issue: str = ""
    base: str = ""


def check_branch(
    project: Project,
    folders: Sequence[IssueFolder],
    request: BranchCheckRequest,
    write: Callable[[str, str], WorkBrief],
) -> BranchCheck:
    """Check a branch.

    `folders` have the issues by which the name of the branch is understood. `write` returns the
    brief of an issue whose work is on a branch. Without one (no tracker, no such issue) the new
    definitions are checked all the same, unless the request names the issue. Raises
    RepositoryError for an unknown branch, and what `write` raises.
    """
    git = project.repository.git
    branch = _checked_out(git)
    change = read_change(git, request.base or starting_branch(project.repository), "HEAD")
    before, after = Tree(git, change.base), Tree(git, change.head)
    added = find_added_symbols(before, after, change)
    issue = request.issue or find_issue_id(branch, folders)
    notes = [
        *change.notes,
        *(f"not checked: {one.path or 'files'}: {one.reason}" for one in change.unread),
    ]
    brief = _brief(issue, request, lambda one: write(one, branch), notes)
    duplicates = find_duplicates(after, added)
    findings = [*duplicate_findings(duplicates)]
    messages: list[str] = []
    if brief:
        findings += sibling_findings(added, change, brief.siblings)
        findings += brief_findings(change, after, branch, brief)
        messages += worker_messages(brief, change, after, added)
    if _has_changes(git):
        notes.append("Edits that are not committed were not checked")
    return BranchCheck(
        brief.issue.id if brief else "",
        branch,
        change.base,
        change.head,
        len(change.files),
        len(added),
        tuple(duplicates),
        ordered(findings),
        tuple(messages),
        tuple(notes),
        brief.warnings if brief else (),
    )


def _brief(
    issue: str, request: BranchCheckRequest, write: Callable[[str], WorkBrief], notes: list[str]
) -> WorkBrief | None:
    if not issue:
        notes.append("The branch names no issue: only its definitions were checked")
        return None
    try:
        return write(issue)
    except (Missing, NoTracker) as error:
        if request.issue:
            raise
        notes.append(f"Only definitions were checked, without the brief of {issue}: {error}")
        return None


def _checked_out(git: Git) -> str:
    name = git.try_output("symbolic-ref", "--quiet", "--short", "HEAD")
    return os.fsdecode(name or b"").strip() or resolve_commit(git, "HEAD")


def find_issue_id(branch: str, folders: Sequence[IssueFolder]) -> str:
    """The id of the issue that the name of a branch begins with, "" for none.

    It is the longest one that has a file, else a number or a key such as `PROJ-12`.
    """
    name = branch.rpartition("/")[2]
    ends = [at for at, sign in enumerate(f"{name}-") if sign == "-"][:MAX_PARTS]
    for end in reversed(ends):
        if any(read_issue(folder, name[:end]) for folder in folders):
            return name[:end]
    match = _ISSUE.fullmatch(name)
    return match[1] if match else ""


def _has_changes(git: Git) -> bool:
    return bool(git.output("status", "--porcelain", "--untracked-files=no").strip())
