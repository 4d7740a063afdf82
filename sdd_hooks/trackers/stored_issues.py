"""Read the issues of a folder. A file that is not as the last sync left it is read by nobody.

A disk may change a bit and not the time of a file, so that the content is compared. The file is
renamed: the next sync misses it, and fetches its issue again.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Issues when a tracker fails"

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.text.display import format_count
from sdd_hooks.trackers.files import FileMark, parse_id
from sdd_hooks.trackers.issue_file import StoredIssue, parse
from sdd_hooks.trackers.issue_references import natural_key
from sdd_hooks.trackers.store import ASIDE, LOCK, IssueFolder, IssueStore, open_store
from sdd_hooks.trackers.sync_state import FILE_NAME, read_sync_state

_MAX_NAMED = 3


def read_issues(folder: IssueFolder, lost: list[str] | None = None) -> Iterator[StoredIssue]:
    """Yield the stored issues in the order of their ids. Other files are skipped.

    The names of files that are missing or damaged are added to `lost`. Raises StorageError for a
    folder that is a link.
    """
    with open_store(folder) as store:
        if store is None:
            return
        marks = _read_marks(store)
        names = [*store.names, *(marks.files.keys() - store.names)]
        for _, name in sorted((natural_key(parse_id(name) or name), name) for name in names):
            issue = _read(store, name, marks, lost)
            if issue is not None:
                yield issue


def read_issue(folder: IssueFolder, id: str, lost: list[str] | None = None) -> StoredIssue | None:
    """One stored issue; None if there is none of that id. `lost` is that of `read_issues`.

    Raises StorageError.
    """
    with open_store(folder) as store:
        name = store.file_name(id) if store else None
        return _read(store, name, _read_marks(store), lost) if store and name else None


def set_damage_aside(folder: IssueFolder) -> list[str]:
    """Rename the damaged files. Returns the names of those that are missing now, or damaged."""
    lost: list[str] = []
    with suppress(SddError), open_store(folder) as store:
        if store is not None:
            marks = _read_marks(store)
            for name in marks.files:
                _read_whole(store, name, marks, lost)
    return lost


def names_set_aside(folder: IssueFolder) -> list[str]:
    """The names of the damaged files that no sync has fetched again. Reads no file."""
    names: set[str] = set()
    with suppress(OSError):
        names.update(entry.name for entry in folder.path.iterdir())
    kept = (name.removesuffix(ASIDE) for name in names if name.endswith(ASIDE))
    return sorted(name for name in kept if name not in names)


def lost_warning(folder: IssueFolder, lost: Sequence[str]) -> tuple[str, ...]:
    """A line about files that are missing or damaged; none for no such file."""
    if not lost:
        return ()
    shown = ", ".join(lost[:_MAX_NAMED]) + (", …" if len(lost) > _MAX_NAMED else "")
    what = f"{format_count(len(lost), 'file')} of issues damaged or missing ({shown})"
    aside = f"kept with {ASIDE} after its name, " if names_set_aside(folder) else ""
    return (f"{folder.relative}: {what}: {aside}`sdd issues sync` fetches it again",)


class _Marks(NamedTuple):
    """The marks that the files must have, and the version of the state that they are from."""

    files: Mapping[str, FileMark]
    version: tuple[int, ...] | None


def _read_marks(store: IssueStore) -> _Marks:
    """The marks of the last sync; none while a sync changes files, or after it failed."""
    version = store.version(FILE_NAME)
    state = read_sync_state(store)
    return _Marks(state.files if state and state.revision else {}, version)


def _read(
    store: IssueStore, name: str, marks: _Marks, lost: list[str] | None
) -> StoredIssue | None:
    data = _read_whole(store, name, marks, [] if lost is None else lost)
    return parse(data, store.path(name)) if data is not None else None


def _read_whole(store: IssueStore, name: str, marks: _Marks, lost: list[str]) -> bytes | None:
    """The content of a file; None, and its name in `lost`, if no sync left it so."""
    data = store.read(name)
    mark = marks.files.get(name)
    # A sync that began meanwhile has written the state before the file.
    if mark is None or mark.is_of(data) or store.version(FILE_NAME) != marks.version:
        return data
    lost.append(name)
    with suppress(OSError, SddError), hold_lock(store.folder.path / LOCK, 0.0) as is_free:
        if is_free and store.version(FILE_NAME) == marks.version:
            store.set_aside(name)
    return None
