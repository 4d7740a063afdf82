"""Invalid records among the changed files: frontmatter, ids, edges and statuses."""

# Governing: SPEC-0010 REQ "Rules", SPEC-0002 REQ "Validation"

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from sdd_hooks.artifacts.spec import INCOMPLETE_SPEC
from sdd_hooks.artifacts.validation import validate_artifacts
from sdd_hooks.findings import Finding
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules import duplicate_number
from sdd_hooks.review.rules.dangling_reference import MIN_ELSEWHERE
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex

_LIKE_ID = lazy_regex(r"(?:adr|spec|decision)[-_ #]{0,2}[0-9]|^\W*[0-9]{1,5}\W*$", re.IGNORECASE)
# The status of a list of defects or of an assessment, which is kept among the records.
_OF_WORK = lazy_regex(
    r"\W*(?:all\b.{0,30}\b)?(?:open|closed|fixed|resolved|done|complete[d]?|in progress|ongoing)\b",
    re.IGNORECASE,
)
_OTHER_ID = lazy_regex(r"\W{0,3}(?!(?:ADR|SPEC)-)[A-Z]{2,10}-[0-9]{1,5}\b")
_SHARED = frozenset({"duplicate-id", "ambiguous-id", "cycle", "superseded-status"})


def check(subject: Subject) -> Iterator[Finding]:
    """Find what validation reports about the changed records, without the findings of other rules.

    A finding that involves several records is left out when the base has it already.
    """
    if subject.whole_tree:
        yield from _of_whole_tree(subject)
        return
    duplicates = {("duplicate-id", one.evidence) for one in duplicate_number.check(subject)}
    candidates = [
        one
        for one in validate_changed(subject)
        if one.rule != INCOMPLETE_SPEC and (one.rule, one.evidence) not in duplicates
    ]
    changed = {file.path for file in subject.change.files}
    shared = any(_is_shared(one, changed) for one in candidates)
    at_base = (
        {
            _identity(one)
            for one in validate_artifacts(subject.corpus_before, external=subject.external.corpus)
        }
        if shared
        else set()
    )
    for finding in candidates:
        if not (_is_shared(finding, changed) and _identity(finding) in at_base):
            yield replace(finding, rule=f"{RULE.id}/{finding.rule}")


def _of_whole_tree(subject: Subject) -> Iterator[Finding]:
    """The findings that are certain without a change.

    Directories may count their numbers separately, and a page without a number among records is
    often none.
    """
    found = [one for one in validate_changed(subject) if one.rule != INCOMPLETE_SPEC]
    duplicates = {
        one
        for one in found
        if one.rule == "duplicate-id"
        and one.severity == "critical"
        and not _has_other_id(subject, one.path)
    }
    holders = Counter(one.evidence for one in duplicates)
    certain = {id for id, count in holders.items() if count > 1}
    is_elsewhere = _is_kept_elsewhere(subject, found)
    for one in found:
        if one.rule == "unknown-id" and is_elsewhere:
            continue
        if one.rule == "duplicate-id" and one not in duplicates:
            continue
        if one.rule in {"duplicate-id", "ambiguous-id"} and one.evidence not in certain:
            continue
        if one.rule == "unreadable-id" and not _is_meant_as_id(one):
            continue
        if one.rule == "unknown-status" and (
            _OF_WORK.match(one.evidence) or _may_be_no_record(subject, one)
        ):
            continue
        yield replace(one, rule=f"{RULE.id}/{one.rule}")


def _is_kept_elsewhere(subject: Subject, found: Iterable[Finding]) -> bool:
    """Whether edges name more unknown records than there are: the others are kept elsewhere."""
    unknown = {one.evidence for one in found if one.rule == "unknown-id"}
    return len(unknown) > max(MIN_ELSEWHERE, len(subject.corpus.artifacts))


def _is_meant_as_id(finding: Finding) -> bool:
    """Whether a text without an id is meant as one. Other tools keep slugs and teams there."""
    return bool(_LIKE_ID.search(finding.evidence))


def _may_be_no_record(subject: Subject, finding: Finding) -> bool:
    """Whether the finding is about a page without a number, or without a decision.

    A note with a number and `Status: tried out` is in many directories of records.
    """
    record = subject.corpus.by_path.get(finding.path)
    if record is None or record.id.name:
        return True
    return record.kind == "ADR" and record.decision is None


def _has_other_id(subject: Subject, path: str) -> bool:
    """Whether the title begins with an id of another kind, as `SPIKE-001`: a report to a record."""
    record = subject.corpus.by_path.get(path)
    return bool(record and _OTHER_ID.match(record.title))


def _is_shared(finding: Finding, changed: Container[str]) -> bool:
    """Whether several records cause the finding, so that it can be older than the change."""
    return finding.rule in _SHARED or finding.path not in changed


def _identity(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, finding.path, finding.evidence


def validate_changed(subject: Subject) -> tuple[Finding, ...]:
    """Validate the artifacts that involve a changed file; findings are ordered by path and line.

    Edges to an artifact that the change removes are included.
    """
    changed = {file.path for file in subject.change.files if subject.is_artifact(file.path)}
    former = {file.before for file in subject.change.files if subject.is_artifact(file.before)}
    if not changed and not former:
        return ()
    return tuple(
        sorted(
            {
                *validate_artifacts(subject.corpus, changed, subject.external.corpus),
                *_dangling(subject, former),
            }
        )
    )


def _dangling(subject: Subject, former: set[str]) -> Iterator[Finding]:
    """The edges that lead to an id which the change removes."""
    removed = {
        str(artifact.id)
        for artifact in subject.corpus_before.artifacts
        if former.intersection(artifact.paths)
        if not subject.corpus.resolve(artifact.id)
    }
    if removed:
        for finding in validate_artifacts(subject.corpus):
            if finding.rule == "unknown-id" and finding.evidence in removed:
                yield finding


RULE = Rule(
    "frontmatter",
    "critical",
    "A changed record that does not hold together.",
    "Ids, statuses and edges of records are read by people and programs. Correct what the message"
    " names: a record that cannot be read has no effect.",
    check,
    whole_tree=True,
)
