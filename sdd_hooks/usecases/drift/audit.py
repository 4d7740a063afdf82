"""Audit a work tree: the rules of a check and of an audit, compared with a baseline."""

# Governing: SPEC-0019 REQ "Report", SPEC-0019 REQ "Candidates come from the index"

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from itertools import islice

from sdd_hooks.changes.record_history import describe_overdue
from sdd_hooks.drift.audit.audited import (
    Audited,
    find_ids_in_commits,
    find_lost_files,
    find_naming_files,
    find_words_in_code,
)
from sdd_hooks.drift.audit.coverage import (
    NearRecord,
    measure_coverage,
    ungoverned_files,
)
from sdd_hooks.drift.audit.judge import Judged, judge_audit
from sdd_hooks.drift.audit.report import count_by_module, group_findings, recommend_actions
from sdd_hooks.drift.audit.rules import audit_rules
from sdd_hooks.drift.baseline import BaselineEntry
from sdd_hooks.drift.candidates import (
    MAX_CANDIDATES,
    CandidateRecord,
    RecordReader,
    Sought,
    find_candidates,
)
from sdd_hooks.drift.citations import read_citations
from sdd_hooks.drift.query import FileSummary, build_query, summarize_file
from sdd_hooks.drift.rules import opposing_requirements, requirement_words
from sdd_hooks.drift.rules.requirement_coverage import coverage_rule
from sdd_hooks.drift.rules.ungoverned_code import MAX_RANK, ungoverned_rule
from sdd_hooks.drift.whole_tree import Scope, whole_tree_rules, whole_tree_subject
from sdd_hooks.engines.protocol import Engine
from sdd_hooks.findings import identify_findings, worst_first
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import RECORD_KINDS
from sdd_hooks.project.project import Project
from sdd_hooks.project.workspace import module_names
from sdd_hooks.reporting.outcome import AuditSummary, CheckedTree, ReviewOutcome
from sdd_hooks.review.apply_rules import RuleResults, apply_rules
from sdd_hooks.review.references.words.code_words import GENERIC_WORDS
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.review.rules import registered
from sdd_hooks.review.rules.scan import covered_rules, scan_notes
from sdd_hooks.review.sarif import read_scans
from sdd_hooks.review.scans import ScanFile
from sdd_hooks.review.suppressions import suppress
from sdd_hooks.usecases.drift.baseline import use_baseline
from sdd_hooks.usecases.drift.check import DriftRequest, open_target

MAX_SECONDS = 300.0
"""The time of all rules. A repository of 3,000 files needs a few seconds."""
MAX_QUERIED = 100
"""Files for which a record is searched one by one."""
MAX_FILES_OF_QUERY = 12
"""Files of a directory that a query is built from."""
MIN_SCORE = 0.15
"""The score of a record that is near to a directory. A query of many names has low scores."""


class AuditVerdict(NamedTuple):
    """An audit, whether its findings are severe enough to fail, and what it looked at.

    `written` is how many entries of a baseline were written, None for none. `warnings` are about
    the refresh of the index and the settings of the project.
    """

    outcome: ReviewOutcome
    fails: bool
    audited: Audited
    warnings: tuple[str, ...] = ()
    written: int | None = None


def audit(project: Project, request: DriftRequest, now: float) -> AuditVerdict:
    """Audit a target. `now` is in seconds since the epoch.

    Raises BaselineRefused or ConfigurationError where the baseline cannot be used, GitError, and
    what `open_target` raises.
    """
    with open_target(project, request, now) as opened:
        target = opened.target
        scans = read_scans(request.scans, project.repository.root)
        audited = _read(project, target.scope, scans, now)
        search = _Search(opened.engine, opened.reader, [])
        rules = (
            *whole_tree_rules(registered()),
            opposing_requirements.RULE,
            requirement_words.RULE,
            coverage_rule(lambda: audited.citations.comments),
            ungoverned_rule(_summaries(audited), partial(_best, search)),
            *audit_rules(audited, partial(_find_near, search, audited)),
        )
        results = apply_rules(audited.subject, rules, MAX_SECONDS)
    judge, environ = opened.judge, project.environ
    judged = judge_audit(judge, audited, environ=environ) if judge else Judged()
    outcome = _outcome(audited, results, judged)
    tree = CheckedTree(
        "audit",
        target.name,
        (*opened.header, *dict.fromkeys(search.notes)),
        tuple((module.root, module.name) for module in project.modules),
    )
    outcome = replace(outcome, tree=tree)
    written = None
    baseline, known_findings = "", 0
    if request.baseline:
        ids = covered_rules(audited.subject, (rule.id for rule in rules))

        def covers(entry: BaselineEntry) -> bool:
            return entry.is_covered(target.scope, ids)

        compared = use_baseline(project, request.directory, request.baseline, outcome, covers)
        outcome, written = compared.outcome, compared.written
        baseline, known_findings = compared.path, compared.known
    outcome = _with_summary(project, audited, outcome, baseline, known_findings)
    return AuditVerdict(
        outcome,
        request.fails(project, outcome, written),
        audited,
        (*opened.warnings, *project.warnings),
        written,
    )


class _Search(NamedTuple):
    """What a search for candidates needs. Its notes are added to `notes`."""

    engine: Engine
    reader: RecordReader
    notes: list[str]

    def find(self, query: str, limit: int = MAX_CANDIDATES) -> Sequence[CandidateRecord]:
        """The candidates for a query, the best first."""
        sought = Sought(query, self.reader.project.select(RECORD_KINDS))
        found = find_candidates(self.engine, self.reader, sought, limit=limit)
        self.notes.extend(found.search_notes)
        return found.found


def _read(project: Project, scope: Scope, scans: tuple[ScanFile, ...], now: float) -> Audited:
    subject = whole_tree_subject(project, scope).with_scans(scans)
    corpus, git = subject.corpus, project.repository.git
    today = datetime.fromtimestamp(now, timezone.utc).date()
    return Audited(
        subject,
        scope,
        read_citations(project, subject.names),
        today,
        tuple(blob.path for blob in subject.after.blobs()),
        find_naming_files(project, corpus),
        partial(find_words_in_code, project, corpus),
        partial(find_ids_in_commits, git),
        partial(find_lost_files, git),
        describe_overdue(corpus.artifacts, git, today, project.configuration.review.review_within),
    )


def _outcome(audited: Audited, results: RuleResults, judged: Judged) -> ReviewOutcome:
    subject = audited.subject
    remaining, suppressed = suppress(subject, judged.findings, ())
    found = worst_first((*results.findings, *remaining))
    return ReviewOutcome(
        "",
        "",
        "",
        len(subject.change.files),
        findings=identify_findings(found, {}),
        suppressed=(*results.suppressed, *suppressed),
        notes=(
            *subject.change.notes,
            *audited.citations.left_out,
            *scan_notes(subject),
            *results.notes,
            *judged.notes,
        ),
    )


def _summaries(audited: Audited) -> list[FileSummary]:
    """The ungoverned source files in scope, for a search each."""
    paths = filter(audited.scope.contains, ungoverned_files(audited))
    return [
        summarize_file(path, audited.subject.text(path), audited.subject.names)
        for path in islice(paths, MAX_QUERIED)
    ]


def _best(search: _Search, summary: FileSummary) -> Sequence[CandidateRecord]:
    return search.find(build_query([summary]), MAX_RANK)


def _find_near(search: _Search, audited: Audited, directory: str) -> NearRecord | None:
    """The record that a search of the index finds for a directory of code."""
    files = [path for path in audited.sources if path.startswith(f"{directory}/")]
    step = max(1, len(files) // MAX_FILES_OF_QUERY)
    summaries = [
        summarize_file(path, audited.subject.text(path), audited.subject.names)
        for path in files[::step][:MAX_FILES_OF_QUERY]
    ]
    found = search.find(build_query(summaries, directory))
    in_force = [one for one in found if one.artifact.status.authoritative]
    naming = next((one for one in in_force if _names(one, directory)), None)
    about = (one for one in in_force if one.score >= MIN_SCORE and _is_about(one, directory))
    best = naming or next(about, None)
    if best is None:
        return None
    return NearRecord(best.artifact.name, best.artifact.title, names_it=naming is not None)


def _is_about(candidate: CandidateRecord, directory: str) -> bool:
    """Whether a record has all words of the name of the directory."""
    wanted = set(split_words(directory.rpartition("/")[2])) - GENERIC_WORDS
    text = " ".join(text for _, text in candidate.files)
    return bool(wanted) and wanted.issubset(split_words(text))


def _names(candidate: CandidateRecord, directory: str) -> bool:
    """Whether a record names the directory, a file in it, or as code a directory around it."""
    parts = directory.split("/")
    around = "|".join(re.escape("/".join(parts[:end])) for end in range(1, len(parts)))
    inside = rf"(?<![\w/.-])(?:\./)?{re.escape(directory)}(?![\w-])"
    whole = re.compile(rf"{inside}|`(?:{around})/?(?:\*\*)?`" if around else inside)
    return any(whole.search(text) for _, text in candidate.files)


def _with_summary(
    project: Project, audited: Audited, outcome: ReviewOutcome, baseline: str, known: int
) -> ReviewOutcome:
    module_of = module_names(project.modules)
    names = [one.name for one in project.modules]
    records = audited.records
    summary = AuditSummary(
        adrs=sum(one.kind == "ADR" for one in records),
        specs=sum(one.kind == "SPEC" for one in records),
        files=sum(audited.scope.contains(path) for path in audited.sources),
        categories=group_findings(outcome.findings, audited.corpus, module_of),
        modules=count_by_module(outcome.findings, names, module_of),
        actions=recommend_actions(outcome.findings),
        coverage=measure_coverage(audited),
        baseline=baseline,
        known=known,
    )
    return replace(outcome, audit=summary)
