"""The review's evidence for a few files and a title, read from a table that was made before.

`prepare` writes what the review reads from the repository, by the word, the path and the name that
asks for it. A judgement of files whose changes are not written yet then takes milliseconds, and is
the one of the review for a change with no lines.
"""

# Governing: ADR-0056 (agents are handed the deciding sentence), ADR-0020 (a decision is found by
# equal votes of evidence)

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.references.bm25 import Bm25
from sdd_hooks.review.references.confidence import (
    Measures,
    extract_features,
    predict_probability,
)
from sdd_hooks.review.references.name_scores import (
    Neighbourhood,
    comment_scores,
    directories,
    identifier_scores,
    message_weights,
    neighbour_scores,
    path_scores,
    used_names,
)
from sdd_hooks.review.references.phrases import phrase_scores
from sdd_hooks.review.references.query import ChangeQuery
from sdd_hooks.review.references.ranking import APPLIES, RankedRecord, Scores, rank_records
from sdd_hooks.review.references.rarity import Rarity, surprise
from sdd_hooks.review.references.similarity import Similarity

FORMAT = 3
"""The version of the table. Another one is not read."""
REST = "\0"
"""The key of the count of all words that are left out of a document, which no text has."""


class PreparedRecord(NamedTuple):
    """What a judgement needs of every record.

    `words` are the numbers of words of its sections; `decision`, `mentions` and `messages` those
    of what it decides, of the lines that mention it and of the commits that named it; `names` is
    how many identifiers it has. `links` are the records that it names, `offers` those to hand over
    when it is the first: itself, or what replaces it. `elsewhere` is the share of the repository to
    which it does not apply, `globs` the patterns of what it applies to with their lines.
    """

    path: str
    words: Sequence[int]
    decision: int
    mentions: int
    messages: int
    names: int
    links: Sequence[int]
    offers: Sequence[int]
    elsewhere: float
    globs: Sequence[tuple[str, int]]


class WordRow(NamedTuple):
    """Where a word occurs: each as a record, a section for the first two, and how often.

    `short` are records that have it in sections that are too short to be compared. `changes` are
    the past changes, and `code` the sampled files of code that have it.
    """

    sections: Sequence[tuple[int, int, int]] = ()
    short: Sequence[int] = ()
    decision: Sequence[tuple[int, int]] = ()
    mentions: Sequence[tuple[int, int]] = ()
    messages: Sequence[tuple[int, int]] = ()
    changes: int = 0
    code: int = 0


class PreparedHead(NamedTuple):
    """What a judgement needs of the whole repository, the first row of the table."""

    records: Sequence[PreparedRecord]
    changes: int
    fits: Sequence[float]
    code_files: int


Lookup = Callable[[str], Any]
"""The value of a row by its key; None for none."""


class Judgement(NamedTuple):
    """The records, best first, and the probability that the author would name the first."""

    ranked: Sequence[RankedRecord]
    probability: float
    query: ChangeQuery
    similarity: Similarity


class PreparedEvidence:
    """The evidence for the files at `paths` and a title.

    `row` looks up a row, `text_of` returns the text of a record by its path, "" for none.
    """

    def __init__(
        self,
        head: PreparedHead,
        row: Lookup,
        text_of: Callable[[str], str],
        title: str,
        paths: Sequence[str],
    ) -> None:
        self._records = head.records
        self._head = head
        self._row = row
        self._text_of = text_of
        files = tuple(ChangedFile(path, path, "M") for path in paths)
        self._change = Change("", "", title, "", (), files)
        self.query = ChangeQuery(self._change)

    def judge(self) -> Judgement | None:
        """Rank the records. None without a record, and for generated files only."""
        if not self._records or not self.query.files:
            return None
        similarity = Similarity(self.query, self._sections())
        scores = dict(self._score(similarity))
        links = [record.links for record in self._records]
        ranked = rank_records(scores, links, [record.path for record in self._records])
        measures = Measures(similarity.by_rare_words(self._rarity), self._surprise())
        features = extract_features(self._change, ranked, scores, measures)
        return Judgement(ranked, predict_probability(features), self.query, similarity)

    @cached_property
    def _words(self) -> Mapping[str, WordRow]:
        """The rows of the words of the query and of its phrases."""
        words = {*self.query.words.distinct(), *(first for first, _ in self.query.title_phrases)}
        rows = ((word, self._row(f"w:{word}")) for word in sorted(words))
        return {word: WordRow(*row) for word, row in rows if row}

    def _sections(self) -> list[list[dict[str, int]]]:
        sections = [[{REST: size} for size in record.words] for record in self._records]
        for word, row in self._words.items():
            for record, section, count in row.sections:
                counts = sections[record][section]
                counts[word] = count
                counts[REST] -= count
        return sections

    def _score(self, similarity: Similarity) -> Iterable[tuple[str, Scores]]:
        query, records = self.query, self._records
        count = len(records)
        yield "sections", similarity.by_sections()
        yield "terms", similarity.by_terms(())
        yield "files", similarity.by_files()
        yield "title", similarity.by_title()
        yield "phrases", phrase_scores(query.title_phrases, count, self._with_word, self._lowered)
        yield "prose", similarity.by_prose()
        yield "identifiers", self._identifiers()
        named = self._by_record("p", query.path_names)
        yield "paths", path_scores(query, named)
        yield "comments", comment_scores(query, self._mentioned, count)
        yield "neighbours", neighbour_scores(query, self._mentioned, self._below(), count)
        mentions = [(row.mentions, word) for word, row in self._words.items()]
        sizes = [record.mentions for record in records]
        yield "governed", _index(mentions, sizes, similarity.weights).scores(similarity.weights)
        yield "history", self._history()
        messages = [(row.messages, word) for word, row in self._words.items()]
        sizes = [record.messages for record in records]
        weights = message_weights(query)
        yield "messages", _index(messages, sizes, weights).scores(weights)
        reach = self._reach()
        if any(reach):
            yield APPLIES, reach

    def _with_word(self, word: str) -> list[int]:
        row = self._words.get(word, WordRow())
        return sorted({*(record for record, _, _ in row.sections), *row.short})

    def _lowered(self, index: int) -> str:
        return self._text_of(self._records[index].path).lower()

    def _identifiers(self) -> list[float]:
        used = used_names(self.query)
        names = self._by_record("i", used)
        frequency = Counter(name for in_record in names for name in in_record)
        return identifier_scores(names, [record.names for record in self._records], frequency)

    def _by_record(self, kind: str, keys: Iterable[str]) -> list[set[str]]:
        """The keys of a kind of row that each record has."""
        found: list[set[str]] = [set() for _ in self._records]
        for key in keys:
            for record in self._row(f"{kind}:{key}") or ():
                found[record].add(key)
        return found

    @cached_property
    def _mentioned(self) -> Mapping[str, Sequence[Collection[int]]]:
        rows = ((file.path, self._row(f"f:{file.path}")) for file in self.query.files)
        return {path: row for path, row in rows if row is not None}

    def _below(self) -> Mapping[str, Neighbourhood]:
        around = {one for file in self.query.files for one in directories(file.path)}
        rows = ((path, self._row(f"d:{path}")) for path in around)
        return {path: Neighbourhood(row[0], dict(row[1])) for path, row in rows if row}

    def _history(self) -> list[float]:
        scores = [0.0] * len(self._records)
        for file in self.query.files:
            for record, score in self._row(f"h:{file.path}") or ():
                scores[record] += self.query.share * score
        return scores

    def _reach(self) -> list[float]:
        from sdd_hooks.text.globs import compile_path_pattern

        scores = []
        for record in self._records:
            patterns = [compile_path_pattern(text) for text, _ in record.globs]
            reached = sum(
                any(matches(file.path) for matches in patterns) for file in self.query.files
            )
            scores.append(reached * self.query.share * record.elsewhere)
        return scores

    @cached_property
    def _rarity(self) -> Rarity:
        frequency = {word: row.changes for word, row in self._words.items()}
        return Rarity(self._head.changes, frequency)

    def _surprise(self) -> list[float]:
        sizes = [record.decision for record in self._records]
        words = [(row.decision, word) for word, row in self._words.items()]
        index = _index(words, sizes, self.query.words.distinct())
        return surprise(self._head.fits, index, self.query.words, self._rarity, len(sizes))


def _index(
    postings: Iterable[tuple[Iterable[tuple[int, int]], str]],
    sizes: Sequence[int],
    vocabulary: Collection[str],
) -> Bm25:
    """An index of one document for each record, of which the words in `postings` are known."""
    documents: list[dict[str, int]] = [{} for _ in sizes]
    for places, word in postings:
        for record, count in places:
            documents[record][word] = count
    return Bm25(documents, {*vocabulary}, sizes)


def read_head(row: Any) -> PreparedHead | None:
    """The head from its row; None for another version, or what is none."""
    try:
        version, records, *rest = row
        if version != FORMAT:
            return None
        return PreparedHead([PreparedRecord(*one) for one in records], *rest)
    except (TypeError, ValueError):
        return None
