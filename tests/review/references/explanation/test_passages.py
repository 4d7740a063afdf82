from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.review.references.evidence.records import DecisionRecord, RecordContent
from sdd_hooks.review.references.explanation.passages import RecordPassage, find_passage
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.text.answers import AnswerPart
from sdd_hooks.text.quotes import MAX_SENTENCE, QuotableSentence, find_quotes
from tests.support.cpu_time import assert_linear

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


QUOTED = """# ADR-0007: Sweep the outbox

## Decision Outcome

We keep the outbox in the database. A sweeper sends
what is left every minute, and it takes a lease
before it does. Nothing else may send.

- The sweeper writes its lease into `outbox_lease`, so that two of them never send twice.

```python
sweeper = lease(sweeper, lease, sweeper)
```

| sweeper | lease | sweeper lease sweeper |
"""
SENTENCE = "The sweeper takes a lease before it sends."


def quotable(text: str) -> list[QuotableSentence]:
    """The sentences of all sections of a record."""
    record = read_adr("docs/adrs/ADR-0007-x.md", text)
    assert record is not None
    parts = (AnswerPart(text[one.start : one.end], one.first_line) for one in record.sections)
    return [one for part in parts for one in find_quotes(part)]


def in_decision(text: str) -> list[str]:
    return [one.text for one in quotable(f"# ADR-0007: x\n\n## Decision\n\n{text}\n")]


def is_in_text(text: str, sentence: QuotableSentence) -> bool:
    plain = text.replace("<b>", " ").replace("</b>", " ")
    rest = " ".join(" ".join(plain.split("\n")[sentence.line - 1 :]).split())
    return sentence.text in rest or sentence.text in rest.replace("- ", "")


def test_sentences_of_paragraphs_and_lists_have_their_lines() -> None:
    assert quotable(QUOTED) == [
        QuotableSentence("We keep the outbox in the database.", 5),
        QuotableSentence(
            "A sweeper sends what is left every minute, and it takes a lease before it does.", 5
        ),
        QuotableSentence(
            "The sweeper writes its lease into `outbox_lease`, so that two of them never send"
            " twice.",
            9,
        ),
    ]


def test_a_long_sentence_is_cut_after_a_word() -> None:
    (sentence,) = quotable(
        "# ADR-0001: x\n\n## Decision\n\n" + "The sweeper lease cursor " * 30 + "ends.\n"
    )
    assert sentence.cut
    assert len(sentence.text) <= MAX_SENTENCE
    assert sentence.text.endswith(("sweeper", "lease", "cursor", "The"))


def test_sentences_of_chinese_end_without_a_space() -> None:
    first = "所有事件必须通过发件箱表发布，不得直接调用消息代理的接口。"
    second = "清扫器每分钟发送一次剩余的事件，并且事先取得租约记录。"
    assert in_decision(first + second) == [first, second]


@pytest.mark.parametrize(
    "text",
    [
        f"### {SENTENCE}",
        f"| {SENTENCE} |",
        f"> {SENTENCE}",
        f"> - {SENTENCE}",
        f"```\n{SENTENCE}\n```",
        f"<!-- {SENTENCE} -->",
        f"<!--\n{SENTENCE}\n\n{SENTENCE}\n-->",
        f"~~{SENTENCE}~~",
        "**Status:** the sweeper takes a lease before it sends.",
        "- Date: 2026-01-01, when the sweeper took a lease.",
        "What is the change that we are proposing or doing?",
        "This section describes the change that we made here.",
        "Describe here the forces that play a role.",
        "Chosen option: {title of option 1}, because it comes out best.",
        "We will use [the name of the option that was chosen].",
        "The sweeper takes a lease in the following steps:",
        "Good, because the sweeper takes a lease before it sends.",
        "* Bad, because it takes a lease before each of the messages.",
        "**Rejected**: a lease in Redis, since it needs another service.",
        "Considered a lease in Redis, and the sweeper needs it.",
        "Option 2: a lease in Redis that the sweeper takes.",
        "2026-01-02: the sweeper takes a lease before it sends.",
        "- 1.2.0: the sweeper takes a lease before it sends.",
        "Superseded by ADR-0012, which takes a lease as well.",
        "See also the page of the sweeper that takes a lease.",
        "[The sweeper takes a lease before it sends](https://example.org/lease)",
        "- <https://example.org/a/very/long/path/to/the/lease/of/the/sweeper>",
        "[lease]: https://example.org/a/very/long/path/to/the/lease",
        "Requirements: [SPEC-0007 (the lease)](../specs/lease/spec.md).",
        "This decision is referenced in the request about leases.",
        "For details, please refer to the [snippet of the lease](https://example.org/lease).",
        "Please see the page of the lease before it is taken.",
        "Details of the lease and its sweeper: [the page](lease.md).",
        "See `docs/lease.md` for the details of the lease in the outbox.",
        "The rows below are a reviewed audit of every sweeper with a lease.",
        "`outbox lease take --sweeper <SWEEPER_ID> --seconds <SECONDS>`",
        "`outbox_lease`: `taken_at`, `taken_until`, `sweeper_id`",
        "Too short.",
        "So, because",
    ],
)
def test_text_that_does_not_decide_is_not_quoted(text: str) -> None:
    assert in_decision(text) == []
    assert in_decision(f"{text}\n\n{SENTENCE}") == [SENTENCE]


@pytest.mark.parametrize(
    "text",
    [
        "The sweeper takes [a lease](lease.md) before it sends (see ADR-0003).",
        "- [x] The sweeper takes a lease before it sends a message.",
        "Chosen option: a lease in the database, because it needs no service.",
        "**Lease.** It is taken in `outbox_lease`, with `{id, expires}` as its value.",
        "We reject a message without a lease, and log its id.",
        "Use `outbox_lease`, not `outbox_lock_of_the_sweeper`.",
        "一个租约总是由`OutboxSweeper`在发送之前从数据库里取得。",
    ],
)
def test_a_sentence_that_decides_is_quoted(text: str) -> None:
    assert len(in_decision(text)) == 1


@pytest.mark.parametrize(
    "ending",
    [
        "because",
        ", because:",
        ", since",
        " because of the following reasons:",
        ", for these reasons:",
    ],
)
def test_a_choice_before_its_arguments_is_quoted_without_them(ending: str) -> None:
    choice = "Chosen option: a lease"
    separated = ending if ending.startswith((",", " ")) else f" {ending}"
    assert in_decision(f"{choice}{separated}\n\n- it needs no other service\n")[0] == choice


LINES = st.lists(
    st.sampled_from(
        ["", "The outbox is swept each minute, at least.", "- a lease that the sweeper takes",
         "> quoted lease text here.", "```", "| a | b |", "<!-- a", "b -->",
         "wrapped outbox line that goes on", "and ends with a lease. Another", "<b>html</b>", "  x"]
    ),
    max_size=25,
)  # fmt: skip


@given(LINES)
def test_a_sentence_is_in_the_file_on_its_line(lines: list[str]) -> None:
    text = "# ADR-0001: x\n\n## Decision\n\n" + "\n".join(lines)
    for sentence in quotable(text):
        assert is_in_text(text, sentence)
        assert sentence.text.split()[0] in text.replace("<b>", " ").split("\n")[sentence.line - 1]


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    for sentence in quotable(f"# ADR-0001: x\n\n## Decision\n\n{text}"):
        assert len(sentence.text) <= MAX_SENTENCE


@pytest.mark.parametrize(
    "piece", ["a", "[a](", "[", "{a", "<a ", "<!-- ", "`*_", "a. B ", "https://", "- ", "See "]
)
def test_a_hostile_section_costs_linear_time(piece: str) -> None:
    def read(text: str) -> list[QuotableSentence]:
        return quotable(text)

    assert_linear(read, lambda size: "# ADR-0001: x\n\n## Decision\n\n" + piece * size, 20_000)
