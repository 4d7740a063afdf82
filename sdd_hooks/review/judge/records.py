"""The records in force that a prompt contains, each shortened to its most important lines."""

# Governing: SPEC-0010 REQ "Judge"

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.governing import read_governing
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.outcome import Candidate, References
from sdd_hooks.review.judge.prompt import PromptPart, format_fields, shorten, size_of
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import mask_non_prose

MAX_RECORD = 200_000
"""Characters of a record that are read."""
MAX_PATH = 300
"""Characters of a path. Paths are never cut, and twenty of them must leave room for the texts."""
MAX_TITLE = 200
"""Characters of a title."""
MAX_FILES = 50
"""Changed files whose governing comments are read."""

_BLANK_LINES = lazy_regex(r"\n[ \t]*(?=\n)")


class RecordText(NamedTuple):
    """A record with the first MAX_RECORD characters of its file.

    `focus` are the first and last lines of its most important parts.
    """

    path: str
    name: str
    title: str
    text: str
    focus: tuple[tuple[int, int], ...] = ()


def select_records(
    subject: Subject, candidates: Iterable[Candidate], limit: int
) -> list[RecordText]:
    """Select the first `limit` candidates that are in force, of any repository."""
    known = subject.citable.by_path
    artifacts = (known[one.path] for one in candidates if one.path in known)
    records = (_read(subject, one) for one in artifacts if _is_usable(subject, one))
    return list(islice(records, limit))


def find_governing_specs(subject: Subject) -> list[RecordText]:
    """Find the specs that the governing comments of changed files name, in order."""
    named: dict[str, Artifact] = {}
    requirements: dict[str, set[str]] = {}
    changed = (file for file in subject.change.files if file.added)
    for file in islice(changed, MAX_FILES):
        for entry in read_governing(subject.text(file.path), subject.names):
            for spec in subject.corpus.resolve(entry.id) if entry.id.kind == "SPEC" else ():
                named[spec.path] = spec
                requirements.setdefault(spec.path, set()).add(entry.requirement)
    return [
        _read(subject, spec, requirements[path])
        for path, spec in named.items()
        if _is_usable(subject, spec)
    ]


def select_for_comparison(subject: Subject, references: References, limit: int) -> list[RecordText]:
    """Select the records to compare a change with: those that it cites or should cite, the specs
    that its files name, then the next ones of the ranking."""
    first = [one for one in references.ranked if one.suggested or one.referenced]
    records = [
        *select_records(subject, first, limit // 2),
        *find_governing_specs(subject),
        *select_records(subject, (*first, *references.ranked), limit),
    ]
    by_path: dict[str, RecordText] = {}
    for record in records:
        by_path.setdefault(record.path, record)
    return list(by_path.values())[:limit]


def format_record(record: RecordText, number: int, limit: int) -> PromptPart:
    """Format a record in `limit` bytes: its path, name and title as JSON, then its prose."""
    title = shorten(" ".join(record.title.split()), MAX_TITLE)
    header = format_fields(path=record.path, name=record.name, title=title)
    excerpt = _excerpt(record, max(0, limit - size_of(header)))
    return PromptPart(f"record {number}", f"{header}\n{excerpt}")


def _is_usable(subject: Subject, artifact: Artifact) -> bool:
    short = len(artifact.path) <= MAX_PATH
    return short and artifact.status.authoritative and bool(subject.record_text(artifact.path))


def _read(subject: Subject, artifact: Artifact, requirements: Iterable[str] = ()) -> RecordText:
    focus = [
        (one.first_line, one.last_line)
        for one in artifact.requirements
        if one.name in requirements or one.id in requirements
    ]
    text = subject.record_text(artifact.path)[:MAX_RECORD]
    decision = [artifact.decision] if artifact.decision else []
    return RecordText(artifact.path, artifact.name, artifact.title, text, (*decision, *focus))


def _excerpt(record: RecordText, limit: int) -> str:
    """The prose of a record; of a longer one, its beginning and its focus."""
    text = mask_non_prose(record.text)
    whole = _BLANK_LINES.sub("", text).strip()
    if size_of(whole) <= limit or not record.focus:
        return shorten(whole, limit)
    lines = text.split("\n")
    focused = "\n".join("\n".join(lines[first - 1 : last]) for first, last in record.focus)
    focused = shorten(_BLANK_LINES.sub("", focused).strip(), limit * 2 // 3)
    return f"{shorten(whole, max(0, limit - size_of(focused) - 1))}\n{focused}"
