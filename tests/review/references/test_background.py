import re
from collections import Counter
from collections.abc import Callable

import pytest

from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.review.references.background import Background
from sdd_hooks.review.references.change_words import ChangeWords
from sdd_hooks.review.references.past_changes import PastChange
from sdd_hooks.review.references.query import ChangeQuery
from sdd_hooks.review.references.rarity import UNKNOWN
from sdd_hooks.review.references.similarity import Similarity, section_words
from sdd_hooks.text.lines import NumberedLine
from tests.review.references.support import record_of
from tests.support.repos import Repo

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
    assert compared.rarity.of("broker") == 1.0
    assert compared.rarity.of("client") < 0.1
    assert background(change("Use it"), []).rarity.of("client") == 1.0


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
    similarity = Similarity(query, section_words(records))
    queue, cache = similarity.by_rare_words(Background([USUAL] * 20, query, records).rarity)
    assert cache > queue


def test_what_past_changes_fit_is_cached_until_a_record_or_a_change_differs(repo: Repo) -> None:
    repo.commit("Start", {".gitignore": ".sdd/\n"})
    (repo.root / ".sdd").mkdir()
    other = PastChange("b" * 40, ChangeWords(Counter(["broker"]), ("queue",), Counter(["broker"])))
    cache = repo.root / ".sdd/review/usual-fits.json"
    seen = []
    for past in ([USUAL] * 20, [USUAL] * 15 + [other] * 5):
        for texts in ((QUEUE, CACHE), (QUEUE, CACHE.replace("memory", "broker")), (CACHE,)):
            for title in ("Send to the broker", "Client messages"):
                query = change(title, "client.messages()", "broker.queue()")
                records = [record_of(f"{n}.md", text) for n, text in enumerate(texts)]
                expected = Background(past, query, records).surprise()
                for _ in range(2):
                    compared = Background(past, query, records, repo.repository)
                    assert compared.surprise() == expected
            seen.append(cache.read_bytes())
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-5],
        lambda text: text.replace('"fits":[', '"fits":[1.5,'),
        lambda text: re.sub(r'"fits":\[[0-9.]+', '"fits":["x"', text),
        lambda text: re.sub(r'"fits":.*', '"fits":null}', text),
    ],
)
def test_a_damaged_cache_is_made_again(repo: Repo, damage: Callable[[str], str]) -> None:
    (repo.root / ".sdd").mkdir()
    query = change("Send to the broker", "client.messages()", "broker.queue()")
    records = [record_of("1.md", QUEUE), record_of("2.md", CACHE)]
    past = [USUAL] * 20
    expected = Background(past, query, records, repo.repository).surprise()
    cache = repo.root / ".sdd/review/usual-fits.json"
    written = cache.read_text()
    cache.write_text(damage(written))
    assert cache.read_text() != written
    assert Background(past, query, records, repo.repository).surprise() == expected
    assert cache.read_text() == written
