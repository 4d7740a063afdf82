"""What can be changed in a project of a Jira."""

# Governing: SPEC-0009 REQ "Writing to a tracker"

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.json_fields import Json, field, flag, number, rows, text
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.issue import Draft, Edit
from sdd_hooks.trackers.jira.payloads import DONE, LABEL, is_closed, key_of
from sdd_hooks.trackers.jira.site import Site
from sdd_hooks.trackers.protocol import Unsupported

PLAIN = ("Task", "Story", "Issue")
"""Types of issues that a draft becomes, the best first; else the first that is no part of one."""
EPIC = "Epic"
CLOSING = ("done", "closed", "resolved")
"""Names of statuses in which work is finished rather than given up, the best first."""

_EPIC_LINK = "com.pyxis.greenhopper.jira:gh-epic-link"
_EPIC_NAME = "com.pyxis.greenhopper.jira:gh-epic-label"


class _Kind(NamedTuple):
    """A type of issues of the project. `level` is 0 for a task, 1 for an epic, -1 for a part."""

    id: str
    name: str
    level: int


class Desk:
    """Writes to the project with the key `project`.

    Jira's search finds a new epic only after a while: those made here are remembered.
    """

    def __init__(self, site: Site, project: str) -> None:
        self._site = site
        self._project = project
        self._epics: dict[str, str] = {}

    def create(self, draft: Draft) -> str:
        """A new issue. Returns its key."""
        kinds = self._kinds()
        fields = self._fields(Edit(draft.title, draft.body or None, draft.labels or None))
        if draft.group:
            fields |= self._membership(draft.group)
        return self._create(_plain(kinds), fields)

    def edit(self, key: str, edit: Edit) -> None:
        """Change an issue."""
        fields = self._fields(edit)
        if fields:
            self._site.send("PUT", f"issue/{key}", {"fields": fields}, again=True)

    def close(self, key: str) -> None:
        """Take an issue to a status that means done; one that is there stays."""
        before = self._site.rest(f"issue/{key}", {"fields": "status,resolutiondate"})
        if is_closed(field(before, "fields")):
            return
        ways = self._site.rest(f"issue/{key}/transitions")
        done = [
            way
            for way in rows(ways, "transitions")
            if text(way, "to", "statusCategory", "key") == DONE and text(way, "id")
        ]
        if not done:
            now = one_line(text(before, "fields", "status", "name"))[:100]
            raise RemoteError(
                f"{LABEL}: nothing leads {key} from {now!r} to a status that means done: "
                "move it on in Jira first"
            )
        way = min(done, key=_finality)
        body = {"transition": {"id": text(way, "id")}}
        self._site.send("POST", f"issue/{key}/transitions", body)

    def comment(self, key: str, said: str) -> None:
        """Say something below an issue."""
        self._site.send("POST", f"issue/{key}/comment", {"body": self._text(said)})

    def group(self, key: str, name: str) -> None:
        """Put an issue into the epic of that name."""
        fields = self._membership(name)
        self._site.send("PUT", f"issue/{key}", {"fields": fields}, again=True)

    def _fields(self, edit: Edit) -> dict[str, object]:
        """The fields of an issue that are to be set."""
        fields: dict[str, object] = {}
        if edit.title is not None:
            fields["summary"] = one_line(edit.title)
        if edit.body is not None:
            fields["description"] = self._text(edit.body) if edit.body else None
        if edit.labels is not None:
            # A label of Jira's has no blanks.
            fields["labels"] = ["-".join(label.split()) for label in edit.labels if label.strip()]
        return fields

    def _text(self, markdown: str) -> object:
        """A text as this Jira takes it: a document, or the text itself."""
        if not self._site.is_cloud:
            return markdown
        from sdd_hooks.trackers.jira.markdown_to_adf import document_of

        return document_of(markdown)

    def _create(self, kind: _Kind, fields: dict[str, object]) -> str:
        here = {"project": {"key": self._project}, "issuetype": {"id": kind.id}}
        key = key_of(self._site.send("POST", "issue", {"fields": {**here, **fields}}))
        if not key:
            raise RemoteError(f"{LABEL} does not say which issue it made: look at {self._project}")
        return key

    def _membership(self, name: str) -> dict[str, object]:
        """The fields that put an issue into the epic of that name, created when missing."""
        epic = one_line(name)
        found = self._epics.get(epic) or self._epic(epic)
        self._epics[epic] = found
        if self._site.is_cloud:
            return {"parent": {"key": found}}
        return {self._custom(_EPIC_LINK): found}

    def _epic(self, name: str) -> str:
        """The key of the epic of that name, the oldest of several."""
        kind = next((one for one in self._kinds() if one.level == 1), None)
        if kind is None:
            raise Unsupported(f"{LABEL}: the project {self._project} has no epics")
        jql = f'project = "{self._project}" AND issuetype = {kind.id}'
        for batch in self._site.listed(jql, "created", None, "summary,created", 100):
            for entry in batch.entries:
                if text(entry, "fields", "summary").strip() == name and key_of(entry):
                    return key_of(entry)
        fields: dict[str, object] = {"summary": name}
        if not self._site.is_cloud:
            fields[self._custom(_EPIC_NAME)] = name
        return self._create(kind, fields)

    def _custom(self, kind: str) -> str:
        """The id of the custom field of that kind."""
        for one in rows({"fields": self._site.rest("field")}, "fields"):
            if text(one, "schema", "custom") == kind and text(one, "id"):
                return text(one, "id")
        raise Unsupported(f"{LABEL}: this server has no epics")

    def _kinds(self) -> list[_Kind]:
        """The types of issues that can be made in the project."""
        path = f"issue/createmeta/{self._project}/issuetypes"
        kinds = list(_kinds(self._site.rest(path, {"maxResults": 100})))
        if not kinds:
            raise RemoteError(
                f"{LABEL}: no issue can be made in {self._project} by who asks: check the access"
            )
        return kinds


def _kinds(data: Json) -> Iterator[_Kind]:
    for one in rows(data, "issueTypes") or rows(data, "values"):
        id, name = text(one, "id"), text(one, "untranslatedName") or text(one, "name")
        level = number(one, "hierarchyLevel")
        if level is None:
            # A server does not tell.
            level = -1 if flag(one, "subtask") else 1 if name == EPIC else 0
        if id.isascii() and id.isdecimal():
            yield _Kind(id, name, level)


def _plain(kinds: list[_Kind]) -> _Kind:
    """The type that a draft becomes."""
    plain = [kind for kind in kinds if kind.level == 0]
    if not plain:
        raise Unsupported(f"{LABEL}: the project has no issues of its own, but {kinds[0].name!r}")
    return min(plain, key=lambda kind: PLAIN.index(kind.name) if kind.name in PLAIN else len(PLAIN))


def _finality(way: Json) -> int:
    name = text(way, "to", "name").strip().lower()
    return CLOSING.index(name) if name in CLOSING else len(CLOSING)
