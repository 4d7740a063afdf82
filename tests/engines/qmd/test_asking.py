"""From what qmd answers to one ranked list a sub-query, with no collection preferred."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.fusion import fuse
from sdd_hooks.engines.protocol import Query, SubQuery
from sdd_hooks.engines.qmd.asking import UNREAD, Key, command, explained, merged, ordered
from sdd_hooks.engines.qmd.grammar import Line
from sdd_hooks.engines.qmd.output import Contribution, Result

WHOLE = Line(0, "lex", "session token")
WORDS = [Line(0, "lex", "session", whole=False), Line(0, "lex", "token", whole=False)]
MEANT = Line(1, "vec", "session token")


def result(
    path: str, *said: tuple[str, str, float], collection: str = "a", line: int = 1
) -> Result:
    told = tuple(
        Contribution("fts" if kind == "lex" else "vec", kind, text, 1, score)
        for kind, text, score in said
    )
    return Result(collection, path, line, "", 1.0, "", told)


def key(one: Result) -> Key | None:
    return None if one.path == "foreign" else (one.collection, one.path)


def test_the_command_has_the_query_first_and_every_collection() -> None:
    asked = command([WHOLE, MEANT], Query((SubQuery("lex", ""),), intent="a\nb"), ["x", "y"])
    assert asked[:2] == ["query", "lex: session token\nvec: session token\nintent: a b"]
    assert asked[-4:] == ["-c", "x", "-c", "y"]
    assert {"--no-rerank", "--explain"} <= set(asked)


def test_by_words_the_share_of_them_is_the_strength() -> None:
    results = [
        result("one", ("lex", "session", 0.9)),
        result("both", ("lex", "session", 0.1), ("lex", "token", 0.1)),
        result("whole", ("lex", "session token", 0.2), ("lex", "token", 0.1)),
        result("foreign", ("lex", "session", 0.9)),
    ]
    ((weight, found),) = explained([WHOLE, *WORDS], results, key).lists
    assert weight == 2.0
    assert [(one.key[1], one.strength) for one in found] == [
        ("whole", 1.0),
        ("both", 1.0),
        ("one", 0.5),
    ]


def test_by_meaning_the_cosine_is_the_strength() -> None:
    results = [
        result("near", ("vec", "session token", 0.7), line=4),
        result("far", ("vec", "session token", -0.1), ("lex", "session token", 0.3)),
    ]
    answer = explained([WHOLE, MEANT], results, key)
    (_, words), (weight, meant) = answer.lists
    assert weight == 1.0
    assert [(one.key[1], one.strength, one.cosine) for one in meant] == [
        ("near", 0.7, 0.7),
        ("far", 0.0, -0.1),
    ]
    assert [(one.key[1], one.cosine) for one in words] == [("far", None)]
    assert answer.meant
    assert answer.results["a", "near"].line == 4


def test_an_answer_without_vectors_is_told_from_one_with() -> None:
    results = [result("x", ("lex", "session token", 0.5))]
    assert not explained([WHOLE, MEANT], results, key).meant


COSINES = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.floats(-1, 1)), max_size=6
)


@given(COSINES, st.randoms())
def test_the_order_in_which_qmd_tells_does_not_matter(
    found: list[tuple[str, str, float]], random: object
) -> None:
    unique = {(c, p): score for c, p, score in found}
    results = [
        result(p, ("vec", "session token", score), ("lex", "session", abs(score)), collection=c)
        for (c, p), score in unique.items()
    ]
    asked = [WHOLE, *WORDS, MEANT]
    ranked = fuse(explained(asked, results, key).lists)
    shuffled = list(results)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert fuse(explained(asked, shuffled, key).lists) == ranked
    assert {one.key for one in ranked} == set(unique)
    assert all(0 <= one.score <= 1 for one in ranked)


def test_orders_are_merged_place_by_place() -> None:
    one, two = [("a", "1"), ("a", "2"), ("a", "3")], [("b", "1")]
    assert merged([one, two]) == [("a", "1"), ("b", "1"), ("a", "2"), ("a", "3")]
    assert merged([]) == merged([[], []]) == []


class Served:
    """A daemon that has these documents for each (text, collection)."""

    def __init__(self, documents: Mapping[tuple[str, str], list[str]]) -> None:
        self.documents = documents
        self.bodies: list[Mapping[str, object]] = []

    def ask(self, body: Mapping[str, object]) -> list[Result]:
        self.bodies.append(body)
        searches, scope = body["searches"], body["collections"]
        assert isinstance(searches, list)
        assert isinstance(scope, list)
        text = "|".join(one["query"] for one in searches)
        return [
            result(path, collection=name)
            for (asked, name), paths in self.documents.items()
            if asked == text and (not scope or name in scope)
            for path in paths
        ]


def test_over_http_the_order_counts_and_what_is_spelled() -> None:
    served = Served(
        {
            ("session token", "a"): ["1", "2", "foreign"],
            ("session token", "b"): ["3"],
        }
    )
    answer = ordered(
        [WHOLE, *WORDS, MEANT],
        served.ask,
        [["a"], ["b"]],
        key,
        lambda document, _: 1.0 if document[1] == "2" else 0.0,
    )
    (first, words), (second, meant) = answer.lists
    assert (first, second) == (2.0, 1.0)
    assert [(one.key, one.strength) for one in words] == [
        (("a", "1"), UNREAD),
        (("b", "3"), UNREAD),
        (("a", "2"), 1.0),
    ]
    assert {(one.strength, one.cosine) for one in meant} == {(UNREAD, None)}
    assert answer.meant
    assert all(body["rerank"] is False for body in served.bodies)
    assert len(served.bodies) == 4


def test_over_http_words_are_asked_one_by_one_where_all_together_find_nothing() -> None:
    served = Served({("session|token", "a"): ["1", "2"]})
    answer = ordered([WHOLE, *WORDS], served.ask, [[]], key, lambda document, _: 0.5)
    ((_, words),) = answer.lists
    assert [(one.key[1], one.strength) for one in words] == [("1", 0.5), ("2", 0.5)]
    assert len(served.bodies) == 2
    assert not answer.meant
