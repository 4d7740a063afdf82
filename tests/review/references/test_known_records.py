import os
from pathlib import Path

import pytest

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.project.collections import all_pathspecs
from sdd_hooks.project.repository import discover
from sdd_hooks.review.references.known_records import records_of
from sdd_hooks.review.references.records import Record
from sdd_hooks.review.subject import Subject
from tests.review.repositories import subject_of

ONE = """# ADR-0007: Sweep the outbox

See ADR-0003 and [the other](0004-pages.md).

## Decision

The `OutboxSweeper` in `src/outbox/*.py` takes a lease in outbox_lease.
"""
TWO = "# ADR-0003: Keep orders\n\n## Decision\n\nOrders are kept where they were before.\n"


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    files = {"docs/adrs/0007-outbox.md": ONE, "docs/adrs/0003-orders.md": TWO}
    subject = subject_of(tmp_path, {".gitignore": ".sdd/\n", **files}, {"a.py": "x\n"})
    (subject.after.root / ".sdd").mkdir()
    return subject


def read(subject: Subject) -> list[Record]:
    repository = discover(subject.after.root, os.environ)
    specs = all_pathspecs(subject.collections)
    return records_of(repository, subject.after, subject.corpus.artifacts, specs)


def cache(subject: Subject) -> Path:
    return subject.after.root / ".sdd/review/records.json"


def test_what_records_say(subject: Subject) -> None:
    orders, outbox = read(subject)
    assert orders.artifact.id == ArtifactId("ADR", 3)
    assert outbox.content.identifiers >= {"outboxsweeper", "outbox_lease"}
    assert outbox.content.paths == {"src/outbox"}
    assert outbox.content.names == {ArtifactId("ADR", number) for number in (3, 4, 7)}
    assert [section.title for section, _ in outbox.sections] == [
        "ADR-0007: Sweep the outbox",
        "Decision",
    ]
    assert outbox.sections[1][1]["lease"] == 2


def test_they_are_the_same_when_they_were_kept(subject: Subject) -> None:
    first = read(subject)
    assert cache(subject).is_file()
    before = cache(subject).stat().st_mtime_ns
    assert read(subject) == first
    assert cache(subject).stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"outbox_lease"', "5"),
        ("[[", "[[7,"),
        (":1", ':"1"'),
        ("ADR-0003", "nothing"),
        ('"blobs":{', '"blobs":['),
        ("{", ""),
    ],
)
def test_a_cache_that_is_not_as_it_was_written_is_made_anew(
    subject: Subject, old: str, new: str
) -> None:
    first = read(subject)
    cache(subject).write_text(cache(subject).read_text().replace(old, new))
    again = read(subject)
    assert [one.content.counts for one in again] == [one.content.counts for one in first]
    assert [one.content.identifiers for one in again] == [one.content.identifiers for one in first]
