"""The changes of one sync to a folder of issues: files written and removed, links, counts."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Sync"

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace
from typing import Literal

from sdd_hooks.remote.json_fields import parse_epoch
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.filenames import parse_id
from sdd_hooks.trackers.issue import Issue, LinkedPull
from sdd_hooks.trackers.issue_file import has_pulls, parse, render, with_pulls
from sdd_hooks.trackers.store import IssueStore

FileOutcome = Literal["added", "updated", "removed", "unchanged", "failed"]

MAX_FAILURES = 3
"""Failed issues that are reported with their reasons; the others are counted."""

_MAX_ID = 60
"""Characters of an id in a message."""


class FolderUpdate:
    """Applies issues and pull requests to the files of `store`.

    `links` are the known pull requests, by number, with their issues. `complete` says that all
    issues and pull requests are going to be applied, so that none is kept only because it is known.
    `before_change` is called once, before the first file is changed. `seen` are the ids of the
    issues so far. `retry_from` is the earliest update of an issue that could not be written (epoch
    seconds), from which the next sync must fetch again.
    """

    def __init__(
        self,
        store: IssueStore,
        links: Mapping[str, Iterable[str]],
        before_change: Callable[[], None],
        *,
        complete: bool,
    ) -> None:
        self.seen: set[str] = set()
        self.retry_from: float | None = None
        self._store = store
        self._before_change: Callable[[], None] | None = before_change
        self._complete = complete
        self._links = {} if complete else {pull: set(ids) for pull, ids in links.items()}
        self._linked: dict[str, set[str]] = {}
        for pull, ids in self._links.items():
            for id in ids:
                self._linked.setdefault(id, set()).add(pull)
        # Pull requests whose issue is not applied yet, and links that only a file contains.
        self._waiting: dict[str, dict[str, LinkedPull]] = {}
        self._unconfirmed: dict[str, set[str]] = {}
        self._outcomes: dict[str, FileOutcome] = {}
        self._failures: list[str] = []

    def put(self, issue: Issue) -> None:
        """Write an issue with all its pull requests, and remove the files of its former ids."""
        self.seen.add(issue.id)
        name = self._store.file_name(issue.id)
        if name is None:
            self._fail(issue.id, "its id cannot be the name of a file")
            return
        exists = name in self._store.names or name in self._outcomes
        old = self._store.read(name) if exists else None
        pulls = {pull.number: pull for pull in self._kept_pulls(issue, old)}
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
        if name is None or (name not in self._store.names and name not in self._outcomes):
            return
        self._announce_change()
        if not self._store.remove(name):
            return
        self.seen.discard(id)
        if name in self._store.names:
            self._outcomes[name] = "removed"
        else:
            self._outcomes.pop(name, None)

    def reconcile(self, existing: Container[str], *, complete: bool) -> None:
        """Remove the files of all issues whose ids are not in `existing`.

        With `complete`, also remove the links that no fetched pull request confirmed.
        """
        if complete:
            for id, numbers in self._unconfirmed.items():
                for number in numbers - self._linked.get(id, set()):
                    self._set_pull(id, number, None)
        for id in filter(None, map(parse_id, self._store.names)):
            if id not in existing:
                self.remove(id)

    def links(self) -> dict[str, tuple[str, ...]]:
        """The issues of each pull request, by number, after the update."""
        return {pull: tuple(sorted(ids)) for pull, ids in sorted(self._links.items()) if ids}

    def counts(self) -> Counter[str]:
        """The number of issues with each outcome."""
        return Counter(self._outcomes.values())

    def changed(self) -> tuple[str, ...]:
        """The paths of the files that were written or removed, relative to the repository."""
        return tuple(
            sorted(
                self._store.path(name)
                for name, outcome in self._outcomes.items()
                if outcome in {"added", "updated", "removed"}
            )
        )

    def failures(self) -> tuple[str, ...]:
        """A line for each of the first issues that could not be written, and one for the others."""
        others = len(self._failures) - MAX_FAILURES
        more = [f"{others} more issues could not be written"] if others > 0 else []
        return (*self._failures[:MAX_FAILURES], *more)

    def _kept_pulls(self, issue: Issue, old: bytes | None) -> list[LinkedPull]:
        """The pull requests of the old file that stay, though the issue does not name them."""
        linked = self._linked.get(issue.id, set())
        if old is None or not (linked or self._complete) or not has_pulls(old):
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
        old = self._store.read(name) if name else None
        stored = parse(old) if old is not None else None
        if name is None or old is None or stored is None:
            return False
        others = [known for known in stored.pulls if known.number != number]
        self._write(name, with_pulls(stored, [*others, *([pull] if pull else [])]), old)
        return True

    def _write(self, name: str, issue: Issue, old: bytes | None) -> None:
        data = render(issue)
        if data == old:
            self._outcomes.setdefault(name, "unchanged")
            return
        self._announce_change()
        try:
            self._store.write(name, data)
        except IsADirectoryError:
            self._fail(issue.id, f"{self._store.path(name)} is a directory: remove it")
            updated = parse_epoch(issue.updated)
            if updated is not None:
                self.retry_from = min(updated, self.retry_from or updated)
            return
        self._outcomes[name] = "updated" if name in self._store.names else "added"

    def _announce_change(self) -> None:
        if self._before_change is not None:
            self._before_change()
            self._before_change = None

    def _fail(self, id: str, why: str) -> None:
        # No file has a name with a NUL, so the key is free.
        self._outcomes[f"\0{id}"] = "failed"
        self._failures.append(f"issue {one_line(id)[:_MAX_ID]} is left out: {why}")
