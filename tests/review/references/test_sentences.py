import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.review.references.sentences import MAX_SENTENCE, QuotableSentence, find_quotable
from tests.support.cpu_time import assert_linear

RECORD = """# ADR-0007: Sweep the outbox

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
    return [one for section in record.sections for one in find_quotable(text, section)]


def in_decision(text: str) -> list[str]:
    return [one.text for one in quotable(f"# ADR-0007: x\n\n## Decision\n\n{text}\n")]


def is_in_text(text: str, sentence: QuotableSentence) -> bool:
    rest = " ".join(" ".join(text.split("\n")[sentence.line - 1 :]).split())
    return sentence.text in rest or sentence.text in rest.replace("- ", "")


def test_sentences_of_paragraphs_and_lists_have_their_lines() -> None:
    assert quotable(RECORD) == [
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
        "The lease is taken by the sweeper, for these reasons:",
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
    "ending", ["because", ", because:", ", since", " because of the following reasons:"]
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
        assert sentence.text.split()[0] in text.split("\n")[sentence.line - 1]


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
