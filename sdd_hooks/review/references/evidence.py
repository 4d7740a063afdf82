"""The evidence that a record governs a change: kinds that each give every record a number.

Kinds have different units and are compared only after the ranking has normalized them.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence), SPEC-0010 REQ "Finding the
# decision"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.project.collections import all_pathspecs
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references import signals
from sdd_hooks.review.references.applies import RecordReach, find_reach
from sdd_hooks.review.references.background import Background
from sdd_hooks.review.references.confidence import Measures
from sdd_hooks.review.references.copies import without_copies
from sdd_hooks.review.references.file_mentions import read_file_mentions
from sdd_hooks.review.references.history import find_citing_commits
from sdd_hooks.review.references.past_changes import read_past_changes
from sdd_hooks.review.references.phrases import score_phrases
from sdd_hooks.review.references.query import ChangeQuery
from sdd_hooks.review.references.ranking import APPLIES, RankedRecord, Scores, rank_records
from sdd_hooks.review.references.record_names import RecordNames
from sdd_hooks.review.references.records import DecisionRecord, read_external, read_records
from sdd_hooks.review.references.signals import RepositoryContext
from sdd_hooks.review.references.similarity import Similarity, section_words
from sdd_hooks.review.references.touching import find_touching_commits
from sdd_hooks.review.subject import Subject

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

`applies` is a kind only where a record says that it applies to the change.
"""


@dataclass(frozen=True)
class GatheredEvidence:
    """The evidence of a review: its sources, the scores of each kind, and the records, best first.

    Scores have one number for each of `context.records`, and so has `reach`. `measures` are those
    that do not rank: how well each record fits what sets the change apart from past ones.
    """

    query: ChangeQuery
    context: RepositoryContext
    similarity: Similarity
    scores: Mapping[str, Scores]
    measures: Measures
    reach: Sequence[RecordReach]
    ranked: Sequence[RankedRecord]

    def path(self, ranked: RankedRecord) -> str:
        """The path of a record."""
        return self.context.records[ranked.record_index].artifact.path


def gather_evidence(repository: Repository, subject: Subject) -> GatheredEvidence:
    """Gather the evidence for every record, and rank the records. Raises GitError."""
    return _weigh(ChangeQuery(subject.change), _read_context(repository, subject), repository)


def gather_beside(
    gathered: GatheredEvidence, records: Sequence[DecisionRecord]
) -> GatheredEvidence:
    """Gather the evidence for these records, too, beside those of a review. Stores nothing."""
    context = replace(gathered.context, records=[*gathered.context.records, *records])
    return _weigh(gathered.query, context, None)


def _weigh(
    query: ChangeQuery, context: RepositoryContext, repository: Repository | None
) -> GatheredEvidence:
    """The evidence for the records of a context. With `repository`, figures are cached there."""
    similarity = Similarity(query, section_words(context.records))
    scores = {**_score(query, context, similarity)}
    reach = find_reach(query, context.records, context.paths)
    if any(one.score for one in reach):
        scores[APPLIES] = [one.score for one in reach]
    links = [sorted(context.find_linked(index)) for index in range(len(context.records))]
    paths = [record.artifact.path for record in context.records]
    ranked = rank_records(scores, links, paths)
    background = Background(context.past, query, context.records, repository)
    measures = Measures(similarity.by_rare_words(background.rarity), background.surprise())
    return GatheredEvidence(query, context, similarity, scores, measures, reach, ranked)


def _score(
    query: ChangeQuery, context: RepositoryContext, similarity: Similarity
) -> Mapping[str, Scores]:
    """The scores of every kind but `links`."""
    return {
        "sections": similarity.by_sections(),
        "terms": similarity.by_terms(context.paths),
        "files": similarity.by_files(),
        "title": similarity.by_title(),
        "phrases": score_phrases(query, context.records),
        "prose": similarity.by_prose(),
        "identifiers": signals.score_identifiers(query, context),
        "paths": signals.score_paths(query, context),
        "comments": signals.score_comments(query, context),
        "neighbours": signals.score_neighbours(query, context),
        "governed": signals.score_mention_words(similarity.weights, context),
        "history": signals.score_history(query, context),
        "messages": signals.score_messages(query, context),
    }


def _read_context(repository: Repository, subject: Subject) -> RepositoryContext:
    base = subject.change.base
    paths_before = [file.before or file.path for file in subject.change.files]

    def is_wanted(path: str) -> bool:
        return not subject.is_artifact(path)

    # The git processes run while the artifacts are parsed.
    with ThreadPoolExecutor(5) as pool:
        origins = subject.origins
        names = pool.submit(lambda: RecordNames(subject.corpus.artifacts, origins))

        def find_ids(text: str) -> Sequence[ArtifactId]:
            return names.result().find(text)

        citing = pool.submit(find_citing_commits, repository, base, find_ids)
        touching = pool.submit(find_touching_commits, repository, base, paths_before, find_ids)
        mentions = pool.submit(read_file_mentions, repository, base, is_wanted, find_ids)
        past = pool.submit(read_past_changes, repository, base, is_wanted)
        # Two threads would read the artifacts twice.
        names.result()
        corpus = subject.corpus
        adrs = (artifact for artifact in corpus.artifacts if artifact.kind == "ADR")
        pathspecs = all_pathspecs(subject.collections)
        records = read_records(repository, subject.after, adrs, pathspecs, origins)
        records = without_copies(records) + read_external(repository, subject.external)
        specs = [artifact for artifact in corpus.artifacts if artifact.kind == "SPEC"]
        paths = [blob.path for blob in subject.before.blobs()]
        return RepositoryContext(
            paths,
            records,
            specs,
            mentions.result(),
            citing.result(),
            touching.result(),
            past.result(),
        )
