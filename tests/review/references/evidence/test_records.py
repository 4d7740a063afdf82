import os
from pathlib import Path

import pytest

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.project.collections import all_pathspecs
from sdd_hooks.project.repository import discover
from sdd_hooks.review.references.evidence.records import (
    DecisionRecord,
    read_content,
    read_records,
    without_copies,
)
from sdd_hooks.review.subject import Subject
from tests.review.references.support import record_of
from tests.review.repositories import subject_of
from tests.support.cpu_time import assert_linear

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


BODY = """## Decision

An outbox sweeper sends what a crash left in the outbox, every minute, under a lease in the table
of leases, so that two sweepers never send the same message twice. It lives beside the outbox.

## Consequences

A message can be sent a minute late. The table of leases is small, and its rows are never removed.
Services without an outbox need no sweeper. A sweeper that loses its lease stops before it sends.
"""
TEXT = f"# ADR-0007: Sweep the outbox\n\n{BODY}"


def paths(*records: DecisionRecord) -> list[str]:
    return [record.artifact.path for record in without_copies(records)]


def test_a_copy_for_a_website_is_left_out() -> None:
    copy = f"---\ntitle: Sweep the outbox\n---\n\n# ADR-0007: Sweep the outbox\n\n{BODY}"
    original = record_of("docs/adrs/ADR-0007-outbox.md", TEXT)
    assert paths(
        record_of("docs/adrs/ADR-0003-orders.md", "# ADR-0003: Orders\n\n## Decision\n\nKept.\n"),
        original,
        record_of("docs/src/content/docs/adrs/Adr-0007-outbox.md", copy),
    ) == ["docs/adrs/ADR-0003-orders.md", "docs/adrs/ADR-0007-outbox.md"]
    # The original is the one with the shorter path, in any order.
    copied = record_of("apps/content/adrs/ADR-0007-outbox.md", copy)
    assert paths(copied, original) == ["docs/adrs/ADR-0007-outbox.md"]


def test_records_that_differ_are_kept() -> None:
    other = "# ADR-0007: Sweep the outbox\n\n## Decision\n\nA service sends its messages at once.\n"
    same_name = record_of("docs/adrs/a/ADR-0007-outbox.md", TEXT)
    assert len(paths(same_name, record_of("docs/adrs/b/ADR-0007-outbox.md", other))) == 2
    assert len(paths(same_name, record_of("docs/adrs/b/ADR-0007-sweeper.md", TEXT))) == 2
    assert len(paths(same_name, record_of("docs/adrs/b/ADR-0008-outbox.md", TEXT))) == 2


def test_records_without_words_are_kept() -> None:
    assert len(paths(record_of("a/ADR-0001.md", ""), record_of("b/ADR-0001.md", ""))) == 2


def test_many_records_of_one_name_take_linear_time() -> None:
    def make(count: int) -> list[DecisionRecord]:
        numbers = range(100, 100 + count)
        return [record_of(f"d{at}/ADR-0001.md", f"# ADR-0001: {at}\n\nword{at}") for at in numbers]

    assert len(without_copies(make(64))) == 64
    assert_linear(without_copies, make, 640)
