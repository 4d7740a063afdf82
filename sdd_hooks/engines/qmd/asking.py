"""Put a query to qmd, and bring what it answers into one ranked list for each sub-query.

qmd's own order is not used: it counts the first list double, and has a list for each collection, so
that it favours the collection that happens to be named first.
"""

# Governing: ADR-0014 (the qmd engine: how it is scored), ADR-0009 (score is evidence)

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sdd_hooks.engines.fusion import RankedMatch
from sdd_hooks.engines.protocol import Query
from sdd_hooks.engines.qmd.grammar import Line, document
from sdd_hooks.engines.qmd.output import Result

Key = tuple[str, str]
"""A document: its collection, and its path from the top of the repository."""

MOST = 1000
"""Documents that qmd is asked for: all it finds. A list of its own has 20 at most."""

UNREAD = 0.5
"""The evidence for a document of which qmd tells nothing but its place in a list."""


@dataclass
class Answer:
    """The lists of a query, each with its weight, and what qmd says of each document in them.

    `meant` tells whether anything was found by meaning.
    """

    lists: list[tuple[float, list[RankedMatch[Key]]]] = field(default_factory=list)
    results: dict[Key, Result] = field(default_factory=dict)
    meant: bool = False


def command(asked: Sequence[Line], query: Query, collections: Sequence[str]) -> list[str]:
    """The arguments that ask these lines of these collections: qmd wants the query first."""
    return [
        "query",
        document(asked, query.intent),
        "--format",
        "json",
        "--no-rerank",
        "--explain",
        "-n",
        str(MOST),
        "-C",
        str(MOST),
        *(part for name in collections for part in ("-c", name)),
    ]


def explained(
    asked: Sequence[Line], results: Iterable[Result], key: Callable[[Result], Key | None]
) -> Answer:
    """The lists that the results of the command were put together from.

    By words, a document's strength is the share of the words that it holds; by meaning, its cosine.
    """
    by_text: dict[tuple[str, str], list[Line]] = {}
    for line in asked:
        by_text.setdefault((line.type, line.text), []).append(line)
    held: dict[int, dict[Key, dict[str, float]]] = {line.number: {} for line in asked}
    near: dict[int, dict[Key, float]] = {line.number: {} for line in asked}
    answer = Answer()
    for result in results:
        document_key = key(result)
        if document_key is None:
            continue
        answer.results[document_key] = result
        for one in result.contributions:
            for line in by_text.get((one.query_type, one.query), ()):
                if one.source == "vec":
                    found = near[line.number]
                    found[document_key] = max(one.score, found.get(document_key, one.score))
                else:
                    held[line.number].setdefault(document_key, {})[line.text] = one.score
    for number in dict.fromkeys(line.number for line in asked):
        mine = [line for line in asked if line.number == number]
        answer.lists.append(
            (
                weight(number),
                _by_words(mine, held[number])
                if mine[0].type == "lex"
                else _by_meaning(near[number]),
            )
        )
    answer.meant = any(near.values())
    return answer


def ordered(
    asked: Sequence[Line],
    ask: Callable[[Mapping[str, object]], list[Result]],
    scopes: Sequence[Sequence[str]],
    key: Callable[[Result], Key | None],
    share: Callable[[Key, int], float],
) -> Answer:
    """The lists of a query whose results are told by their order alone, as over HTTP.

    `ask` takes the body of a request; `scopes` are the collections to ask at once, one after the
    other (an empty scope is the whole index). `share` says how much of the query's words stands in
    a document where it answers (a line). What is found by meaning has no cosine here.
    """
    answer = Answer()

    def found(searches: Sequence[Line]) -> list[Key]:
        ranked = []
        for scope in scopes:
            keys = []
            for result in ask(_body(searches, scope)):
                document_key = key(result)
                if document_key is not None:
                    answer.results.setdefault(document_key, result)
                    keys.append(document_key)
            ranked.append(keys)
        return merged(ranked)

    for number in dict.fromkeys(line.number for line in asked):
        whole = [line for line in asked if line.number == number and line.whole]
        words = [line for line in asked if line.number == number and not line.whole]
        keys = found(whole)
        if whole[0].type != "lex":
            answer.meant = answer.meant or bool(keys)
            strengths = [UNREAD] * len(keys)
        elif keys or not words:
            # qmd finds by words what holds all of them, somewhere and in some form.
            strengths = [max(UNREAD, share(one, answer.results[one].line)) for one in keys]
        else:
            keys = found(words)
            strengths = [share(one, answer.results[one].line) for one in keys]
        answer.lists.append((weight(number), list(map(RankedMatch, keys, strengths))))
    return answer


def merged(ranked: Sequence[Sequence[Key]]) -> list[Key]:
    """One order from that of each collection: the first of each, then the second, ….

    No collection is preferred, as nothing tells how good its first is.
    """
    longest = max(map(len, ranked), default=0)
    rows = ([one[place] for one in ranked if place < len(one)] for place in range(longest))
    return list(dict.fromkeys(key for row in rows for key in row))


def weight(number: int) -> float:
    """The weight of a sub-query: the first counts double."""
    return 1.0 if number else 2.0


def _body(searches: Sequence[Line], collections: Sequence[str]) -> dict[str, object]:
    return {
        "searches": [{"type": one.type, "query": one.text} for one in searches],
        "collections": list(collections),
        "limit": MOST,
        "candidateLimit": MOST,
        "minScore": 0,
        # Without a reranking model qmd answers with an error.
        "rerank": False,
    }


def _by_words(
    asked: Sequence[Line], held: Mapping[Key, Mapping[str, float]]
) -> list[RankedMatch[Key]]:
    words = {line.text for line in asked if not line.whole}
    whole = {line.text for line in asked if line.whole}

    def share(said: Mapping[str, float]) -> float:
        return 1.0 if said.keys() & whole else len(said.keys() & words) / len(words)

    # A list of qmd is cut at 20, so that a common word may be there and not in the list.
    ranked = sorted(held, key=lambda key: (-share(held[key]), -sum(held[key].values()), key))
    return [RankedMatch(key, share(held[key])) for key in ranked]


def _by_meaning(near: Mapping[Key, float]) -> list[RankedMatch[Key]]:
    ranked = sorted(near, key=lambda key: (-near[key], key))
    return [RankedMatch(key, max(0.0, near[key]), near[key]) for key in ranked]
