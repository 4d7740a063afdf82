"""The branch of an issue, its worktree, and other branches that are not merged."""

# Governing: SPEC-0026 REQ "Branch and worktree", ADR-0012 (untrusted input never leaves the
# repository)

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sdd_hooks.config.configuration import Configuration
from sdd_hooks.errors import SddError
from sdd_hooks.planning.conventions import BRANCH_HEADING, branch_name, is_epic
from sdd_hooks.planning.work.brief import BranchPlan
from sdd_hooks.planning.work.siblings import Sibling
from sdd_hooks.system.git import Git
from sdd_hooks.text.display import format_count, printable_line
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import parse_sections
from sdd_hooks.trackers.issue_file import StoredIssue

MAX_AGE = 60 * 86_400.0
"""Seconds after which a branch without a pull request counts as given up."""

_FORMAT = "%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents:subject)"
_NAME = lazy_regex(r"`?([A-Za-z0-9][\w./#+-]{0,199})`?", re.ASCII)


class WorktreeRefused(SddError):
    """A worktree cannot be created, or not be removed."""

    code = "worktree-refused"


def plan_branch(
    git: Git, issue: StoredIssue, configuration: Configuration, base: str
) -> BranchPlan:
    """The branch of an issue: the one that its body names, else the one by convention.

    `base` is the name of the branch that it starts from.
    """
    name = _written_name(git, issue) or branch_name(
        issue.id, issue.title, configuration.branches, epic=is_epic(issue.title, issue.labels)
    )
    ref = f"refs/heads/{name}"
    exists = git.try_output("rev-parse", "--verify", "--quiet", ref) is not None
    checked_out = list_worktrees(git).get(name)
    if checked_out is not None:
        return BranchPlan(name, base, exists, os.path.relpath(checked_out, git.root), True)
    directory = configuration.worktrees.base_dir.rstrip("/")
    return BranchPlan(name, base, exists, posixpath.join(directory, name), False)


def list_worktrees(git: Git) -> Mapping[str, str]:
    """The path of each worktree by the branch that is checked out in it."""
    found: dict[str, str] = {}
    path = ""
    for row in os.fsdecode(git.output("worktree", "list", "--porcelain")).splitlines():
        key, _, value = row.partition(" ")
        if key == "worktree":
            path = value
        elif key == "branch":
            found[value.removeprefix("refs/heads/")] = path
    return found


def create_worktree(git: Git, plan: BranchPlan, limit: int) -> BranchPlan:
    """Check the branch out in its worktree, and create both where they are missing.

    `limit` is the number of worktrees beside this one. Raises WorktreeRefused for a directory
    outside the repository, for one that exists already, and when the limit is reached.
    """
    if plan.checked_out:
        return plan
    path = posixpath.normpath(plan.worktree)
    if path.startswith(("../", "/")) or path == ".." or path.split("/")[0] == ".git":
        raise WorktreeRefused(
            f"the worktree {printable_line(path)} would be outside the repository: set `Base Dir`"
            " under `#### Worktrees` to a directory inside it"
        )
    target = _inside(git.root, path)
    beside = len(list_worktrees(git)) - 1
    if beside >= limit:
        raise WorktreeRefused(
            f"{format_count(beside, 'other worktree')} in use, and `Max Agents` allows {limit}:"
            " remove one with `sdd work ISSUE --finish` or `git worktree remove`"
        )
    if os.path.lexists(target):
        raise WorktreeRefused(f"{printable_line(path)} exists already: move it away")
    branch = (plan.name,) if plan.exists else ("-b", plan.name, plan.base)
    where = (str(target), *branch) if plan.exists else (*branch[:2], str(target), *branch[2:])
    done = git.run("worktree", "add", "--quiet", *where)
    if done.returncode:
        reason = printable_line(done.stderr.decode("utf-8", "replace").strip().split("\n")[-1])
        raise WorktreeRefused(f"git worktree add: {reason}")
    return plan._replace(exists=True, worktree=path, checked_out=True)


def _inside(root: Path, path: str) -> Path:
    """The path below the root. Raises WorktreeRefused if a link on it leads out."""
    target = root / path
    parent = target.parent
    while not parent.exists():
        parent = parent.parent
    if not parent.resolve().is_relative_to(root.resolve()):
        raise WorktreeRefused(
            f"{printable_line(path)} leads out of the repository through a link: set `Base Dir`"
            " under `#### Worktrees` to another directory"
        )
    return target


def open_branches(git: Git, base: str, own: str, now: float) -> Iterator[Sibling]:
    """The branches, here and at `origin`, that the commit `base` lacks, the newest first.

    `own` is the name of the branch of this work, which is left out. `now` is in epoch seconds.
    """
    listed = git.try_output(
        "for-each-ref",
        f"--no-merged={base}",
        "--sort=-committerdate",
        f"--format={_FORMAT}",
        "refs/heads",
        "refs/remotes/origin",
    )
    seen = {own, "HEAD"}
    for row in os.fsdecode(listed or b"").splitlines():
        ref, head, date, subject = row.split("\0")
        name = ref.removeprefix("refs/heads/").removeprefix("refs/remotes/origin/")
        if name in seen or now - float(date or 0) > MAX_AGE:
            continue
        seen.add(name)
        yield Sibling("", subject, name, "branch", head=head)


def _written_name(git: Git, issue: StoredIssue) -> str:
    """The branch that the section `### Branch` of an issue names; "" for none that git accepts.

    The name begins with the id of the issue: an issue may be written by strangers, and must not
    name a branch that other work is on.
    """
    for section in parse_sections(issue.body):
        if not section.level or section.title != BRANCH_HEADING.lstrip("# "):
            continue
        for line in issue.body[section.start : section.end].split("\n")[1:]:
            match = _NAME.fullmatch(line.strip())
            own = match and f"{match[1].rpartition('/')[2]}-".startswith(f"{issue.id}-")
            if match and own and _is_accepted(git, match[1]):
                return match[1]
    return ""


def _is_accepted(git: Git, name: str) -> bool:
    return git.try_output("check-ref-format", f"refs/heads/{name}") is not None
