"""The commits of a repository that name a record.

They are cached for the base of the last review. For another base, git lists only the commits
between both: new ones are added, and the others are removed.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.cache import load_cached, store_cached
from sdd_hooks.review.references.record_names import FILE_NAME, IdFinder, find_spelled_ids
from sdd_hooks.system.git import is_object_id

MAX_COMMITS = 4_000
"""Commits that are read of the history."""
MAX_MESSAGE = 4_000
"""Characters of a message that are read."""

_CACHE = "history"
_MENTION = rf"adrs?[-_ #/(]*[0-9]{{1,4}}|spec-[0-9]{{3}}|{FILE_NAME}"
# A message contains no null character and ends with a line break, so that no part of it can look
# like the beginning of another commit.
_FORMAT = "--format=%x01%H%x00%B%x00"


class PastCommit(NamedTuple):
    """A commit of the history: its message, and the ids of artifacts that the message names.

    `files` are the touched files among those of the change.
    """

    id: str
    message: str
    ids: frozenset[ArtifactId]
    files: tuple[str, ...] = ()


def find_citing_commits(
    repository: Repository, base: str, find_ids: IdFinder = find_spelled_ids
) -> list[PastCommit]:
    """Find the commits up to `base` that name a record, newest first, at most MAX_COMMITS."""
    tip, cached = _load(repository, find_ids)
    commits = _list_citing(repository, base, tip, find_ids)
    if cached:
        removed = set(_list_ids(repository, tip, base))
        commits += [commit for commit in cached if commit.id not in removed]
    commits = commits[:MAX_COMMITS]
    if tip != base:
        rows = [[commit.id, commit.message] for commit in commits]
        store_cached(repository, _CACHE, {"tip": base, "commits": rows})
    return commits


def _load(repository: Repository, find_ids: IdFinder) -> tuple[str, list[PastCommit]]:
    """The cached base and its commits; ("", []) when the repository lacks the base."""
    cached = load_cached(repository, _CACHE)
    tip = cached.get("tip")
    if not isinstance(tip, str) or not is_object_id(tip):
        return "", []
    if repository.git.try_output("cat-file", "-e", f"{tip}^{{commit}}") is None:
        return "", []
    rows = cached.get("commits")
    commits = [_from_row(row, find_ids) for row in rows] if isinstance(rows, list) else [None]
    return ("", []) if None in commits else (tip, [commit for commit in commits if commit])


def _from_row(row: Any, find_ids: IdFinder) -> PastCommit | None:
    match row:
        case [str(id), str(message)]:
            return _past_commit(id, message, find_ids)
    return None


def _list_citing(
    repository: Repository, base: str, tip: str, find_ids: IdFinder
) -> list[PastCommit]:
    """The citing commits up to `base` that are not in `tip`; all of them when `tip` is ""."""
    search = ("--regexp-ignore-case", "--extended-regexp", f"--grep={_MENTION}")
    revisions = (base, "--not", tip) if tip else (base,)
    limit = f"--max-count={MAX_COMMITS}"
    found = read_log(repository, find_ids, "-z", limit, *search, *revisions, "--")
    return [commit for commit, _ in found]


def read_log(
    repository: Repository, find_ids: IdFinder, *arguments: str
) -> Iterator[tuple[PastCommit, Sequence[bytes]]]:
    """Read the commits that `git log -z` lists, with the fields that it prints of their files."""
    # git fails when a partial clone lacks an object; the output before the failure is valid.
    output = repository.git.run("log", _FORMAT, *arguments).stdout
    for entry in output.split(b"\x01"):
        id, _, rest = entry.partition(b"\0")
        message, _, files = rest.partition(b"\0")
        if is_object_id(id.decode("ascii", "replace")):
            commit = _past_commit(id.decode(), message.decode("utf-8", "replace"), find_ids)
            yield commit, [field for field in files.strip(b"\n\0").split(b"\0") if field]


def _list_ids(repository: Repository, tip: str, base: str) -> list[str]:
    """The ids of the commits that are in `tip` and not in `base`."""
    limit = f"--max-count={MAX_COMMITS}"
    return repository.git.run("rev-list", limit, tip, "--not", base).stdout.decode().split()


def _past_commit(id: str, message: str, find_ids: IdFinder) -> PastCommit:
    text = message[:MAX_MESSAGE]
    return PastCommit(id, text, frozenset(find_ids(text)))
