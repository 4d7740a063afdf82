"""The lines of the files of a commit that mention decision records.

They are cached for the base of the last review. For another base, only the files that differ are
searched again.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.cache import load_cached, store_cached
from sdd_hooks.review.references.record_names import FILE_NAME, IdFinder, find_spelled_ids
from sdd_hooks.system.git import nul_split

MAX_LINE = 600
"""Bytes of a line that are kept."""
MAX_LINES = 200
"""Lines of a file that are kept."""
MAX_CHANGED = 500
"""Files that are searched one by one. When more differ, all files are searched."""

_CACHE = "mentions"
_MENTION = rf"adrs?[-_ #/(]*[0-9]{{1,4}}|decision[-_ #]*[0-9]+|spec-[0-9]{{3}}|{FILE_NAME}"
_COMMAND = ("grep", "-I", "--line-number", "--ignore-case", "--null", "--full-name")


class FileMention(NamedTuple):
    """A line of a file that mentions records, with the ids of the records."""

    line: int
    text: str
    ids: tuple[ArtifactId, ...]


FileMentions = Mapping[str, Sequence[FileMention]]
"""The mentions of each file, by its path."""


def read_file_mentions(
    repository: Repository,
    commit: str,
    wanted: Callable[[str], bool],
    find_ids: IdFinder = find_spelled_ids,
) -> FileMentions:
    """Read the mentions of the `wanted` files of `commit`. Binary files have none."""
    cached = load_cached(repository, _CACHE)
    lines = _from_rows(cached.get("files"))
    before = cached.get("commit")
    if lines is None or not isinstance(before, str) or not before.isalnum():
        lines = _grep(repository, commit, ())
    elif before != commit:
        lines = _update(repository, lines, before, commit)
    if before != commit:
        store_cached(repository, _CACHE, {"commit": commit, "files": lines})
    mentions = {}
    for path, rows in lines.items():
        if wanted(path):
            in_file = [FileMention(number, text, tuple(find_ids(text))) for number, text in rows]
            if with_ids := [mention for mention in in_file if mention.ids]:
                mentions[path] = with_ids
    return mentions


_Lines = dict[str, list[tuple[int, str]]]


def _update(repository: Repository, lines: _Lines, before: str, commit: str) -> _Lines:
    """The lines at `commit`, from those at `before` and a search of the files that differ."""
    command = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, commit)
    listed = repository.git.try_output(*command)
    changed = nul_split(listed or b"")
    if listed is None or len(changed) > MAX_CHANGED:
        return _grep(repository, commit, ())
    kept = {path: rows for path, rows in lines.items() if path not in set(changed)}
    if changed:
        kept.update(_grep(repository, commit, [f":(literal){path}" for path in changed]))
    return kept


def _grep(repository: Repository, commit: str, pathspecs: Sequence[str]) -> _Lines:
    # git fails without a match, and when a partial clone lacks a blob: the output counts.
    options = ("--extended-regexp", "-e", _MENTION, commit, "--", *pathspecs)
    output = repository.git.run(*_COMMAND, *options).stdout
    lines: _Lines = {}
    prefix = len(commit) + 1
    for row in output.split(b"\n"):
        name, _, rest = row.partition(b"\0")
        number, _, line = rest.partition(b"\0")
        if number.isdigit():
            rows = lines.setdefault(os.fsdecode(name[prefix:]), [])
            if len(rows) < MAX_LINES:
                rows.append((int(number), line[:MAX_LINE].decode("utf-8", "replace")))
    return lines


def _from_rows(cached: Any) -> _Lines | None:
    """The cached lines, None when they do not have the stored form."""
    if not isinstance(cached, dict):
        return None
    lines: _Lines = {}
    for path, rows in cached.items():
        lines[path] = []
        for row in rows if isinstance(rows, list) else [None]:
            match row:
                case [int(number), str(text)]:
                    lines[path].append((number, text))
                case _:
                    return None
    return lines
