"""What earlier commits said: which records they named, and what touched a file before.

The commits that name a record are kept in a cache, and only what has come since is asked of git
again: for another base, the commits that are new in it and those that are not in it.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from sdd_hooks.artifacts.identifiers import ArtifactId, find_id_references
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.cache import keep, recall
from sdd_hooks.system.git import is_object_id

MOST_COMMITS = 4_000
LONGEST_MESSAGE = 4_000
FEW_PATHS = 30
"""Paths up to which git finds them: each is compared with every name it walks over."""

_MENTION = r"adrs?[-_ #/(]*[0-9]{1,4}|spec-[0-9]{3}"
# A message has no null character and ends with a line break, so that no part of it passes for the
# beginning of another commit.
_FORM = "--format=%x01%H%x00%B%x00"


class Commit(NamedTuple):
    """An earlier commit: its message, the records that names, and the files it touched, of those
    that were asked about."""

    id: str
    message: str
    names: frozenset[ArtifactId]
    files: tuple[str, ...] = ()


def naming_commits(repository: Repository, base: str) -> list[Commit]:
    """The commits up to `base` that name a decision record, newest first, at most MOST_COMMITS."""
    tip, known = _recalled(repository)
    found = _mine(repository, base, tip)
    if known:
        gone = set(_ids(repository, tip, base))
        found += [commit for commit in known if commit.id not in gone]
    found = found[:MOST_COMMITS]
    if tip != base:
        rows = [[one.id, one.message] for one in found]
        keep(repository, "history", {"tip": base, "commits": rows})
    return found


def _recalled(repository: Repository) -> tuple[str, list[Commit]]:
    """The base that was mined last, and its commits; ("", []) where git does not know it."""
    cached = recall(repository, "history")
    tip = cached.get("tip")
    if not isinstance(tip, str) or not is_object_id(tip):
        return "", []
    if repository.git.try_output("cat-file", "-e", f"{tip}^{{commit}}") is None:
        return "", []
    rows = cached.get("commits")
    commits = [_row(row) for row in rows] if isinstance(rows, list) else [None]
    return ("", []) if None in commits else (tip, [one for one in commits if one])


def _row(row: Any) -> Commit | None:
    match row:
        case [str(id), str(message)]:
            return _commit(id, message)
    return None


def _mine(repository: Repository, base: str, tip: str) -> list[Commit]:
    asked = ("--regexp-ignore-case", "--extended-regexp", f"--grep={_MENTION}")
    spans = (base, "--not", tip) if tip else (base,)
    limit = f"--max-count={MOST_COMMITS}"
    return _commits(repository, "-z", limit, *asked, *spans, "--")


def touching_commits(repository: Repository, base: str, paths: Sequence[str]) -> list[Commit]:
    """The commits up to `base` that touched one of `paths`, newest first, with those they touched.

    At most MOST_COMMITS, of the last MOST_COMMITS of the branch.
    """
    if not paths:
        return []
    # git would walk to the first commit to find the rest.
    oldest = repository.git.try_output("rev-parse", "--verify", "-q", f"{base}~{MOST_COMMITS}")
    spans = (base, "--not", oldest.decode().strip()) if oldest else (base,)
    options = ("--no-renames", "--name-only", "-z", f"--max-count={MOST_COMMITS}")
    literal = [f":(literal){path}" for path in paths] if len(paths) <= FEW_PATHS else []
    found = _commits(repository, *options, *spans, "--", *literal)
    wanted = set(paths)
    touching = (one._replace(files=tuple(f for f in one.files if f in wanted)) for one in found)
    return [one for one in touching if one.files]


def _commits(repository: Repository, *asked: str) -> list[Commit]:
    # A partial clone may lack what git walks over: what it has told until then counts.
    output = repository.git.run("log", _FORM, *asked).stdout
    return [commit for entry in output.split(b"\x01") if (commit := _parsed(entry))]


def _parsed(entry: bytes) -> Commit | None:
    id, _, rest = entry.partition(b"\0")
    message, _, names = rest.partition(b"\0")
    if not is_object_id(id.decode("ascii", "replace")):
        return None
    files = [os.fsdecode(name) for name in names.strip(b"\n\0").split(b"\0") if name]
    return _commit(id.decode(), message.decode("utf-8", "replace"), files)


def _ids(repository: Repository, tip: str, base: str) -> list[str]:
    """The commits that `tip` has and `base` has not."""
    limit = f"--max-count={MOST_COMMITS}"
    return repository.git.run("rev-list", limit, tip, "--not", base).stdout.decode().split()


def _commit(id: str, message: str, files: Sequence[str] = ()) -> Commit:
    text = message[:LONGEST_MESSAGE]
    named = (found.id for found in find_id_references(text))
    return Commit(id, text, frozenset(named), tuple(files))
