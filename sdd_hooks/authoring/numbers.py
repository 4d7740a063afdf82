"""The next free number of a record, here and in every branch that this clone knows.

The names and headings of records are listed, from git's objects without a checkout. Nothing is
fetched: what the remote knows comes in as numbers.
"""

# Governing: ADR-0049 (an edit is verified by reading), SPEC-0024 REQ "Numbers", ADR-0034 (numbers
# that are not merged yet)

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from itertools import count
from pathlib import Path, PurePosixPath

from sdd_hooks.artifacts.identifiers import ArtifactKind, id_from_name
from sdd_hooks.artifacts.spec import DESIGN_FILE, SPEC_FILE
from sdd_hooks.code.paths import has_sections
from sdd_hooks.errors import StorageError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.record_names import FOLDER_PAGES
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.system.locks import hold_lock

LOCK_FILE = "numbers.lock"
LOCK_SECONDS = 30.0
MAX_REFS = 500
"""Branches that are looked at, those with the newest commits."""

_REFS = ("refs/heads/", "refs/remotes/")
_MAIN_BRANCHES = tuple(f"refs/remotes/origin/{name}" for name in ("HEAD", "main", "master"))


@contextmanager
def lock_numbers(repository: Repository) -> Iterator[None]:
    """Let one process of all worktrees at a time choose a number and create its file.

    Raises StorageError.
    """
    repository.shared_dir.mkdir(parents=True, exist_ok=True)
    path = repository.shared_dir / LOCK_FILE
    with hold_lock(path, LOCK_SECONDS) as is_locked:
        if not is_locked:
            raise StorageError(f"{path} is held by another process: try again")
        yield


class UsedNumbers(NamedTuple):
    """The numbers of this work tree, and those of other work trees and of branches."""

    here: frozenset[int]
    elsewhere: frozenset[int]

    def has(self, number: int) -> bool:
        """Whether a number is used."""
        return number in self.here or number in self.elsewhere

    def next(self, taken: Set[int] = frozenset()) -> int:
        """The first number after the highest of this work tree that is free, and not in `taken`.

        A high number elsewhere does not move it.
        """
        after = count(max(self.here, default=0) + 1)
        return next(one for one in after if one not in self.elsewhere and one not in taken)


def find_used_numbers(
    repository: Repository, kind: ArtifactKind, directory: str, used: Iterable[int]
) -> UsedNumbers:
    """The numbers of a kind that this clone knows.

    `directory` is that of the records, `used` are further numbers of this work tree. The branches
    of the clone and of its remotes count, and the work trees beside this one.
    """
    git = repository.git
    # Below the top of the repository are other pages.
    deep = bool(directory)
    own = {*used, *_numbers_of_directory(repository.root / directory, kind, deep=deep)}
    taken = set(numbers_of_commits(git, _branch_heads(git), kind, directory))
    for root in _other_worktrees(git):
        taken.update(_numbers_of_directory(root / directory, kind, deep=deep))
    return UsedNumbers(frozenset(own), frozenset(taken))


def numbers_of_commits(
    git: Git,
    commits: Iterable[str],
    kind: ArtifactKind,
    directory: str,
    objects: Path | None = None,
) -> Iterator[int]:
    """The numbers of a kind below a directory in these commits. `objects` is as in `Git.output`."""
    for tree in _trees(git, commits, directory, objects):
        yield from _numbers_of_tree(git, tree, kind, objects, deep=bool(directory))


def merged_numbers(git: Git, kind: ArtifactKind, directory: str) -> frozenset[int]:
    """The numbers of a kind in the main branch of the remote, as this clone knows it."""
    for name in _MAIN_BRANCHES:
        commit = git.try_output("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        if commit:
            return frozenset(numbers_of_commits(git, commit.decode().split(), kind, directory))
    return frozenset()


def _branch_heads(git: Git) -> Sequence[str]:
    options = ("--sort=-committerdate", f"--count={MAX_REFS}", "--format=%(objectname)")
    return (git.try_output("for-each-ref", *options, *_REFS) or b"").decode().split()


def _trees(git: Git, commits: Iterable[str], directory: str, objects: Path | None) -> list[str]:
    """The objects of a directory in commits, each once. git reads a name on one line."""
    if "\n" in directory:
        return []
    request = b"".join(os.fsencode(f"{one}:{directory}") + b"\n" for one in dict.fromkeys(commits))
    if not request:
        return []
    check = "--batch-check=%(objectname) %(objecttype)"
    listed = git.try_output("cat-file", check, stdin=request, objects=objects) or b""
    found = (row.split(" ") for row in listed.decode(errors="replace").splitlines())
    return list(dict.fromkeys(row[0] for row in found if row[1:] == ["tree"]))


def _numbers_of_tree(
    git: Git, tree: str, kind: ArtifactKind, objects: Path | None, *, deep: bool
) -> Iterator[int]:
    if kind == "ADR":
        recursive = ("-r",) if deep else ()
        options = (*recursive, "-z", "--name-only", tree)
        listed = git.try_output("ls-tree", *options, objects=objects) or b""
        yield from _numbers_of_names(nul_split(listed))
        return
    # The number of a specification is in its heading.
    pages = tuple(f":(glob)**/{name}" for name in (SPEC_FILE, DESIGN_FILE))
    options = ("-h", "-I", "-E", "-i", "^# *SPEC-?[0-9]+", tree, "--", *pages)
    found = git.try_output("grep", *options, objects=objects)
    for line in (found or b"").decode(errors="replace").splitlines():
        yield from _number_of_heading(line)


def _numbers_of_directory(directory: Path, kind: ArtifactKind, *, deep: bool) -> Iterator[int]:
    if kind == "ADR":
        paths = directory.rglob("*.*") if deep else directory.glob("*.*")
        names = (path.relative_to(directory).as_posix() for path in paths)
        yield from _numbers_of_names(filter(has_sections, names))
        return
    for page in directory.rglob(SPEC_FILE):
        if not page.is_symlink():
            with page.open("rb") as file:
                text = file.read(20_000).decode(errors="replace")
            for line in text.splitlines():
                yield from _number_of_heading(line)


def _numbers_of_names(paths: Iterable[str]) -> Iterator[int]:
    for path in paths:
        file = PurePosixPath(path)
        name = file.parent.name if file.stem.lower() in FOLDER_PAGES else file.stem
        identifier = id_from_name(name, "ADR")
        if identifier:
            yield identifier.number


def _number_of_heading(line: str) -> Iterator[int]:
    match = re.match(r"# *SPEC-?([0-9]{1,5})\b", line, re.IGNORECASE)
    if match:
        yield int(match[1])


def _other_worktrees(git: Git) -> Iterator[Path]:
    listed = git.try_output("worktree", "list", "--porcelain") or b""
    for row in os.fsdecode(listed).splitlines():
        label, _, path = row.partition(" ")
        if label == "worktree" and Path(path) != git.root and Path(path).is_dir():
            yield Path(path)
