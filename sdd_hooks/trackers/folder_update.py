"""The changes of one sync to a folder of issues: files written and removed, links, counts."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Sync"

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import parse_epoch
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.files import FileMark, parse_id
from sdd_hooks.trackers.issue import Issue, LinkedPull
from sdd_hooks.trackers.issue_file import (
    has_pulls,
    is_issue_file,
    parse,
    render,
    to_issue,
    with_pulls,
)
from sdd_hooks.trackers.store import IssueStore

FileOutcome = Literal["added", "updated", "removed", "unchanged", "failed"]

MAX_FAILURES = 3
"""Failed issues that are reported with their reasons; the others are counted."""

_MAX_ID = 60
"""Characters of an id in a message."""


class KnownFiles(NamedTuple):
    """What the last sync left: the issues of each pull request, by number, and marks of files."""

    links: Mapping[str, Iterable[str]] = MappingProxyType({})
    files: Mapping[str, FileMark] = MappingProxyType({})


class FolderUpdate:
    """Applies issues and pull requests to the files of `store`.

    `known` is what the last sync left. `complete` says that all issues and pull requests are going
    to be applied, so that none is kept only because it is known.
    `before_change` is called once, before the first file is changed. `seen` are the ids of the
    issues so far. `retry_from` is the earliest update of an issue that could not be written (epoch
    seconds), from which the next sync must fetch again; `unknown_from` is that of an issue whose
    edges the tracker did not show. `before` is an update of the same sync whose outcomes count.
    """

    def __init__(
        self,
        store: IssueStore,
        known: KnownFiles,
        before_change: Callable[[], None],
        *,
        complete: bool,
        before: FolderUpdate | None = None,
    ) -> None:
        self.seen: set[str] = set()
        self.retry_from: float | None = None
        self.unknown_from: float | None = None
        self._store = store
        self._before_change: Callable[[], None] | None = before_change
        self._complete = complete
        self._links = {} if complete else {pull: set(ids) for pull, ids in known.links.items()}
        self._files = known.files
        self._damaged: set[str] = set()
        self._linked: dict[str, set[str]] = {}
        for pull, ids in self._links.items():
            for id in ids:
                self._linked.setdefault(id, set()).add(pull)
        # Pull requests whose issue is not applied yet, and links that only a file contains.
        self._waiting: dict[str, dict[str, LinkedPull]] = {}
        self._unconfirmed: dict[str, set[str]] = {}
        # Shared with `before`, which may have to tell what was written until a failure.
        self.outcomes: dict[str, FileOutcome] = before.outcomes if before else {}
        for name in [name for name, outcome in self.outcomes.items() if outcome == "failed"]:
            del self.outcomes[name]
        self.kept_marks: dict[str, FileMark] = before.kept_marks if before else {}
        self._failures: list[str] = []
        self._writes_later = True

    def put(self, issue: Issue) -> None:
        """Write an issue with all its pull requests, and remove the files of its former ids."""
        self.seen.add(issue.id)
        name = self._store.file_name(issue.id)
        if name is None:
            self._fail(issue.id, "its id cannot be the name of a file")
            return
        exists = name in self._store.names or name in self.outcomes
        old = self._store.read(name) if exists else None
        if not issue.edges_known:
            self.unknown_from = _earlier(self.unknown_from, issue.updated)
            issue = _with_stored_edges(issue, self._undamaged(name, old))
        pulls = {pull.number: pull for pull in self._kept_pulls(issue, name, old)}
        for pull in (*issue.pulls, *self._waiting.pop(issue.id, {}).values()):
            known = pulls.get(pull.number)
            if known is None or known.updated <= pull.updated:
                pulls[pull.number] = pull
        if pulls or issue.pulls:
            issue = replace(issue, pulls=tuple(pulls.values()))
        self._write(name, issue, old)
        for former in issue.formerly:
            if former != issue.id:
                self.remove(former)

    def link(self, pull: LinkedPull) -> None:
        """Add a pull request to the files of its issues, and remove it from all others."""
        issues = set(pull.closes)
        for id in self._links.pop(pull.number, set()) - issues:
            self._linked.get(id, set()).discard(pull.number)
            self._set_pull(id, pull.number, None)
        self._links[pull.number] = issues
        for id in issues:
            self._linked.setdefault(id, set()).add(pull.number)
            if not self._set_pull(id, pull.number, pull):
                self._waiting.setdefault(id, {})[pull.number] = pull

    def remove(self, id: str) -> None:
        """Remove the file of an issue that its tracker does not have any more."""
        name = self._store.file_name(id)
        if name is None or (name not in self._store.names and name not in self.outcomes):
            return
        self._announce_change()
        if not self._store.remove(name, is_known=self._is_written(name)):
            return
        self.seen.discard(id)
        self.kept_marks.pop(name, None)
        if name in self._store.names:
            self.outcomes[name] = "removed"
        else:
            self.outcomes.pop(name, None)

    def finish_writing(self) -> None:
        """Wait until the files so far are written. Those after this call are written at once.

        Before it, a file may be written later, and have no mark yet. Raises StorageError.
        """
        self._writes_later = False
        try:
            self._store.finish()
        finally:
            self.kept_marks.update(self._store.take_marks())

    def remove_unconfirmed_links(self) -> None:
        """Remove the links that no pull request confirmed, after a complete fetch."""
        for id, numbers in self._unconfirmed.items():
            for number in numbers - self._linked.get(id, set()):
                self._set_pull(id, number, None)

    def stored_ids(self) -> list[str]:
        """The ids of all issues with a file, in the order of their files' names."""
        names = sorted({*self._store.names, *self.kept_marks})
        present = (name for name in names if self.outcomes.get(name) != "removed")
        ids = ((parse_id(name), name) for name in present)
        return [
            id for id, name in ids if id and (self._is_written(name) or self._store.is_issue(name))
        ]

    def has_file(self, id: str) -> bool:
        """Whether an issue has a file, or cannot have one."""
        name = self._store.file_name(id)
        return name is None or name in self._store.names or name in self.kept_marks

    def follow(self, listed: Issue) -> bool:
        """Write what a listing shows of an issue, if no update of the issue was missed.

        `listed` has no edges and no pull requests: those of the file stay. Returns False for an
        issue that must be fetched: it has no file, another update, or another text.
        """
        name = self._store.file_name(listed.id)
        old = self._undamaged(name, self._store.read(name)) if name else None
        stored = parse(old) if old is not None else None
        if name is None or old is None or stored is None:
            return name is None
        kept = to_issue(stored)
        issue = replace(listed, blocks=kept.blocks, blocked_by=kept.blocked_by, pulls=kept.pulls)
        data = render(issue)
        if data != old:
            if (listed.updated, listed.status, listed.closed) != (
                kept.updated, kept.status, kept.closed,
            ):  # fmt: skip
                return False
            self._write(name, issue, old)
        return True

    def lost_files(self) -> bool:
        """Whether a file is missing or damaged that this update did not write from scratch."""
        is_lost = bool(self._damaged)
        for name, mark in self._files.items():
            if name not in self.outcomes:
                current = self._store.current_mark(name, mark)
                is_lost = is_lost or current is None
                if current is not None:
                    self.kept_marks[name] = current
        return is_lost

    def marks_so_far(self) -> dict[str, FileMark]:
        """The marks after an update that was interrupted."""
        # What a damaged file told of pull requests and edges is still lost.
        damaged = {name: self._files[name] for name in self._damaged}
        marks = {**self._files, **self.kept_marks, **damaged}
        return {name: mark for name, mark in marks.items() if self.outcomes.get(name) != "removed"}

    def marks(self) -> dict[str, FileMark]:
        """The marks of all files for the next sync, after `lost_files`."""
        unknown = [name for name in self._store.names if not self._is_written(name)]
        for name in unknown if not self._failures else ():
            # A folder of an earlier version has no marks.
            data = self._store.read(name) if name not in self.outcomes else None
            if data is not None and is_issue_file(data):
                self._set_mark(name, data)
        for name, mark in self._files.items():
            # A damaged file whose issue was neither fetched nor removed is still damaged.
            if name not in self.outcomes and self._store.exists(name):
                self.kept_marks.setdefault(name, mark)
        return dict(sorted(self.kept_marks.items()))

    def links(self) -> dict[str, tuple[str, ...]]:
        """The issues of each pull request, by number, after the update."""
        return {pull: tuple(sorted(ids)) for pull, ids in sorted(self._links.items()) if ids}

    def counts(self) -> Counter[str]:
        """The number of issues with each outcome."""
        return Counter(self.outcomes.values())

    def changed(self) -> tuple[str, ...]:
        """The paths of the files that were written or removed, relative to the repository."""
        return tuple(
            sorted(
                self._store.path(name)
                for name, outcome in self.outcomes.items()
                if outcome in {"added", "updated", "removed"}
            )
        )

    def failures(self) -> tuple[str, ...]:
        """A line for each of the first issues that could not be written, and one for the others."""
        others = len(self._failures) - MAX_FAILURES
        more = [f"{others} more issues could not be written"] if others > 0 else []
        return (*self._failures[:MAX_FAILURES], *more)

    def _undamaged(self, name: str, data: bytes | None) -> bytes | None:
        """The content of a file; None, and a note for `lost_files`, if no sync wrote it so."""
        mark = self._files.get(name)
        if mark is not None and name not in self.outcomes and not mark.is_of(data):
            self._damaged.add(name)
            return None
        return data

    def _kept_pulls(self, issue: Issue, name: str, old: bytes | None) -> list[LinkedPull]:
        """The pull requests of the old file that stay, though the issue does not name them."""
        linked = self._linked.get(issue.id, set())
        if not (linked or self._complete):
            return []
        old = self._undamaged(name, old)
        if old is None or not has_pulls(old):
            return []
        stored = parse(old)
        known = stored.pulls if stored else ()
        if not self._complete:
            return [pull for pull in known if pull.number in linked]
        named = {pull.number for pull in issue.pulls}
        unconfirmed = {pull.number for pull in known} - named
        if unconfirmed:
            self._unconfirmed.setdefault(issue.id, set()).update(unconfirmed)
        return list(known)

    def _set_pull(self, id: str, number: str, pull: LinkedPull | None) -> bool:
        """Replace a pull request in the file of an issue, or remove it (None).

        Returns False if there is no file.
        """
        name = self._store.file_name(id)
        old = self._undamaged(name, self._store.read(name)) if name else None
        stored = parse(old) if old is not None else None
        if name is None or old is None or stored is None:
            return False
        others = [known for known in stored.pulls if known.number != number]
        self._write(name, with_pulls(stored, [*others, *([pull] if pull else [])]), old)
        return True

    def _write(self, name: str, issue: Issue, old: bytes | None) -> None:
        data = render(issue)
        if data == old:
            self.outcomes.setdefault(name, "unchanged")
            self._set_mark(name, data)
            return
        self._announce_change()
        try:
            write = self._store.write_later if self._writes_later else self._store.write
            mark = write(name, data)
        except IsADirectoryError:
            self._fail(issue.id, f"{self._store.path(name)} is a directory: remove it")
            self.retry_from = _earlier(self.retry_from, issue.updated)
            return
        self.outcomes[name] = "updated" if name in self._store.names else "added"
        if mark is not None:
            self.kept_marks[name] = mark

    def _is_written(self, name: str) -> bool:
        """Whether a sync wrote a file of this name, whatever it contains now."""
        return name in self.kept_marks or name in self._files

    def _set_mark(self, name: str, data: bytes) -> None:
        mark = self._store.mark(name, data)
        if mark is not None:
            self.kept_marks[name] = mark

    def _announce_change(self) -> None:
        if self._before_change is not None:
            self._before_change()
            self._before_change = None

    def _fail(self, id: str, why: str) -> None:
        # No file has a name with a NUL, so the key is free.
        self.outcomes[f"\0{id}"] = "failed"
        self._failures.append(f"issue {one_line(id)[:_MAX_ID]} is left out: {why}")


def _earlier(time: float | None, updated: str) -> float | None:
    """The earlier of a time and of that of an update, which may be unknown (epoch seconds)."""
    seconds = parse_epoch(updated)
    if seconds is None or time is None:
        return time if seconds is None else seconds
    return min(time, seconds)


def _with_stored_edges(issue: Issue, old: bytes | None) -> Issue:
    """The issue with the edges of its file as well."""
    stored = parse(old) if old is not None else None
    if stored is None:
        return issue
    return replace(
        issue,
        blocks=tuple(dict.fromkeys((*issue.blocks, *stored.blocks))),
        blocked_by=tuple(dict.fromkeys((*issue.blocked_by, *stored.blocked_by))),
    )
