"""The review's evidence for an edit of a few files, read from a table that was made before.

`prepare` writes what the review reads from the repository, by the word, the path and the name that
asks for it. The evidence then takes milliseconds, and is that of the review for the same lines.
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
from sdd_hooks.review.references.asking.confidence import (
    EditFeatures,
    extract_edit_features,
    extract_features,
    predict_before_edit,
)
from sdd_hooks.review.references.evidence.kinds import (
    Facts,
    Neighbourhood,
    WeighedRecords,
    directories,
    message_weights,
    used_names,
    weigh,
)
from sdd_hooks.review.references.evidence.similarity import Similarity
from sdd_hooks.review.references.ranking import RankedRecord
from sdd_hooks.review.references.words.bm25 import Bm25, inverse_document_frequency
from sdd_hooks.review.references.words.change_words import Rarity, surprise
from sdd_hooks.review.references.words.query import ChangeQuery
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.text.lines import NumberedLine

FORMAT = 4
"""The version of the table. Another one is not read."""
MAX_TEXT = 20_000
"""Characters of a file in which words of a title are looked for."""
MAX_JUDGED, MAX_LIKELY = 3, 2
"""The first records that are judged, and those that can be likely."""
REST = "\0"
"""The key of the count of all words that are left out of a document, which no text has."""


class PreparedRecord(NamedTuple):
    """What a judgement needs of every record.

    `title` has the words of its title. `words` are the numbers of words of its sections;
    `decision`, `mentions` and `messages` those of what it decides, of the lines that mention it and
    of the commits that named it; `names` is how many identifiers it has. `links` are the records
    that it names, `offers` those to hand over when it is the first: itself, or what replaces it.
    `elsewhere` is the share of the repository to which it does not apply, `globs` the patterns of
    what it applies to with their lines.
    """

    path: str
    title: Sequence[str]
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
    """The records to hand over, best first, and the features of the first one or three.

    `likely` are those that probably govern the edit: the first, and at most one beside it.
    """

    ranked: Sequence[RankedRecord]
    similarity: Similarity
    features: Sequence[EditFeatures]
    likely: Sequence[RankedRecord]


class Edit(NamedTuple):
    """What is known before an edit: its title, the texts that its files have now by their paths,
    and the lines that it adds to some of them."""

    title: str
    texts: Mapping[str, str]
    added: Mapping[str, Sequence[NumberedLine]] = {}


class PreparedEvidence:
    """The evidence for an edit.

    `row` looks up a row, `text_of` returns the text of a record by its path, "" for none.
    """

    def __init__(
        self,
        head: PreparedHead,
        row: Lookup,
        text_of: Callable[[str], str],
        edit: Edit,
    ) -> None:
        added = ["\n".join(line.text for line in lines) for lines in edit.added.values()]
        self._texts = [*edit.texts.values(), *added]
        self._records = head.records
        self._head = head
        self._row = row
        self._text_of = text_of
        files = tuple(
            ChangedFile(path, path, "M", added=edit.added.get(path, ())) for path in edit.texts
        )
        self._change = Change("", "", edit.title, "", (), files)
        self._query = ChangeQuery(self._change)

    def judge(self, threshold: float) -> Judgement | None:
        """Rank the records to hand over. Those of a probability from `threshold` on are likely.

        None without a record, and for generated files only.
        """
        if not self._records or not self._query.files:
            return None
        similarity = Similarity(self._query, self._sections())
        weighed = weigh(self._query, similarity, self._facts(similarity))
        # A record that is no longer in force, and that none replaces, must not silence the next.
        ranked = [one for one in weighed.ranked if self._records[one.record_index].offers]
        features: list[EditFeatures] = []
        while len(features) < min(MAX_JUDGED, len(ranked)):
            features.append(self._features(weighed, ranked[len(features) :]))
            if predict_before_edit(features[0]) < threshold:
                break
        judged = zip(ranked, features, strict=False)
        likely = [one for one, its in judged if predict_before_edit(its) >= threshold]
        return Judgement(ranked, similarity, features, likely[:MAX_LIKELY])

    def _features(self, weighed: WeighedRecords, ranked: Sequence[RankedRecord]) -> EditFeatures:
        features = extract_features(self._change, ranked, weighed.scores, weighed.measures)
        return extract_edit_features(features, ranked[0], self._twice(ranked[0].record_index))

    def _twice(self, index: int) -> float:
        """How telling a word of a title is that two of the prompt, the paths and the files with the
        edit have, from 0 to 1: more, the fewer titles and files of code have it."""
        title, paths = {*self._query.title}, {*self._query.words.paths}
        used = {*self._records[index].title} & (title | paths)
        twice = [one for one in used if one in title & paths or self._is_in_text(one)]
        frequency = Counter(word for record in self._records for word in record.title)
        return max((self._telling(one, frequency[one]) for one in twice), default=0.0)

    def _is_in_text(self, word: str) -> bool:
        lines = (line for text in self._texts for line in text[:MAX_TEXT].split("\n"))
        return any(word in split_words(line) for line in lines if word in line.lower())

    def _telling(self, word: str, titles: int) -> float:
        records, files, idf = len(self._records), self._head.code_files, inverse_document_frequency
        code = self._words.get(word, WordRow()).code
        rare_in_code = idf(files, code) / idf(files, 0) if files else 1.0
        return rare_in_code * idf(records, titles) / idf(records, 1)

    def _facts(self, similarity: Similarity) -> Facts:
        """The facts as `context.facts_of` has them, from the rows of the table."""
        query, records = self._query, self._records
        used = used_names(query)
        mentions = [(row.mentions, word) for word, row in self._words.items()]
        messages = [(row.messages, word) for word, row in self._words.items()]
        frequency = {word: row.changes for word, row in self._words.items()}
        rarity = Rarity(self._head.changes, frequency)
        return Facts(
            records=[record.path for record in records],
            files=(),
            titles=[record.title for record in records],
            identifiers=self._by_record("i", used),
            sizes=[record.names for record in records],
            paths=self._by_record("p", query.path_names),
            links=[record.links for record in records],
            reach=self._reach(),
            mentioned=self._mentioned(),
            below=self._below(),
            past={file.path: dict(self._row(f"h:{file.path}") or ()) for file in query.files},
            mention_words=_index(
                mentions, [record.mentions for record in records], similarity.weights
            ),
            message_words=_index(
                messages, [record.messages for record in records], message_weights(query)
            ),
            with_word=self._with_word,
            text_of=lambda index: self._text_of(records[index].path).lower(),
            rarity=rarity,
            surprise=self._surprise(rarity),
        )

    @cached_property
    def _words(self) -> Mapping[str, WordRow]:
        """The rows of the words of the query and of its phrases."""
        phrases = self._query.title_phrases
        words = {*self._query.words.distinct(), *(first for first, _ in phrases)}
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

    def _with_word(self, word: str) -> list[int]:
        row = self._words.get(word, WordRow())
        return sorted({*(record for record, _, _ in row.sections), *row.short})

    def _by_record(self, kind: str, keys: Iterable[str]) -> list[set[str]]:
        """The keys of a kind of row that each record has."""
        found: list[set[str]] = [set() for _ in self._records]
        for key in keys:
            for record in self._row(f"{kind}:{key}") or ():
                found[record].add(key)
        return found

    def _mentioned(self) -> Mapping[str, Sequence[Collection[int]]]:
        rows = ((file.path, self._row(f"f:{file.path}")) for file in self._query.files)
        return {path: row for path, row in rows if row is not None}

    def _below(self) -> Mapping[str, Neighbourhood]:
        around = {one for file in self._query.files for one in directories(file.path)}
        rows = ((path, self._row(f"d:{path}")) for path in around)
        return {path: Neighbourhood(row[0], dict(row[1])) for path, row in rows if row}

    def _reach(self) -> list[float]:
        from sdd_hooks.text.globs import compile_path_pattern

        scores = []
        for record in self._records:
            patterns = [compile_path_pattern(text) for text, _ in record.globs]
            reached = sum(
                any(matches(file.path) for matches in patterns) for file in self._query.files
            )
            scores.append(reached * self._query.share * record.elsewhere)
        return scores

    def _surprise(self, rarity: Rarity) -> list[float]:
        sizes = [record.decision for record in self._records]
        words = [(row.decision, word) for word, row in self._words.items()]
        index = _index(words, sizes, self._query.words.distinct())
        return surprise(self._head.fits, index, self._query.words, rarity, len(sizes))


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
