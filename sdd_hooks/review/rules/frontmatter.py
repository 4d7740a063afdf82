"""What is wrong with the changed records themselves: frontmatter, ids, edges, status."""

# Governing: SPEC-0010 REQ "Rules", SPEC-0002 REQ "Validation"

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace

from sdd_hooks.artifacts.validation import validate_artifacts
from sdd_hooks.findings import Finding
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules import duplicate_number
from sdd_hooks.review.rules.spec_pair import INCOMPLETE
from sdd_hooks.review.subject import Subject

_SHARED = frozenset({"duplicate-id", "ambiguous-id", "cycle", "superseded-status"})


def check(subject: Subject) -> Iterator[Finding]:
    """What validation says of the changed records, less what rules of their own say.

    What several records are in together is only said when the base has not got it already.
    """
    taken = {("duplicate-id", one.evidence) for one in duplicate_number.check(subject)}
    found = [
        one
        for one in artifact_findings(subject)
        if one.rule != INCOMPLETE and (one.rule, one.evidence) not in taken
    ]
    changed = {file.path for file in subject.change.files}
    shared = any(_is_shared(one, changed) for one in found)
    known = {_told(one) for one in validate_artifacts(subject.corpus_before)} if shared else set()
    for finding in found:
        if not (_is_shared(finding, changed) and _told(finding) in known):
            yield replace(finding, rule=f"{RULE.id}/{finding.rule}")


def _is_shared(finding: Finding, changed: Container[str]) -> bool:
    return finding.rule in _SHARED or finding.path not in changed


def _told(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, finding.path, finding.evidence


def artifact_findings(subject: Subject) -> tuple[Finding, ...]:
    """What validation says of artifacts, where a changed file has a part in it: by path and line.

    An edge that leads to an artifact which the change takes away is among it.
    """
    changed = {file.path for file in subject.change.files if subject.is_artifact(file.path)}
    former = {file.before for file in subject.change.files if subject.is_artifact(file.before)}
    if not changed and not former:
        return ()
    found = {*validate_artifacts(subject.corpus, only=changed), *_left_dangling(subject, former)}
    return tuple(sorted(found))


def _left_dangling(subject: Subject, former: set[str]) -> Iterator[Finding]:
    gone = {
        str(artifact.id)
        for artifact in subject.corpus_before.artifacts
        if artifact.id and former.intersection(artifact.paths)
        if not subject.corpus.resolve(artifact.id)
    }
    if gone:
        for finding in validate_artifacts(subject.corpus):
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
