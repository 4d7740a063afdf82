"""A new record whose number another record has: in the change, at the base, or not merged yet."""

# Governing: SPEC-0010 REQ "Rules", REQ "Numbers", ADR-0034 (numbers that are not merged yet)

from __future__ import annotations

import shlex
from collections.abc import Iterator

from sdd_hooks.artifacts.corpus import numbering_directory
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.findings import Finding, Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.numbers import NumberedRecord, free_numbers, newly_numbered, places_of
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject

RENUMBER = {
    "ADR": "`sdd adr renumber {path} {number}` gives it the next number that is free",
    "SPEC": "change the number in {places}, the next number that is free is {free}",
}
"""What a finding advises, by kind. It may name `{path}`, `{places}`, `{free}` and `{number}`."""


class _Holder(NamedTuple):
    """Another record with the number: its path, where that is, and the severity of a finding."""

    path: str
    where: str = ""
    severity: Severity = "critical"

    def __str__(self) -> str:
        return f"{self.path} {self.where}".rstrip()


def check(subject: Subject) -> Iterator[Finding]:
    """Find each record that gets its number in this change and shares it with another record."""
    numbered = newly_numbered(subject)
    removed = {file.before for file in subject.change.files if file.before != file.path}
    removed |= {file.path for file in subject.change.files if not file.mode}
    free: dict[tuple[str, str], Iterator[ArtifactId]] = {}
    for record in numbered:
        holders = _holders(subject, record, removed) or _claimants(subject, record)
        if not holders:
            continue
        artifact, id = record
        series = free.setdefault((id.kind, id.module), free_numbers(subject, record))
        directory = numbering_directory(artifact.path)
        same = [other for other in holders if numbering_directory(other.path) == directory]
        # Directories may count separately, so a number of another one is no error.
        severity: Severity = same[0].severity if same else "warning"
        taken = (same or holders)[0]
        next_id = next(series)
        advice = RENUMBER[artifact.kind].format(
            path=shlex.quote(artifact.path),
            places=places_of(record),
            free=next_id,
            number=next_id.number,
        )
        message = f"{id} is taken by {taken}: {advice}"
        line = next((one.first_line for one in artifact.sections if one.level), 1)
        yield Finding(artifact.path, line, RULE.id, severity, message, str(id))


def _holders(subject: Subject, record: NumberedRecord, removed: set[str]) -> list[_Holder]:
    """Other records with this number: after the change, then on the base branch."""
    after = [one.path for one in subject.corpus.resolve(record.id)]
    at_tip = [one.path for one in subject.corpus_tip.resolve(record.id)]
    paths = dict.fromkeys((*after, *(path for path in at_tip if path not in removed)))
    own = record.artifact.paths
    before = subject.corpus_before
    return [
        _Holder(path)
        for path in paths
        if path not in own and not before.count_separately(own[0], path)
    ]


def _claimants(subject: Subject, record: NumberedRecord) -> list[_Holder]:
    """Records of other branches and pull requests that took this number first, the worst first."""
    claims = [one for one in subject.claims.claims if one.id == record.id and one.is_first]
    claims.sort(key=lambda one: one.severity != "critical")
    return [_Holder(one.path, one.where, one.severity) for one in claims]


RULE = Rule(
    "duplicate-number",
    "critical",
    "A new record whose number is taken.",
    "Two records with one number cannot be told apart by what refers to them. Rename the one that"
    " is not merged yet, in its file name and its title; of two that are not merged, the later"
    " one.",
    check,
    guards_records=True,
)
