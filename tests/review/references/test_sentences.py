from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.review.references.sentences import LONGEST, SHORTEST, Quote, best_quote
from sdd_hooks.review.references.words import words

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


def quoted(text: str, asked: str, title: str = "Decision Outcome") -> Quote | None:
    record = read_adr("docs/adrs/ADR-0007-x.md", text)
    assert record is not None
    section = next(one for one in record.sections if one.title == title)
    return best_quote(text, section, dict.fromkeys(words(asked), 1.0), lambda _: 1.0)


def stands_there(text: str, quote: Quote) -> bool:
    rest = " ".join(" ".join(text.split("\n")[quote.line - 1 :]).split())
    bare = rest.replace("- ", "").replace("> ", "")
    return quote.text in rest or quote.text in bare


def test_the_sentence_with_most_of_what_is_asked_is_quoted() -> None:
    quote = quoted(RECORD, "every minute the sweeper sends what is left")
    assert quote == Quote(
        "A sweeper sends what is left every minute, and it takes a lease before it does.", 5
    )


def test_a_list_item_is_a_sentence_and_code_and_tables_are_none() -> None:
    quote = quoted(RECORD, "outbox_lease sweeper lease")
    assert quote is not None
    assert quote.text.startswith("The sweeper writes its lease into `outbox_lease`")
    assert quote.line == 9


def test_nothing_is_quoted_that_has_nothing_of_it() -> None:
    assert quoted(RECORD, "kubernetes") is None


def test_a_long_sentence_is_cut_behind_a_word_and_a_whole_one_comes_first() -> None:
    long = "## Decision\n\n" + "The sweeper lease token cursor " * 30 + "ends."
    quote = quoted("# ADR-0001: x\n\n" + long, "sweeper lease token", "Decision")
    assert quote is not None
    assert SHORTEST <= len(quote.text) <= LONGEST
    assert not quote.text.endswith(" ")
    both = long + "\n\nA short one about the sweeper is quoted.\n"
    quote = quoted("# ADR-0001: x\n\n" + both, "sweeper lease token", "Decision")
    assert quote == Quote("A short one about the sweeper is quoted.", 7)


LINES = st.lists(
    st.sampled_from(
        ["", "The outbox is swept.", "- a lease", "> quoted lease text here.", "```", "| a | b |",
         "wrapped outbox line that goes on", "and ends with a lease. Another", "<b>html</b>", "  x"]
    ),
    max_size=25,
)  # fmt: skip


@given(LINES)
def test_a_quote_stands_in_the_file_on_its_line(lines: list[str]) -> None:
    text = "# ADR-0001: x\n\n## Decision\n\n" + "\n".join(lines)
    quote = quoted(text, "outbox lease swept", "Decision")
    if quote:
        assert stands_there(text, quote)
        first = quote.text.split()[0]
        assert first in text.split("\n")[quote.line - 1]
