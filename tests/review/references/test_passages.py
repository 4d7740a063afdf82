from collections import Counter

import pytest

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.review.references.passages import RecordPassage, find_passage
from sdd_hooks.review.references.records import DecisionRecord, RecordContent
from sdd_hooks.review.references.words import split_words

RECORD = """---
status: accepted
---

# ADR-0007: The outbox sweeper takes a lease

The outbox sweeper and its lease were discussed in May.

## Status

Accepted by the team of the outbox sweeper and its lease.

## Context

The outbox sweeper sent messages twice, since it took no lease in the database.

## Considered Options

* The outbox sweeper takes a lease in Redis, which needs another service.

## Decision Outcome

Reports are read from a replica, and never from the primary.
An outbox sweeper must take a lease in the database before it sends.

### Storage

The table has a row for each sweeper of the outbox.

## Consequences

* The outbox sweeper takes a lease in the database, which costs one query.

## References

* The outbox sweeper and its lease in the database: a talk about the outbox.
"""
CHANGE = "outbox sweeper lease database"


def passage(text: str, change: str, **worth: float) -> RecordPassage | None:
    artifact = read_adr("docs/adrs/ADR-0007-x.md", text)
    assert artifact is not None
    counts = tuple(
        Counter(split_words(text[section.start : section.end])) for section in artifact.sections
    )
    content = RecordContent(counts, frozenset(), frozenset(), frozenset())
    record = DecisionRecord(artifact, text, content)
    weights = dict.fromkeys(split_words(change), 1.0)
    return find_passage(record, weights, lambda word: worth.get(word, 1.0))


def quote(text: str, change: str, **worth: float) -> str:
    found = passage(text, change, **worth)
    return found.sentence.text if found and found.sentence else ""


def test_the_sentence_that_decides_is_quoted() -> None:
    """Other sections share as many words with the change, or more."""
    found = passage(RECORD, CHANGE)
    assert found is not None
    assert found.section.title == "Decision Outcome"
    assert quote(RECORD, CHANGE) == (
        "An outbox sweeper must take a lease in the database before it sends."
    )


def test_the_words_of_the_change_choose_the_sentence() -> None:
    assert quote(RECORD, "reports replica").startswith("Reports are read from a replica")
    assert quote(RECORD, "row for each sweeper").startswith("The table has a row")


def test_a_common_word_chooses_less_than_a_rare_one() -> None:
    change = "lease sweeper outbox replica"
    assert "replica" in quote(RECORD, change, lease=0.1, sweeper=0.1, outbox=0.1)
    assert "lease" in quote(RECORD, change, replica=0.1)


def test_without_a_shared_word_the_first_sentence_that_rules_is_quoted() -> None:
    assert quote(RECORD, "kubernetes").startswith("Reports are read from a replica")


def test_a_record_without_a_decision_is_quoted_from_its_consequences_and_context() -> None:
    start, end = RECORD.index("## Decision Outcome"), RECORD.index("## Consequences")
    undecided = RECORD[:start] + RECORD[end:]
    found = passage(undecided, CHANGE)
    assert found is not None
    assert found.section.title == "Consequences"


def test_status_options_and_references_are_never_quoted() -> None:
    apart = [RECORD.index(title) for title in ("## Status", "## Context")]
    text = RECORD[apart[0] : apart[1]].join(["# ADR-0007: x\n\n", ""])
    for title in ("Considered Options", "References"):
        start = RECORD.index(f"## {title}")
        end = RECORD.find("\n## ", start)
        text += RECORD[start : end if end > 0 else len(RECORD)] + "\n"
    assert quote(text, CHANGE) == ""
    assert passage(text, CHANGE) is not None


def test_a_sentence_about_the_past_is_quoted_less() -> None:
    text = (
        "# ADR-0007: x\n\n## Decision\n\nThe outbox previously had a sweeper without a lease.\n"
        "The outbox gets a sweeper and a lease from today on, in all regions.\n"
        "The outbox has one sweeper, which always takes a lease.\n"
    )
    assert quote(text, CHANGE).startswith("The outbox has one sweeper")


def test_an_argument_for_an_option_is_quoted_less() -> None:
    text = (
        "# T\n\n## Decision Outcome\n\n- Supports a queue in development and production.\n"
        "- The queue of production is in the database.\n"
    )
    assert quote(text, "queue production") == "The queue of production is in the database."


@pytest.mark.parametrize("aside", ["We accept that {}", "({})", "We rejected that: {}"])
def test_an_aside_is_quoted_less(aside: str) -> None:
    sentence = "the outbox has a lease in the database."
    text = f"# T\n\n## Decision\n\n{aside.format(sentence)}\n\nSo {sentence}\n"
    assert quote(text, CHANGE).startswith("So the outbox")


def test_a_sentence_that_refers_to_the_one_before_it_is_quoted_less() -> None:
    text = (
        "# T\n\n## Decision\n\nIt takes a lease of the outbox in the database.\n\n"
        "A sweeper takes a lease of the outbox in the database.\n"
    )
    assert quote(text, "outbox lease database").startswith("A sweeper takes")


@pytest.mark.parametrize(
    "fragment",
    ["A lease of the outbox in the database", "database) has a lease of the outbox, as it is."],
)
def test_a_part_of_a_sentence_is_quoted_less(fragment: str) -> None:
    whole = "The outbox has a lease, which is in the database."
    assert quote(f"# T\n\n## Decision\n\n- {fragment}\n- {whole}\n", CHANGE) == whole


def test_items_with_letters_are_sentences_of_their_own() -> None:
    text = (
        "# T\n\n## Decision\n\n1. Each minute:\n   a. A lease of the outbox is taken\n   b. Send\n"
    )
    assert quote(text, CHANGE) == "A lease of the outbox is taken"


def test_a_record_without_sections_has_no_passage() -> None:
    artifact = read_adr("docs/adrs/ADR-0007-x.md", "")
    assert artifact is not None
    content = RecordContent((), frozenset(), frozenset(), frozenset())
    assert find_passage(DecisionRecord(artifact, "", content), {}, lambda _: 1.0) is None
