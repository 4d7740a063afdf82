"""Change the status of an artifact in the form in which it is written.

A status stands in the frontmatter, in a field (bullet, bold text, table) or under a heading, in
several of them at times. Only the word of the status is replaced, in all of them.
"""

# Governing: ADR-0049 (an edit is verified by reading), SPEC-0024 REQ "Status", SPEC-0002 REQ
# "Status"

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sdd_hooks.artifacts.document import ArtifactDocument, find_successors, read_document
from sdd_hooks.artifacts.frontmatter_edit import NotEditable, set_field
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind, id_from_link
from sdd_hooks.artifacts.languages import find_status_words
from sdd_hooks.artifacts.statement import UNKNOWN
from sdd_hooks.artifacts.status import ArtifactStatus
from sdd_hooks.authoring.other_markup import markup_of, written_link
from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.display import shortened
from sdd_hooks.text.documents import as_markdown
from sdd_hooks.text.lazy_regex import lazy_regex

TRANSITIONS: Mapping[ArtifactKind, Mapping[str, tuple[str, ...]]] = {
    "ADR": {
        "proposed": ("accepted", "rejected", "deprecated", "superseded"),
        "accepted": ("deprecated", "superseded"),
        "rejected": ("proposed",),
        "deprecated": ("accepted", "superseded"),
        "superseded": ("accepted", "deprecated"),
    },
    "SPEC": {
        "draft": ("review", "approved", "deprecated"),
        "review": ("draft", "approved", "deprecated"),
        "approved": ("review", "implemented", "deprecated"),
        "implemented": ("approved", "deprecated"),
        "deprecated": ("draft",),
    },
}
"""The statuses that may follow each status. Any may follow another status, or none."""

SYNONYMS: Mapping[ArtifactKind, Mapping[str, str]] = {
    "ADR": {
        "draft": "proposed",
        "review": "proposed",
        "deferred": "proposed",
        "on-hold": "proposed",
        "approved": "accepted",
        "implemented": "accepted",
    },
    "SPEC": {"proposed": "draft", "accepted": "approved", "superseded": "deprecated"},
}
"""Statuses of the other kind that repositories use, and what they mean."""

_SUCCESSOR = lazy_regex(
    r"[ ]+by\b[:\s]*(?:\[[^\[\]\n]*\](?:\([^()\n]*\))?|[\w/\[\]-]*[0-9]+[a-z]?(?![\w-])"
    r"|[\w/\[\]-]+(?=[.\s]*$))",
    re.IGNORECASE,
)
_CHECK_BOX = lazy_regex(r"\s*[-*+] \[[ xX]\] ")
_MAX_PARAGRAPH = 4
"""Lines of a paragraph in which the word of its status is looked for."""


class StatusRefused(SddError):
    """A status that may not follow the present one."""

    code = "status"


class NewStatus(NamedTuple):
    """A status to write. `successor` is the artifact that replaces a superseded one, or None.

    `link` is the path of the successor relative to the file, "" for no link. `path` is that of the
    file, whose suffix tells its markup.
    """

    value: str
    successor: ArtifactId | None = None
    link: str = ""
    path: str = ""


def validate_transition(kind: ArtifactKind, current: str, wanted: str) -> None:
    """Raise StatusRefused unless `wanted` is a status of the kind that may follow `current`.

    `current` is "" for no status.
    """
    transitions = TRANSITIONS[kind]
    noun = "an ADR" if kind == "ADR" else "a spec"
    if wanted not in transitions:
        raise StatusRefused(
            f"{wanted!a} is not a status of {noun}: use one of {', '.join(transitions)}"
        )
    allowed = transitions.get(SYNONYMS[kind].get(current, current))
    if allowed is not None and wanted not in (current, *allowed):
        raise StatusRefused(
            f"{noun} that is {current} cannot become {wanted}: use one of {', '.join(allowed)}"
        )


def change_status(text: str, kind: ArtifactKind, new: NewStatus) -> str:
    """The document with another status, and otherwise as it was.

    Without a status, it is added to the frontmatter of Markdown. Raises NotEditable.
    """
    document = _read(text, kind, new)
    if not document.statuses and markup_of(new.path):
        raise NotEditable(1, "a record without a status that is no Markdown")
    if not document.statuses:
        return set_field(text, "status", _phrase(new, "", link=False))
    for position, status in enumerate(document.statuses):
        if status.value != new.value:
            text = _replace(text, kind, position, status, new)
    return text


def _read(text: str, kind: ArtifactKind, new: NewStatus) -> ArtifactDocument:
    return read_document(as_markdown(new.path, text), kind)


def _replace(
    text: str, kind: ArtifactKind, position: int, status: ArtifactStatus, new: NewStatus
) -> str:
    for candidate in _candidates(text, status, new):
        if _is_wanted(text, candidate, kind, position, new):
            return candidate
    raise NotEditable(status.line, f"the status `{shortened(status.text, 60)}`")


def _candidates(text: str, status: ArtifactStatus, new: NewStatus) -> Iterator[str]:
    """The texts with one word replaced: each word that may be the one of the status."""
    lines = text.split("\n")
    for at in range(status.line - 1, min(status.line - 1 + _MAX_PARAGRAPH, len(lines))):
        line = lines[at]
        if _CHECK_BOX.match(line):
            continue
        # Of `proposed → accepted`, the last one is the status.
        for start, end in reversed(list(_spans(line, status))):
            after = _SUCCESSOR.match(line, end) if status.value == "superseded" else None
            phrase = _phrase(new, line[start:end], link=status.origin != "frontmatter")
            changed = f"{line[:start]}{phrase}{line[after.end() if after else end :]}"
            yield "\n".join((*lines[:at], changed, *lines[at + 1 :]))


def _spans(line: str, status: ArtifactStatus) -> Iterator[tuple[int, int]]:
    if status.value == UNKNOWN:
        start = line.find(status.text)
        if start >= 0:
            yield start, start + len(status.text)
        return
    for word in find_status_words(line):
        if word.value == status.value:
            yield word.start, word.end


def _phrase(new: NewStatus, written: str, *, link: bool) -> str:
    """The status in the letter case of the written one: `accepted`, `Accepted` or `ACCEPTED`."""
    word = new.value
    if written.isupper():
        word = word.upper()
    elif written[:1].isupper():
        word = word.capitalize()
    if new.successor is None:
        return word
    # The name of a module has brackets itself.
    is_link = link and new.link and not new.successor.module
    name = str(new.successor)
    if is_link:
        name = written_link(new.path, name, new.link)
    return f"{word} by {name}"


def _is_wanted(before: str, after: str, kind: ArtifactKind, position: int, new: NewStatus) -> bool:
    """Whether the edit changes this status, and nothing else that is read."""
    old, edited = _read(before, kind, new), _read(after, kind, new)
    if len(edited.statuses) != len(old.statuses) or edited.title != old.title:
        return False
    others = [
        (one.value, two.value)
        for number, (one, two) in enumerate(zip(old.statuses, edited.statuses, strict=True))
        if number != position
    ]
    is_same = all(one == two for one, two in others)
    return is_same and edited.statuses[position].value == new.value and _has_successor(edited, new)


def _has_successor(document: ArtifactDocument, new: NewStatus) -> bool:
    if new.successor is None or document.status.value != "superseded":
        return True
    found = find_successors(document, new.successor.kind)
    return new.successor in found or (id_from_link(new.link, new.successor.kind) in found)
