"""What a change names already: in its texts, in lines that it adds, in governing comments; and
whether it asks for silence."""

# Governing: SPEC-0010 REQ "Silence"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.artifacts.identifiers import ArtifactId, find_id_references
from sdd_hooks.changes.change import Change
from sdd_hooks.changes.tree import Blob
from sdd_hooks.review.subject import Subject

MOST_FILES = 500
"""Changed files whose governing comments are read."""
LONGEST_LINE = 2_000

# What every mention has; most lines have none.
_HINT = re.compile("adr|spec", re.IGNORECASE)
_TRAILER = re.compile(
    r"^[ \t]*(reviewed-adrs[ \t]*:[ \t]*none\b[^\n]{0,300}|adr-exempt[ \t]*:[ \t]*\S[^\n]{0,300})",
    re.IGNORECASE | re.MULTILINE,
)


def silence(change: Change) -> str:
    """The trailer that asks for no suggestion, as it is written, or "".

    `Reviewed-ADRs: none` or `ADR-Exempt: reason`, on a line of its own in the body or a message.
    """
    for text in (change.body, *change.messages):
        if found := _TRAILER.search(text):
            return " ".join(found[1].split())
    return ""


def named_ids(subject: Subject) -> set[ArtifactId]:
    """The ids that the change names, and those in the governing comments of its files."""
    change = subject.change
    texts = (change.title, change.body, *change.messages)
    found = set(_ids(texts))
    for file in change.files:
        lines = (line.text[:LONGEST_LINE] for line in file.added if _HINT.search(line.text))
        found.update(_ids(lines))
    blobs = [Blob(file.path, file.blob) for file in change.files if file.is_file and file.blob]
    for text in subject.after.texts(blobs[:MOST_FILES]).values():
        found.update(one.id for one in read_governing(text))
    return found


def _ids(texts: Iterable[str]) -> Iterator[ArtifactId]:
    return (found.id for text in texts for found in find_id_references(text))
