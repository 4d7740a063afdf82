"""Cases out of the history of repositories: definitions that existed already, and new ones.

No case is chosen by the similarity of two texts, which is what is measured:

- `moved`: a commit removes a definition from one file and adds one of the same name to another,
  and to no third. As a case, the one in the new file is new while the old one still exists.
- `extracted`: a commit removes definitions of one name from several files and adds one to another
  file. As a case, one of the removed ones is new while the others exist.
- `replaced`: a commit removes a definition from a file that goes on using its name, and another
  file has had a definition of that name before and after. As a case, the removed one is new.
- `new`: a commit adds a definition whose name it removes nowhere, and which the same
  file still has at HEAD, many commits later.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.code.paths import is_test
from sdd_hooks.code.source_files import is_hand_written
from sdd_hooks.code.symbols import Symbol, find_symbols
from sdd_hooks.planning.work.definitions import code_family, is_shareable
from sdd_hooks.planning.work.likeness import split_name
from sdd_hooks.project.committed import list_commit
from sdd_hooks.system.git import Git
from sdd_hooks.system.git_objects import read_blobs
from sdd_hooks.text.decoding import decode

POSITIVE = ("moved", "extracted", "replaced")
NEW = "new"

SAMPLED_COMMITS = 400
MAX_FILES = 40
"""Changed files of a commit. A larger one moves whole directories."""
MIN_LINES = 4
SURVIVED = 100
"""Commits that a new definition has survived."""

_PER_REPOSITORY = {"moved": 6, "extracted": 6, "replaced": 6, NEW: 20}
_PER_COMMIT = 2
_COMMON = 3
"""Files that define one name: from here on the name is a convention, as that of an interface."""

_FILE = "100"
_LARGEST = 120_000


class Place(NamedTuple):
    """A definition by its path and its qualified name."""

    path: str
    name: str


class Case(NamedTuple):
    """A definition that is new in the tree of `commit`, and those there that it duplicates.

    Its text is in the blob `blob` of the file `place.path`.
    """

    repository: str
    kind: str
    commit: str
    place: Place
    blob: str
    expected: tuple[Place, ...] = ()

    @property
    def is_positive(self) -> bool:
        """Whether it duplicates a definition."""
        return self.kind in POSITIVE


class _Change(NamedTuple):
    """A file as a commit changes it; a blob is "" where the file does not exist."""

    path: str
    before: str
    after: str


class _Commit(NamedTuple):
    id: str
    parent: str
    changes: tuple[_Change, ...]


class _Moves(NamedTuple):
    """The definitions that a commit removes and adds, by their simple names."""

    removed: Mapping[str, list[tuple[_Change, Symbol]]]
    added: Mapping[str, list[tuple[_Change, Symbol]]]
    texts: Mapping[str, str]


def open_clone(clone: Path) -> Git:
    """git in a clone, bare or not."""
    return Git(clone.resolve(), os.environ, bare=not (clone / ".git").exists())


def read_text(git: Git, blob: str) -> str:
    """The text of a file that people wrote; "" for another one."""
    (data,) = read_blobs(git, [blob], limit=_LARGEST)
    return _text(data)


def mine(clone: Path) -> Iterator[Case]:
    """Yield the cases of a clone, at most as many of each kind as `_PER_REPOSITORY` has."""
    git = open_clone(clone)
    head = git.output("rev-parse", "--verify", "HEAD").decode().strip()
    at_head = {path: blob for mode, blob, path in list_commit(git, head) if mode.startswith(_FILE)}
    wanted = dict(_PER_REPOSITORY)
    sampled = _sample(git, head)
    contents = read_blobs(git, _blob_ids(commit for commit, _ in sampled), limit=_LARGEST)
    for commit, is_old in sampled:
        moves = _read_moves(commit, contents)
        found = [*_moved(clone.name, commit, moves), *_extracted(clone.name, commit, moves)]
        found += _replaced(git, clone.name, commit, moves) if wanted["replaced"] else ()
        if is_old and wanted[NEW]:
            found += _new(git, clone.name, commit, moves, at_head)
        taken: dict[str, int] = defaultdict(int)
        for case in sorted(found, key=_order):
            if wanted[case.kind] and taken[case.kind] < _PER_COMMIT:
                taken[case.kind] += 1
                wanted[case.kind] -= 1
                yield case
        if not any(wanted.values()):
            return


def _order(value: object) -> str:
    """A random order that is the same in every run."""
    return hashlib.sha256(repr(value).encode()).hexdigest()


def _sample(git: Git, head: str) -> list[tuple[_Commit, bool]]:
    """Commits in a random order, each with whether it is old enough for a new definition."""
    listed = git.output("rev-list", "--no-merges", "--topo-order", head).decode().split()
    recent = set(listed[:SURVIVED])
    sampled = sorted(listed[:-1], key=_order)[:SAMPLED_COMMITS]
    options = ("-r", "-z", "--raw", "-M", "-l200", "--no-abbrev", "--stdin")
    # A partial clone lacks contents that git compares to find renames: the rest is left out.
    raw = git.run("diff-tree", *options, stdin="".join(f"{one}\n" for one in sampled).encode())
    found: dict[str, list[_Change]] = {}
    for commit, change in _parse(raw.stdout.decode("utf-8", "surrogateescape").split("\0")):
        changes = found.setdefault(commit, [])
        changes += [change] if change else []
    return [
        (_Commit(id, f"{id}^", tuple(changes)), id not in recent)
        for id, changes in found.items()
        if changes and len(changes) <= MAX_FILES
    ]


def _parse(fields: Sequence[str]) -> Iterator[tuple[str, _Change | None]]:
    """The commit and the change of each row of `git diff-tree -z`."""
    rest = iter(fields)
    commit = ""
    for row in rest:
        if not row.startswith(":"):
            commit = row.strip()
            continue
        mode_before, mode, before, after, status = row.lstrip(":").split(" ")
        path = next(rest)
        if status[0] in "RC":
            next(rest)
            continue
        is_file = all(one in ("000000", "100644", "100755") for one in (mode_before, mode))
        examined = is_file and is_examined(path)
        change = _Change(path, before.strip("0") and before, after.strip("0") and after)
        yield commit, change if examined else None


def is_examined(path: str) -> bool:
    """Whether definitions of this file can be cases."""
    return code_family(path) is not None and not is_test(path)


def _blob_ids(commits: Iterable[_Commit]) -> list[str]:
    changes = (change for commit in commits for change in commit.changes)
    return [id for change in changes for id in (change.before, change.after) if id]


def _read_moves(commit: _Commit, contents: Iterator[bytes | None]) -> _Moves:
    """What a commit moves. `contents` are those of its blobs, and of later commits."""
    ids = _blob_ids([commit])
    texts = {id: _text(data) for id, data in zip(ids, contents, strict=False)}
    removed: dict[str, list[tuple[_Change, Symbol]]] = defaultdict(list)
    added: dict[str, list[tuple[_Change, Symbol]]] = defaultdict(list)
    for change in commit.changes:
        before, after = (
            {one.name: one for one in find_symbols(change.path, texts.get(id, ""))}
            for id in (change.before, change.after)
        )
        for name in before.keys() - after.keys():
            removed[before[name].simple_name].append((change, before[name]))
        for name in after.keys() - before.keys():
            added[after[name].simple_name].append((change, after[name]))
    return _Moves(removed, added, texts)


def _text(data: bytes | None) -> str:
    if not data or len(data) > _LARGEST:
        return ""
    text = decode(data)
    return text if is_hand_written(text) else ""


def is_function(symbol: Symbol) -> bool:
    """Whether it is a function of some length."""
    lines = [line for line in symbol.text.split("\n") if line.strip()]
    is_long = len(lines) >= MIN_LINES and "(" in symbol.signature
    return is_long and not symbol.is_type and is_shareable(symbol)


def _moved(repository: str, commit: _Commit, moves: _Moves) -> Iterator[Case]:
    for name, added in moves.added.items():
        removed = moves.removed.get(name, [])
        if len(added) != 1 or len(removed) != 1:
            continue
        ((change, symbol),), ((source, old),) = added, removed
        if source.path != change.path and is_function(symbol) and is_function(old):
            expected = (Place(source.path, old.name),)
            place = Place(change.path, symbol.name)
            yield Case(repository, "moved", commit.parent, place, change.after, expected)


def _extracted(repository: str, commit: _Commit, moves: _Moves) -> Iterator[Case]:
    for name, added in moves.added.items():
        removed = [one for one in moves.removed.get(name, []) if is_function(one[1])]
        paths = {change.path for change, _ in removed}
        if len(added) != 1 or len(removed) < 2 or len(paths) != len(removed):
            continue
        removed.sort(key=lambda one: _order(one[0].path))
        (change, symbol), *others = removed
        expected = tuple(Place(one.path, old.name) for one, old in others)
        place = Place(change.path, symbol.name)
        yield Case(repository, "extracted", commit.parent, place, change.before, expected)


def _replaced(git: Git, repository: str, commit: _Commit, moves: _Moves) -> Iterator[Case]:
    for name, removed in moves.removed.items():
        if len(removed) != 1 or name in moves.added:
            continue
        ((change, symbol),) = removed
        after = moves.texts.get(change.after, "")
        if not is_function(symbol) or not re.search(rf"\b{re.escape(name)}\b", after):
            continue
        before = set(_definitions_of(git, commit.parent, name, change.path))
        kept = before & set(_definitions_of(git, commit.id, name, change.path))
        if 0 < len(kept) < _COMMON:
            expected = tuple(sorted(kept))
            place = Place(change.path, symbol.name)
            yield Case(repository, "replaced", commit.id, place, change.before, expected)


def _definitions_of(git: Git, commit: str, name: str, own: str) -> Iterable[Place]:
    """The functions of this name in other files of the same language."""
    options = ("-l", "-z", "-F", "-w", "--no-color", "-e", name)
    listed = git.run("grep", *options, commit).stdout.decode("utf-8", "surrogateescape")
    family = code_family(own)
    paths = [one.partition(":")[2] for one in listed.split("\0") if one]
    paths = [
        path for path in paths if path != own and code_family(path) is family and is_examined(path)
    ][:40]
    contents = read_blobs(git, [f"{commit}:{path}" for path in paths], limit=_LARGEST)
    for path, data in zip(paths, contents, strict=True):
        for one in find_symbols(path, _text(data)):
            if one.simple_name == name and is_function(one):
                yield Place(path, one.name)


def _new(
    git: Git, repository: str, commit: _Commit, moves: _Moves, at_head: Mapping[str, str]
) -> Iterator[Case]:
    # `_load` that becomes `load` in another file was moved.
    removed_words = {split_name(name) for name in moves.removed}
    candidates = [
        (change, symbol)
        for name, added in moves.added.items()
        if not removed_words & {split_name(name)}
        for change, symbol in added
        if change.path in at_head and is_function(symbol)
    ]
    candidates.sort(key=lambda one: _order(one[1].name))
    for change, symbol in candidates[: 2 * _PER_COMMIT]:
        text = read_text(git, at_head[change.path])
        if any(one.name == symbol.name for one in find_symbols(change.path, text)):
            place = Place(change.path, symbol.name)
            yield Case(repository, NEW, commit.parent, place, change.after)
