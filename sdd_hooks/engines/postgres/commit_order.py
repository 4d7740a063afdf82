"""Which of two commits the index of a repository shows: the newer one.

Two jobs of one repository may end in another order than they began. The job of the older commit
must not move the index back. A clone may move back what it has indexed itself: it is a laptop on
which another branch is checked out.
"""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL)

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.engines.postgres.values import original_text
from sdd_hooks.engines.protocol import CollectionChanges, read_bookmark
from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import OUTSIDE_GIT
from sdd_hooks.system.files import read_state, write_atomically
from sdd_hooks.system.git import Git
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from psycopg import Connection

_CLONE_FILE = "clone"
_MOST_BYTES = 64
_ID = lazy_regex("[0-9a-f]{32}")


class IndexedCommit(NamedTuple):
    """The commit of a collection ("" for none), its time, and the id of the clone that indexed it.

    The time is the committer's, in seconds since the epoch. None stands for what is not known.
    """

    head: str
    committed: int | None
    clone: str | None


def clone_id(directory: Path) -> str | None:
    """Return the random id of the work tree whose state is in `directory`, created if missing.

    None where it cannot be stored.
    """
    path = directory / _CLONE_FILE
    with suppress(FileNotFoundError, StorageError, UnicodeDecodeError):
        if _ID.fullmatch(stored := read_state(path, _MOST_BYTES).decode("ascii")):
            return stored
    created = os.urandom(16).hex()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        write_atomically(path, created.encode())
    except (OSError, StorageError):
        return None
    return created


def indexed_commits(connection: Connection, repository: int) -> Mapping[str, IndexedCommit]:
    """Return the commit that each collection of a repository reflects, by its stored name."""
    rows = connection.execute(
        "SELECT name, bookmark, committed, clone FROM sdd.collections WHERE repository = %s",
        (repository,),
    )
    commits = {}
    for name, text, committed, clone in rows:
        bookmark = read_bookmark(None if text is None else original_text(text))
        commits[name] = IndexedCommit(bookmark.head if bookmark else "", committed, clone)
    return commits


class OrderedChanges(NamedTuple):
    """The changes that do not move the index back, each with its commit, and notes on others."""

    changes: tuple[tuple[CollectionChanges, IndexedCommit], ...]
    notes: tuple[str, ...]


def leave_out_older(
    git: Git,
    clone: str | None,
    changes: Sequence[CollectionChanges],
    indexed: Mapping[str, IndexedCommit],
) -> OrderedChanges:
    """Leave out changes whose commit is older than that of `indexed`, which another clone stored.

    An ancestor is older. Where the clone does not know how two commits are related, their times
    decide.
    """
    kept = []
    notes: dict[str, None] = {}
    # Most collections of a repository are of one commit.
    commit_time, is_older = cache(_commit_time), cache(_is_older)
    for change in changes:
        before = indexed.get(change.collection.name, IndexedCommit("", None, None))
        submodule = change.collection.repository
        where = git.at(git.root / submodule) if submodule else git
        head = _head_of(change, before)
        # The clone may not have the commit of another one.
        committed = before.committed if head == before.head else None
        if head and committed is None:
            committed = commit_time(where, head)
        commit = IndexedCommit(head, committed, clone)
        is_own = clone is not None and clone == before.clone
        if not is_own and is_older(where, commit, before):
            note = f"the index shows {before.head[:12]}, which is newer than {commit.head[:12]}"
            notes[f"{note}: left as it is"] = None
        else:
            kept.append((change, commit))
    return OrderedChanges(tuple(kept), tuple(notes))


def _head_of(change: CollectionChanges, before: IndexedCommit) -> str:
    """Return the commit that a collection is to reflect; "" for files outside of git."""
    if change.bookmark is None:
        return before.head
    return "" if change.collection.kind in OUTSIDE_GIT else change.bookmark.head


def _commit_time(git: Git, head: str) -> int | None:
    # A state before the first commit is a tree, which has no time.
    time = git.try_output("log", "-1", "--format=%ct", head, "--") or b""
    return int(time) if time.strip().isdigit() else None


def _is_older(git: Git, commit: IndexedCommit, before: IndexedCommit) -> bool:
    if not commit.head or not before.head or commit.head == before.head:
        return False
    if _is_ancestor(git, before.head, commit.head):
        return False
    if _is_ancestor(git, commit.head, before.head):
        return True
    times = commit.committed, before.committed
    return times[0] is not None and times[1] is not None and times[0] < times[1]


def _is_ancestor(git: Git, one: str, other: str) -> bool:
    return not git.run("merge-base", "--is-ancestor", one, other).returncode
