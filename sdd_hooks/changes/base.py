"""The commits that a review compares, and how to fetch one that is missing."""

# Governing: ADR-0003 (one module talks to git), SPEC-0010 REQ "What is compared"

from __future__ import annotations

import os
from collections.abc import Sequence

from sdd_hooks.errors import RepositoryError
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.git import Git, is_object_id
from sdd_hooks.system.git_objects import is_partial
from sdd_hooks.text.lazy_regex import lazy_regex

MAIN_BRANCHES = ("main", "master", "trunk")

# `main~2` or `HEAD^`, which a shallow clone may not have.
_ANCESTOR = lazy_regex(r"[^~^]+[~^][0-9~^]*")
# A name that needs no quotes in a shell and is not an option.
_PLAIN = lazy_regex(r"[A-Za-z0-9_][A-Za-z0-9_./+@-]{0,250}")

_FORMAT = "%(refname)%00%(symref:short)%00%(refname:short)%00%(upstream:short)%00%(upstream:track)"


def default_base(repository: Repository) -> str:
    """The main branch of the repository, by a name that git resolves.

    That is the default branch of `origin`; if it is unknown, the remote's `main`, `master` or
    `trunk`; else the local one, or its upstream if it is checked out. Raises RepositoryError if
    none of them exists.
    """
    git = repository.git
    remote = [f"refs/remotes/origin/{name}" for name in ("HEAD", *MAIN_BRANCHES)]
    local = [f"refs/heads/{name}" for name in MAIN_BRANCHES]
    listed = os.fsdecode(git.output("for-each-ref", f"--format={_FORMAT}", *remote, *local))
    branches = {row.split("\0")[0]: row.split("\0")[1:] for row in listed.splitlines()}
    for name in remote:
        if branch := branches.get(name):
            target, short = branch[:2]
            return target or short
    checked_out = os.fsdecode(git.try_output("symbolic-ref", "--quiet", "HEAD") or b"").strip()
    for name in local:
        if branch := branches.get(name):
            _, short, upstream, track = branch
            if name != checked_out:
                return short
            if upstream and track != "[gone]":
                return upstream
            break
    raise RepositoryError(
        f"there is no base to compare with: `origin` has no {', '.join(MAIN_BRANCHES[:-1])} or"
        f" {MAIN_BRANCHES[-1]} here, and no other local branch has such a name: name a branch with"
        " `--base`"
    )


def resolve_commit(git: Git, name: str, *, or_tree: bool = False) -> str:
    """The id of the commit, or with `or_tree` of the tree, that `name` resolves to.

    Raises RepositoryError if there is none. The message says how to fetch it.
    """
    if not name or name.startswith("-") or "\0" in name:
        raise RepositoryError(f"{name!a} is not a commit: name a branch, a tag or a commit")
    for kind in ("commit", "tree") if or_tree else ("commit",):
        id = git.try_output("rev-parse", "--verify", "--quiet", f"{name}^{{{kind}}}")
        if id:
            return id.decode().strip()
    raise RepositoryError(f"there is no commit {name!a} here: {_advice(git, name)}")


def find_merge_base(git: Git, base: tuple[str, str], head: tuple[str, str]) -> str:
    """The last common commit of two commits, "" if their histories are unrelated.

    `base` and `head` are each a name for messages, and the id. Raises RepositoryError if a shallow
    clone ends before the common commit. The message says what to fetch.
    """
    done = git.run("merge-base", base[1], head[1])
    if not done.returncode:
        return done.stdout.decode().split("\n")[0]
    # git exits with 1 if there is none. A tree has no history.
    if done.returncode == 1 and is_shallow(git):
        fetch = " ".join(["git fetch --unshallow", *_remote(git)])
        raise RepositoryError(
            f"this clone is shallow and lacks the common commit of {head[0]!a} and {base[0]!a}:"
            f" `{fetch}` fetches the rest"
        )
    return ""


def empty_tree_id(git: Git) -> str:
    """The id of the tree without files, which depends on the repository's hash algorithm."""
    return git.output("hash-object", "-t", "tree", os.devnull).decode().strip()


def missing_contents(git: Git, trees: Sequence[str]) -> RepositoryError:
    """The error for trees that git cannot compare."""
    if is_partial(git):
        return RepositoryError(
            "this clone is partial and lacks contents of files that differ:"
            f" `git diff --shortstat {' '.join(trees)}` fetches them"
        )
    return RepositoryError("git cannot read the differences: `git fsck` reports what is damaged")


def _advice(git: Git, name: str) -> str:
    """How to fetch a missing commit."""
    other = "name another branch, tag or commit"
    if name == "HEAD":
        # The id of what is missing or damaged can be read; a branch without a commit has none.
        is_named = git.try_output("rev-parse", "--verify", "--quiet", name)
        return "`git fsck` reports what is damaged" if is_named else f"make one, or {other}"
    remotes = _remote(git)
    if remotes and _ANCESTOR.fullmatch(name) and is_shallow(git):
        return f"`git fetch --unshallow {remotes[0]}` fetches the rest"
    if not remotes or not _PLAIN.fullmatch(name):
        return other
    (remote,) = remotes
    fetch = f"git fetch {'--unshallow ' if is_shallow(git) else ''}{remote}"
    if is_object_id(name):
        return f"`{fetch} {name}` fetches it, if the remote still has it"
    branch = name.removeprefix(f"{remote}/")
    ref = f"refs/remotes/{remote}/{branch}"
    if branch == name and git.try_output("rev-parse", "--verify", "--quiet", ref):
        return f"name `{remote}/{name}`"
    advice = f"`{fetch} +refs/heads/{branch}:{ref}` fetches a branch of {remote}"
    return advice if branch != name else f"{advice}, then name `{remote}/{branch}`; or {other}"


def is_shallow(git: Git) -> bool:
    """Whether the clone has only a part of the history."""
    return git.output("rev-parse", "--is-shallow-repository").strip() == b"true"


def _remote(git: Git) -> list[str]:
    """The remote to fetch from: none, or one whose name needs no quotes."""
    names = os.fsdecode(git.output("remote")).splitlines()
    plain = [name for name in names if _PLAIN.fullmatch(name)]
    return ["origin"] if "origin" in plain else plain[:1]
