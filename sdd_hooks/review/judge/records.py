"""The records that a model is shown: those that hold, and of each what matters most."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.reporting.outcome import Candidate, References
from sdd_hooks.review.judge.prompt import Part, cut, data
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.markdown import mask_non_prose

_LARGEST = 200_000
"""Characters of a record that are looked at."""

_LONGEST_PATH = 300
"""Characters: a path has to be whole, and twenty of them must leave room for what they hold."""

_FILES = 50
"""Changed files whose governing comments are read."""

_BLANK_LINES = re.compile(r"\n[ \t]*(?=\n)")


class Record(NamedTuple):
    """A record by its path, with the text of its file as far as it is looked at.

    `focus` are the first and last lines of what matters most in it.
    """

    path: str
    name: str
    title: str
    text: str
    focus: tuple[tuple[int, int], ...] = ()


def records_of(subject: Subject, candidates: Iterable[Candidate], most: int) -> list[Record]:
    """The first `most` candidates that hold: neither superseded, nor deprecated, nor rejected."""
    known = subject.corpus.by_path
    found = (known[one.path] for one in candidates if one.path in known)
    return list(islice((_record(subject, one) for one in found if _holds(subject, one)), most))


def governing_specs(subject: Subject) -> list[Record]:
    """The specs that the governing comments of changed files name, in the order they do."""
    named: dict[str, Artifact] = {}
    requirements: dict[str, set[str]] = {}
    changed = (file for file in subject.change.files if file.added)
    for file in islice(changed, _FILES):
        for entry in read_governing(subject.text(file.path)):
            for spec in subject.corpus.resolve(entry.id) if entry.id.kind == "SPEC" else ():
                named[spec.path] = spec
                requirements.setdefault(spec.path, set()).add(entry.requirement)
    return [
        _record(subject, spec, requirements[path])
        for path, spec in named.items()
        if _holds(subject, spec)
    ]


def to_compare(subject: Subject, references: References, most: int) -> list[Record]:
    """What to hold the change against: the records that it names or should name, the specs that its
    files name, then the next that may govern it."""
    first = [one for one in references.ranked if one.suggested or one.referenced]
    found = [
        *records_of(subject, first, most // 2),
        *governing_specs(subject),
        *records_of(subject, (*first, *references.ranked), most),
    ]
    once: dict[str, Record] = {}
    for record in found:
        once.setdefault(record.path, record)
    return list(once.values())[:most]


def part(record: Record, number: int, most: int) -> Part:
    """A record in at most `most` characters: its path and title as JSON, then what it says."""
    title = cut(" ".join(record.title.split()), 200)
    head = data(path=record.path, name=record.name, title=title)
    return Part(f"record {number}", f"{head}\n{_excerpt(record, max(0, most - len(head)))}")


def _holds(subject: Subject, artifact: Artifact) -> bool:
    short = len(artifact.path) <= _LONGEST_PATH
    return short and artifact.status.authoritative and bool(subject.text(artifact.path))


def _record(subject: Subject, artifact: Artifact, requirements: Iterable[str] = ()) -> Record:
    focus = [
        (one.first_line, one.last_line)
        for one in artifact.requirements
        if one.name in requirements or one.id in requirements
    ]
    text = subject.text(artifact.path)[:_LARGEST]
    decided = [artifact.decision] if artifact.decision else []
    return Record(artifact.path, artifact.name, artifact.title, text, (*decided, *focus))


def _excerpt(record: Record, most: int) -> str:
    """Its prose; of one that is longer, how it begins and what matters most."""
    text = mask_non_prose(record.text)
    whole = _BLANK_LINES.sub("", text).strip()
    if len(whole) <= most or not record.focus:
        return cut(whole, most)
    lines = text.split("\n")
    focused = "\n".join("\n".join(lines[first - 1 : last]) for first, last in record.focus)
    focused = cut(_BLANK_LINES.sub("", focused).strip(), most * 2 // 3)
    return f"{cut(whole, max(0, most - len(focused) - 1))}\n{focused}"
