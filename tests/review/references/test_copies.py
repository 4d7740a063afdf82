from sdd_hooks.review.references.copies import without_copies
from sdd_hooks.review.references.records import DecisionRecord
from tests.review.references.support import record_of
from tests.support.cpu_time import assert_linear

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
