"""What a local review compares with where nobody says it."""

# Governing: ADR-0003 (one module talks to git), SPEC-0010 REQ "What is compared"

from __future__ import annotations

import os

from sdd_hooks.errors import RepositoryError
from sdd_hooks.project.git import git, try_git
from sdd_hooks.project.repository import Repository

TRUNKS = ("main", "master", "trunk")

_FORMAT = "%(refname)%00%(symref)%00%(refname:short)%00%(upstream:short)%00%(upstream:track)"


def default_base(repository: Repository) -> str:
    """The branch that work in this repository leads to, as git takes its name.

    That is the default branch of `origin`; where that is not known, its `main`, `master` or
    `trunk`; else the local one, or what that follows when it is checked out. Raises
    RepositoryError when there is none of them.
    """
    root = repository.root
    remote = [f"refs/remotes/origin/{name}" for name in ("HEAD", *TRUNKS)]
    local = [f"refs/heads/{name}" for name in TRUNKS]
    listed = os.fsdecode(git(root, "for-each-ref", f"--format={_FORMAT}", *remote, *local))
    branches = {row.split("\0")[0]: row.split("\0")[1:] for row in listed.splitlines()}
    for name in remote:
        if found := branches.get(name):
            leads_to, short = found[:2]
            return _short(leads_to) if leads_to else short
    here = os.fsdecode(try_git(root, "symbolic-ref", "--quiet", "HEAD") or b"").strip()
    for name in local:
        if found := branches.get(name):
            _, short, upstream, track = found
            if name != here:
                return short
            if upstream and track != "[gone]":
                return upstream
            break
    raise RepositoryError(
        f"there is nothing to compare with: `origin` has no {', '.join(TRUNKS[:-1])} or"
        f" {TRUNKS[-1]} here, nor is there another one: name a branch with `--base`"
    )


def _short(ref: str) -> str:
    return ref.removeprefix("refs/remotes/")
