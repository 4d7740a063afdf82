"""Rank the chunks that contain words of a query.

A chunk is ranked by BM25 over its fields, computed here: FTS5's own `bm25()` gives a word that most
documents contain no weight, which in a repository of ten decisions is nearly every word, and its
values have no range. This is the same formula with the logarithm of Lucene (always above 0), with
counts and lengths summed over the weighted fields before saturation (BM25F, Robertson, Zaragoza and
Taylor, CIKM 2004), and with the count of a term in the query as a factor of its weight.

Half a chunk's answer can be in another chunk of its document, so the document is scored in the same
way, over all its matching chunks. Names are evidence beyond their words: those of the file
(`path_evidence`), and of a definition that the query names.

Chunks of code are ordered by counts in whole files that saturate late, because a file that is about
a thing uses its name in many places. Their strengths saturate early, because some file uses a word
often that a question without an answer has, too. The first in order gets the greatest strength.
"""

# Governing: ADR-0009 (score), ADR-0045 (evidence of names and paths)

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from sdd_hooks.code.paths import is_document
from sdd_hooks.engines.ranking.path_evidence import PathEvidence
from sdd_hooks.engines.ranking.query_terms import Term
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

_TITLE = 2.0
"""Weight of a word in the title, compared with one in the body."""

_PARTS = 0.5
"""Weight of a word that is part of an identifier."""

PREFIX = 0.6
"""Weight of a word that only begins with a term."""

_PART = 0.5
"""Weight of a part of an identifier."""

_DEFINED = 2.8
"""Factor of a definition that the query names."""

_CAPITALISED = 1.3
"""Factor of a definition whose name is a capitalised word within the query."""

_MEMBER = 0.3
"""Weight of a name that a member has, or an implementation of a trait, in these factors."""

CANDIDATES = 300
"""Chunks that the index itself ranks first, and that are ranked again."""

_ASIDE = 0.8
_OPTION = 0.9

_ASIDES = lazy_regex(
    r"change ?log|changes|revision history|version history|history|references?|related\b.*"
    r"|see also|links|further reading|more information|bibliography|sources|acknowledge?ments?"
    r"|glossary|table of contents|contents|non[- ]goals|out of scope"
)

_OPTIONS = lazy_regex(
    r"(?:considered |other |rejected |alternative )?(?:options|alternatives)(?: .*)?"
    r"|pros and cons.*|rejected.*"
)

_HEADING_MARKS = lazy_regex(r"^[\W\d_]+|[\W_]+$")


class _Saturation(NamedTuple):
    """Constants of BM25 for chunks, and for whole documents, whose share of the score is `whole`.

    Whole documents have others in the order than in the strength. `exponent` is that of the words'
    evidence: below 1, names count for more among chunks with many words.
    """

    k1: float
    b: float
    whole_k1: float
    whole_b: float
    order_k1: float
    order_b: float
    whole: float
    exponent: float


_PROSE = _Saturation(1.2, 0.75, 5.0, 0.1, 5.0, 0.1, 0.1, 1.0)
_CODE = _Saturation(2.0, 0.75, 5.0, 0.1, 20.0, 0.0, 0.3, 0.7)

_CHUNKS_OF_DOCUMENT = 5
_MARKS = "\"'`()?:;,."
# A search from each character of a long word would take time in its square.
_IDENTIFIER = lazy_regex(
    r"(?<![A-Za-z0-9])(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[A-Za-z]+[a-z0-9][A-Z]\w*)"
)


class TermCounts(NamedTuple):
    """How often a chunk contains each term, by its index, weighted by field; and its length over
    the average."""

    counts: Mapping[int, float]
    length: float


class MatchedChunk(NamedTuple):
    """A chunk that contains a term. `first_line` is 1-based."""

    chunk: int
    document: int
    path: str
    section: str
    first_line: int
    found: TermCounts


class _DocumentScore(NamedTuple):
    """The constants of a document, the factor of its path, and its score as a whole."""

    constants: _Saturation
    factor: float
    in_order: float
    in_strength: float


class _Scored(NamedTuple):
    """A chunk with its score in the order, and the one that its strength comes from."""

    order: float
    strength: float
    match: MatchedChunk


def inverse_frequency(chunks: int, matching: int) -> float:
    """Return the inverse document frequency of a term that `matching` of the chunks have, above 0.

    It is that of Lucene (`BM25Similarity`).
    """
    return math.log(1 + (chunks - matching + 0.5) / (matching + 0.5))


def rank_candidates(
    query: str,
    terms: Sequence[Term],
    frequencies: Sequence[float],
    candidates: Sequence[MatchedChunk],
    sizes: Mapping[int, float],
) -> list[tuple[float, MatchedChunk]]:
    """Return the candidates with their strengths (0..1), best first, at most five of a document.

    `frequencies` are the inverse document frequencies of the terms, `sizes` the lengths of the
    documents over the average. A section of average length that contains every term once has a
    strength of about 0.6.
    """
    weights = [
        frequency * term.times * (_PART if term.is_part else 1.0)
        for frequency, term in zip(frequencies, terms, strict=True)
    ]
    total = math.fsum(w for w, term in zip(weights, terms, strict=True) if not term.is_part)
    names = _names_in(query)
    documents = _score_documents(query, weights, candidates, sizes)
    scored = []
    for one in candidates:
        constants, factor, *wholes = documents[one.document]
        if constants is _PROSE:
            factor *= section_factor(one.section)
        elif names:
            factor *= _defined(names, one.section)
        saturation = constants.k1 * (1 - constants.b + constants.b * one.found.length)
        own = (1 - constants.whole) * _score(weights, one.found.counts, constants.k1, saturation)
        # The last digits depend on the order of additions, which is that of indexing.
        order, strength = (
            round(((own + constants.whole * whole) / total) ** constants.exponent * factor, 9)
            for whole in wholes
        )
        scored.append(_Scored(order, strength, one))
    # Not by row id, which is the order of indexing: a refreshed index must rank like a new one.
    scored.sort(key=lambda one: (-one.order, one.match.path, one.match.first_line))
    kept = _few_of_each(scored)
    strengths = sorted((one.strength for one in kept), reverse=True)
    return [
        (1 - math.exp(-strength), one.match) for strength, one in zip(strengths, kept, strict=True)
    ]


def _score_documents(
    query: str,
    weights: Sequence[float],
    candidates: Sequence[MatchedChunk],
    sizes: Mapping[int, float],
) -> dict[int, _DocumentScore]:
    counts: dict[int, dict[int, float]] = {}
    paths: dict[int, str] = {}
    for one in candidates:
        paths[one.document] = one.path
        of_document = counts.setdefault(one.document, {})
        for term, count in one.found.counts.items():
            of_document[term] = of_document.get(term, 0.0) + count
    evidence = PathEvidence(query, paths.values())
    documents = {}
    for document, path in paths.items():
        constants = _PROSE if is_document(path) else _CODE
        in_order, in_strength = (
            _score(weights, counts[document], k1, k1 * (1 - b + b * sizes[document]))
            for k1, b in (
                (constants.order_k1, constants.order_b),
                (constants.whole_k1, constants.whole_b),
            )
        )
        documents[document] = _DocumentScore(
            constants, evidence.factor(path), in_order, in_strength
        )
    return documents


def _score(
    weights: Sequence[float], counts: Mapping[int, float], k1: float, saturation: float
) -> float:
    total = 0.0
    for term, count in counts.items():
        total += weights[term] * count / (count + saturation)
    return total * (k1 + 1)


def _few_of_each(scored: Sequence[_Scored]) -> list[_Scored]:
    seen: dict[int, int] = {}
    kept = []
    for one in scored:
        document = one.match.document
        seen[document] = seen.get(document, 0) + 1
        if seen[document] <= _CHUNKS_OF_DOCUMENT:
            kept.append(one)
    return kept


def _names_in(query: str) -> dict[str, float]:
    """Return the factor of each name in a query, in lower case.

    Names are camelCase, snake_case, the only word, or capitalised and not the first word.
    """
    words = query.split()
    names = {_plain(word): _CAPITALISED for word in words[1:] if word.strip(_MARKS)[:1].isupper()}
    # Most queries have no identifier, and compiling the pattern takes longer than ranking.
    may_have = "_" in query or not query.islower()
    certain = words if len(words) == 1 else _IDENTIFIER.findall(query) if may_have else ()
    names.update((_plain(name), _DEFINED) for name in certain)
    return names


def _plain(name: str) -> str:
    return re.split(r"\W+", name.strip(_MARKS))[-1].lower()


def _defined(names: Mapping[str, float], section: str) -> float:
    """Return the factor of a definition with this name, whose owner is before a dot."""
    owner, _, name = section.rpartition(".")
    factor = names.get(name.lower(), 1.0)
    return 1 + (factor - 1) * _MEMBER if owner else factor


def weighted_size(title: float, body: float, parts: float) -> float:
    """Return the sum of counts in the three fields of a chunk, or of their lengths, weighted."""
    return _TITLE * title + body + _PARTS * parts


@lru_cache(maxsize=4096)
def section_factor(section: str) -> float:
    """Return the factor of a section: less than 1 if its heading, or one above it, is an aside.

    `section` is the heading with those above it, as chunks have it; "" is the head of a document.
    """
    headings = [_HEADING_MARKS.sub("", part).lower() for part in section.split("›")]
    if any(map(_ASIDES.fullmatch, headings)):
        return _ASIDE
    return _OPTION if any(map(_OPTIONS.fullmatch, headings)) else 1.0
