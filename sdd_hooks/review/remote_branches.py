"""The numbers that the branches of a remote take, as this clone knows them.

Nothing is fetched. A branch is left out if it is merged, if it is stale, if it is the reviewed
branch itself, and if its name says that it belongs to the host.
"""

# Governing: ADR-0034 (numbers that are not merged yet), SPEC-0010 REQ "Numbers"

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress

from sdd_hooks.changes.base import default_base
from sdd_hooks.errors import RepositoryError
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.claims import Claims
from sdd_hooks.review.read_claims import ClaimReader, OtherHead, read_claims
from sdd_hooks.review.subject import Subject
from sdd_hooks.system.git import Git
from sdd_hooks.text.display import one_line

MAX_BRANCHES = 100
"""Branches that are compared, those with the newest commits."""
STALE_SECONDS = 90 * 86_400
"""A branch whose last commit is so much older than the reviewed one is stale."""

_PREFIX = "refs/remotes/"
_FORMAT = "%(refname)%00%(objectname)%00%(committerdate:unix)%00%(symref)"
# Users fetch the refs of pull requests under such names, closed ones too, and git never removes
# them. The last one is GitHub's, for its merge queue.
_OF_HOST = re.compile(
    r"(?:.*/)?(?:pr|pull|pulls|pull-requests?|mr|merge-requests?)/[0-9]+(?:/.*)?"
    r"|gh-readonly-queue/.*"
)


def claims_of_branches(
    repository: Repository, *, head: str = "HEAD", branch: str = "", remote: str = ""
) -> ClaimReader:
    """A reader of the claims of the branches of a remote.

    `head` names the reviewed commit. `branch` is the name of the reviewed branch on the remote, ""
    for the one that `head` names. `remote` is "" for that of the main branch.
    """

    def read(subject: Subject) -> Claims:
        git = repository.git
        base = ""
        with suppress(RepositoryError):
            base = _full_name(git, default_base(repository))
        of_base = base.removeprefix(_PREFIX).partition("/")[0] if base.startswith(_PREFIX) else ""
        source = remote or of_base or "origin"
        own = _names_of(git, head, source) | {f"{_PREFIX}{source}/{branch}"}
        heads = list(_find_heads(subject, f"{_PREFIX}{source}/", base, own))
        return read_claims(subject, heads) if heads else Claims()

    return read


def _find_heads(subject: Subject, prefix: str, base: str, own: set[str]) -> Iterator[OtherHead]:
    """The branches below `prefix` that may take numbers. `base` is the ref of the main branch."""
    git = subject.after.git
    reviewed = subject.change.head or "HEAD"
    date = git.try_output("log", "-1", "--format=%ct", reviewed)
    oldest = int(date or 0) - STALE_SECONDS
    options = ("--sort=-committerdate", f"--count={MAX_BRANCHES}", f"--format={_FORMAT}")
    unmerged = f"--no-merged={subject.change.base_tip or reviewed}"
    listed = git.try_output("for-each-ref", *options, unmerged, prefix)
    for row in os.fsdecode(listed or b"").splitlines():
        ref, commit, seconds, target = row.split("\0")
        name = ref.removeprefix(prefix)
        is_base = ref == base
        if target or ref in own or _OF_HOST.fullmatch(name):
            continue
        if not is_base and int(seconds or 0) < oldest:
            continue
        short = one_line(ref.removeprefix(_PREFIX))
        if is_base:
            yield OtherHead(commit, short, f"on {short}", True)
        else:
            where = f"on the branch {short}, which took it first"
            yield OtherHead(commit, short, where, None, "warning")


def _names_of(git: Git, head: str, remote: str) -> set[str]:
    """The refs of the remote for the branch that `head` names: the same name, and its upstream."""
    full = _full_name(git, head)
    upstream = _full_name(git, f"{full.removeprefix('refs/heads/')}@{{upstream}}")
    same = f"{_PREFIX}{remote}/{full.removeprefix('refs/heads/')}"
    return {full, same, upstream}


def _full_name(git: Git, name: str) -> str:
    """The full name of the ref that `name` names; "" if it names none."""
    if not name or name.startswith("-") or "\0" in name:
        return ""
    output = git.try_output("rev-parse", "--verify", "--quiet", "--symbolic-full-name", name)
    full = os.fsdecode(output or b"").strip()
    return full if full.startswith("refs/") else ""
