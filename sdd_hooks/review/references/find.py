"""Find the decision records that govern a change, and those that it should cite and does not."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence), ADR-0064 (a review shows
# records of repositories that its base names), SPEC-0010 REQ "Finding the decision"

from __future__ import annotations

from collections.abc import Iterator, Set

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.changes.change import Change
from sdd_hooks.external.records import ExternalRecords
from sdd_hooks.project.repository import Repository
from sdd_hooks.reporting.outcome import Candidate, References
from sdd_hooks.review.references.code_words import CodeWords, read_code_words
from sdd_hooks.review.references.confidence import (
    THRESHOLD,
    extract_features,
    predict_probability,
)
from sdd_hooks.review.references.eligibility import (
    Eligibility,
    find_cited_ids,
    find_silencing_trailer,
)
from sdd_hooks.review.references.evidence import (
    GatheredEvidence,
    gather_beside,
    gather_evidence,
)
from sdd_hooks.review.references.explain import Explainer
from sdd_hooks.review.references.organisation import (
    SearchElsewhere,
    describe_change,
    distinct_records,
)
from sdd_hooks.review.references.ranking import RankedRecord
from sdd_hooks.review.subject import Subject

MAX_EXPLAINED = 20
"""Records with an explanation: the ones that a judge can choose from."""
MAX_FOLDED = 2
"""Records after the suggested ones that a report shows folded."""


def find_references(
    repository: Repository,
    subject: Subject,
    max_suggestions: int,
    search_elsewhere: SearchElsewhere | None = None,
) -> References:
    """Rank the decision records of the head, and suggest up to `max_suggestions` of them.

    A suggested record is in force, and the change does not cite it. Where the change cites no
    record and none of these is suggested, `search_elsewhere` finds records of other repositories,
    of which one may be suggested. Raises GitError.
    """
    has_records = any(collection.kind == "adrs" for collection in subject.collections)
    if not has_records and not subject.external.sources and search_elsewhere is None:
        return References()
    gathered = gather_evidence(repository, subject)
    if not gathered.ranked and search_elsewhere is None:
        return References()
    changed = {file.path for file in subject.change.files}
    cited = find_cited_ids(subject) | _ids_of_changed_copies(gathered, subject, changed)
    eligibility = Eligibility(subject.citable, cited, changed)
    trailer = find_silencing_trailer(subject.change)
    paths = [] if trailer else _select(gathered, subject.change, eligibility)
    suggested = paths[:max_suggestions]
    folded = paths[max_suggestions : max_suggestions + MAX_FOLDED]
    top = gathered.ranked[:MAX_EXPLAINED]
    code = read_code_words(repository, subject.before)
    explainer = Explainer(gathered, top, code, subject.text)
    if suggested and not explainer.explain(gathered.ranked[0]):
        # A question that cannot say why is not believed.
        suggested, folded = [], []
    explained = {gathered.path(ranked) for ranked in top} | {*suggested, *folded}
    candidates: dict[str, Candidate] = {}
    governing: list[Candidate] = []
    for ranked in gathered.ranked:
        path = gathered.path(ranked)
        artifact = gathered.context.records[ranked.record_index].artifact
        candidate = Candidate(
            path,
            str(artifact.id or ""),
            artifact.title,
            round(ranked.score, 4),
            path in suggested,
            eligibility.is_cited(artifact),
        )
        if path in explained:
            candidate = _explain(candidate, ranked, explainer)
        candidates[path] = _with_origin(candidate, subject.external)
        if candidate.referenced and path not in changed and artifact.status.authoritative:
            governing.append(candidates[path])
    references = References(
        ranked=tuple(candidates.values()),
        folded=tuple(candidates[path] for path in folded),
        silenced=trailer,
        governing=tuple(governing),
    )
    is_open = not (suggested or trailer or cited) and max_suggestions and gathered.query.code
    if search_elsewhere is None or not is_open:
        return references
    return _add_elsewhere(references, gathered, subject, code, search_elsewhere)


def _add_elsewhere(
    references: References,
    gathered: GatheredEvidence,
    subject: Subject,
    code: CodeWords,
    search_elsewhere: SearchElsewhere,
) -> References:
    """The references with records of other repositories, which change nothing about the others.

    One is suggested if it is the first of all, under the conditions for any other record.
    """
    found = search_elsewhere(describe_change(gathered.query, code))
    own = gathered.context.records
    records = distinct_records(found.records, own)
    if not records:
        return references._replace(notes=found.notes)
    beside = gather_beside(gathered, records)
    corpus = Corpus((*subject.citable.artifacts, *(one.artifact for one in records)))
    eligibility = Eligibility(corpus, frozenset(), subject.changed_paths)
    paths = {one.artifact.path for one in records}
    asked = ""
    if beside.path(beside.ranked[0]) in paths:
        offered = _select(beside, subject.change, eligibility)
        asked = next((path for path in offered if path in paths), "")
    added = list(_candidates_elsewhere(beside, len(own), asked, code, subject))
    ages = {one.origin for one in added if one.suggested}
    return references._replace(
        ranked=tuple(sorted((*references.ranked, *added), key=lambda one: not one.suggested)),
        notes=(*found.notes, *(line for name, line in found.ages.items() if name in ages)),
    )


def _candidates_elsewhere(
    beside: GatheredEvidence, own: int, asked: str, code: CodeWords, subject: Subject
) -> Iterator[Candidate]:
    """The records behind the first `own` ones as candidates, best first; `asked` is suggested."""
    top = [one for one in beside.ranked if one.record_index >= own]
    explainer = Explainer(beside, top, code, subject.text)
    for ranked in top:
        artifact = beside.context.records[ranked.record_index].artifact
        path = artifact.path
        id = str(artifact.id or "")
        score = round(ranked.score, 4)
        candidate = Candidate(path, id, artifact.title, score, path == asked)
        if candidate.suggested:
            candidate = _explain(candidate, ranked, explainer)
        # The index has no lines of the file.
        evidence = tuple(
            one._replace(line=0) if one.path == path else one for one in candidate.evidence
        )
        yield candidate._replace(evidence=evidence, line=0, origin=path.partition(":")[0])


def _ids_of_changed_copies(
    gathered: GatheredEvidence, subject: Subject, changed: Set[str]
) -> set[ArtifactId]:
    """The ids of the records whose copies a change edits: those of changed records without rank."""
    ranked = {record.artifact.path for record in gathered.context.records}
    return {
        one.id
        for one in subject.corpus.artifacts
        if one.kind == "ADR" and one.id and one.path in changed and one.path not in ranked
    }


def _select(gathered: GatheredEvidence, change: Change, eligibility: Eligibility) -> list[str]:
    """The paths of the records to suggest, best first.

    Empty when the change cites the first record, when the confidence in it is too low, and when
    the change only reformats files.
    """
    if not gathered.query.files:
        return []
    first, *others = (
        gathered.context.records[ranked.record_index].artifact
        for ranked in gathered.ranked[:MAX_EXPLAINED]
    )
    features = extract_features(change, gathered.ranked, gathered.scores, gathered.measures)
    if eligibility.is_cited(first) or predict_probability(features) < THRESHOLD:
        return []
    ranked = {record.artifact.path for record in gathered.context.records}
    paths = [path for path in eligibility.find_eligible(first) if path in ranked]
    if not paths:
        return []
    following = (path for record in others for path in eligibility.find_eligible(record))
    return list(dict.fromkeys((*paths, *(path for path in following if path in ranked))))


def _with_origin(candidate: Candidate, external: ExternalRecords) -> Candidate:
    """The candidate with its repository and its web address, when that is another one."""
    origin = external.origin(candidate.path)
    if not origin:
        return candidate
    url = external.page(candidate.path, candidate.line)
    return candidate._replace(origin=origin, url=url)


def _explain(candidate: Candidate, ranked: RankedRecord, explainer: Explainer) -> Candidate:
    """The candidate with its evidence and a passage to quote, when a passage is similar."""
    passage = explainer.find_passage(ranked.record_index)
    if passage is None:
        return candidate
    section, sentence = passage
    return candidate._replace(
        evidence=explainer.explain(ranked),
        section=section.title,
        quote=sentence.text if sentence else "",
        line=sentence.line if sentence else section.first_line,
        cut=bool(sentence and sentence.cut),
    )
