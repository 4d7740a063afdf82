"""The issues of a folder while a sync changes them: what is written, removed, linked, counted."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Sync"

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from sdd_hooks.remote.json_fields import parse_epoch
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.filenames import id_of
from sdd_hooks.trackers.issue import Issue, LinkedPull
from sdd_hooks.trackers.issue_file import has_pulls, parse, render, with_pulls
from sdd_hooks.trackers.store import IssueStore

Outcome = Literal["added", "updated", "removed", "unchanged", "failed"]

MOST_NAMED = 3
"""Issues that failed and are named, each with its reason."""

_SHOWN = 60


class FolderUpdate:
    """What a sync does to the files of `store`.

    `links` are the pull requests that were known, by number, with their issues. With `everything`
    all issues and pull requests there are will come, so that nothing that is known counts on its
    own. `before` is called once, before the first file is changed.
    """

    def __init__(
        self,
        store: IssueStore,
        links: Mapping[str, Iterable[str]],
        before: Callable[[], None],
        *,
        everything: bool,
    ) -> None:
        self.seen: set[str] = set()
        self.retry: float | None = None
        self._store = store
        self._before: Callable[[], None] | None = before
        self._everything = everything
        self._links = {} if everything else {pull: set(ids) for pull, ids in links.items()}
        self._linked: dict[str, set[str]] = {}
        for pull, ids in self._links.items():
            for id in ids:
                self._linked.setdefault(id, set()).add(pull)
        # Pull requests of issues that have not come yet, and links that only a file vouches for.
        self._waiting: dict[str, dict[str, LinkedPull]] = {}
        self._doubtful: dict[str, set[str]] = {}
        self._outcomes: dict[str, Outcome] = {}
        self._failures: list[str] = []

    def put(self, issue: Issue) -> None:
        """Write an issue as its tracker has it now, with all its pull requests."""
        self.seen.add(issue.id)
        name = self._store.name(issue.id)
        if name is None:
            self._fail(issue.id, "its id cannot be the name of a file")
            return
        old = self._store.read(name) if name in self._store.names or self._written(name) else None
        pulls = {pull.number: pull for pull in self._kept(issue, old)}
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
        """Show a pull request, as it is now, with the issues it is linked with and no others."""
        now = set(pull.closes)
        for id in self._links.pop(pull.number, set()) - now:
            self._linked.get(id, set()).discard(pull.number)
            self._show(id, pull.number, None)
        self._links[pull.number] = now
        for id in now:
            self._linked.setdefault(id, set()).add(pull.number)
            if not self._show(id, pull.number, pull):
                self._waiting.setdefault(id, {})[pull.number] = pull

    def remove(self, id: str) -> None:
        """Remove the file of an issue that is no longer here."""
        name = self._store.name(id)
        if name is None or not (name in self._store.names or self._written(name)):
            return
        self._begin()
        if not self._store.remove(name):
            return
        self.seen.discard(id)
        if name in self._store.names:
            self._outcomes[name] = "removed"
        else:
            self._outcomes.pop(name, None)

    def there(self) -> Iterator[str]:
        """The ids of the issues that had a file before."""
        return filter(None, map(id_of, self._store.names))

    def settle(self) -> None:
        """After everything has come: take back the links that nobody has confirmed."""
        for id, numbers in self._doubtful.items():
            for number in numbers - self._linked.get(id, set()):
                self._show(id, number, None)

    def links(self) -> dict[str, tuple[str, ...]]:
        """The links as they are now."""
        return {pull: tuple(sorted(ids)) for pull, ids in sorted(self._links.items()) if ids}

    def counts(self) -> Counter[str]:
        """How many issues had which outcome."""
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
        others = len(self._failures) - MOST_NAMED
        more = [f"{others} more issues could not be written"] if others > 0 else []
        return (*self._failures[:MOST_NAMED], *more)

    def _kept(self, issue: Issue, old: bytes | None) -> list[LinkedPull]:
        """The pull requests of a file that the issue still has though it does not name them."""
        linked = self._linked.get(issue.id, set())
        if old is None or not (linked or self._everything) or not has_pulls(old):
            return []
        stored = parse(old)
        known = stored.pulls if stored else ()
        if not self._everything:
            return [pull for pull in known if pull.number in linked]
        named = {pull.number for pull in issue.pulls}
        doubtful = {pull.number for pull in known} - named
        if doubtful:
            self._doubtful.setdefault(issue.id, set()).update(doubtful)
        return list(known)

    def _show(self, id: str, number: str, pull: LinkedPull | None) -> bool:
        """Show a pull request in the file of an issue, or no longer. False: there is no file."""
        name = self._store.name(id)
        old = self._store.read(name) if name else None
        stored = parse(old) if old is not None else None
        if name is None or old is None or stored is None:
            return False
        pulls = [one for one in stored.pulls if one.number != number]
        self._write(name, with_pulls(stored, [*pulls, *([pull] if pull else [])]), old)
        return True

    def _write(self, name: str, issue: Issue, old: bytes | None) -> None:
        data = render(issue)
        if data == old:
            self._outcomes.setdefault(name, "unchanged")
            return
        self._begin()
        try:
            self._store.write(name, data)
        except IsADirectoryError:
            self._fail(issue.id, f"{self._store.path(name)} is a directory: remove it")
            updated = parse_epoch(issue.updated)
            if updated is not None:
                self.retry = min(updated, self.retry or updated)
            return
        self._outcomes[name] = "updated" if name in self._store.names else "added"

    def _written(self, name: str) -> bool:
        return name in self._outcomes

    def _begin(self) -> None:
        if self._before is not None:
            self._before()
            self._before = None

    def _fail(self, id: str, why: str) -> None:
        self._outcomes[f"\0{id}"] = "failed"
        self._failures.append(f"issue {one_line(id)[:_SHOWN]} is left out: {why}")
