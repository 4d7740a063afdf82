"""Check a target: find its candidates, apply the rules to its files, and report what they find."""

# Governing: SPEC-0018 (check of the work tree), ADR-0040 (a whole tree is checked as a change)

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.artifacts.names import NamesOfArtifacts
from sdd_hooks.code.languages import find_language
from sdd_hooks.code.paths import is_document, is_production_code
from sdd_hooks.drift.baseline import BaselineEntry
from sdd_hooks.drift.candidates import (
    CandidateRecord,
    Candidates,
    RecordReader,
    Sought,
    find_candidates,
)
from sdd_hooks.drift.citations import Citation, read_citations, resolve_citation
from sdd_hooks.drift.query import FileSummary, build_query, summarize_file
from sdd_hooks.drift.rules import (
    opposing_requirements,
    requirement_coverage,
    requirement_words,
    ungoverned_code,
)
from sdd_hooks.drift.rules.requirement_coverage import coverage_rule
from sdd_hooks.drift.rules.ungoverned_code import MAX_RANK, ungoverned_rule
from sdd_hooks.drift.target import Target, files_of
from sdd_hooks.drift.whole_tree import Scope, whole_tree_rules, whole_tree_subject
from sdd_hooks.engines.protocol import Engine
from sdd_hooks.findings import INCOMPLETE, Finding, identify_findings, worst_first
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import RECORD_KINDS, Collection
from sdd_hooks.reporting.outcome import Candidate, CheckedTree, Evidence, References, ReviewOutcome
from sdd_hooks.retrieval.topic_matches import NO_WORD, IndexedArtifact
from sdd_hooks.review.apply_rules import RuleResults, apply_rules
from sdd_hooks.review.mentions import resolve_mention
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules import registered
from sdd_hooks.review.rules.decision import rule as decision_rule
from sdd_hooks.review.rules.decision.applied import ID as DECISION_RULE
from sdd_hooks.review.rules.decision.blocks import MARK
from sdd_hooks.review.rules.scan import covered_rules, scan_notes
from sdd_hooks.review.scans import ScanFile
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import format_count

MAX_SUMMARIZED = 200
"""Source files of a directory whose names are part of the query."""
NONE_READ = "no decision and no specification was read: none is named, or has a word of it"
NO_RECORDS = "there is no decision and no specification to check against: `sdd init` looks for them"
MAX_QUERIED = 40
"""Files without a governing comment for which records are searched one by one."""

_SUPERSEDED_STATUS = "frontmatter/superseded-status"


_OWN_RULES = (opposing_requirements.RULE, requirement_words.RULE, requirement_coverage.RULE)


class Checked(NamedTuple):
    """The report of a check, and the subject of its rules."""

    outcome: ReviewOutcome
    subject: Subject


class _Looked(NamedTuple):
    """What was looked at: the files, the records among them, and the records that may govern."""

    subject: Subject
    records: tuple[Artifact, ...]
    summaries: tuple[FileSummary, ...]
    candidates: Candidates


class _Context(NamedTuple):
    """What every step needs: `comments` returns the governing comments of the whole work tree."""

    engine: Engine
    reader: RecordReader
    target: Target
    comments: Callable[[], Sequence[Citation]]


def check_target(
    engine: Engine,
    reader: RecordReader,
    target: Target,
    header: Sequence[str],
    scans: tuple[ScanFile, ...] = (),
) -> Checked:
    """Check a target. `reader` knows the records, `header` are the lines about the index.

    `scans` are the results of scanners.

    Raises GitError, and what a search raises.
    """
    project = reader.project
    names = NamesOfArtifacts(one.as_artifact() for one in reader.known.values())
    context = _Context(
        engine, reader, target, cache(lambda: read_citations(project, names).comments)
    )
    looked = _look(context)
    notes = [*looked.candidates.notes]
    read_any = looked.candidates.found or looked.records
    no_records = () if read_any else (NONE_READ if reader.known else NO_RECORDS,)
    rules = [
        *whole_tree_rules(registered()),
        opposing_requirements.RULE,
        requirement_words.RULE,
        coverage_rule(context.comments),
        *_ungoverned(context, looked, notes),
    ]
    subject = looked.subject.with_scans(scans)
    results = apply_rules(subject, rules)
    read = {one.artifact.path for one in looked.candidates.found}
    unread = {
        artifact.name
        for artifact in looked.subject.corpus.artifacts
        if artifact.path not in read and artifact not in looked.records
    }
    findings = [one for one in results.findings if _is_known(one, unread)]
    if target.record:
        findings = _about_record(reader, target.record, findings)
    places = _named_places(looked)
    outcome = ReviewOutcome(
        base="",
        head="",
        title="",
        files=len(looked.subject.change.files),
        references=References(tuple(_candidate(one, places) for one in looked.candidates.found)),
        findings=identify_findings(findings, {}),
        suppressed=results.suppressed,
        notes=(*no_records, *notes, *reader.notes, *scan_notes(subject), *results.notes),
        tree=CheckedTree(
            "check",
            target.name,
            (*header, *looked.candidates.search_notes),
            tuple((module.root, module.name) for module in project.modules),
        ),
    )
    return Checked(outcome, subject)


def covers_entry(target: Target, subject: Subject, entry: BaselineEntry) -> bool:
    """Whether a check of a target, with a subject, would have found an entry of a baseline.

    A record is checked with the files that cite it, of which not every finding is reported. Whether
    a status is superseded depends on records that may not have been read.
    """
    if target.record or entry.rule == _SUPERSEDED_STATUS:
        return False
    rules = {rule.id for rule in (*whole_tree_rules(registered()), *_OWN_RULES)}
    if target.kind == "file":
        rules.add(ungoverned_code.RULE.id)
    return entry.is_covered(target.scope, covered_rules(subject, rules))


def _look(context: _Context) -> _Looked:
    reader, target = context.reader, context.target
    known = Corpus(tuple(one.as_artifact() for one in reader.known.values()))
    scope = _scope(context, known)
    # The names in its files are those that the index knows: no record is read for them.
    subject = whole_tree_subject(reader.project, scope).with_corpus(known, known)
    own = [
        read.artifact
        for one in reader.known.values()
        if any(scope.contains(path) for path in files_of(one)) and (read := reader.read(one.path))
    ]
    summaries = _summarize(subject, target, own)
    sought = Sought(
        build_query(summaries, target.name if target.kind == "directory" else ""),
        _collections(context),
        tuple(_cited(context, subject, known, own)),
        every_cited=target.kind in ("directory", "repository"),
    )
    without = frozenset(one.path for one in own)
    candidates = find_candidates(context.engine, reader, sought, without=without)
    artifacts = {one.artifact.path: one.artifact for one in candidates.found}
    artifacts.update((one.path, one) for one in own)
    corpus = Corpus(tuple(artifacts.get(one.path, one) for one in known.artifacts))
    before = Corpus(tuple(one for one in corpus.artifacts if one.path not in without))
    return _Looked(subject.with_corpus(corpus, before), tuple(own), summaries, candidates)


def _scope(context: _Context, known: Corpus) -> Scope:
    """The files that are looked at. Those of a record are its own, and the files that cite it."""
    target = context.target
    record = target.record
    if record is None:
        return target.scope
    citing = (
        one.path
        for one in context.comments()
        if any(found.path == record.path for found in resolve_citation(known, one))
    )
    return Scope(tuple(dict.fromkeys((*target.scope.paths, *citing))))


def _collections(context: _Context) -> tuple[Collection, ...]:
    """The collections that are searched."""
    return context.reader.project.select(RECORD_KINDS, context.target.module)


def _summarize(
    subject: Subject, target: Target, own: Sequence[Artifact]
) -> tuple[FileSummary, ...]:
    """The summaries of the files of which the query is made: records, code, or any one file."""
    if target.record or (target.kind == "file" and own):
        return tuple(
            FileSummary(one.path, (), (one.title, *(each.name for each in one.requirements)))
            for one in own
        )
    paths = [file.path for file in subject.change.files if file.is_file]
    if target.kind != "file":
        paths = [path for path in paths if find_language(path) and not is_document(path)]
        paths = [path for path in paths if is_production_code(path)][:MAX_SUMMARIZED]
    return tuple(summarize_file(path, subject.text(path), subject.names) for path in paths)


def _cited(
    context: _Context, subject: Subject, known: Corpus, own: Iterable[Artifact]
) -> Iterator[IndexedArtifact]:
    """The records that the target names: by edges, by governing comments, then elsewhere."""
    reader, target = context.reader, context.target
    edges = [edge.target for one in own for edge in one.edges]
    mentions = [one for one in subject.mentions if target.scope.contains(one.path)]
    comments = Counter(one.id for one in mentions if one.place == "comment")
    others = Counter(one.id for one in mentions if one.place != "comment")
    ids: dict[ArtifactId, None] = dict.fromkeys(edges)
    for counts in (comments, others):
        ids.update(dict.fromkeys(identifier for identifier, _ in counts.most_common()))
    for identifier in ids:
        for artifact in resolve_mention(known, identifier):
            yield reader.known[artifact.path]


def _ungoverned(context: _Context, looked: _Looked, notes: list[str]) -> Iterator[Rule]:
    """The rule about code without a governing comment.

    For a directory, only in a repository that has such comments, since each file is a search.
    """
    kind = context.target.kind
    if kind == "file":
        yield ungoverned_rule(looked.summaries, lambda _: looked.candidates.found)
        return
    if kind != "directory" or not context.comments():
        return
    files = [one for one in looked.summaries if not one.labelled]
    if len(files) > MAX_QUERIED:
        rest = format_count(len(files) - MAX_QUERIED, "more file")
        notes.append(
            f"not compared with the records: {rest} without a governing comment: check a smaller"
            " directory"
        )
    yield ungoverned_rule(files[:MAX_QUERIED], partial(_best, context))


def _best(context: _Context, summary: FileSummary) -> Sequence[CandidateRecord]:
    """The best candidates of one file."""
    sought = Sought(build_query([summary]), _collections(context))
    return find_candidates(context.engine, context.reader, sought, limit=MAX_RANK).found


def _is_known(finding: Finding, unread: set[str]) -> bool:
    """Whether the finding holds although some records are known by their names only."""
    return finding.rule != _SUPERSEDED_STATUS or finding.evidence not in unread


def _about_record(
    reader: RecordReader, record: IndexedArtifact, findings: Iterable[Finding]
) -> list[Finding]:
    """The findings in the files of a record and about it, and where its own rules are broken.

    What could not be checked at all may be about it, too.
    """
    files = files_of(record)
    name = str(record.id)
    kept = [
        one
        for one in findings
        if one.path in files
        or (one.rule == INCOMPLETE and not one.path)
        or (name in one.message and not one.rule.startswith(DECISION_RULE))
    ]
    read = reader.read(record.path)
    if read is None or MARK not in read.text:
        return kept
    results = _apply_own_rules(reader, read.artifact)
    return list(worst_first((*kept, *results.findings)))


def _apply_own_rules(reader: RecordReader, record: Artifact) -> RuleResults:
    """Apply the rules that a record states to the whole work tree."""
    corpus = Corpus((record,))
    subject = whole_tree_subject(reader.project, Scope()).with_corpus(corpus, Corpus())
    results = apply_rules(subject, (decision_rule.RULE,))
    own = f"{DECISION_RULE}/{record.name}"
    return results._replace(findings=tuple(one for one in results.findings if one.rule == own))


def _named_places(looked: _Looked) -> dict[str, Evidence]:
    """Where the target names each record first, in a comment if it can be."""
    mentions = sorted(looked.subject.mentions, key=lambda one: one.place != "comment")
    return {
        artifact.path: Evidence("names", f"named at {one.path}:{one.line}", one.path, one.line)
        for one in {one.id: one for one in reversed(mentions)}.values()
        for artifact in resolve_mention(looked.subject.corpus, one.id)
    }


def _candidate(one: CandidateRecord, places: Mapping[str, Evidence]) -> Candidate:
    artifact = one.artifact
    named = [places[artifact.path]] if one.cited and artifact.path in places else []
    shared = Evidence("words", one.matched or NO_WORD)
    return Candidate(
        artifact.path,
        str(artifact.id),
        artifact.title,
        one.score,
        referenced=one.cited,
        evidence=(*named, shared) if one.matched or not one.cited else (*named,),
    )
