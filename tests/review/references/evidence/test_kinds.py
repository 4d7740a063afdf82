import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.changes.change import Change
from sdd_hooks.review.references.evidence.context import RepositoryContext
from sdd_hooks.review.references.evidence.kinds import FoundPhrase, find_phrase, score_phrases
from sdd_hooks.review.references.words.query import ChangeQuery
from sdd_hooks.review.references.words.splitting import find_phrases
from tests.review.references.support import record_of


def scores(title: str, *texts: str) -> list[float]:
    records = [record_of(f"{n}.md", text) for n, text in enumerate(texts)]
    context = RepositoryContext((), records, (), {}, (), ())
    query = ChangeQuery(Change("", "", title, "", (), ()))
    lowered = [text.lower() for text in texts]
    return score_phrases(query, len(texts), context.find_with_word, lowered.__getitem__)


@pytest.mark.parametrize(
    "text",
    [
        "An error acknowledgement is written.",
        "`NewErrorAcknowledgement` writes it.",
        "The key is `error_acknowledgement`.",
        "Two **error** acknowledgements are written.",
    ],
)
def test_a_phrase_is_found_in_any_notation(text: str) -> None:
    with_phrase, without = scores("Return an error acknowledgement", text, "An error. No answer.")
    assert with_phrase > 0
    assert without == 0


@pytest.mark.parametrize(
    "text",
    ["An acknowledgement of an error.", "An error\nacknowledgement is none.", "No such words."],
)
def test_words_apart_are_no_phrase(text: str) -> None:
    assert scores("Return an error acknowledgement", text, "Another") == [0.0, 0.0]


def test_a_rare_phrase_counts_more_than_a_frequent_one() -> None:
    title = "Move the message queue to the tenant shard"
    common = "A message queue."
    first, second, third = scores(title, common, common, "A tenant shard.")
    assert third > first == second > 0


def test_the_longest_phrase_is_found_as_it_is_written() -> None:
    phrases = find_phrases("Return the error acknowledgement of an ICS channel")
    text = "# ADR-0001: Errors\n\nAn ICS-channel.\nThe `NewErrorAcknowledgement` of it.\n"
    assert find_phrase(phrases, text) == FoundPhrase("NewErrorAcknowledgement", 4)
    assert find_phrase(phrases, "# ADR-0002: Other\n\nNothing.\n") is None


@given(st.text(), st.text())
def test_a_found_phrase_is_on_its_line(title: str, text: str) -> None:
    if found := find_phrase(find_phrases(title), text):
        assert found.text in text.split("\n")[found.line - 1]


def test_a_phrase_is_not_found_across_the_end_of_a_part() -> None:
    text = "| outbox | sweeper |\nThe outbox. Sweeper runs\nOutbox — sweeper\nan `outbox` sweeper\n"
    found = find_phrase([("outbox", "sweeper")], text)
    assert found is not None
    assert found.line == 4


def test_a_phrase_is_shown_with_its_names_as_a_whole() -> None:
    found = find_phrase([("hub", "pages")], "Deployed\nto GitHub PagesSite, always\n")
    assert found == ("GitHub PagesSite", 2)
