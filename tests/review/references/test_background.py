from collections import Counter

import pytest

from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.review.references.background import UNKNOWN, Background
from sdd_hooks.review.references.change_words import ChangeWords
from sdd_hooks.review.references.past_changes import PastChange
from sdd_hooks.review.references.query import ChangeQuery
from sdd_hooks.review.references.similarity import Similarity
from sdd_hooks.text.lines import NumberedLine
from tests.review.references.support import record_of

QUEUE = "# ADR-0001: Queue\n\n## Decision\n\nA client sends messages to the durable broker queue.\n"
CACHE = "# ADR-0002: Cache\n\n## Decision\n\nA client keeps answers in the shared memory cache.\n"
WORDS = Counter(["client", "messages"])
USUAL = PastChange("a" * 40, ChangeWords(WORDS, ("src", "py"), WORDS))


def change(title: str, *lines: str) -> ChangeQuery:
    added = tuple(NumberedLine(n, line) for n, line in enumerate(lines, 1))
    file = ChangedFile("src/a.py", "src/a.py", "M", added=added)
    return ChangeQuery(Change("", "", title, "", (), (file,)))


def background(query: ChangeQuery, past: list[PastChange]) -> Background:
    return Background(past, query, [record_of("1.md", QUEUE), record_of("2.md", CACHE)])


def test_a_usual_word_is_less_rare_than_a_new_one() -> None:
    compared = background(change("Use it"), [USUAL] * 20)
    assert compared.rarity("broker") == 1.0
    assert compared.rarity("client") < 0.1
    assert background(change("Use it"), []).rarity("client") == 1.0


def test_a_change_unlike_past_ones_is_surprising() -> None:
    query = change("Send to the broker", "broker.queue.send(durable=True)")
    queue, cache = background(query, [USUAL] * 20).surprise()
    assert queue == 1.0
    assert cache < 0.5


def test_what_fits_every_change_is_no_surprise() -> None:
    query = change("Client messages", "client.messages()")
    queue, _ = background(query, [USUAL] * 20).surprise()
    assert queue == 0.0


@pytest.mark.parametrize("count", [0, 19])
def test_few_past_changes_say_nothing(count: int) -> None:
    assert background(change("Send"), [USUAL] * count).surprise() == [UNKNOWN, UNKNOWN]


def test_rare_words_decide_where_all_words_do_not() -> None:
    query = change("Client messages", "client.messages()", "memory.cache.shared()")
    records = [record_of("1.md", QUEUE), record_of("2.md", CACHE)]
    similarity = Similarity(query, records)
    queue, cache = similarity.by_rare_words(Background([USUAL] * 20, query, records))
    assert cache > queue
