"""Find the decision records that govern a change, and those it should name and does not."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence), SPEC-0010 REQ "Finding the
# decision"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from sdd_hooks.changes.change import Change
from sdd_hooks.project.collections import all_pathspecs
from sdd_hooks.project.repository import Repository
from sdd_hooks.reporting.outcome import Candidate, References
from sdd_hooks.review.references.already_cited import named_ids, silence
from sdd_hooks.review.references.confidence import THRESHOLD, facts, probability
from sdd_hooks.review.references.eligibility import Standing
from sdd_hooks.review.references.evidence import Numbers, gather
from sdd_hooks.review.references.explain import Explanation
from sdd_hooks.review.references.file_mentions import mentions_in
from sdd_hooks.review.references.history import naming_commits, touching_commits
from sdd_hooks.review.references.known_records import records_of
from sdd_hooks.review.references.query import Query
from sdd_hooks.review.references.ranking import Ranked, rank
from sdd_hooks.review.references.signals import Known
from sdd_hooks.review.references.similarity import Likeness
from sdd_hooks.review.subject import Subject

EXPLAINED = 20
"""Records whose evidence is put into words: what a judge may choose from."""
FOLDED = 2
"""Records that are shown to who asks for more than the suggestion."""


@dataclass(frozen=True)
class Found:
    """The evidence of a review, before anything is made of it. `ranked` is best first."""

    query: Query
    known: Known
    likeness: Likeness
    evidence: Mapping[str, Numbers]
    ranked: Sequence[Ranked]

    def path(self, ranked: Ranked) -> str:
        """The path of a record."""
        return self.known.records[ranked.place].artifact.path


def find_references(repository: Repository, subject: Subject, most: int) -> References:
    """The decision records of the head that may govern the change, and up to `most` to ask about.

    What is asked about still counts, and is not named by the change. Raises GitError.
    """
    if not any(collection.kind == "adrs" for collection in subject.collections):
        return References()
    found = gather_evidence(repository, subject)
    if not found.ranked:
        return References()
    changed = {file.path for file in subject.change.files}
    standing = Standing(subject.corpus, named_ids(subject), changed)
    silenced = silence(subject.change)
    asked = [] if silenced else _to_ask_about(found, subject.change, standing)
    shown, folded = asked[:most], asked[most : most + FOLDED]
    tell = Explanation(found.query, found.known, found.likeness, found.ranked[:EXPLAINED])
    worded = {found.path(one) for one in found.ranked[:EXPLAINED]} | {*shown, *folded}
    candidates = {
        path: _candidate(one, found, standing, tell if path in worded else None, path in shown)
        for one in found.ranked
        for path in [found.path(one)]
    }
    return References(
        tuple(candidates.values()), tuple(candidates[path] for path in folded), silenced
    )


def _to_ask_about(found: Found, change: Change, standing: Standing) -> list[str]:
    """The paths of records to ask about, best first; none where the first is named or unlikely,
    and none about formatting."""
    if not found.query.files:
        return []
    first, *others = (found.known.records[one.place].artifact for one in found.ranked[:EXPLAINED])
    likely = probability(facts(change, found.ranked, found.evidence)) >= THRESHOLD
    asked = [] if standing.is_named(first) or not likely else standing.to_ask_about(first)
    if not asked:
        return []
    following = (path for one in others for path in standing.to_ask_about(one))
    return list(dict.fromkeys((*asked, *following)))


def gather_evidence(repository: Repository, subject: Subject) -> Found:
    """Everything that speaks for a record, and the records in the order that follows from it."""
    known = _known(repository, subject)
    query = Query(subject.change)
    likeness = Likeness(query, known.records)
    evidence = gather(query, known, likeness)
    links = [sorted(known.named_by(place)) for place in range(len(known.records))]
    paths = [record.artifact.path for record in known.records]
    return Found(query, known, likeness, evidence, rank(evidence, links, paths))


def _candidate(
    ranked: Ranked, found: Found, standing: Standing, tell: Explanation | None, suggested: bool
) -> Candidate:
    """A record as it is reported; without words where there is no `tell`."""
    artifact = found.known.records[ranked.place].artifact
    candidate = Candidate(
        artifact.path,
        str(artifact.id or ""),
        artifact.title,
        round(ranked.score, 4),
        suggested,
        standing.is_named(artifact),
    )
    passage = tell.passage(ranked.place) if tell else None
    if tell is None or passage is None:
        return candidate
    section, quote = passage
    return candidate._replace(
        evidence=tell.evidence(ranked),
        section=section.title,
        quote=quote.text if quote else "",
        line=quote.line if quote else section.first_line,
    )


def _known(repository: Repository, subject: Subject) -> Known:
    base = subject.change.base

    def wanted(path: str) -> bool:
        return not subject.is_artifact(path)

    touched = [file.before or file.path for file in subject.change.files]
    # git works while the artifacts are read.
    with ThreadPoolExecutor(3) as pool:
        naming = pool.submit(naming_commits, repository, base)
        touching = pool.submit(touching_commits, repository, base, touched)
        mentions = pool.submit(mentions_in, repository, base, wanted)
        corpus = subject.corpus
        adrs = (artifact for artifact in corpus.artifacts if artifact.kind == "ADR")
        records = records_of(repository, subject.after, adrs, all_pathspecs(subject.collections))
        specs = [artifact for artifact in corpus.artifacts if artifact.kind == "SPEC"]
        paths = [blob.path for blob in subject.before.blobs()]
        return Known(paths, records, specs, mentions.result(), naming.result(), touching.result())
