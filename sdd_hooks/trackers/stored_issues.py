"""Read the issues of a folder. No command reads a file that is not as the last sync left it.

A disk may change a bit and not the time of a file, so that the content is compared. The file is
renamed: the next sync misses it, and fetches its issue again.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Issues when a tracker fails"

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from sdd_hooks.errors import SddError
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.text.display import format_count
from sdd_hooks.trackers.files import FileMark, parse_id
from sdd_hooks.trackers.issue_file import StoredIssue, parse
from sdd_hooks.trackers.issue_references import natural_key
from sdd_hooks.trackers.store import ASIDE, LOCK, IssueFolder, IssueStore, open_store
from sdd_hooks.trackers.sync_state import FILE_NAME, read_sync_state


def read_issues(folder: IssueFolder, lost: list[str] | None = None) -> Iterator[StoredIssue]:
    """Yield the stored issues in the order of their ids. Other files are skipped, and the names of
    those that are missing or damaged are added to `lost`. Raises StorageError."""
    with open_store(folder) as store:
        if store is None:
            return
        files = _WholeFiles(store, lost)
        names = {*store.names, *files.marks}
        for _, name in sorted((natural_key(parse_id(name) or name), name) for name in names):
            data = files.read(name)
            issue = parse(data, store.path(name)) if data is not None else None
            if issue is not None:
                yield issue


def read_issue(folder: IssueFolder, id: str, lost: list[str] | None = None) -> StoredIssue | None:
    """One stored issue, None if there is none; `lost` as above. Raises StorageError."""
    with open_store(folder) as store:
        name = store.file_name(id) if store else None
        data = _WholeFiles(store, lost).read(name) if store and name else None
        return parse(data, store.path(name)) if store and name and data is not None else None


def set_damage_aside(folder: IssueFolder) -> list[str]:
    """Rename damaged files. Returns the paths of those that are damaged, or missing now."""
    lost: list[str] = []
    with suppress(SddError), open_store(folder) as store:
        if store is not None:
            files = _WholeFiles(store, lost)
            for name in files.marks:
                files.read(name)
    return [f"{folder.relative}/{name}" for name in lost]


def lost_warning(folder: IssueFolder, lost: Sequence[str] | None = None) -> tuple[str, ...]:
    """A line about these files; without `lost`, about renamed ones that no sync fetched again."""
    names: set[str] = set()
    with suppress(OSError):
        names.update(path.name for path in folder.path.iterdir())
    kept = [one.removesuffix(ASIDE) for one in names if one.endswith(ASIDE)]
    lost = sorted(one for one in kept if one not in names) if lost is None else lost
    if not lost:
        return ()
    shown = ", ".join(lost[:3]) + (", …" if len(lost) > 3 else "")
    what = f"{format_count(len(lost), 'file')} of issues damaged or missing ({shown})"
    aside = f"kept with {ASIDE} after its name, " if kept else ""
    return (f"{folder.relative}: {what}: {aside}`sdd issues sync` fetches it again",)


class _WholeFiles:
    """Reads the files that the last sync left, and renames others; their names are in `lost`."""

    def __init__(self, store: IssueStore, lost: list[str] | None) -> None:
        self._store = store
        self._lost = [] if lost is None else lost
        self._version = store.version(FILE_NAME)
        state = read_sync_state(store)
        # There are none while a sync changes files, and after one that failed.
        self.marks: Mapping[str, FileMark] = state.files if state and state.revision else {}

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if no sync left it so."""
        data, mark = self._store.read(name), self.marks.get(name)
        if mark is None or mark.is_of(data) or self._has_new_state():
            return data
        self._lost.append(name)
        lock = self._store.folder.path / LOCK
        with suppress(OSError, SddError), hold_lock(lock, 0.0) as is_free:
            if is_free and not self._has_new_state():
                self._store.set_aside(name)
        return None

    def _has_new_state(self) -> bool:
        """Whether a sync began meanwhile: it writes the state before the files."""
        return self._store.version(FILE_NAME) != self._version
