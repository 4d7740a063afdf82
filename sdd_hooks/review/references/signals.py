"""Evidence from names: in records, in the code around the change, and in earlier commits.

Each function returns one number for each record, in order; 0 means no evidence.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.review.references.bm25 import Bm25
from sdd_hooks.review.references.file_mentions import FileMentions
from sdd_hooks.review.references.history import PastCommit
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
from sdd_hooks.review.references.past_changes import PastChange
from sdd_hooks.review.references.query import ChangeQuery
from sdd_hooks.review.references.records import DecisionRecord
from sdd_hooks.review.references.words import split_words

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
            if record.artifact.id:
                indexes_of[record.artifact.id].append(index)
        for id, indexes in list(indexes_of.items()):
            bare = id._replace(module="")
            if id.module and bare not in indexes_of:
                indexes_of[bare] += indexes
        for spec in self.specs:
            if spec.id:
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


def score_identifiers(query: ChangeQuery, context: RepositoryContext) -> list[float]:
    """Score the identifiers that a record names and the change uses. Rare ones count more."""
    identifiers = [record.content.identifiers for record in context.records]
    used = used_names(query)
    frequency = Counter(name for names in identifiers for name in names)
    return identifier_scores(
        [names & used for names in identifiers], list(map(len, identifiers)), frequency
    )


def score_paths(query: ChangeQuery, context: RepositoryContext) -> list[float]:
    """Score the share of the change at paths that a record names. Deeper paths count more."""
    return path_scores(query, [record.content.paths for record in context.records])


def score_comments(query: ChangeQuery, context: RepositoryContext) -> list[float]:
    """Score the mentions in the changed files."""
    return comment_scores(query, context.mentioned, len(context.records))


def score_neighbours(query: ChangeQuery, context: RepositoryContext) -> list[float]:
    """Score the mentions in other files of the same directory, and of the directories above."""
    below = find_neighbourhoods(context)
    return neighbour_scores(query, context.mentioned, below, len(context.records))


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


def score_mention_words(weights: Mapping[str, float], context: RepositoryContext) -> list[float]:
    """Score the similarity to the lines that mention a record and to the paths of their files.

    `weights` are those of the main query of `Similarity`.
    """
    return Bm25(count_mention_words(context), weights.keys()).scores(weights)


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


def score_history(query: ChangeQuery, context: RepositoryContext) -> list[float]:
    """Score the records that earlier commits to the same files named. The latest count most."""
    scores = [0.0] * len(context.records)
    for of_file in score_past(context).values():
        for index, score in of_file.items():
            scores[index] += query.share * score
    return scores


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


def score_messages(query: ChangeQuery, context: RepositoryContext) -> list[float]:
    """Score the similarity of title and paths to the messages of commits that named a record."""
    weights = message_weights(query)
    return Bm25(count_message_words(context), weights.keys()).scores(weights)


def count_message_words(context: RepositoryContext) -> list[Counter[str]]:
    """Count, for each record, the words of the messages of the commits that named it."""
    documents: list[Counter[str]] = [Counter() for _ in context.records]
    for commit, words in zip(context.citing, context.message_words, strict=True):
        for index in context.find_named(commit):
            documents[index].update(words[:MAX_WORDS_OF_MESSAGE])
    return documents
