"""Find the decision records that govern a change, and those that it should cite and does not."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence), ADR-0064 (a review shows
# records of repositories that its base names), SPEC-0010 REQ "Finding the decision", SPEC-0010 REQ
# "Silence"

from __future__ import annotations

from collections.abc import Set

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.external.records import ExternalRecords
from sdd_hooks.project.repository import Repository
from sdd_hooks.reporting.outcome import Candidate, References
from sdd_hooks.review.references.asking.question import (
    MAX_EXPLAINED,
    Eligibility,
    Question,
    decide,
    find_cited_ids,
    find_silencing_trailer,
    log_question,
    why_not,
)
from sdd_hooks.review.references.evidence.gather import (
    GatheredEvidence,
    gather_beside,
    gather_evidence,
)
from sdd_hooks.review.references.explanation.reasons import Explainer
from sdd_hooks.review.references.organisation import (
    SearchElsewhere,
    describe_change,
    distinct_records,
)
from sdd_hooks.review.references.ranking import RankedRecord
from sdd_hooks.review.references.words.code_words import CodeWords, read_code_words
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import format_count

MAX_FOLDED = 2
"""Records after the suggested ones that a report shows folded."""
NOTHING = "nothing to compare with: "
"""The beginning of a sentence about a review that compared nothing."""


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
        return _without_records(subject)
    gathered = gather_evidence(repository, subject)
    if not gathered.ranked and search_elsewhere is None:
        return _without_records(subject)
    changed = {file.path for file in subject.change.files}
    cited = find_cited_ids(subject) | _ids_of_changed_copies(gathered, subject, changed)
    eligibility = Eligibility(subject.citable, cited, changed)
    trailer = find_silencing_trailer(subject.change)
    question = decide(gathered, subject.change, eligibility, trailer)
    question = question._replace(asked=question.offered[:max_suggestions])
    top = gathered.ranked[:MAX_EXPLAINED]
    code = read_code_words(repository, subject.before)
    explainer = Explainer(gathered, top, code, subject.text)
    sure = [path for path in question.asked if path not in question.ruling]
    if sure and not explainer.explain(gathered.ranked[0]):
        # A question that cannot say why is not believed.
        question = question.withdrawn("no reason can be named")
        question = question._replace(asked=question.offered[:max_suggestions])
    log_question(question)
    folded = question.offered[max_suggestions : max_suggestions + MAX_FOLDED]
    explained = {gathered.path(ranked) for ranked in top} | {*question.asked, *folded}
    candidates: dict[str, Candidate] = {}
    governing: list[Candidate] = []
    for ranked in gathered.ranked:
        candidate = _candidate(gathered, ranked, question, eligibility)
        if candidate.path in explained:
            candidate = _explain(candidate, ranked, explainer)
        candidates[candidate.path] = _with_origin(candidate, subject.external)
        in_force = gathered.record(ranked).artifact.status.authoritative
        if candidate.referenced and candidate.path not in changed and in_force:
            governing.append(candidates[candidate.path])
    references = References(
        ranked=tuple(candidates.values()),
        folded=tuple(candidates[path] for path in folded),
        silenced=trailer,
        governing=tuple(governing),
    )
    silence = _describe_silence(references, len(gathered.query.files))
    references = references._replace(silence=silence)
    is_open = not (question.asked or trailer or cited) and max_suggestions and gathered.query.code
    if search_elsewhere is None or not is_open:
        return references
    return _add_elsewhere(references, gathered, subject, code, search_elsewhere)


def _candidate(
    gathered: GatheredEvidence, ranked: RankedRecord, question: Question, eligibility: Eligibility
) -> Candidate:
    """A ranked record as a candidate, with the confidence that decided about it."""
    artifact = gathered.record(ranked).artifact
    in_force = artifact.status.authoritative
    decided = artifact.path == question.first or artifact.path in (
        {*question.offered} - {*question.ruling}
    )
    return Candidate(
        artifact.path,
        artifact.name,
        artifact.title,
        round(ranked.score, 4),
        artifact.path in question.asked,
        eligibility.is_cited(artifact),
        confidence=question.confidence if decided else None,
        why_not=why_not(artifact, question, eligibility),
        in_force=in_force,
    )


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
    question = Question(beside.path(beside.ranked[0]))
    if question.first in paths:
        question = decide(beside, subject.change, eligibility)
        question = question._replace(asked=[one for one in question.offered if one in paths][:1])
        log_question(question)
    top = [one for one in beside.ranked if one.record_index >= len(own)]
    explainer = Explainer(beside, top, code, subject.text)
    added = [
        _explain_elsewhere(_candidate(beside, ranked, question, eligibility), ranked, explainer)
        for ranked in top
    ]
    ages = {one.origin for one in added if one.suggested}
    ranked = tuple(sorted((*references.ranked, *added), key=lambda one: not one.suggested))
    return references._replace(
        ranked=ranked,
        silence="" if any(one.suggested for one in added) else references.silence,
        notes=(*found.notes, *(line for name, line in found.ages.items() if name in ages)),
    )


def _explain_elsewhere(
    candidate: Candidate, ranked: RankedRecord, explainer: Explainer
) -> Candidate:
    """A record of another repository with its evidence if it is suggested, and its origin."""
    path = candidate.path
    if candidate.suggested:
        candidate = _explain(candidate, ranked, explainer)
    # The index has no lines of the file.
    evidence = tuple(
        one._replace(line=0) if one.path == path else one for one in candidate.evidence
    )
    return candidate._replace(evidence=evidence, line=0, origin=path.partition(":")[0])


def _ids_of_changed_copies(
    gathered: GatheredEvidence, subject: Subject, changed: Set[str]
) -> set[ArtifactId]:
    """The ids of the records whose copies a change edits: those of changed records without rank."""
    ranked = {record.artifact.path for record in gathered.context.records}
    return {
        one.id
        for one in subject.corpus.artifacts
        if one.kind == "ADR" and one.path in changed and one.path not in ranked
    }


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


def _without_records(subject: Subject) -> References:
    """The references of a change to a repository without a record."""
    declared = [
        f"{directory or '.'}/"
        for one in subject.collections
        if one.kind == "adrs"
        for directory in one.directories
    ]
    where = ", ".join(declared[:3]) if declared else "any folder of the repository"
    return References(silence=f"{NOTHING}no decision record in {where}")


def _describe_silence(references: References, files: int) -> str:
    """Say what was compared with `files` changed files, "" where the review asks.

    A trailer that asks for no suggestion, and a record that the change names, are told elsewhere.
    """
    ranked = references.ranked
    if references.suggested or references.silenced or references.governing:
        return ""
    if ranked and ranked[0].referenced:
        return ""
    known = format_count(len(ranked), "decision")
    in_force = [one for one in ranked if one.in_force]
    if not in_force:
        return f"{NOTHING}none of {known} is in force"
    if not files:
        return "nothing to compare: the change has only white space and generated files"
    compared = f"{known} compared with {format_count(files, 'file')}"
    return f"{compared}: none fits well enough{_nearest(ranked[0])}"


def _nearest(first: Candidate) -> str:
    if not first.evidence:
        return ""
    return f". Nearest: {first.full_name}, since {first.evidence[0].detail}"
