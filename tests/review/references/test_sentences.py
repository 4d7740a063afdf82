from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.review.references.sentences import (
    MAX_SENTENCE,
    MIN_SENTENCE,
    Sentence,
    find_best_sentence,
)
from sdd_hooks.review.references.words import split_words

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


def best_sentence(text: str, query: str, title: str = "Decision Outcome") -> Sentence | None:
    record = read_adr("docs/adrs/ADR-0007-x.md", text)
    assert record is not None
    section = next(candidate for candidate in record.sections if candidate.title == title)
    return find_best_sentence(text, section, dict.fromkeys(split_words(query), 1.0), lambda _: 1.0)


def is_in_text(text: str, sentence: Sentence) -> bool:
    rest = " ".join(" ".join(text.split("\n")[sentence.line - 1 :]).split())
    bare = rest.replace("- ", "").replace("> ", "")
    return sentence.text in rest or sentence.text in bare


def test_the_sentence_with_the_most_words_of_the_query_is_chosen() -> None:
    sentence = best_sentence(RECORD, "every minute the sweeper sends what is left")
    assert sentence == Sentence(
        "A sweeper sends what is left every minute, and it takes a lease before it does.", 5
    )


def test_list_items_are_sentences_and_code_and_tables_are_not() -> None:
    sentence = best_sentence(RECORD, "outbox_lease sweeper lease")
    assert sentence is not None
    assert sentence.text.startswith("The sweeper writes its lease into `outbox_lease`")
    assert sentence.line == 9


def test_no_sentence_is_chosen_without_a_word_of_the_query() -> None:
    assert best_sentence(RECORD, "kubernetes") is None


def test_a_long_sentence_is_cut() -> None:
    long = "## Decision\n\n" + "The sweeper lease token cursor " * 30 + "ends."
    sentence = best_sentence("# ADR-0001: x\n\n" + long, "sweeper lease token", "Decision")
    assert sentence is not None
    assert MIN_SENTENCE <= len(sentence.text) <= MAX_SENTENCE
    assert not sentence.text.endswith(" ")
    both = long + "\n\nA short one about the sweeper is quoted.\n"
    sentence = best_sentence("# ADR-0001: x\n\n" + both, "sweeper lease token", "Decision")
    assert sentence == Sentence("A short one about the sweeper is quoted.", 7)


LINES = st.lists(
    st.sampled_from(
        ["", "The outbox is swept.", "- a lease", "> quoted lease text here.", "```", "| a | b |",
         "wrapped outbox line that goes on", "and ends with a lease. Another", "<b>html</b>", "  x"]
    ),
    max_size=25,
)  # fmt: skip


@given(LINES)
def test_a_sentence_is_in_the_file_on_its_line(lines: list[str]) -> None:
    text = "# ADR-0001: x\n\n## Decision\n\n" + "\n".join(lines)
    sentence = best_sentence(text, "outbox lease swept", "Decision")
    if sentence:
        assert is_in_text(text, sentence)
        first = sentence.text.split()[0]
        assert first in text.split("\n")[sentence.line - 1]
