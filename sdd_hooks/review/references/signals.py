"""Evidence from names: in records, in the code around the change, and in earlier commits.

Each function returns one number for each record, in order; 0 means no evidence.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.review.references.bm25 import Bm25
from sdd_hooks.review.references.file_mentions import FileMentions
from sdd_hooks.review.references.history import PastCommit
from sdd_hooks.review.references.past_changes import PastChange
from sdd_hooks.review.references.query import ChangeQuery
from sdd_hooks.review.references.records import DecisionRecord
from sdd_hooks.review.references.words import split_words

MAX_WORDS_OF_MENTIONS = 3_000
"""Words of the lines and paths that mention a record."""
MAX_WORDS_OF_MESSAGE = 200
"""Words of one commit message."""
NEAREST_WEIGHT = 0.5
"""The weight of a mention in the same directory; each directory further up has half of it."""
MIN_WEIGHT = 0.1
"""The weight below which directories further up are ignored."""


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
    def message_words(self) -> Sequence[Sequence[str]]:
        """The words of the message of each citing commit."""
        return [split_words(commit.message) for commit in self.citing]

    def find_records(self, ids: Iterable[ArtifactId]) -> set[int]:
        """Find the indexes of the records that these ids name."""
        return {index for id in ids for index in self.by_id.get(id, ())}

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
    records = context.records
    frequency = Counter(name for record in records for name in record.content.identifiers)
    used = {*query.identifiers, *query.title}
    for file in query.files:
        for part in file.path.lower().split("/"):
            used |= {part, PurePosixPath(part).stem}
    return [
        sum(
            math.log(1 + len(records) / frequency[name])
            for name in sorted(record.content.identifiers & used)
        )
        / (1 + math.log1p(len(record.content.identifiers)))
        for record in records
    ]


def score_paths(query: ChangeQuery, context: RepositoryContext) -> list[float]:
    """Score the share of the change at paths that a record names. Deeper paths count more."""
    return [
        sum(
            query.share * query.path_names[path] * (1 + path.count("/"))
            for path in sorted(record.content.paths)
        )
        for record in context.records
    ]


def score_comments(query: ChangeQuery, context: RepositoryContext) -> list[float]:
    """Score the mentions in the changed files."""
    scores = [0.0] * len(context.records)
    for file in query.files:
        mentions = context.mentions.get(file.before or file.path, ())
        counts = Counter(
            index for mention in mentions for index in context.find_records(mention.ids)
        )
        for index, count in counts.items():
            scores[index] += query.share * (1 + math.log(count))
    return scores


def score_neighbours(query: ChangeQuery, context: RepositoryContext) -> list[float]:
    """Score the mentions in other files of the same directory, and of the directories above."""
    in_file: dict[str, set[int]] = {}
    below: dict[str, Counter[int]] = defaultdict(Counter)
    file_counts: Counter[str] = Counter()
    for path, mentions in context.mentions.items():
        in_file[path] = context.find_records(id for mention in mentions for id in mention.ids)
        for directory in _directories(path):
            below[directory].update(in_file[path])
            file_counts[directory] += 1
    scores = [0.0] * len(context.records)
    for file in query.files:
        weight = NEAREST_WEIGHT
        for directory in _directories(file.path):
            others = file_counts[directory] - (file.path in in_file)
            for index, count in below.get(directory, Counter()).items():
                in_others = count - (index in in_file.get(file.path, ()))
                scores[index] += query.share * weight * in_others / (others + 2)
            weight /= 2
            if weight < MIN_WEIGHT:
                break
    return scores


def score_mention_words(weights: Mapping[str, float], context: RepositoryContext) -> list[float]:
    """Score the similarity to the lines that mention a record and to the paths of their files.

    `weights` are those of the main query of `Similarity`.
    """
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
    return Bm25(documents, weights.keys()).scores(weights)


def score_history(query: ChangeQuery, context: RepositoryContext) -> list[float]:
    """Score the records that earlier commits to the same files named. The latest count most."""
    scores = [0.0] * len(context.records)
    seen: Counter[str] = Counter()
    for commit in context.touching:
        indexes = context.find_records(commit.ids)
        for path in commit.files:
            for index in indexes:
                scores[index] += query.share / math.sqrt(1 + seen[path])
            seen[path] += 1
    return scores


def score_messages(query: ChangeQuery, context: RepositoryContext) -> list[float]:
    """Score the similarity of title and paths to the messages of commits that named a record."""
    documents: list[Counter[str]] = [Counter() for _ in context.records]
    for commit, words in zip(context.citing, context.message_words, strict=True):
        for index in context.find_records(commit.ids):
            documents[index].update(words[:MAX_WORDS_OF_MESSAGE])
    weights = query.title + Counter(query.words.paths)
    return Bm25(documents, weights.keys()).scores(weights)


def _directories(path: str) -> list[str]:
    """The directories above a path, innermost first, without the root."""
    return [str(parent) for parent in PurePosixPath(path).parents][:-1]
