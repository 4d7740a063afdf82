"""What a job asks to review: which two commits, and which pull request."""

# Governing: ADR-0024 (the action is a command), SPEC-0012 REQ "Which event does what",
# REQ "History that is missing"

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from sdd_hooks.action.history import Wanted, bring_change, heads_at
from sdd_hooks.errors import RemoteError, RepositoryError
from sdd_hooks.forges.protocol import Forge, JobContext, PullRequest
from sdd_hooks.system.git import Git


class Subject(NamedTuple):
    """Two commits as git takes their names, and the pull request that they are, if they are one.

    `outdated` is whether it has got another head since.
    """

    base: str
    head: str
    pull: PullRequest | None = None
    outdated: bool = False


def find_subject(
    git: Git, context: JobContext, forge: Forge, base: str, access: Mapping[str, str]
) -> Subject | None:
    """What the job is about, with its commits here; None where there is nothing to compare.

    `base` is what to compare with in place of what the event says, or "". `access` is git's
    environment for the remote. Raises RepositoryError for a commit that cannot be had, RemoteError
    where the forge does not say which pull request it is.
    """
    found = _pull(git, context, forge, access)
    if found is not None:
        pull, outdated = found
        wanted = Wanted(base) if base else Wanted(pull.base, _head_of(pull.base_ref))
        commits = bring_change(git, wanted, Wanted(pull.head, pull.ref), access)
        return Subject(*commits, pull, outdated)
    if context.followed_sha or not context.sha:
        return None
    head = Wanted(context.sha, _head_of(context.branch))
    if base:
        return Subject(*bring_change(git, Wanted(base), head, access))
    for before in _before(context):
        # What was there before a forced push may be gone.
        with suppress(RepositoryError):
            return Subject(*bring_change(git, Wanted(before), head, access))
    return None


def _head_of(branch: str) -> str:
    return f"refs/heads/{branch}" if branch else ""


def _before(context: JobContext) -> list[str]:
    """What a push is compared with, the best first."""
    there = [context.before] if context.before.strip("0") else []
    is_other = context.event == "push" and context.branch not in ("", context.default_branch)
    return [*there, context.default_branch] if is_other and context.default_branch else there


def _pull(
    git: Git, context: JobContext, forge: Forge, access: Mapping[str, str]
) -> tuple[PullRequest, bool] | None:
    """The pull request that the job is about, and whether it has got another head since."""
    if context.pull is not None:
        told = context.pull
        try:
            now = forge.pull_request(told.number)
        except RemoteError:
            if not told.head:
                raise
            return told, False
        # Its texts may have been edited since; the commits are those that the job is about.
        same = told._replace(title=now.title, body=now.body)
        return (same, now.head != told.head) if told.head else (now, False)
    if context.followed_sha:
        for number in heads_at(git, context.followed_sha, context.pull_refs, access):
            pull = forge.pull_request(number)
            if pull.is_open and pull.head == context.followed_sha:
                return pull, False
    return None
