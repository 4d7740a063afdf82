"""What is wrong with the changed records themselves: frontmatter, ids, edges, status."""

# Governing: SPEC-0010 REQ "Rules", SPEC-0002 REQ "Validation"

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sdd_hooks.artifacts.findings import Finding
from sdd_hooks.artifacts.validation import findings
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules import duplicate_number
from sdd_hooks.review.rules.spec_pair import INCOMPLETE
from sdd_hooks.review.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What validation says of the changed records, less what rules of their own say."""
    taken = {("duplicate-id", one.evidence) for one in duplicate_number.check(subject)}
    for finding in artifact_findings(subject):
        if finding.rule != INCOMPLETE and (finding.rule, finding.evidence) not in taken:
            yield replace(finding, rule=f"{RULE.id}/{finding.rule}")


def artifact_findings(subject: Subject) -> tuple[Finding, ...]:
    """What validation says of artifacts, where a changed file has a part in it: by path and line.

    An edge that leads to an artifact which the change takes away is among it.
    """
    changed = {file.path for file in subject.change.files if subject.is_artifact(file.path)}
    former = {file.before for file in subject.change.files if subject.is_artifact(file.before)}
    if not changed and not former:
        return ()
    found = {*findings(subject.corpus, only=changed), *_left_dangling(subject, former)}
    return tuple(sorted(found))


def _left_dangling(subject: Subject, former: set[str]) -> Iterator[Finding]:
    gone = {
        str(artifact.id)
        for artifact in subject.corpus_before.artifacts
        if artifact.id and former.intersection(artifact.paths)
        if not subject.corpus.resolve(artifact.id)
    }
    if gone:
        for finding in findings(subject.corpus):
            if finding.rule == "unknown-id" and finding.evidence in gone:
                yield finding


RULE = Rule(
    "frontmatter",
    "critical",
    "A changed record that does not hold together.",
    "Ids, statuses and edges of records are read by people and programs. Correct what the message"
    " names: a record that cannot be read counts for nobody.",
    check,
)
