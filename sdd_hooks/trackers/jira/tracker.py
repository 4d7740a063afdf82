"""The issues of a project in Jira."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from dataclasses import replace
from functools import cached_property

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.issue import Issue, IssueDraft
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
from sdd_hooks.trackers.jira.site import JiraSearch, JiraSite
from sdd_hooks.trackers.jira.writer import JiraWriter
from sdd_hooks.trackers.protocol import IssueFilter, IssuePage, Since

PER_PAGE = 100
INDEXING_SECONDS = 60.0
"""The maximal delay until Jira's search index contains a change."""

_STATES = {"open": f"statusCategory != {DONE}", "closed": f"statusCategory = {DONE}"}


class JiraTracker:
    """The issues of one project, without pull requests: no public API of Jira has them."""

    name = NAME
    label = LABEL

    def __init__(self, site: JiraSite, project: str) -> None:
        self._site = site
        self._project = project
        self._jql = f'project = "{project}"'

    @property
    def identity(self) -> str:
        """Host, path and project."""
        return f"{self._site.url.partition('://')[2]}/{self._project}"

    @property
    def web_url(self) -> str:
        """The address of the project."""
        return f"{self._site.url}/browse/{self._project}"

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[IssuePage]:
        """Pages of changed issues, last updated last. Without changes it takes one request."""
        self._site.use_cached_deployment(notes.get("deployment", ""))
        # A cursor of 0 comes from a response with a date long ago: it is no bound.
        start = int((since.issues or 0.0) // 1) or None
        total = None
        reported: set[str] = set()
        pages = self._site.pages_by_time(JiraSearch(self._jql, FIELDS, PER_PAGE), "updated", start)
        for count, page in enumerate(pages):
            if count == 0:
                total = page.total
                if total is None:
                    has_next = page.next is not None
                    total = self._count(start) if has_next else len(page.entries)
            issues = [issue_of(entry, self._site.url) for entry in page.entries]
            warnings = dict.fromkeys(self._warnings(issues))
            yield IssuePage(
                tuple(filter(None, issues)),
                page.at - INDEXING_SECONDS,
                total=total,
                warnings=tuple(warning for warning in warnings if warning not in reported),
            )
            reported |= set(warnings)
        notes["deployment"] = self._site.deployment

    def inventory(self) -> Iterator[Issue]:
        """All issues, in the order of their creation, which edits do not change."""
        query = JiraSearch(self._jql, FIELDS, PER_PAGE)
        for page in self._site.pages_by_time(query, "created", None):
            yield from filter(None, (issue_of(entry, self._site.url) for entry in page.entries))

    def issue(self, id: str) -> Issue:
        """One issue. Raises Missing, with the new key of an issue that moved to another project."""
        key = self._key(id)
        issue = self._site.issue(key)
        if issue is None:
            raise Missing(f"{LABEL} has no {key}, or does not show it")
        if issue.id == key:
            return issue
        if project_of(issue.id) != self._project:
            raise Missing(f"{LABEL}: {key} was moved to {issue.id}", issue.id)
        return replace(issue, formerly=(key,))

    def query(self, filter: IssueFilter) -> Iterator[Issue]:
        """The issues that match, last updated first."""
        if filter.status not in {None, *_STATES} or not all(map(str.isprintable, filter.labels)):
            # Draft and merged are statuses of pull requests, and labels are printable.
            return
        clauses = [self._jql]
        if filter.status:
            clauses.append(_STATES[filter.status])
        clauses += [f"labels = {_quoted(label)}" for label in filter.labels]
        jql = f"{' AND '.join(clauses)} ORDER BY updated DESC, key DESC"
        query = JiraSearch(jql, FIELDS, PER_PAGE)
        page = self._site.search(query)
        seen: set[str] = set()
        while not (keys := {key_of(entry) for entry in page.entries}) <= seen:
            for entry in page.entries:
                issue = issue_of(entry, self._site.url)
                if issue is not None and issue.id not in seen:
                    yield issue
            seen |= keys
            if page.next is None:
                return
            page = self._site.search(query, page.next._replace(last_key=""))

    def create(self, draft: IssueDraft) -> Issue:
        """Create an issue: an epic if that is one of the labels, else a task or a similar type."""
        return self._written_issue(self._writer.create(draft))

    def close(self, id: str) -> None:
        """Move an issue to a status of its workflow that means done."""
        self._writer.close(self._key(id))

    def append(self, id: str, text: str) -> Issue:
        """Append to the description of an issue."""
        key = self._key(id)
        self._writer.append(key, text)
        return self._written_issue(key)

    def group_of(self, id: str) -> str:
        """The key of the epic of an issue."""
        return self._writer.epic_of(self._key(id))

    def has_group(self, group: str) -> bool:
        """Whether there is an issue with that key."""
        return self._site.issue(self._key(group)) is not None

    def group(self, id: str, group: str) -> None:
        """Assign an issue to the epic with that key."""
        self._writer.group(self._key(id), self._key(group))

    def disconnect(self) -> None:
        """Close the connections."""
        self._site.disconnect()

    @cached_property
    def _writer(self) -> JiraWriter:
        return JiraWriter(self._site, self._project)

    def _count(self, since: int | None) -> int | None:
        bound = "" if since is None else f" AND updated >= {since * 1000}"
        return self._site.count(self._jql + bound)

    def _warnings(self, issues: list[Issue | None]) -> Iterator[str]:
        for issue in issues:
            if issue is None:
                yield f"{LABEL} lists an issue without a key: left out"
            elif project_of(issue.id) != self._project:
                now = project_of(issue.id)
                yield f"{LABEL} calls the project {self._project} {now} now: correct Project Key"

    def _written_issue(self, key: str) -> Issue:
        issue = self._site.issue(key)
        if issue is None:
            raise RemoteError(f"{LABEL} does not show what it wrote, {key}: look at {self.web_url}")
        return issue

    def _key(self, id: str) -> str:
        """Normalise the key of an issue. Raises Missing for an invalid key."""
        key = issue_key(id)
        if not key:
            raise Missing(f"{LABEL} has no issue {one_line(id)[:100]!r}: its issues have keys")
        return key


def _quoted(value: str) -> str:
    """Quote a string for JQL."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
