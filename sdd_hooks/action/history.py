"""Bring the commits that a review compares here, however little the job has checked out.

Objects are fetched and nothing is checked out: what is in them is read, and never run.
"""

# Governing: ADR-0024 (the action is a command), SPEC-0012 REQ "History that is missing"

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from sdd_hooks.changes.base import is_partial, is_shallow, resolve_commit
from sdd_hooks.errors import RepositoryError
from sdd_hooks.sharing.git_errors import redact_git_error
from sdd_hooks.system.git import FETCH_OBJECTS, Git, is_object_id

REMOTE = "origin"
SECONDS = 1800.0
"""How long one fetch may take: a long history over a slow line."""

_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


class Wanted(NamedTuple):
    """A commit by `name`, its id or what a person would type for it, and the `ref` of the remote
    that leads to it, "" where that is not known."""

    name: str
    ref: str = ""


def bring_change(
    git: Git, base: Wanted, head: Wanted, access: Mapping[str, str]
) -> tuple[str, str]:
    """Fetch what is missing of two commits, their history, and the files that differ between them.

    Returns their ids. Raises RepositoryError as `bring` does.
    """
    first, last = bring(git, (base, head), access)
    if is_partial(git):
        # What is still missing after this, the review names.
        lazily = {**access, "GIT_NO_LAZY_FETCH": "0"}
        between = f"{first}...{last}"
        git.remote("diff", "--shortstat", between, timeout=SECONDS, access=lazily)
    return first, last


def bring(git: Git, wanted: Sequence[Wanted], access: Mapping[str, str]) -> tuple[str, ...]:
    """Fetch what is missing of these commits and of their history. Returns their ids.

    `access` is what git's environment has to have for the remote. Raises RepositoryError for a
    commit that cannot be had; the message says why.
    """
    shallow = is_shallow(git)
    known = [_known(git, one.name) for one in wanted]
    problem = ""
    if shallow or not all(known):
        exact = [_refspec(one) for one in wanted]
        # A boundary of the history stays one unless the commit there is asked for as well.
        boundary = [resolve_commit(git, "HEAD")] if shallow else []
        options = ("--unshallow",) if shallow else ()
        by_ref = [one.ref for one in wanted if one.ref]
        for refspecs in filter(None, ([*exact, *boundary], exact, by_ref)):
            problem = _fetch(git, (*options, REMOTE, *refspecs), access)
            if not problem:
                break
        known = [_known(git, one.name) for one in wanted]
    for one, commit in zip(wanted, known, strict=True):
        if not commit:
            said = f" ({problem})" if problem else ""
            raise RepositoryError(
                f"{REMOTE} does not give the commit {one.name!a}{said}: check out with"
                " `fetch-depth: 0`, or name another base"
            )
    return tuple(known)


def heads_at(git: Git, commit: str, pattern: str, access: Mapping[str, str]) -> list[int]:
    """The numbers of the pull requests whose head is `commit`, the newest first.

    `pattern` are the refs where the remote has them, with `*` for the number. Raises
    RepositoryError when it cannot be asked.
    """
    done = git.remote("ls-remote", "--quiet", REMOTE, pattern, timeout=SECONDS, access=access)
    if done.code:
        raise RepositoryError(
            f"{REMOTE} cannot be asked for {pattern}: {redact_git_error(done.err, access)}"
        )
    before, _, after = pattern.partition("*")
    refs = [line.split("\t", 1)[-1] for line in done.out.splitlines() if line.startswith(commit)]
    numbers = [ref.removeprefix(before).removesuffix(after) for ref in refs]
    return sorted((int(one) for one in numbers if _NUMBER.fullmatch(one)), reverse=True)


def _known(git: Git, name: str) -> str:
    """The id of a commit that is here, "" for one that is not. A branch is the remote's."""
    branch = () if is_object_id(name) else (f"refs/remotes/{REMOTE}/{_branch(name)}",)
    for shown in (*branch, name):
        with suppress(RepositoryError):
            return resolve_commit(git, shown)
    return ""


def _refspec(wanted: Wanted) -> str:
    """How to ask for it by its name."""
    if is_object_id(wanted.name):
        return wanted.name
    branch = _branch(wanted.name)
    return f"+refs/heads/{branch}:refs/remotes/{REMOTE}/{branch}"


def _branch(name: str) -> str:
    return name.removeprefix("refs/heads/").removeprefix(f"{REMOTE}/")


def _fetch(git: Git, arguments: Sequence[str], access: Mapping[str, str]) -> str:
    """Fetch. Returns what went wrong, "" for nothing."""
    done = git.remote(*FETCH_OBJECTS, *arguments, timeout=SECONDS, access=access)
    return redact_git_error(done.err, access) if done.code else ""
