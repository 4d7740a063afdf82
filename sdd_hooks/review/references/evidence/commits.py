"""The commits of a repository that name a record.

They are cached for the base of the last review. For another base, git lists only the commits
between both: new ones are added, and the others are removed.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.cache import load_cached, store_cached
from sdd_hooks.review.references.evidence.mentions import FILE_NAME, IdFinder, find_spelled_ids
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
MAX_PATHSPECS = 30
"""Paths that git filters by, and their earlier names. It compares each with every path it walks
over, so that more paths are filtered after the walk."""
MAX_RENAMES = 4
"""Earlier names of a file that are looked for."""
MAX_EXAMINED = 500
"""Commits in which renames are looked for at a time, newest first."""

# Beyond so many files on each side of one commit, git finds only renames without a change.
_MAX_COMPARED = 200
_RENAMES = (
    "--no-walk=unsorted", "--format=%x01%H%x00", "--find-renames", f"-l{_MAX_COMPARED}",
    "--no-rename-empty", "--diff-filter=R", "--name-status", "-z",
)  # fmt: skip

Renames = Mapping[str, str]
"""The name of a file before a commit, by the one after it."""


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


class _Touch(NamedTuple):
    """A commit, the names of the files that it touched, and those of files that it added."""

    commit: PastCommit
    names: Sequence[str]
    added: Set[str]
    removes: bool


def find_touching_commits(
    repository: Repository, base: str, paths: Sequence[str], find_ids: IdFinder = find_spelled_ids
) -> list[PastCommit]:
    """Find the commits up to `base` that touched one of `paths`, newest first, with those paths.

    A file is followed through its renames. At most MAX_COMMITS, among the last MAX_COMMITS of the
    branch.
    """
    if not paths:
        return []
    log = _Log(repository, base, find_ids, filters=len(paths) <= MAX_PATHSPECS)
    names = set(paths)
    touches = log.read(names)
    renames: dict[str, Renames] = {}
    for _ in range(MAX_RENAMES):
        examined = _with_unknown_files(touches, names, renames)
        renames.update(_read_renames(repository, examined))
        found = (renames.get(id, {}).items() for id in examined)
        older = {before for one in found for after, before in one if after in names} - names
        if not older:
            break
        names |= older
        touches = log.read(names)
    return list(_follow(touches, paths, renames))


class _Log:
    """Reads the commits that touched files: with `filters` once for each set of names, else once.

    Another walk has other limits, so that it is not changed between the names of a file.
    """

    def __init__(
        self, repository: Repository, base: str, find_ids: IdFinder, *, filters: bool
    ) -> None:
        self._repository = repository
        self._find_ids = find_ids
        self._filters = filters
        # Without a limit git walks back to the first commit.
        oldest = repository.git.try_output("rev-parse", "--verify", "-q", f"{base}~{MAX_COMMITS}")
        self._revisions = (base, "--not", oldest.decode().strip()) if oldest else (base,)
        self._whole: list[_Touch] | None = None

    def read(self, names: Set[str]) -> list[_Touch]:
        """The commits that touched one of `names`, newest first, and maybe others."""
        if self._filters:
            return self._read([f":(literal){name}" for name in sorted(names)])
        if self._whole is None:
            self._whole = self._read([])
        return self._whole

    def _read(self, pathspecs: Sequence[str]) -> list[_Touch]:
        options = ("--no-renames", "--name-status", "-z", f"--max-count={MAX_COMMITS}")
        arguments = (*options, *self._revisions, "--", *pathspecs)
        touches = []
        for commit, fields in read_log(self._repository, self._find_ids, *arguments):
            pairs = list(zip(fields[::2], fields[1::2], strict=False))
            names = [os.fsdecode(name) for _, name in pairs]
            added = {os.fsdecode(name) for status, name in pairs if status == b"A"}
            # What git lists for path filters says nothing of the other files.
            removes = bool(pathspecs) or any(status == b"D" for status, _ in pairs)
            touches.append(_Touch(commit, names, added, removes))
        return touches


def _with_unknown_files(
    touches: Iterable[_Touch], names: Set[str], known: Mapping[str, Renames]
) -> list[str]:
    """The commits that added one of `names`, perhaps by a rename that is not `known` yet."""
    found = [
        one.commit.id
        for one in touches
        if one.removes and one.commit.id not in known and not names.isdisjoint(one.added)
    ]
    return found[:MAX_EXAMINED]


def _read_renames(repository: Repository, ids: Sequence[str]) -> dict[str, Renames]:
    """The renames of each commit: those that git finds."""
    found: dict[str, Renames] = {id: {} for id in ids}
    if ids:
        # git fails when a partial clone lacks an object; the output before the failure is valid.
        output = repository.git.run("log", *_RENAMES, *ids, "--").stdout
        for entry in output.split(b"\x01"):
            id, _, rest = entry.partition(b"\0")
            fields = [os.fsdecode(field) for field in rest.strip(b"\n\0").split(b"\0")]
            found[id.decode("ascii", "replace")] = dict(
                zip(fields[2::3], fields[1::3], strict=False)
            )
    return found


def _follow(
    touches: Iterable[_Touch], paths: Iterable[str], renames: Mapping[str, Renames]
) -> Iterator[PastCommit]:
    """The commits that touched `paths`, whose names are those before the later renames."""
    present = {path: path for path in paths}
    for touch in touches:
        files = dict.fromkeys(present[name] for name in touch.names if name in present)
        if files:
            yield touch.commit._replace(files=tuple(files))
        for after, before in renames.get(touch.commit.id, {}).items():
            if after in present and after in touch.added:
                present[before] = present.pop(after)
