"""The records that get their number in a change, where that number stands, and the free ones."""

# Governing: ADR-0034 (numbers that are not merged yet), SPEC-0010 REQ "Numbers",
# SPEC-0002 REQ "Collisions are reported"

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import ArtifactId, id_from_name, parse_id, split_heading
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.subject import Subject

_FOLDER_PAGES = frozenset({"spec", "design", "index", "readme"})


class NumberedRecord(NamedTuple):
    """A record that gets the number `id` in a change."""

    artifact: Artifact
    id: ArtifactId


def newly_numbered(subject: Subject) -> tuple[NumberedRecord, ...]:
    """The records whose number differs from the one at the base, ordered by path."""
    former = {file.path: file.before for file in subject.change.files}
    touched = (path for path in former if subject.is_artifact(path))
    found = {one.path: one for path in touched if (one := subject.corpus.by_path.get(path))}
    numbered = []
    for _, artifact in sorted(found.items()):
        before = former.get(artifact.path, artifact.path)
        known = subject.corpus_before.by_path.get(before)
        if artifact.id and (known is None or known.id != artifact.id):
            numbered.append(NumberedRecord(artifact, artifact.id))
    return tuple(numbered)


def places_of(record: NumberedRecord) -> str:
    """Where the number of a record stands: "the file name and the title"."""
    artifact, number = record.artifact, record.id._replace(module="")
    path = PurePosixPath(artifact.path)
    is_page = path.stem.lower() in _FOLDER_PAGES
    name = path.parent.name if is_page else path.stem
    headings = [section.title for section in artifact.sections if section.level == 1]
    fields = artifact.frontmatter.get("id")
    written = {
        f"the {'folder' if is_page else 'file'} name": id_from_name(name, number.kind),
        "the title": split_heading(headings[0], number.kind)[0] if headings else None,
        "the frontmatter": parse_id(str(fields), number.kind) if fields else None,
    }
    places = [place for place, id in written.items() if id and id._replace(module="") == number]
    *rest, last = places or ["the record"]
    return f"{', '.join(rest)} and {last}" if rest else last


def free_numbers(subject: Subject, record: NumberedRecord) -> Iterator[ArtifactId]:
    """The numbers after the highest in use that no claim has, for records like this one."""
    series = (record.id.kind, record.id.module)
    corpora = (subject.corpus, subject.corpus_tip)
    used = [id.number for one in corpora for id in one.by_id if (id.kind, id.module) == series]
    claims = subject.claims.claims
    claimed = {one.id.number for one in claims if (one.id.kind, one.id.module) == series}
    number = max(used, default=0)
    while True:
        number += 1
        if number not in claimed:
            yield ArtifactId(record.id.kind, number, "", record.id.module)
