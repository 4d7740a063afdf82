"""Write entries and keep the index in step with them.

Writers hold one lock, write the files of entries, then the index, each in one step. The index is in
step with the files as long as it has the modification time of both directories of entries, which
the last writer gave to all three. A crash between two steps, a merge of git and an editor change
the time of a directory, and the next command compares the files with the index. A lookup reads no
more for that than three times.
"""

# Governing: ADR-0055 (knowledge belongs to its authors), SPEC-0028 REQ "Never lost, never half"

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sdd_hooks.errors import SddError, StorageError
from sdd_hooks.knowledge.entries import (
    FOLDERS,
    KINDS,
    MAX_FILE_BYTES,
    Entry,
    EntryKind,
    check_id,
    entry_file,
    entry_text,
    kind_of,
    parse_entry,
    parse_json,
)
from sdd_hooks.knowledge.index import (
    INDEX_FILE,
    MAX_INDEX_BYTES,
    IndexEntry,
    KnowledgeIndex,
    index_entry,
    index_of,
    index_text,
    parse_index,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.knowledge_place import KnowledgePlace
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import is_directory, read_inside, read_state, write_atomically
from sdd_hooks.system.locks import hold_lock

LOCK_FILE = "knowledge.lock"

WRITE_WAIT_SECONDS = 60.0
READ_WAIT_SECONDS = 5.0

IGNORED = "# sdd derives the index from the entries.\n/index.json*\n.sdd-*\n"
"""The `.gitignore` of a committed knowledge base."""

_MARGIN_NS = 2_000_000_000
"""Clocks of a kernel tick in milliseconds, some file systems in seconds: a file that changed so
shortly before the index was written is read again."""


class ReadIndex(NamedTuple):
    """The index, and notes about what was repaired for it."""

    known: KnowledgeIndex
    notes: tuple[str, ...] = ()


class _Compared(NamedTuple):
    """The index of the files as they are, and what differs from the one before."""

    known: KnowledgeIndex
    added: int
    removed: int
    invalid: tuple[str, ...]

    @property
    def notes(self) -> list[str]:
        """The differences in words."""
        counts = ((self.added, "read"), (self.removed, "removed"))
        return [f"{count} {what}" for count, what in counts if count]


@contextmanager
def lock_knowledge(repository: Repository, wait: float = WRITE_WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock of the knowledge base inside the block, for all work trees.

    Raises StorageError if another process holds it for `wait` seconds.
    """
    directory = repository.shared_dir
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot create {directory} ({error.strerror}): check it") from None
    with hold_lock(directory / LOCK_FILE, wait) as held:
        if not held:
            raise StorageError(
                "another process writes to the knowledge base: run the command again when it ended"
            )
        yield


def read_index(repository: Repository, place: KnowledgePlace) -> ReadIndex:
    """Read the index, and repair it first if it is not in step with the files.

    Reads no entry of an index that is in step. An index that cannot be written is repaired in
    memory. Raises StorageError if the lock stays taken.
    """
    index = _current(place)
    if index is not None:
        return ReadIndex(index)
    if not is_directory(place.directory):
        return ReadIndex(index_of(()))
    try:
        with lock_knowledge(repository, READ_WAIT_SECONDS):
            return load_index(place)
    except StorageError as error:
        compared = _compare(place, None)
        return ReadIndex(
            compared.known, (*compared.invalid, f"the index was not repaired: {error}")
        )


def load_index(place: KnowledgePlace) -> ReadIndex:
    """Read the index under the lock, and write it again if it is not in step with the files."""
    index = _current(place)
    if index is not None:
        return ReadIndex(index)
    if not is_directory(place.directory):
        return ReadIndex(index_of(()))
    before, damage = _read_file(place)
    compared = _compare(place, before)
    notes = list(compared.invalid)
    if damage:
        aside = set_aside(place.directory / INDEX_FILE)
        notes.append(
            f"{place.base}/{INDEX_FILE} {damage}: rebuilt from {_count(compared.known)},"
            f" the old one is {aside.name}"
        )
    elif before is None:
        if compared.known.count:
            notes.append(
                f"{place.base}/{INDEX_FILE} was missing: rebuilt from {_count(compared.known)}"
            )
    elif compared.notes:
        notes.append(
            f"{place.base}/{INDEX_FILE} was not in step with the entries: repaired"
            f" ({', '.join(compared.notes)})"
        )
    _write_index(place, compared.known)
    return ReadIndex(compared.known, tuple(notes))


def rebuild_index(place: KnowledgePlace) -> ReadIndex:
    """Write the index again from every file, under the lock. The notes name invalid files."""
    compared = _compare(place, None)
    if is_directory(place.directory):
        _write_index(place, compared.known)
    return ReadIndex(compared.known, compared.invalid)


def inspect_index(place: KnowledgePlace) -> Iterator[str]:
    """Yield what is wrong with the index and the files of entries. Writes nothing."""
    if not is_directory(place.directory):
        return
    before, damage = _read_file(place)
    if damage:
        yield f"{place.base}/{INDEX_FILE} {damage}"
    compared = _compare(place, None)
    yield from compared.invalid
    if before is not None and before != compared.known:
        yield f"{place.base}/{INDEX_FILE} is not in step with the entries"


def read_files(place: KnowledgePlace) -> KnowledgeIndex:
    """The index of the files as they are. Writes nothing."""
    return _compare(place, None).known


def write_entries(
    place: KnowledgePlace,
    index: KnowledgeIndex,
    saved: Iterable[Entry] = (),
    deleted: Iterable[IndexEntry] = (),
) -> KnowledgeIndex:
    """Write and delete entries under the lock. `index` is in step with the files.

    Returns the index after it. Raises EntryRefused, before anything is written, and StorageError.
    """
    saved = tuple(saved)
    texts = [entry_text(entry) for entry in saved]
    entries = {(one.kind, one.id): one for one in index}
    _create(place)
    for entry, text in zip(saved, texts, strict=True):
        kind = kind_of(entry)
        path = _folder(place, kind) / f"{entry.id}.json"
        write_atomically(path, text.encode(), durable=True)
        entries[kind, entry.id] = index_entry(entry)
    for one in deleted:
        with suppress(FileNotFoundError):
            (_folder(place, one.kind) / f"{one.id}.json").unlink()
        entries.pop((one.kind, one.id), None)
    after = index_of(entries.values())
    _write_index(place, after)
    return after


def read_entry(place: KnowledgePlace, kind: EntryKind, identifier: str) -> Entry:
    """Read the file of an entry. Raises FileNotFoundError and ValueError with what is wrong."""
    path = f"{place.base}/{entry_file(kind, identifier)}"
    try:
        data = read_inside(place.root, path, MAX_FILE_BYTES, follow=False)
    except SddError as error:
        raise ValueError(str(error)) from None
    entry = parse_entry(kind, parse_json(data))
    if entry.id != identifier:
        raise ValueError(f"its id is {entry.id!a}, unlike its name")
    return entry


def set_aside(path: Path) -> Path:
    """Rename a file that cannot be used to the first free `NAME.aside-N`. Returns the new path."""
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.name}.aside-{number}")):
        number += 1
    with suppress(FileNotFoundError):
        path.rename(aside)
    return aside


def _current(place: KnowledgePlace) -> KnowledgeIndex | None:
    """The index if it is in step with the files, else None."""
    times = _times(place)
    if times is None or len(set(times.values())) != 1:
        return None
    index, damage = _read_file(place)
    if index is None or damage:
        return None
    if any(index.of(kind) and FOLDERS[kind] not in times for kind in KINDS):
        return None
    return index if _times(place) == times else None


def _times(place: KnowledgePlace) -> dict[str, int] | None:
    """The modification times of the index and of the directories that exist; None without it."""
    directory = place.directory
    times = {}
    for name in (INDEX_FILE, *FOLDERS.values()):
        try:
            times[name] = (directory / name).lstat().st_mtime_ns
        except FileNotFoundError:
            if name == INDEX_FILE:
                return None
        except OSError as error:
            raise StorageError(f"cannot read {directory / name} ({error.strerror})") from None
    return times


def _read_file(place: KnowledgePlace) -> tuple[KnowledgeIndex | None, str]:
    """The index as it is in its file, and why it cannot be used: None and "" without a file."""
    try:
        data = read_state(place.directory / INDEX_FILE, MAX_INDEX_BYTES)
    except FileNotFoundError:
        return None, ""
    except StorageError as error:
        return None, f"cannot be read ({error})"
    try:
        return parse_index(data), ""
    except ValueError as error:
        return None, f"was damaged ({error})"


def _compare(place: KnowledgePlace, before: KnowledgeIndex | None) -> _Compared:
    """Compare the files with the index before (None: none), and read those that changed since."""
    times = _times(place) or {}
    unchanged = times.get(INDEX_FILE, 0) - _MARGIN_NS
    entries: list[IndexEntry] = []
    invalid: list[str] = []
    added = kept = 0
    for kind in KINDS:
        known = before.of(kind) if before else {}
        for name, changed in _files(place, kind):
            identifier = name.removesuffix(".json")
            old = known.get(identifier)
            if old is not None and changed < unchanged:
                entries.append(old)
                kept += 1
                continue
            try:
                new = index_entry(read_entry(place, kind, check_id(identifier)))
            except FileNotFoundError:
                continue
            except ValueError as error:
                path = f"{place.base}/{FOLDERS[kind]}/{name}"
                invalid.append(f"{path} is no {kind}: {error}: correct it, or delete it")
                continue
            entries.append(new)
            kept += old is not None
            added += new != old
    total = before.count if before else 0
    return _Compared(index_of(entries), added, total - kept, tuple(invalid))


def _files(place: KnowledgePlace, kind: EntryKind) -> list[tuple[str, int]]:
    """The names of the files of a kind in order, with the time of their last change."""
    try:
        with os.scandir(_folder(place, kind)) as found:
            named = [one for one in found if one.name.endswith(".json")]
            stats = [(one.name, one.stat(follow_symlinks=False)) for one in named]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StorageError(f"cannot read {place.base} ({error.strerror}): check it") from None
    return sorted((name, max(one.st_mtime_ns, one.st_ctime_ns)) for name, one in stats)


def _folder(place: KnowledgePlace, kind: EntryKind) -> Path:
    return KnowledgePlace(place.root, f"{place.base}/{FOLDERS[kind]}").directory


def _create(place: KnowledgePlace) -> None:
    try:
        for kind in KINDS:
            _folder(place, kind).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot create {place.base} ({error.strerror}): check it") from None
    if place.shared and not os.path.lexists(place.directory / ".gitignore"):
        write_atomically(place.directory / ".gitignore", IGNORED.encode())


def _write_index(place: KnowledgePlace, index: KnowledgeIndex) -> None:
    """Write the index, and give it and the directories one modification time.

    It is one that the kernel gives to no file: a change in the same tick of its clock differs.
    """
    path = place.directory / INDEX_FILE
    write_atomically(path, index_text(index).encode())
    # Without the permission, each lookup compares the names of the files with the index.
    with suppress(OSError):
        stamp = path.stat().st_mtime_ns - 1
        for kind in KINDS:
            with suppress(FileNotFoundError):
                os.utime(_folder(place, kind), ns=(stamp, stamp))
        os.utime(path, ns=(stamp, stamp))


def _count(index: KnowledgeIndex) -> str:
    return "1 entry" if index.count == 1 else f"{index.count} entries"
