"""Search by words: PostgreSQL finds and ranks the candidates, `word_ranking` ranks them again.

The rare words of a query bring every chunk that contains them as a candidate. Mostly no chunk with
the other words alone can be as good. A word may be in every fifth chunk of all repositories, so
that the number of candidates is bounded: frequent words bring only chunks that contain several of
them, or have them in their titles.
"""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL), ADR-0009 (score),
# SPEC-0032 REQ "Bounded cost"

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sdd_hooks.engines.postgres.scope import OrganisationScope
from sdd_hooks.engines.postgres.values import original_text, stored_text
from sdd_hooks.engines.postgres.words import (
    Phrase,
    TermCounter,
    exact_expression,
    term_expression,
    term_phrases,
    title_expression,
)
from sdd_hooks.engines.ranking.fusion import RankedMatch
from sdd_hooks.engines.ranking.query_terms import Term, parse_terms
from sdd_hooks.engines.ranking.word_ranking import (
    CANDIDATES,
    MatchedChunk,
    inverse_frequency,
    rank_candidates,
)
from sdd_hooks.named_tuple import NamedTuple

if TYPE_CHECKING:
    from psycopg import Connection

_BUDGET = 4_000
"""Chunks that are scored for one list of candidates among all repositories."""

_COUNTED_BUDGET = 20_000
"""Chunks that are scored for the rare words of a query where words are counted."""

_MOST_OF_WEIGHT = 2.2
"""Of the weight of a phrase, a chunk that contains it more and more often gets at most this."""

_TIES = 50
"""Chunks beyond the candidates that are read, too, since some may rank like the last one."""

_UNBOUNDED = 1_000_000
_LEAST_WEIGHT = 1e-6
"""The weight in bm25() of a phrase that more than half of the chunks have."""

_MAX_TERMS = 200
"""Terms of a query that are looked up, of those that a person does not write."""


class _Terms(NamedTuple):
    """The terms of a query that have words, their phrases, and the condition of the others."""

    terms: list[Term]
    phrases: list[list[Phrase]]
    excluded: str


class _Found(NamedTuple):
    """The repository of a chunk, and its rank in PostgreSQL."""

    repository: int
    score: float


class _Matcher(NamedTuple):
    """Finds and scores the chunks of a scope; `most` is the greatest number that one list has."""

    connection: Connection
    scope: OrganisationScope
    weights: Mapping[str, float]
    most: int

    def match(self, candidate: str, budget: int) -> dict[int, _Found]:
        """Return the best of at most `budget` chunks that a `tsquery` matches."""
        rows = self.connection.execute(
            "SELECT chunk, repository, score FROM sdd.match_words(%(repositories)s, %(kinds)s,"
            " %(collections)s, %(candidate)s::tsquery, %(phrases)s::text[]::tsquery[], %(weights)s,"
            " %(average)s, %(budget)s, %(most)s)",
            {
                **self.scope.values,
                "candidate": stored_text(candidate),
                "phrases": list(self.weights),
                "weights": list(self.weights.values()),
                "average": self.scope.average_tokens,
                "budget": budget,
                "most": self.most,
            },
        )
        return {chunk: _Found(*numbers) for chunk, *numbers in rows}


def search_words(
    connection: Connection, scope: OrganisationScope, query: str, limit: int
) -> list[RankedMatch[int]]:
    """Return the chunks that contain any term of the query, best first, at most `limit`.

    The strength of a chunk is described in `word_ranking`.
    """
    found = _read_terms(query)
    if not found.terms or not scope.chunks or scope.repositories == ():
        return []
    counts, phrase_weights = _count_terms(connection, scope, found)
    weights = [inverse_frequency(scope.chunks, count) for count in counts]
    kept = max(CANDIDATES, limit)
    matcher = _Matcher(connection, scope, phrase_weights, kept + _TIES)
    chunks = _find_candidates(matcher, found, counts, kept)
    best = sorted((one.score for one in chunks.values()), reverse=True)[:kept]
    # The words of the others need not be read.
    chunks = {chunk: one for chunk, one in chunks.items() if one.score >= best[-1]}
    candidates, sizes = _read_candidates(connection, scope, found, chunks)
    # Of equal chunks, those that the embedded engine keeps.
    candidates.sort(key=lambda one: (-chunks[one.chunk].score, one.path, one.first_line))
    candidates = candidates[:kept]
    ranked = rank_candidates(query, found.terms, weights, candidates, sizes)
    return [RankedMatch(candidate.chunk, strength) for strength, candidate in ranked[:limit]]


def _read_terms(query: str) -> _Terms:
    included: list[Term] = []
    phrases: list[list[Phrase]] = []
    excluded: list[str] = []
    for term in parse_terms(query)[:_MAX_TERMS]:
        found = term_phrases(term)
        if found and term.excluded:
            excluded.append(term_expression(found))
        elif found:
            included.append(term)
            phrases.append(found)
    return _Terms(included, phrases, f" & !({' | '.join(excluded)})" if excluded else "")


def _count_terms(
    connection: Connection, scope: OrganisationScope, found: _Terms
) -> tuple[list[int], dict[str, float]]:
    """Return how many chunks have each term, and the weight of each phrase in FTS5's bm25().

    Large numbers are estimates.
    """
    terms = [stored_text(term_expression(phrases)) for phrases in found.phrases]
    phrases = [stored_text(one.expression) for phrases in found.phrases for one in phrases]
    # A term of one phrase is that phrase.
    distinct = list(dict.fromkeys([*terms, *phrases]))
    rows = connection.execute(
        "SELECT sdd.count_words(%(repositories)s, %(terms)s::text[]::tsquery[], %(most)s)",
        {
            **scope.values,
            "terms": distinct,
            "most": _UNBOUNDED if scope.is_counted else _BUDGET,
        },
    )
    numbers = [min(count, scope.chunks) for (count,) in rows]
    counts = dict(zip(distinct, numbers, strict=True))
    weights: dict[str, float] = {}
    for phrase in phrases:
        count = counts[phrase]
        weight = max(math.log((scope.chunks - count + 0.5) / (count + 0.5)), _LEAST_WEIGHT)
        # A phrase of two terms counts for each of them.
        weights[phrase] = weights.get(phrase, 0.0) + weight
    return [counts[term] for term in terms], weights


def _find_candidates(
    matcher: _Matcher, found: _Terms, counts: Sequence[int], kept: int
) -> dict[int, _Found]:
    """Return chunks among which the best `kept` are, or most of them if too many have the words.

    Rare words come first, until no chunk with the remaining ones alone can be among the best:
    Turtle and Flood, "Query evaluation: strategies and optimizations" (1995), call it max_score.
    """
    expressions = [term_expression(phrases) for phrases in found.phrases]

    def match(
        parts: Sequence[str], operator: str, without: Sequence[str] = (), budget: int = _BUDGET
    ) -> dict[int, _Found]:
        excluded = f" & !({' | '.join(without)})" if without else ""
        return matcher.match(f"({operator.join(parts)}){excluded}{found.excluded}", budget)

    order = sorted(range(len(counts)), key=lambda index: counts[index])
    chunks: dict[int, _Found] = {}
    asked: list[int] = []
    budget = _UNBOUNDED if matcher.scope.is_counted else _BUDGET
    for batch in _rare_terms(matcher.scope, order, counts, kept):
        others = [expressions[index] for index in asked]
        chunks |= match([expressions[index] for index in batch], " | ", others, budget)
        asked += batch
        if _are_best(matcher, found, chunks, asked, kept):
            return chunks
    frequent = order[len(asked) :]
    if frequent:
        chunks |= match([title_expression(found.phrases[index]) for index in frequent], " | ")
    named = [index for index in order if not found.terms[index].is_part] or order
    # Each chunk of a rare word is there already, with all of its other words.
    if named[0] in asked:
        return chunks
    exact = [exact_expression(phrases) for phrases in found.phrases]
    for size in sorted({len(named), min(2, len(named))}):
        both = match([exact[index] for index in named[:size]], " & ")
        if len(both) < matcher.most:
            both |= match([expressions[index] for index in named[:size]], " & ")
        chunks |= both
        # The chunks with more of the words are among these.
        if len(both) < matcher.most:
            break
    return chunks


def _rare_terms(
    scope: OrganisationScope, order: Sequence[int], counts: Sequence[int], kept: int
) -> Iterator[list[int]]:
    """Yield batches of the terms of which each chunk can be scored, rare ones first.

    Where terms are counted, each batch has at least as many chunks as those before it.
    """
    # Numbers below the other budget are exact.
    most, least = (_COUNTED_BUDGET, kept) if scope.is_counted else (_BUDGET - 1, _BUDGET)
    batch: list[int] = []
    total = before = 0
    for index in order:
        total += counts[index]
        if min(total, scope.chunks) > most:
            break
        batch.append(index)
        if total - before >= max(least, before):
            yield batch
            batch, before = [], total
    if batch:
        yield batch


def _are_best(
    matcher: _Matcher,
    found: _Terms,
    chunks: Mapping[int, _Found],
    asked: Sequence[int],
    kept: int,
) -> bool:
    """Whether the best `kept` of the chunks exceed each chunk with none of the terms `asked`."""
    if len(chunks) < kept:
        return False
    asked_phrases = {stored_text(one.expression) for index in asked for one in found.phrases[index]}
    others = sum(weight for one, weight in matcher.weights.items() if one not in asked_phrases)
    last = sorted((one.score for one in chunks.values()), reverse=True)[kept - 1]
    return last > _MOST_OF_WEIGHT * others


def _read_candidates(
    connection: Connection, scope: OrganisationScope, found: _Terms, chunks: dict[int, _Found]
) -> tuple[list[MatchedChunk], dict[int, float]]:
    """Return the candidates, and the length of each of their documents over the average."""
    rows = connection.execute(
        "SELECT c.id, c.document, d.path, c.section, c.first_line, c.length, c.words::text,"
        " d.chunks FROM sdd.chunks AS c"
        " JOIN sdd.documents AS d ON d.repository = c.repository AND d.id = c.document"
        " WHERE c.repository = ANY(%s) AND c.id = ANY(%s)",
        (list({one.repository for one in chunks.values()}), list(chunks)),
    )
    counter = TermCounter(found.phrases)
    average = scope.chunks / max(1, scope.documents)
    candidates: list[MatchedChunk] = []
    sizes: dict[int, float] = {}
    for chunk, document, path, section, line, length, words, size in rows:
        counts = counter.count(words, length / scope.average)
        candidates.append(MatchedChunk(chunk, document, original_text(path), section, line, counts))
        sizes[document] = size / average
    return candidates, sizes
