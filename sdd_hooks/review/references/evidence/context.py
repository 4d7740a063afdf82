"""What the repository says of its records apart from the change: the facts that kinds read."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.review.references.evidence.commits import PastCommit
from sdd_hooks.review.references.evidence.kinds import (
    Facts,
    Neighbourhood,
    directories,
    message_weights,
    used_names,
)
from sdd_hooks.review.references.evidence.mentions import FileMentions
from sdd_hooks.review.references.evidence.past_changes import Background, PastChange
from sdd_hooks.review.references.evidence.records import DecisionRecord
from sdd_hooks.review.references.words.bm25 import Bm25
from sdd_hooks.review.references.words.query import ChangeQuery
from sdd_hooks.review.references.words.splitting import split_words

MAX_WORDS_OF_MENTIONS = 3_000
"""Words of the lines and paths that mention a record."""
MAX_WORDS_OF_MESSAGE = 200
"""Words of one commit message."""
MAX_NAMED = 10
"""Records that a commit names. One that names more adds or lists records, and says nothing."""


@dataclass(frozen=True)
class RepositoryContext:
    """What the repository contains apart from the change.

    `paths` are those of its files and `mentions` the lines that mention records, both at the base.
    `citing` are the commits that name a record, `touching` those that touched a changed file, both
    newest first. `past` are the latest changes, whatever they touched.
    """

    paths: Sequence[str]
    records: Sequence[DecisionRecord]
    specs: Sequence[Artifact]
    mentions: FileMentions
    citing: Sequence[PastCommit]
    touching: Sequence[PastCommit]
    past: Sequence[PastChange] = ()

    @cached_property
    def by_id(self) -> Mapping[ArtifactId, Sequence[int]]:
        """The indexes of the records of each id; for a spec, those of the records in its edges.

        An id without a module means the record of the root, or that of any module when the root
        has none.
        """
        indexes_of: dict[ArtifactId, list[int]] = defaultdict(list)
        for index, record in enumerate(self.records):
            indexes_of[record.artifact.id].append(index)
        for id, indexes in list(indexes_of.items()):
            bare = id._replace(module="")
            if id.module and bare not in indexes_of:
                indexes_of[bare] += indexes
        for spec in self.specs:
            targets = {edge.target for edge in spec.edges if edge.target.kind == "ADR"}
            indexes_of[spec.id] += [
                index for id in sorted(targets) for index in indexes_of.get(id, ())
            ]
        return indexes_of

    @cached_property
    def mentioned(self) -> Mapping[str, Sequence[Set[int]]]:
        """The indexes of the records that each mention of a file names."""
        return {
            path: [self.find_records(mention.ids) for mention in mentions]
            for path, mentions in self.mentions.items()
        }

    @cached_property
    def message_words(self) -> Sequence[Sequence[str]]:
        """The words of the message of each citing commit."""
        return [split_words(commit.message) for commit in self.citing]

    def find_records(self, ids: Iterable[ArtifactId]) -> set[int]:
        """Find the indexes of the records that these ids name."""
        return {index for id in ids for index in self.by_id.get(id, ())}

    def find_named(self, commit: PastCommit) -> set[int]:
        """Find the indexes of the records that a commit names; none for more than MAX_NAMED."""
        indexes = self.find_records(commit.ids)
        return indexes if len(indexes) <= MAX_NAMED else set()

    def find_linked(self, index: int) -> set[int]:
        """Find the indexes of the other records that a record names.

        An id without a module means a record of the same module.
        """
        record = self.records[index]
        module = record.artifact.module
        ids = (id if id.module else id._replace(module=module) for id in record.content.ids)
        return self.find_records(ids) - {index}

    def find_with_word(self, word: str) -> list[int]:
        """Find the indexes of the records that have a word."""
        # The words of a record are known before its text is searched.
        return [
            index
            for index, record in enumerate(self.records)
            if any(word in section for section in record.content.counts)
        ]


def facts_of(
    context: RepositoryContext,
    query: ChangeQuery,
    words: Mapping[str, float],
    reach: Sequence[float],
    background: Background,
) -> Facts:
    """The facts about the records for one change.

    `words` are those of the main query of `Similarity`, `reach` is how much of the change each
    record says that it applies to.
    """
    records = context.records
    used = used_names(query)
    messages = message_weights(query)
    return Facts(
        records=[record.artifact.path for record in records],
        files=context.paths,
        titles=[record.title_words for record in records],
        identifiers=[record.content.identifiers & used for record in records],
        sizes=[len(record.content.identifiers) for record in records],
        paths=[record.content.paths for record in records],
        links=[sorted(context.find_linked(index)) for index in range(len(records))],
        reach=reach,
        mentioned=context.mentioned,
        below=find_neighbourhoods(context),
        past=score_past(context),
        mention_words=Bm25(count_mention_words(context), words.keys()),
        message_words=Bm25(count_message_words(context), messages.keys()),
        with_word=context.find_with_word,
        text_of=lambda index: records[index].text_lower,
        rarity=background.rarity,
        surprise=background.surprise(),
    )


def find_neighbourhoods(context: RepositoryContext) -> Mapping[str, Neighbourhood]:
    """Find which records the files below each directory mention."""
    below: dict[str, Counter[int]] = defaultdict(Counter)
    files: Counter[str] = Counter()
    for path, mentions in context.mentioned.items():
        in_file = {index for indexes in mentions for index in indexes}
        for directory in directories(path):
            below[directory].update(in_file)
            files[directory] += 1
    return {path: Neighbourhood(count, below[path]) for path, count in files.items()}


def count_mention_words(context: RepositoryContext) -> list[Counter[str]]:
    """Count, for each record, the words of the lines that mention it and of their paths."""
    documents: list[Counter[str]] = [Counter() for _ in context.records]
    sizes = [0] * len(documents)
    for path, mentions in context.mentions.items():
        path_words = split_words(path)
        for mention in mentions:
            indexes = [
                index
                for index in context.find_records(mention.ids)
                if sizes[index] < MAX_WORDS_OF_MENTIONS
            ]
            words = [*split_words(mention.text), *path_words] if indexes else []
            for index in indexes:
                sizes[index] += len(words)
                documents[index].update(words)
    return documents


def score_past(context: RepositoryContext) -> Mapping[str, Mapping[int, float]]:
    """Score the records that the commits to each file named, by the path and the index.

    The records that a commit names share its vote.
    """
    scores: dict[str, dict[int, float]] = defaultdict(dict)
    seen: Counter[str] = Counter()
    for commit in context.touching:
        indexes = context.find_named(commit)
        for path in commit.files:
            for index in indexes:
                vote = 1 / len(indexes) / math.sqrt(1 + seen[path])
                scores[path][index] = scores[path].get(index, 0.0) + vote
            seen[path] += 1
    return scores


def count_message_words(context: RepositoryContext) -> list[Counter[str]]:
    """Count, for each record, the words of the messages of the commits that named it."""
    documents: list[Counter[str]] = [Counter() for _ in context.records]
    for commit, words in zip(context.citing, context.message_words, strict=True):
        for index in context.find_named(commit):
            documents[index].update(words[:MAX_WORDS_OF_MESSAGE])
    return documents
