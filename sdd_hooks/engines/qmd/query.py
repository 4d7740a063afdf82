"""Write a typed query in qmd's grammar, and make one ranked list of each sub-query.

The text of a query comes from users, commits and issues. In qmd's grammar, a line is a sub-query:
the text must not end its line, add another sub-query, or make qmd refuse the query.

qmd's order of results is not used. It gives the first list double weight, and has a list for each
collection, so that it prefers the collection that is named first.
"""

# Governing: ADR-0014 (the qmd engine: how it is scored), ADR-0009 (score is evidence),
# SPEC-0006 REQ "Queries"

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sdd_hooks.engines.protocol import Query, SubQueryType
from sdd_hooks.engines.qmd.output import QmdResult
from sdd_hooks.engines.ranking.fusion import RankedMatch, weight_of
from sdd_hooks.engines.ranking.query_terms import Term, parse_terms
from sdd_hooks.text.forms import decompose, fold_forms
from sdd_hooks.text.lazy_regex import lazy_regex

DocumentKey = tuple[str, str]
"""A document: its collection, and its path relative to the top of the repository."""

KeyOf = Callable[[QmdResult], DocumentKey | None]
"""Returns the document of a result; None for one that is not searched."""

MAX_QUERY = 2000
"""Characters of a sub-query: more than an embedding model reads."""

MAX_WORDS = 8
"""Words that are also searched one by one; each adds a list for every collection."""

MAX_RESULTS = 1000
"""Documents that qmd returns at most: more than it finds, as each of its lists has 20 at most."""

_LINE_BREAKS = frozenset({"Cc", "Cs", "Zl", "Zp"})
_EXCLUDED = lazy_regex(r'(?:^|(?<=\s))-+(?:"[^"]*"?\S*|\S+)')


@dataclass(frozen=True)
class QueryLine:
    """One line of a query: the index of its sub-query, its type and its text.

    By words, qmd finds only documents that contain all words. So a sub-query of several words has a
    line for the `whole`, and one for each word.
    """

    number: int
    type: SubQueryType
    text: str
    whole: bool = True


@dataclass
class RankedLists:
    """The ranked list of each sub-query with its weight, and qmd's result for each document.

    `by_meaning`: whether any document was found by meaning.
    """

    lists: list[tuple[float, list[RankedMatch[DocumentKey]]]] = field(default_factory=list)
    results: dict[DocumentKey, QmdResult] = field(default_factory=dict)
    by_meaning: bool = False


def query_lines(query: Query, *, words_only: bool) -> list[QueryLine]:
    """Return the lines of a query, in order. `words_only` omits those that need a model.

    A sub-query without a searchable word has no line.
    """
    lines: list[QueryLine] = []
    for number, search in enumerate(query.searches):
        text = one_line(search.query)
        if search.type == "lex":
            lines += _lexical_lines(number, text)
        elif not words_only and (text := " ".join(_EXCLUDED.sub(" ", text).split())):
            lines.append(QueryLine(number, search.type, text))
    return lines


def query_document(lines: Sequence[QueryLine], intent: str = "") -> str:
    """Return the lines as the argument of `qmd query`."""
    texts = [f"{line.type}: {line.text}" for line in lines]
    intent = one_line(intent)
    return "\n".join([*texts, f"intent: {intent}"] if intent else texts)


def query_arguments(
    lines: Sequence[QueryLine], query: Query, collections: Sequence[str]
) -> list[str]:
    """Return the arguments of qmd for these lines and collections. qmd needs the query first."""
    return [
        "query",
        query_document(lines, query.intent),
        "--format",
        "json",
        "--no-rerank",
        "--explain",
        "-n",
        str(MAX_RESULTS),
        "-C",
        str(MAX_RESULTS),
        *(argument for name in collections for argument in ("-c", name)),
    ]


def one_line(text: str) -> str:
    """Return the text as one line of at most MAX_QUERY characters; "" if it is blank."""
    printable = "".join(
        " " if char == "\ufeff" or unicodedata.category(char) in _LINE_BREAKS else char
        for char in text[:MAX_QUERY]
    )
    return " ".join(printable.split())


def lists_of_command(
    lines: Sequence[QueryLine], results: Iterable[QmdResult], key_of: KeyOf
) -> RankedLists:
    """Rebuild the lists that qmd fused, from the results of `qmd query --explain`.

    By words, the strength of a document is the share of the words that it contains; by meaning, its
    cosine.
    """
    lines_by_text: dict[tuple[str, str], list[QueryLine]] = {}
    for line in lines:
        lines_by_text.setdefault((line.type, line.text), []).append(line)
    # For each sub-query: the score of each line that a document matches, and its best cosine.
    word_scores: dict[int, dict[DocumentKey, dict[str, float]]] = {}
    cosines: dict[int, dict[DocumentKey, float]] = {}
    ranked = RankedLists()
    for result in results:
        key = key_of(result)
        if key is None:
            continue
        ranked.results[key] = result
        for contribution in result.contributions:
            score = contribution.score
            for line in lines_by_text.get((contribution.query_type, contribution.query), ()):
                if contribution.source == "vec":
                    best = cosines.setdefault(line.number, {})
                    best[key] = max(score, best.get(key, score))
                else:
                    scores = word_scores.setdefault(line.number, {})
                    scores.setdefault(key, {})[line.text] = score
    for number, group in _by_sub_query(lines).items():
        matches = (
            _rank_by_words(group, word_scores.get(number, {}))
            if group[0].type == "lex"
            else _rank_by_meaning(cosines.get(number, {}))
        )
        ranked.lists.append((weight_of(number), matches))
    ranked.by_meaning = any(cosines.values())
    return ranked


def _by_sub_query(lines: Sequence[QueryLine]) -> dict[int, list[QueryLine]]:
    groups: dict[int, list[QueryLine]] = {}
    for line in lines:
        groups.setdefault(line.number, []).append(line)
    return groups


def _lexical_lines(number: int, text: str) -> list[QueryLine]:
    terms = parse_terms(text)
    # A document need not contain the parts of an identifier that it contains.
    whole = [_write_term(term) for term in terms if not term.excluded and not term.is_part]
    included = [_write_term(term) for term in terms if not term.excluded]
    excluded = [f"-{_write_term(term)}" for term in terms if term.excluded]
    if not included:
        return []
    lines = [QueryLine(number, "lex", " ".join([*whole, *excluded]))]
    # qmd reads files itself, and stores decomposed characters as they are.
    written = " ".join(w for w in text.replace('"', " ").split() if not w.startswith("-"))
    if (decomposed := decompose(written)) != fold_forms(written):
        lines.append(QueryLine(number, "lex", " ".join([decomposed, *excluded])))
    if 1 < len(included) <= MAX_WORDS:
        lines += [
            QueryLine(number, "lex", " ".join([word, *excluded]), whole=False) for word in included
        ]
    return lines


def _write_term(term: Term) -> str:
    """Write a term for qmd, where a quoted text is a phrase, and a bare word is a prefix."""
    phrase = term.phrases[0]
    is_prefix = len(term.phrases) > 1 and term.phrases[1] == f"{phrase}*"
    return phrase.strip('"') if is_prefix else phrase


def _rank_by_words(
    lines: Sequence[QueryLine], scores: Mapping[DocumentKey, Mapping[str, float]]
) -> list[RankedMatch[DocumentKey]]:
    words = {line.text for line in lines if not line.whole}
    whole = {line.text for line in lines if line.whole}

    def share(matched: Mapping[str, float]) -> float:
        return 1.0 if matched.keys() & whole else len(matched.keys() & words) / len(words)

    # By the share first: a document may contain a common word and not be in qmd's list of it, which
    # ends after 20 documents.
    ranked = sorted(scores, key=lambda key: (-share(scores[key]), -sum(scores[key].values()), key))
    return [RankedMatch(key, share(scores[key])) for key in ranked]


def _rank_by_meaning(cosines: Mapping[DocumentKey, float]) -> list[RankedMatch[DocumentKey]]:
    ranked = sorted(cosines, key=lambda key: (-cosines[key], key))
    return [RankedMatch(key, max(0.0, cosines[key]), cosines[key]) for key in ranked]
