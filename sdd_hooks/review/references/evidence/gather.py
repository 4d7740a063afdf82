"""Gather the evidence that a record governs a change, from everything that a review reads."""

# Governing: ADR-0066 (what a record names it governs), SPEC-0010 REQ "Suggestions", ADR-0020 (a
# decision is found by equal votes of evidence), SPEC-0010 REQ "Finding the
# decision"

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.artifacts.named_code import CodePaths, NamedCode, read_named_code
from sdd_hooks.project.collections import all_pathspecs
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.evidence.applies import RecordReach, find_reach
from sdd_hooks.review.references.evidence.commits import find_citing_commits, find_touching_commits
from sdd_hooks.review.references.evidence.context import RepositoryContext, facts_of
from sdd_hooks.review.references.evidence.kinds import WeighedRecords, weigh
from sdd_hooks.review.references.evidence.mentions import RecordNames, read_file_mentions
from sdd_hooks.review.references.evidence.past_changes import Background, read_past_changes
from sdd_hooks.review.references.evidence.records import (
    DecisionRecord,
    read_external,
    read_records,
    without_copies,
)
from sdd_hooks.review.references.evidence.similarity import Similarity, section_words
from sdd_hooks.review.references.ranking import RankedRecord
from sdd_hooks.review.references.words.query import ChangeQuery
from sdd_hooks.review.subject import Subject
from sdd_hooks.system.git import Git


@dataclass(frozen=True)
class GatheredEvidence:
    """The evidence of a review: its sources, and what they weigh. `reach` is one for each record of
    the context, `file_rules` are the rules about changed files by the index of their record."""

    query: ChangeQuery
    context: RepositoryContext
    similarity: Similarity
    reach: Sequence[RecordReach]
    weighed: WeighedRecords
    file_rules: Mapping[int, NamedCode] = field(default_factory=dict)

    @property
    def ranked(self) -> Sequence[RankedRecord]:
        """The records, best first."""
        return self.weighed.ranked

    def record(self, ranked: RankedRecord) -> DecisionRecord:
        """A ranked record."""
        return self.context.records[ranked.record_index]

    def path(self, ranked: RankedRecord) -> str:
        """The path of a ranked record."""
        return self.record(ranked).artifact.path


MAX_COMMITS = 100
"""Commits among which those that touch a file are counted, newest first, without merges."""
USUAL_SHARE = 0.15
"""The share of these commits from which a change of a file is usual: a rule says nothing of it."""
MIN_COMMITS = 20
"""Commits from which it is known what is usual."""


def gather_evidence(repository: Repository, subject: Subject) -> GatheredEvidence:
    """Gather the evidence for every record, and rank the records. Raises GitError."""
    query = ChangeQuery(subject.change)
    gathered = _weigh(query, _read_context(repository, subject), repository)
    rules = find_file_rules(query, gathered.context, repository.git, subject.change.base)
    return replace(gathered, file_rules=rules)


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
    reach = find_reach(query, context.records, context.paths)
    background = Background(context.past, query, context.records, repository)
    scores = [one.score for one in reach]
    facts = facts_of(context, query, similarity.weights, scores, background)
    return GatheredEvidence(query, context, similarity, reach, weigh(query, similarity, facts))


def _read_context(repository: Repository, subject: Subject) -> RepositoryContext:
    base = subject.change.base
    paths_before = [file.before or file.path for file in subject.change.files]

    def is_wanted(path: str) -> bool:
        return not subject.is_artifact(path)

    # The git processes run while the artifacts are parsed.
    with ThreadPoolExecutor(5) as pool:
        origins = subject.origins
        names = pool.submit(lambda: RecordNames(subject.corpus.artifacts, subject.names))

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


def find_file_rules(
    query: ChangeQuery, context: RepositoryContext, git: Git, base: str
) -> Mapping[int, NamedCode]:
    """Find the records in force with a rule that names a changed file, each by its index.

    A file that most changes touch, such as a manifest, has none. Raises GitError.
    """
    files = {file.path for file in query.files}
    names = {path.rpartition("/")[2].lower() for path in files}
    rules: dict[int, NamedCode] = {}
    paths: CodePaths | None = None
    for index, record in enumerate(context.records):
        content = record.content
        is_likely = content.identifiers & names or content.paths & query.path_names.keys()
        if not is_likely or not record.artifact.status.authoritative:
            continue
        paths = paths or CodePaths((*context.paths, *files))
        for named in read_named_code(record.artifact, record.text, paths):
            if named.is_rule and named.path in files:
                rules[index] = named
                break
    if not rules:
        return rules
    usual = _usual_files(git, base)
    return {index: named for index, named in rules.items() if named.path not in usual}


def _usual_files(git: Git, base: str) -> frozenset[str]:
    """The files that many of the latest commits up to `base` touch."""
    options = ("--no-merges", "--no-renames", f"-n{MAX_COMMITS}", "--format=%x01", "--name-only")
    listed = git.output("-c", "core.quotePath=false", "log", "-z", *options, base, "--")
    commits = listed.decode("utf-8", "replace").split("\1")[1:]
    if len(commits) < MIN_COMMITS:
        return frozenset()
    counts = Counter(path.strip("\n") for one in commits for path in {*one.split("\0")})
    usual = (path for path, count in counts.most_common() if count > USUAL_SHARE * len(commits))
    return frozenset(islice(usual, MAX_COMMITS))
