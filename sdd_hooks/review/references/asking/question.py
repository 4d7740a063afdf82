"""The decision to ask: which records can be suggested, about which one a review asks, and why.

Those in force can be suggested that the change does not cite already. A review asks if the
confidence in the first record of the ranking is high enough (`confidence`).
"""

# Governing: ADR-0039 (a question needs what sets a change apart), SPEC-0010 REQ "Suggestions",
# SPEC-0010 REQ "Silence"

from __future__ import annotations

import os
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

from sdd_hooks import tracing
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.changes.tree import Blob
from sdd_hooks.code.languages import DOCUMENT_SUFFIXES
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.urls import RemoteUrl, parse_remote
from sdd_hooks.reporting.outcome import Confidence
from sdd_hooks.review.mentions import (
    lines_that_may_name,
    read_stated_governing,
    stated_lines,
    stated_texts,
)
from sdd_hooks.review.references.asking.confidence import (
    THRESHOLD,
    WEIGHTS,
    extract_features,
    is_chore,
    predict_probability,
)
from sdd_hooks.review.references.evidence.gather import GatheredEvidence
from sdd_hooks.review.references.evidence.kinds import WeighedRecords
from sdd_hooks.review.references.evidence.mentions import RecordNames
from sdd_hooks.review.subject import Subject
from sdd_hooks.review.successors import Successors, find_replacements, find_successors
from sdd_hooks.system.git import Git
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import join_lines
from sdd_hooks.text.markdown import unify_line_endings
from sdd_hooks.text.stated import has_reason

MAX_EXPLAINED = 20
"""Records of the ranking that may be asked about, and are explained: a judge chooses from them."""
MAX_LOGGED = 3
"""Features of the first record in the debug log."""
MAX_FILES = 500
"""Changed files whose governing comments are read."""
MAX_LINE = 2_000
"""Characters of an added line that are read."""

_RECORD_PATH = lazy_regex("|".join(map(re.escape, DOCUMENT_SUFFIXES)), re.IGNORECASE)
_TRAILER = lazy_regex(
    r"^[ \t]*(?:reviewed-adrs[ \t]*:[ \t]*none\b|adr-exempt[ \t]*:([^\n]{1,300}))",
    re.IGNORECASE | re.MULTILINE,
)


def find_silencing_trailer(change: Change) -> str:
    """Find the trailer that asks for no suggestion, as written; "" when there is none.

    That is `Reviewed-ADRs: none`, or `ADR-Exempt:` with a reason, on a separate line of the body or
    of a message.
    """
    written = (change.title, change.body, *change.messages)
    for source, (place, text) in zip(written, stated_texts(change), strict=True):
        for trailer in _TRAILER.finditer(text) if place != "title" else ():
            if trailer[1] is None or has_reason(trailer[1]):
                lines = unify_line_endings(source).split("\n")
                return " ".join(lines[text.count("\n", 0, trailer.start())].split())
    return ""


def find_cited_ids(subject: Subject) -> set[ArtifactId]:
    """Find the ids in the texts and the added lines of a change, and in the governing comments of
    its files."""
    change = subject.change
    names = RecordNames(subject.corpus.artifacts, subject.names)
    ids: set[ArtifactId] = set()
    remotes = lru_cache(1)(partial(_remotes, subject.after.git))
    for _, text in stated_texts(change):
        ids.update(names.find_cited(text, remotes))
    for file in change.files:
        if added := {**lines_that_may_name(file, subject.names), **_lines_with_paths(file)}:
            text = subject.text(file.path) if file.is_file else ""
            for line in stated_lines(file.path, text, added).values():
                ids.update(names.find_cited(line[:MAX_LINE], remotes))
    blobs = [Blob(file.path, file.blob) for file in change.files if file.is_file and file.blob]
    for path, text in subject.after.texts(blobs[:MAX_FILES]).items():
        ids.update(reference.id for reference in read_stated_governing(path, text, subject.names))
    return ids


def _remotes(git: Git) -> Sequence[RemoteUrl]:
    """The addresses of the repository's remotes."""
    urls = git.try_output("config", "--get-regexp", r"^remote\..*\.url$") or b""
    known = (parse_remote(line.partition(" ")[2]) for line in os.fsdecode(urls).splitlines())
    return [one for one in known if one]


def _lines_with_paths(file: ChangedFile) -> dict[int, str]:
    """The added lines that may have the path of a record, by their number."""
    if not _RECORD_PATH.search(join_lines(file.added)):
        return {}
    return {line.number: line.text for line in file.added if _RECORD_PATH.search(line.text)}


@dataclass(frozen=True)
class Eligibility:
    """The artifacts, the ids that a change cites, and the paths that it changes."""

    corpus: Corpus
    cited: Set[ArtifactId]
    changed: Set[str]

    def is_cited(self, record: Artifact) -> bool:
        """Whether the change cites the record, or changes it."""
        id = record.id
        by_id = id is not None and (id in self.cited or id._replace(module="") in self.cited)
        return by_id or record.path in self.changed

    def find_eligible(self, record: Artifact) -> Sequence[str]:
        """Find the paths to suggest for a record: the record itself, or its replacements."""
        in_force = record.status.authoritative
        records = (record,) if in_force else find_replacements(record, self._successors)
        return [one.path for one in records if one.kind == "ADR" and not self.is_cited(one)]

    @cached_property
    def _successors(self) -> Successors:
        return find_successors(self.corpus)


class Question(NamedTuple):
    """What a review asks about, and why it asks about nothing else.

    `first` is the path of the record that comes first in the ranking, and `confidence` that in it;
    "" and None without a record. `offered` are the paths that may be asked about, best first: that
    record or what replaces it, then the next ones. `asked` are those that are asked about.
    `ruling` are the offered ones that have a rule about a changed file, whatever the confidence.
    `why_not` is the reason that the first is not offered, or "".
    """

    first: str = ""
    name: str = ""
    confidence: Confidence | None = None
    offered: Sequence[str] = ()
    asked: Sequence[str] = ()
    ruling: Sequence[str] = ()
    why_not: str = ""

    def withdrawn(self, reason: str) -> Question:
        """The question without what it offers for its probability."""
        return self._replace(offered=self.ruling, asked=(), why_not=reason)


def decide(
    gathered: GatheredEvidence, change: Change, eligibility: Eligibility, trailer: str = ""
) -> Question:
    """Decide which records may be asked about. `trailer` asks for no suggestion, "" for none."""
    top = [gathered.record(one).artifact for one in gathered.ranked[:MAX_EXPLAINED]]
    if not top:
        return Question()
    first = top[0]
    confidence = confidence_in_first(change, gathered.weighed)
    known = {gathered.path(ranked) for ranked in gathered.ranked}
    question = Question(first.path, first.name, confidence)
    if not trailer and not is_chore(change):
        question = question._replace(ruling=_ruling(gathered, eligibility))
    reason = ""
    if trailer:
        reason = "a trailer of the change asks for no suggestion"
    elif not gathered.query.files:
        reason = "the change has only white space and generated files"
    elif eligibility.is_cited(first):
        reason = "the change names or edits it"
    elif confidence.probability < THRESHOLD:
        reason = "the probability is below the threshold"
    elif known.isdisjoint(eligibility.find_eligible(first)):
        reason = "it is not in force, and nothing that replaces it can be asked about"
    if reason:
        return question.withdrawn(reason)
    offered = dict.fromkeys(
        [*question.ruling, *(path for record in top for path in eligibility.find_eligible(record))]
    )
    return question._replace(offered=[path for path in offered if path in known])


def _ruling(gathered: GatheredEvidence, eligibility: Eligibility) -> Sequence[str]:
    """The paths of the records with a rule about a changed file, in the order of the ranking."""
    ruled = [one for one in gathered.ranked if one.record_index in gathered.file_rules]
    records = [gathered.record(one).artifact for one in ruled]
    return [one.path for one in records if one.path in eligibility.find_eligible(one)]


def confidence_in_first(change: Change, weighed: WeighedRecords) -> Confidence:
    """The confidence in the first of the ranked records, of which there is at least one."""
    features = extract_features(change, weighed.ranked, weighed.scores, weighed.measures)
    return Confidence(predict_probability(features), THRESHOLD, tuple(features._asdict().items()))


def why_not(record: Artifact, question: Question, eligibility: Eligibility) -> str:
    """Why a ranked record is not asked about; "" when it is."""
    if record.path in question.asked:
        return ""
    if eligibility.is_cited(record):
        return "the change names or edits it"
    if record.path in question.offered:
        return "`Max Suggestions` is reached"
    if record.path != question.first:
        return "another record comes first"
    return question.why_not or "it is not in force: what replaces it is asked about"


def log_question(question: Question) -> None:
    """Write one line about the record that comes first to the debug log: whether it is asked about,
    the probability, the threshold, and the features that count most."""
    if question.confidence is None or not tracing.is_enabled():
        return
    probability, threshold, features = question.confidence
    parts = zip(features, WEIGHTS, strict=True)
    strongest = sorted(parts, key=lambda part: -abs(part[0][1] * part[1]))[:MAX_LOGGED]
    listed = ", ".join(f"{name} {value:.2f}" for (name, value), _ in strongest)
    verdict = "asked" if question.asked else f"not asked, {question.why_not or 'as configured'}"
    tracing.log(
        "question",
        question.name,
        outcome=f"{verdict}; probability {probability:.2f}, threshold {threshold:.2f}; {listed}",
    )
