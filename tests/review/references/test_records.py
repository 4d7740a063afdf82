import os
from pathlib import Path

import pytest

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.project.collections import all_pathspecs
from sdd_hooks.project.repository import discover
from sdd_hooks.review.references.records import DecisionRecord, read_content, read_records
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


def read(subject: Subject) -> list[DecisionRecord]:
    repository = discover(subject.after.root, os.environ)
    specs = all_pathspecs(subject.collections)
    return read_records(repository, subject.after, subject.corpus.artifacts, specs)


def cache(subject: Subject) -> Path:
    return subject.after.root / ".sdd/review/records.json"


def test_content_of_records(subject: Subject) -> None:
    orders, outbox = read(subject)
    assert orders.artifact.id == ArtifactId("ADR", 3)
    assert outbox.content.identifiers >= {"outboxsweeper", "outbox_lease"}
    assert outbox.content.paths == {"src/outbox"}
    assert outbox.content.ids == {ArtifactId("ADR", number) for number in (3, 4, 7)}
    assert [section.title for section, _ in outbox.sections] == [
        "ADR-0007: Sweep the outbox",
        "Decision",
    ]
    assert outbox.sections[1][1]["lease"] == 2


def test_every_part_of_a_long_section_is_read() -> None:
    text = "# T\n\n" + "A line of a long section.\n" * 400 + "[0012](0012-use-queues.md)\n"
    content = read_content(read_adr("docs/adrs/ADR-0001-t.md", text), text)
    assert content.ids == {ArtifactId("ADR", 12)}


def test_cached_content_equals_read_content(subject: Subject) -> None:
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
def test_an_invalid_cache_is_built_again(subject: Subject, old: str, new: str) -> None:
    first = read(subject)
    cache(subject).write_text(cache(subject).read_text().replace(old, new))
    rebuilt = read(subject)
    assert [record.content.counts for record in rebuilt] == [
        record.content.counts for record in first
    ]
    assert [record.content.identifiers for record in rebuilt] == [
        record.content.identifiers for record in first
    ]
