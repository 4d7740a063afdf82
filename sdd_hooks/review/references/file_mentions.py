"""Where the files of a commit mention decision records.

Kept from one review to the next: for another commit only the files that differ are read again.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sdd_hooks.artifacts.identifiers import ArtifactId, find_id_references
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.cache import keep, recall
from sdd_hooks.system.git import nul_split

LONGEST_LINE = 600
MOST_LINES = 200
"""Lines of a file that are kept."""
MOST_CHANGED = 500
"""Files that are looked at one by one; when more differ, all are looked at."""

_MENTION = r"adrs?[-_ #/(]*[0-9]{1,4}|decision[-_ #]*[0-9]+|spec-[0-9]{3}"
_COMMAND = ("grep", "-I", "--line-number", "--ignore-case", "--null", "--full-name")


class Mention(NamedTuple):
    """A line of a file that mentions records."""

    line: int
    text: str
    names: tuple[ArtifactId, ...]


Mentions = Mapping[str, Sequence[Mention]]
"""By the path of the file."""


def mentions_in(repository: Repository, commit: str, wanted: Callable[[str], bool]) -> Mentions:
    """Where the files of `commit` that are `wanted` mention records. Binary files are none."""
    cached = recall(repository, "mentions")
    lines = _rows(cached.get("files"))
    before = cached.get("commit")
    if lines is None or not isinstance(before, str) or not before.isalnum():
        lines = _grep(repository, commit, ())
    elif before != commit:
        lines = _brought_up_to_date(repository, lines, before, commit)
    if before != commit:
        keep(repository, "mentions", {"commit": commit, "files": lines})
    found = {}
    for path, rows in lines.items():
        if wanted(path):
            read = [Mention(number, text, _names(text)) for number, text in rows]
            if named := [mention for mention in read if mention.names]:
                found[path] = named
    return found


_Lines = dict[str, list[tuple[int, str]]]


def _brought_up_to_date(repository: Repository, lines: _Lines, before: str, commit: str) -> _Lines:
    command = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, commit)
    listed = repository.git.try_output(*command)
    changed = nul_split(listed or b"")
    if listed is None or len(changed) > MOST_CHANGED:
        return _grep(repository, commit, ())
    kept = {path: rows for path, rows in lines.items() if path not in set(changed)}
    if changed:
        kept.update(_grep(repository, commit, [f":(literal){path}" for path in changed]))
    return kept


def _grep(repository: Repository, commit: str, pathspecs: Sequence[str]) -> _Lines:
    # git fails when it finds nothing, and where a blob is missing from a partial clone.
    options = ("--extended-regexp", "-e", _MENTION, commit, "--", *pathspecs)
    output = repository.git.run(*_COMMAND, *options).stdout
    found: _Lines = {}
    prefix = len(commit) + 1
    for row in output.split(b"\n"):
        name, _, rest = row.partition(b"\0")
        number, _, line = rest.partition(b"\0")
        if number.isdigit():
            rows = found.setdefault(os.fsdecode(name[prefix:]), [])
            if len(rows) < MOST_LINES:
                rows.append((int(number), line[:LONGEST_LINE].decode("utf-8", "replace")))
    return found


def _rows(cached: Any) -> _Lines | None:
    """The cached lines, None when they are not as they were written."""
    if not isinstance(cached, dict):
        return None
    found: _Lines = {}
    for path, rows in cached.items():
        found[path] = []
        for row in rows if isinstance(rows, list) else [None]:
            match row:
                case [int(number), str(text)]:
                    found[path].append((number, text))
                case _:
                    return None
    return found


def _names(text: str) -> tuple[ArtifactId, ...]:
    return tuple(found.id for found in find_id_references(text))
