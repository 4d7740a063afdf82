"""Let a language model compare the records that govern most code with that code."""

# Governing: SPEC-0019 REQ "Judge", SPEC-0010 REQ "Judge"

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.drift.audit.audited import Audited
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.findings import Finding
from sdd_hooks.models.language_model import LanguageModel
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.outcome import Candidate, References
from sdd_hooks.review.judge.contradictions import find_contradictions
from sdd_hooks.review.judge.judging import (
    DEFAULT_OPTIONS,
    FROM_FORK,
    ModelJudge,
    is_from_fork,
)
from sdd_hooks.review.subject import Subject

MAX_QUESTIONS = 4
"""Records that the model is asked about, one by one."""
MAX_FILES = 6
"""Files of one question, those that cite the record."""


class Judged(NamedTuple):
    """What a model found, and notes about what it was asked."""

    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


def judge_audit(model: LanguageModel, audited: Audited, *, environ: Mapping[str, str]) -> Judged:
    """Ask a model about the records in scope that governing comments name most.

    A model that fails, an answer without proof and a pull request from a fork become notes.
    """
    if is_from_fork(environ):
        return Judged(notes=(FROM_FORK,))
    judge = ModelJudge(model, DEFAULT_OPTIONS)
    findings: list[Finding] = []
    notes: list[str] = []
    names: list[str] = []
    try:
        for record, paths in _most_cited(audited):
            subject, references = _question(audited, record, paths)
            found = find_contradictions(judge.ask, subject, references)
            names.append(record.name)
            findings += found.findings
            notes += found.notes
    except EngineUnavailable as error:
        notes.append(f"{error}: the audit goes without it")
    if judge.sizes:
        notes.append(f"{judge.describe_questions()} about {', '.join(names) or 'no record'}")
    elif not notes:
        notes.append("the judge was not asked: no governing comment names a record in scope")
    return Judged(tuple(findings), tuple(dict.fromkeys(notes)))


def _most_cited(audited: Audited) -> Iterator[tuple[Artifact, Sequence[str]]]:
    """The records in force with the files in scope that cite them, the most cited first."""
    changed = {file.path for file in audited.subject.change.files}
    cited: list[tuple[Artifact, list[str]]] = []
    for one in audited.corpus.artifacts:
        comments = audited.cited.get(one.path, ())
        paths = list(dict.fromkeys(each.path for each in comments if each.path in changed))
        if paths and one.status.authoritative:
            cited.append((one, paths))
    cited.sort(key=lambda each: (-len(each[1]), each[0].path))
    yield from cited[:MAX_QUESTIONS]


def _question(
    audited: Audited, record: Artifact, paths: Sequence[str]
) -> tuple[Subject, References]:
    """A change that adds the files that cite a record, and the reference to the record."""
    change = audited.subject.change
    shown = set(paths[:MAX_FILES])
    files = tuple(file for file in change.files if file.path in shown)
    subject = replace(audited.subject, change=change._replace(files=files))
    candidate = Candidate(record.path, record.name, record.title, 1.0, referenced=True)
    return subject, References((candidate,))
