import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.references.words.bm25 import K1, B, Bm25

WORDS = st.sampled_from(["outbox", "cursor", "token", "index", "lease"])
DOCUMENTS = st.lists(st.lists(WORDS, max_size=12), max_size=8)


def test_a_score_follows_the_formula() -> None:
    documents = [Counter(outbox=2, cursor=1), Counter(cursor=3, token=1, lease=2)]
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    damping = K1 * (1 - B + B * 3 / 4.5)
    expected = 0.5 * idf * 2 * (K1 + 1) / (2 + damping)
    index = Bm25(documents, {"outbox", "unknown"})
    assert index.scores({"outbox": 0.5, "unknown": 1}) == [pytest.approx(expected), 0.0]


@given(DOCUMENTS, st.lists(WORDS, max_size=4))
def test_only_documents_with_a_word_of_the_query_have_a_score(
    documents: list[list[str]], query: list[str]
) -> None:
    scores = Bm25([Counter(document) for document in documents], {*query}).scores(Counter(query))
    assert [score > 0 for score in scores] == [
        bool({*document} & {*query}) for document in documents
    ]


def test_the_top_words_are_frequent_in_the_query_and_rare_in_the_documents() -> None:
    documents = [Counter(outbox=1, cursor=1), Counter(cursor=1), Counter(cursor=1, token=1)]
    index = Bm25(documents, {"outbox", "cursor", "token"})
    counts = Counter(cursor=50, outbox=2, token=1, unknown=9)
    assert index.top_words(counts, 2) == Counter(outbox=1, token=1)
