"""Create and change the issues of a project in Jira."""

# Governing: SPEC-0009 REQ "Writing to a tracker"

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdd_hooks.errors import RemoteError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import Json, field, flag, number, rows, text
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.issue import IssueDraft, joined
from sdd_hooks.trackers.jira.payloads import DONE, LABEL, is_closed, key_of
from sdd_hooks.trackers.jira.site import JiraSite
from sdd_hooks.trackers.protocol import Unsupported

DRAFT_TYPES = ("Task", "Story", "Issue")
"""The preferred issue types for a draft, in this order; else the first standalone type."""
EPIC = "Epic"
CLOSED_STATUSES = ("done", "closed", "resolved")
"""Names of statuses for finished work, as opposed to abandoned work, in order of preference."""

_EPIC_LINK = "com.pyxis.greenhopper.jira:gh-epic-link"
_EPIC_NAME = "com.pyxis.greenhopper.jira:gh-epic-label"


class _IssueType(NamedTuple):
    """An issue type of the project. `level` is 0 for a task, 1 for an epic, -1 for a subtask."""

    id: str
    name: str
    level: int


class JiraWriter:
    """Writes to the project with the key `project`."""

    def __init__(self, site: JiraSite, project: str) -> None:
        self._site = site
        self._project = project

    def create(self, draft: IssueDraft) -> str:
        """Create an issue. Returns its key."""
        types = self._issue_types()
        fields = self._fields(draft)
        if draft.parent:
            fields |= self._parent_fields(draft.parent)
        epic_type = next((one for one in types if one.level == 1), None)
        if epic_type is None or EPIC.lower() not in map(str.lower, draft.labels):
            return self._create(_draft_type(types), fields)
        return self._create(epic_type, fields | self._epic_name(draft.title))

    def close(self, key: str) -> None:
        """Move an issue to a status that means done. A closed issue is left unchanged."""
        entry = self._site.rest(f"issue/{key}", {"fields": "status,resolutiondate"})
        if is_closed(field(entry, "fields")):
            return
        transitions = self._site.rest(f"issue/{key}/transitions")
        done = [
            transition
            for transition in rows(transitions, "transitions")
            if text(transition, "to", "statusCategory", "key") == DONE and text(transition, "id")
        ]
        if not done:
            now = one_line(text(entry, "fields", "status", "name"))[:100]
            raise RemoteError(
                f"{LABEL}: nothing leads {key} from {now!r} to a status that means done: "
                "move it on in Jira first"
            )
        preferred = min(done, key=_status_rank)
        body = {"transition": {"id": text(preferred, "id")}}
        self._site.send("POST", f"issue/{key}/transitions", body)

    def append(self, key: str, markdown: str) -> None:
        """Append to the description of an issue. The nodes of a document stay as they are."""
        entry = self._site.rest(f"issue/{key}", {"fields": "description"})
        old = field(entry, "fields", "description")
        if isinstance(old, dict):
            from sdd_hooks.trackers.jira.markdown_to_adf import document_of

            added = document_of(markdown)["content"]
            new: object = {**old, "content": [*rows(old, "content"), *rows({"new": added}, "new")]}
        else:
            new = self._text(joined(text(entry, "fields", "description"), markdown))
        self._site.send("PUT", f"issue/{key}", {"fields": {"description": new}})

    def epic_of(self, key: str) -> str:
        """The key of the epic of an issue, "" for none."""
        name = "parent" if self._site.is_cloud else self._custom_field(_EPIC_LINK)
        link = field(self._site.rest(f"issue/{key}", {"fields": name}), "fields", name)
        return key_of(link) if self._site.is_cloud else text({"epic": link}, "epic")

    def group(self, key: str, epic: str) -> None:
        """Assign an issue to an epic."""
        fields = self._parent_fields(epic)
        self._site.send("PUT", f"issue/{key}", {"fields": fields}, idempotent=True)

    def _fields(self, draft: IssueDraft) -> dict[str, object]:
        """The fields for title, body and labels of a draft."""
        fields: dict[str, object] = {"summary": one_line(draft.title)}
        if draft.body:
            fields["description"] = self._text(draft.body)
        if draft.labels:
            # A label in Jira cannot contain blanks.
            fields["labels"] = ["-".join(label.split()) for label in draft.labels if label.strip()]
        return fields

    def _text(self, markdown: str) -> object:
        """A text in the format of the API: an ADF document for Cloud, the text for a server."""
        if not self._site.is_cloud:
            return markdown
        from sdd_hooks.trackers.jira.markdown_to_adf import document_of

        return document_of(markdown)

    def _create(self, issue_type: _IssueType, fields: dict[str, object]) -> str:
        required = {"project": {"key": self._project}, "issuetype": {"id": issue_type.id}}
        key = key_of(self._site.send("POST", "issue", {"fields": {**required, **fields}}))
        if not key:
            raise RemoteError(f"{LABEL} does not say which issue it made: look at {self._project}")
        return key

    def _parent_fields(self, epic: str) -> dict[str, object]:
        """The fields that assign an issue to the epic with this key."""
        if self._site.is_cloud:
            return {"parent": {"key": epic}}
        return {self._custom_field(_EPIC_LINK): epic}

    def _epic_name(self, name: str) -> dict[str, object]:
        """The field of a server without which it creates no epic."""
        return {} if self._site.is_cloud else {self._custom_field(_EPIC_NAME): one_line(name)}

    def _custom_field(self, kind: str) -> str:
        """The id of the custom field of that kind."""
        for definition in rows({"fields": self._site.rest("field")}, "fields"):
            if text(definition, "schema", "custom") == kind and text(definition, "id"):
                return text(definition, "id")
        raise Unsupported(f"{LABEL}: this server has no epics")

    def _issue_types(self) -> list[_IssueType]:
        """The issue types that the token may create in the project."""
        path = f"issue/createmeta/{self._project}/issuetypes"
        types = list(_parse_types(self._site.rest(path, {"maxResults": 100})))
        if not types:
            raise RemoteError(
                f"{LABEL}: no issue can be made in {self._project} with this token: check access"
            )
        return types


def _parse_types(data: Json) -> Iterator[_IssueType]:
    for entry in rows(data, "issueTypes") or rows(data, "values"):
        id, name = text(entry, "id"), text(entry, "untranslatedName") or text(entry, "name")
        level = number(entry, "hierarchyLevel")
        if level is None:
            # A server has no levels.
            level = -1 if flag(entry, "subtask") else 1 if name == EPIC else 0
        if id.isascii() and id.isdecimal():
            yield _IssueType(id, name, level)


def _draft_type(types: list[_IssueType]) -> _IssueType:
    """The issue type for a draft. Raises Unsupported if the project has no standalone type."""
    standalone = [type_ for type_ in types if type_.level == 0]
    if not standalone:
        raise Unsupported(
            f"{LABEL}: the project has no type of standalone issues, only {types[0].name!r}"
        )
    return min(standalone, key=lambda type_: _rank(type_.name, DRAFT_TYPES))


def _status_rank(transition: Json) -> int:
    return _rank(text(transition, "to", "name").strip().lower(), CLOSED_STATUSES)


def _rank(name: str, preferred: Sequence[str]) -> int:
    """The position of a name in an order of preference, last for other names."""
    return preferred.index(name) if name in preferred else len(preferred)
