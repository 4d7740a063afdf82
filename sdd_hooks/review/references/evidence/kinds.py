"""The kinds of evidence that a record governs a change: each gives every record a number.

0 means no evidence. Kinds have different units, and are compared only after the ranking has
normalized them. They read facts, which come from the repository (`context`) or from a table that
was made before (`prepared`). A record is known by its index among the records.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence), SPEC-0010 REQ "Finding the
# decision"

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.ranking import APPLIES, RankedRecord, Scores, rank_records
from sdd_hooks.review.references.words.bm25 import K1, Bm25, inverse_document_frequency
from sdd_hooks.review.references.words.change_words import Measures, Rarity, cover_titles
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from sdd_hooks.review.references.evidence.similarity import Similarity
    from sdd_hooks.review.references.words.query import ChangeQuery

KINDS = {
    "sections": "the most telling words of the change",
    "terms": "all words of the change",
    "files": "the words of each file",
    "title": "the words of the title",
    "phrases": "the pairs of words of the title",
    "prose": "the words of documents and comments",
    "identifiers": "identifiers that the record names",
    "paths": "paths that the record names",
    "comments": "the changed files mention the record",
    "neighbours": "files beside them mention it",
    "governed": "the words of the places that mention it",
    "history": "commits to the same files named it",
    "messages": "the words of commits that named it",
    "links": "the strongest records name it",
    "applies": "the record says that it applies to the changed files",
}
"""Every kind with its description. The ranking computes `links` from the other kinds.

`applies` is a kind only where a record says that it applies to the change, the three from
`comments` on only where a file mentions a record, `history` and `messages` where a commit
named one.
"""

NEAREST_WEIGHT = 0.5
"""The weight of a mention in the same directory; each directory further up has half of it."""
MIN_WEIGHT = 0.1
"""The weight below which directories further up are ignored."""
MAX_PHRASES = 40
"""Phrases of a title that are looked for."""
MAX_PART = 40
"""Characters of a name before and after the part that is looked for."""

# Between two words of a record: `error acknowledgement`, `error_acknowledgement`,
# `ErrorAcknowledgement`, `**error** acknowledgement`.
_BETWEEN = r"[^a-z0-9\n]{0,3}"

# The rest of a name of which only a part is in the title: `GitHub Pages`.
_PART_BEFORE = lazy_regex(r"[^\W_]+\Z")
_PART_AFTER = lazy_regex(r"[^\W_]+")
_DIVIDED = lazy_regex(r"[.!?;:,]\s|[|—–]|\s-\s")


class Neighbourhood(NamedTuple):
    """Of a directory and those below: how many files mention records, and which how often."""

    files: int
    records: Mapping[int, int]


class Facts(NamedTuple):
    """What the kinds read about the records and the repository, for one change.

    `records` are the paths of the records, `files` those of the repository. Of each record,
    `titles` are the words of its title, `identifiers` the names in it that the change uses, `sizes`
    is the number of all its names, `paths` are the paths that it names, `links` the records that it
    names, and `reach` is how much of the change it says that it applies to. `mentioned` are the
    records of each mention in a file, `below` those of each directory, `past` the scores of the
    records that the commits to each changed file named. `mention_words` and `message_words` index
    the words of the places that mention each record, and of the commits that named it. `with_word`
    returns the records that have a word, `text_of` the text of one in lower case. `rarity` and
    `surprise` compare the change with past ones.
    """

    records: Sequence[str]
    files: Sequence[str]
    titles: Sequence[Collection[str]]
    identifiers: Sequence[Collection[str]]
    sizes: Sequence[int]
    paths: Sequence[Collection[str]]
    links: Sequence[Sequence[int]]
    reach: Sequence[float]
    mentioned: Mapping[str, Sequence[Collection[int]]]
    below: Mapping[str, Neighbourhood]
    past: Mapping[str, Mapping[int, float]]
    mention_words: Bm25
    message_words: Bm25
    with_word: Callable[[str], Iterable[int]]
    text_of: Callable[[int], str]
    rarity: Rarity
    surprise: Sequence[float]


class WeighedRecords(NamedTuple):
    """The scores of each kind, the measures that do not rank, and the records, best first."""

    scores: Mapping[str, Scores]
    measures: Measures
    ranked: Sequence[RankedRecord]


def weigh(query: ChangeQuery, similarity: Similarity, facts: Facts) -> WeighedRecords:
    """Score the records by every kind, and rank them."""
    scores = _score(query, similarity, facts)
    ranked = rank_records(scores, facts.links, facts.records)
    subject = cover_titles(facts.titles, query.all_words, query.taken_away)
    measures = Measures(similarity.by_rare_words(facts.rarity), facts.surprise, subject)
    return WeighedRecords(scores, measures, ranked)


def _score(query: ChangeQuery, similarity: Similarity, facts: Facts) -> Mapping[str, Scores]:
    """The scores of every kind but `links`."""
    scores: dict[str, Scores] = {
        "sections": similarity.by_sections(),
        "terms": similarity.by_terms(facts.files),
        "files": similarity.by_files(),
        "title": similarity.by_title(),
        "phrases": score_phrases(query, len(facts.records), facts.with_word, facts.text_of),
        "prose": similarity.by_prose(),
        "identifiers": _score_identifiers(facts),
        "paths": _score_paths(query, facts),
    }
    if facts.mention_words.length:
        scores["comments"] = _score_comments(query, facts)
        scores["neighbours"] = _score_neighbours(query, facts)
        scores["governed"] = facts.mention_words.scores(similarity.weights)
    if facts.message_words.length:
        scores["history"] = score_history(query, facts.past, len(facts.records))
        scores["messages"] = facts.message_words.scores(message_weights(query))
    if any(facts.reach):
        scores[APPLIES] = facts.reach
    return scores


def used_names(query: ChangeQuery) -> set[str]:
    """The names that a change uses: its identifiers, the words of its title, parts of its paths."""
    used = {*query.identifiers, *query.title}
    for file in query.files:
        for part in file.path.lower().split("/"):
            used |= {part, PurePosixPath(part).stem}
    return used


def _score_identifiers(facts: Facts) -> list[float]:
    """Score the used names that each record has. Rare ones count more."""
    frequency = Counter(name for shared in facts.identifiers for name in shared)
    return [
        sum(math.log(1 + len(facts.sizes) / frequency[name]) for name in sorted(shared))
        / (1 + math.log1p(size))
        for shared, size in zip(facts.identifiers, facts.sizes, strict=True)
    ]


def _score_paths(query: ChangeQuery, facts: Facts) -> list[float]:
    """Score the share of the change at paths that a record names. Deeper paths count more."""
    return [
        sum(
            query.share * query.path_names[path] * (1 + path.count("/"))
            for path in sorted(in_record)
        )
        for in_record in facts.paths
    ]


def _score_comments(query: ChangeQuery, facts: Facts) -> list[float]:
    """Score the mentions in the changed files."""
    scores = [0.0] * len(facts.records)
    for file in query.files:
        mentions = facts.mentioned.get(file.before or file.path, ())
        counts = Counter(index for indexes in mentions for index in indexes)
        for index, times in counts.items():
            scores[index] += query.share * (1 + math.log(times))
    return scores


def _score_neighbours(query: ChangeQuery, facts: Facts) -> list[float]:
    """Score the mentions in other files of the same directory, and of the directories above."""
    scores = [0.0] * len(facts.records)
    nothing = Neighbourhood(0, {})
    for file in query.files:
        mentions = facts.mentioned.get(file.path, ())
        in_file = {index for indexes in mentions for index in indexes}
        weight = NEAREST_WEIGHT
        for directory in directories(file.path):
            around = facts.below.get(directory, nothing)
            others = around.files - (file.path in facts.mentioned)
            for index, times in around.records.items():
                in_others = times - (index in in_file)
                scores[index] += query.share * weight * in_others / (others + 2)
            weight /= 2
            if weight < MIN_WEIGHT:
                break
    return scores


def directories(path: str) -> list[str]:
    """The directories above a path, innermost first, without the root."""
    return [str(parent) for parent in PurePosixPath(path).parents][:-1]


def score_history(
    query: ChangeQuery, past: Mapping[str, Mapping[int, float]], count: int
) -> list[float]:
    """Score the records that earlier commits to the same files named, among `count` records."""
    scores = [0.0] * count
    for of_file in past.values():
        for index, score in of_file.items():
            scores[index] += query.share * score
    return scores


def message_weights(query: ChangeQuery) -> Mapping[str, float]:
    """The words by which a change is compared with messages: those of its title and its paths."""
    return query.title + Counter(query.words.paths)


def score_phrases(
    query: ChangeQuery,
    count: int,
    with_word: Callable[[str], Iterable[int]],
    text_of: Callable[[int], str],
) -> list[float]:
    """Score the phrases of the title that a record contains. Rare ones count more.

    A phrase is a pair of words side by side. Its score is that of a word in BM25, without regard to
    the length of the record. The arguments are as in `Facts`, for `count` records.
    """
    scores = [0.0] * count
    for phrase in query.title_phrases[:MAX_PHRASES]:
        pattern = _pattern(phrase)
        counts = Counter(
            {index: len(pattern.findall(text_of(index))) for index in with_word(phrase[0])}
        )
        containing = [index for index, found in counts.items() if found]
        idf = inverse_document_frequency(count, len(containing))
        for index in containing:
            scores[index] += idf * counts[index] * (K1 + 1) / (counts[index] + K1)
    return scores


class FoundPhrase(NamedTuple):
    """A phrase as the record has it, and the number of its line."""

    text: str
    line: int


def find_phrase(phrases: Iterable[tuple[str, str]], text: str) -> FoundPhrase | None:
    """Find the longest of some phrases in a text, where it is first, with its names as a whole."""
    matches = [match for phrase in phrases if (match := next(_find_whole(phrase, text), None))]
    if not matches:
        return None
    longest = max(matches, key=lambda match: len(match[0]))
    around = _PART_BEFORE.search(text, max(0, longest.start() - MAX_PART), longest.start())
    start = around.start() if around else longest.start()
    end = _PART_AFTER.match(text, longest.end(), longest.end() + MAX_PART)
    whole = text[start : end.end() if end else longest.end()]
    return FoundPhrase(whole, text.count("\n", 0, longest.start()) + 1)


def _find_whole(phrase: tuple[str, str], text: str) -> Iterator[re.Match[str]]:
    """The places of a phrase that no end of a sentence, of a part or of a cell divides."""
    first, second = map(len, phrase)
    for match in _pattern(phrase, re.I).finditer(text):
        if not _DIVIDED.search(match[0][first:-second]):
            yield match


def _pattern(phrase: tuple[str, str], flags: int = 0) -> re.Pattern[str]:
    first, second = phrase
    return re.compile(first + _BETWEEN + second, flags)
