"""Find the directories of records in a work tree, with a cache that git's own index validates."""

# Governing: ADR-0027 (records are found by what directories hold), ADR-0012 (untrusted input never
# leaves the repository), SPEC-0001 REQ "Artifact directories"

from __future__ import annotations

import os
from binascii import crc32
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Literal

from sdd_hooks.code.languages import DOCUMENT_SUFFIXES
from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.recognition import (
    Recognition,
    RecordFolder,
    recognise_records,
)
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import (
    PathRefused,
    read_inside,
    resolve_inside,
    write_atomically,
)
from sdd_hooks.system.git import nul_split

Look = Literal["cached", "tracked", "all"]
"""Where to look for directories of records. `cached`: the last result as it is, for a hook.
`tracked`: the files that git tracks, if its index has changed since. `all`: untracked files too.
Without a last result, each of them is `all`, and so is `tracked` after an empty one."""

CACHE_FILE = "folders"
"""The cache of the last result, in the state directory of the work tree's git directory."""

MAX_WALKED_ENTRIES = 500
"""Entries of a directory that are read to find out whether it has records."""

MAX_RECORD_BYTES = 256_000
"""A larger file is not read to find out whether it is a record."""

_MAX_CACHE_BYTES = 1 << 18
_VERSION = 8
"""Changes with the rules of recognition: results of other rules are not used."""

_DOCUMENTS = tuple(f":(icase)*{suffix}" for suffix in DOCUMENT_SUFFIXES)


class Place(NamedTuple):
    """The root of the repository ("") or of a module; `is_repository` for a submodule."""

    root: str
    is_repository: bool


class _Result(NamedTuple):
    """What was recognised in a place, and the identity of git's index at that moment."""

    identity: tuple[int, ...]
    recognition: Recognition


def discover_records(
    repository: Repository, places: Sequence[Place], look: Look
) -> dict[str, Recognition]:
    """Recognise the directories of records of each place, by its root.

    Their paths are relative to the place. A directory belongs to the innermost place. Raises
    RepositoryError where git cannot be run.
    """
    roots = [place.root for place in places]
    cached = _load(repository, roots)
    # A new repository gets its first records without being told: they are untracked at first.
    is_empty = not any(last.recognition.folders for last in cached.values())
    is_complete = look == "all" or (look == "tracked" and is_empty)
    listings = _Listings(repository, places)
    results: dict[str, _Result] = {}
    for place in places:
        identity = _index_identity(repository, place)
        last = cached.get(place.root)
        is_current = last is not None and last.identity == identity
        if last is not None and not is_complete and (look == "cached" or is_current):
            results[place.root] = last
            continue
        paths = listings.paths(place, untracked=is_complete or last is None)
        read = partial(read_documents, repository.root / place.root)
        recognition = recognise_records(paths, read)
        if last is not None and not is_complete:
            recognition = _with_kept(repository.root / place.root, recognition, last.recognition)
        results[place.root] = _Result(identity, recognition)
    is_useful = look == "cached" or any(one.recognition.folders for one in results.values())
    # Only a hook uses an empty result again.
    if results != cached and (cached or is_useful):
        _save(repository, results)
    return {
        root: _inside_only(repository.root, root, result.recognition)
        for root, result in results.items()
    }


def walk_documents(top: Path) -> Iterator[str]:
    """Yield the documents below a directory, relative to it; a few hundred at most."""
    entries = 0
    for directory, below, names in os.walk(top):
        prefix = os.path.relpath(directory, top).replace(os.sep, "/")
        below.sort()
        for name in sorted(names):
            if name.lower().endswith(DOCUMENT_SUFFIXES):
                yield name if prefix == "." else f"{prefix}/{name}"
        entries += len(names) + len(below)
        if entries > MAX_WALKED_ENTRIES:
            return


def read_documents(root: Path, paths: Iterable[str]) -> Iterator[bytes | None]:
    """Yield the content of each file below `root`; None for one that cannot be read."""
    for path in paths:
        try:
            yield read_inside(root, path, MAX_RECORD_BYTES)
        except (FileNotFoundError, SddError):
            yield None


class _Listings:
    """The documents that git lists in each place; git runs once for each repository."""

    def __init__(self, repository: Repository, places: Sequence[Place]) -> None:
        self._repository = repository
        self._roots = frozenset(place.root for place in places)
        self._listed: dict[tuple[str, bool], dict[str, list[str]]] = {}

    def paths(self, place: Place, *, untracked: bool) -> list[str]:
        """The paths of a place, relative to it."""
        where = place.root if place.is_repository else ""
        key = (where, untracked)
        if key not in self._listed:
            self._listed[key] = self._list(where, untracked=untracked)
        return self._listed[key].get(place.root, [])

    def _list(self, where: str, *, untracked: bool) -> dict[str, list[str]]:
        more = ("--others", "--exclude-standard") if untracked else ()
        git = self._repository.git.at(self._repository.root / where)
        output = git.try_output("ls-files", "-z", "--cached", *more, "--", *_DOCUMENTS)
        found: dict[str, list[str]] = {}
        owners: dict[str, str] = {}
        for path in dict.fromkeys(nul_split(output or b"")):
            directory = "/".join(filter(None, (where, path.rpartition("/")[0])))
            if directory not in owners:
                owners[directory] = self._owner(directory)
            root = owners[directory]
            relative = f"{where}/{path}" if where else path
            found.setdefault(root, []).append(relative[len(root) + 1 :] if root else relative)
        return found

    def _owner(self, directory: str) -> str:
        """The root of the innermost place around a directory."""
        while directory and directory not in self._roots:
            directory = directory.rpartition("/")[0]
        return directory


def _with_kept(top: Path, found: Recognition, last: Recognition) -> Recognition:
    """Add the directories of the last result that still hold records, such as untracked ones."""
    known = {(folder.kind, folder.path) for folder in found.folders}
    covered = {kind: tuple(f"{path}/" for path in found.paths(kind)) for kind in RECORD_KINDS}
    kept = [
        folder
        for folder in last.folders
        if (folder.kind, folder.path) not in known
        and not folder.path.startswith(covered[folder.kind])
        and holds_records(top, folder.kind, folder.path)
    ]
    return found._replace(folders=tuple(sorted((*found.folders, *kept))))


def holds_records(root: Path, kind: str, directory: str) -> bool:
    """Whether a directory of the work tree holds a record of a kind, as far as it is read."""
    prefix = f"{directory}/" if directory else ""
    paths = [prefix + path for path in islice(walk_documents(root / directory), MAX_WALKED_ENTRIES)]
    found = recognise_records(paths, partial(read_documents, root))
    return any(
        one == directory or one.startswith(prefix) or f"{directory}/".startswith(f"{one}/")
        for one in found.paths(kind)
    )


def _inside_only(root: Path, base: str, recognition: Recognition) -> Recognition:
    """Leave out directories that are links: what they lead to is listed by git itself."""
    top = resolve_inside(root, base)

    def is_real(folder: RecordFolder) -> bool:
        try:
            return resolve_inside(top, folder.path) == top / folder.path
        except PathRefused:
            return False

    return recognition._replace(folders=tuple(filter(is_real, recognition.folders)))


def _index_identity(repository: Repository, place: Place) -> tuple[int, ...]:
    """What changes when git writes its index; empty without an index."""
    git_dir = repository.git_dir
    try:
        if place.is_repository:
            git_dir = _submodule_git_dir(repository.root / place.root)
        state = (git_dir / "index").stat()
    except (OSError, ValueError):
        return ()
    return (state.st_mtime_ns, state.st_size, state.st_ino)


def _submodule_git_dir(root: Path) -> Path:
    link = root / ".git"
    if link.is_dir():
        return link
    with link.open("rb") as file:
        text = os.fsdecode(file.read(4096))
    return root / text.removeprefix("gitdir: ").rstrip("\n")


def _load(repository: Repository, roots: Sequence[str]) -> dict[str, _Result]:
    """Return the cached results, none for other places, other rules, or a damaged file."""
    try:
        data = read_inside(repository.private_dir, CACHE_FILE, _MAX_CACHE_BYTES)
        checksum, _, content = data.partition(b"\0")
        if int(checksum) != crc32(content):
            return {}
        results = dict(_parse(iter(os.fsdecode(content).split("\0"))))
    except (FileNotFoundError, SddError, ValueError, StopIteration):
        return {}
    return results if list(results) == list(roots) else {}


def _render(results: Mapping[str, _Result]) -> bytes:
    """Return the content of the cache: its checksum and fields, with null characters between."""
    fields: list[object] = [_VERSION, len(results)]
    for root, (identity, recognition) in results.items():
        fields += [root, " ".join(map(str, identity))]
        fields += [recognition.left_out, len(recognition.folders)]
        for folder in recognition.folders:
            fields += [folder.kind, folder.path, folder.records, int(folder.flat)]
        fields += [len(recognition.unread), *(one for pair in recognition.unread for one in pair)]
    content = os.fsencode("\0".join(map(str, fields)))
    return b"%d\0%b" % (crc32(content), content)


def _parse(fields: Iterator[str]) -> list[tuple[str, _Result]]:
    """Return the results in the fields of a cache. Raises ValueError or StopIteration."""
    if int(next(fields)) != _VERSION:
        raise ValueError
    results = []
    for _ in range(int(next(fields))):
        root = next(fields)
        identity = tuple(int(number) for number in next(fields).split())
        left_out = int(next(fields))
        folders = tuple([_parse_folder(fields) for _ in range(int(next(fields)))])
        unread = tuple([(next(fields), int(next(fields))) for _ in range(int(next(fields)))])
        results.append((root, _Result(identity, Recognition(folders, left_out, unread))))
    return results


def _parse_folder(fields: Iterator[str]) -> RecordFolder:
    kind, path, records, flat = next(fields), next(fields), int(next(fields)), next(fields)
    parts = path.split("/")
    if kind not in {"adrs", "specs"} or flat not in {"0", "1"}:
        raise ValueError
    if path and (parts[0] == ".git" or {"", ".", ".."}.intersection(parts)):
        raise ValueError
    return RecordFolder(kind, path, records, flat == "1")


def _save(repository: Repository, results: Mapping[str, _Result]) -> None:
    """Write the cache. Where it cannot be written, the next command looks again."""
    with suppress(SddError, OSError):
        directory = repository.private_dir
        directory.mkdir(exist_ok=True)
        write_atomically(directory / CACHE_FILE, _render(results))
