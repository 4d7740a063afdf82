"""A project of a Jira as a tracker."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from dataclasses import replace
from functools import cached_property

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.issue import Draft, Edit, Issue
from sdd_hooks.trackers.jira.payloads import (
    DONE,
    FIELDS,
    LABEL,
    NAME,
    issue_key,
    issue_of,
    key_of,
    project_of,
)
from sdd_hooks.trackers.jira.site import Site
from sdd_hooks.trackers.jira.writer import Desk
from sdd_hooks.trackers.protocol import Filter, Page, Since

PER_PAGE = 100
KEYS_PER_PAGE = 1000
INDEXED_AFTER = 60.0
"""Seconds after which a change is surely found by a search: Jira's index follows its issues."""

_STATES = {"open": f"statusCategory != {DONE}", "closed": f"statusCategory = {DONE}"}


class Jira:
    """The issues of one project. Reads and writes.

    Linked pull requests are in no public API of Jira's: there are none.
    """

    name = NAME
    label = LABEL

    def __init__(self, site: Site, project: str) -> None:
        self._site = site
        self._project = project
        self._jql = f'project = "{project}"'

    @property
    def place(self) -> str:
        """Host, path and project."""
        return f"{self._site.url.partition('://')[2]}/{self._project}"

    @property
    def web(self) -> str:
        """The address of the project."""
        return f"{self._site.url}/browse/{self._project}"

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[Page]:
        """Pages of what changed, in the order of change. An unchanged project is one request."""
        self._site.believe(notes.get("deployment", ""))
        start = None if since.issues is None else int(since.issues // 1)
        total = None
        told: set[str] = set()
        for position, batch in enumerate(
            self._site.listed(self._jql, "updated", start, FIELDS, PER_PAGE)
        ):
            if position == 0:
                total = batch.total
                if total is None:
                    more = batch.following is not None
                    total = self._counted(start) if more else len(batch.entries)
            issues = [issue_of(entry, self._site.url) for entry in batch.entries]
            warnings = dict.fromkeys(self._warnings(issues))
            yield Page(
                tuple(filter(None, issues)),
                batch.at - INDEXED_AFTER,
                total=total,
                warnings=tuple(one for one in warnings if one not in told),
            )
            told |= set(warnings)
        notes["deployment"] = self._site.deployment

    def inventory(self) -> Iterator[str]:
        """The keys of all issues, in the order of their creation, which nothing changes."""
        for batch in self._site.listed(self._jql, "created", None, "created", KEYS_PER_PAGE):
            yield from filter(None, map(key_of, batch.entries))

    def issue(self, id: str) -> Issue:
        """One issue. Raises Missing; one that is in another project now says where."""
        key = self._key(id)
        found = self._site.issue(key)
        if found is None:
            raise Missing(f"{LABEL} has no {key}, or does not show it")
        if found.id == key:
            return found
        if project_of(found.id) != self._project:
            raise Missing(f"{LABEL}: {key} was moved to {found.id}", found.id)
        return replace(found, formerly=(key,))

    def query(self, filter: Filter) -> Iterator[Issue]:
        """The issues that match, the last updated first."""
        if filter.status not in {None, *_STATES} or not all(map(str.isprintable, filter.labels)):
            # There are no pull requests that could make it so, and no such labels.
            return
        clauses = [self._jql]
        if filter.status:
            clauses.append(_STATES[filter.status])
        clauses += [f"labels = {_quoted(label)}" for label in filter.labels]
        jql = f"{' AND '.join(clauses)} ORDER BY updated DESC, key DESC"
        batch = self._site.search(jql, FIELDS, PER_PAGE)
        seen: set[str] = set()
        while not (found := {key_of(entry) for entry in batch.entries}) <= seen:
            for entry in batch.entries:
                issue = issue_of(entry, self._site.url)
                if issue is not None and issue.id not in seen:
                    yield issue
            seen |= found
            if batch.following is None:
                return
            batch = self._site.search(jql, FIELDS, PER_PAGE, batch.following._replace(last=""))

    def create(self, draft: Draft) -> Issue:
        """A new issue: a task, or what the project has instead."""
        return self._written(self._desk.create(draft))

    def edit(self, id: str, edit: Edit) -> Issue:
        """Change an issue."""
        key = self._key(id)
        self._desk.edit(key, edit)
        return self._written(key)

    def close(self, id: str) -> None:
        """Take an issue where its workflow says that it is done."""
        self._desk.close(self._key(id))

    def comment(self, id: str, text: str) -> None:
        """Say something below an issue."""
        self._desk.comment(self._key(id), text)

    def group(self, id: str, name: str) -> None:
        """Put an issue into the epic of that name."""
        self._desk.group(self._key(id), name)

    def disconnect(self) -> None:
        """Let connections go."""
        self._site.disconnect()

    @cached_property
    def _desk(self) -> Desk:
        return Desk(self._site, self._project)

    def _counted(self, since: int | None) -> int | None:
        bound = "" if since is None else f" AND updated >= {since * 1000}"
        return self._site.count(self._jql + bound)

    def _warnings(self, issues: list[Issue | None]) -> Iterator[str]:
        for found in issues:
            if found is None:
                yield f"{LABEL} lists an issue without a key: left out"
            elif project_of(found.id) != self._project:
                now = project_of(found.id)
                yield f"{LABEL} calls the project {self._project} {now} now: correct Project Key"

    def _written(self, key: str) -> Issue:
        found = self._site.issue(key)
        if found is None:
            raise RemoteError(f"{LABEL} does not show what it wrote, {key}: look at {self.web}")
        return found

    def _key(self, id: str) -> str:
        """The key of an issue as Jira has it. Raises Missing for an id that can be none."""
        key = issue_key(id)
        if not key:
            raise Missing(f"{LABEL} has no issue {one_line(id)[:100]!r}: its issues have keys")
        return key


def _quoted(value: str) -> str:
    """A string of JQL."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
