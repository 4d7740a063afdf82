"""What a finding is recognised by in the next review, on another line and in another commit."""

# Governing: ADR-0022 (fingerprints that survive a rebase), SPEC-0010 REQ "Findings keep their
# identity"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256

from sdd_hooks.findings import Finding
from sdd_hooks.reporting.outcome import Reported
from sdd_hooks.review.subject import Subject

LENGTH = 32
"""Hexadecimal digits of a fingerprint."""


def report(subject: Subject, findings: Iterable[Finding]) -> tuple[Reported, ...]:
    """The findings in the order given, each with its fingerprint and whether its line is an added
    one.

    A fingerprint is made of the rule, the path and the evidence, in which white space does not
    matter; those that have all three in common are counted by line. Distinct for distinct findings.
    """
    ordered = list(findings)
    counts: Counter[tuple[str, str, str]] = Counter()
    fingerprints: dict[Finding, str] = {}
    for finding in sorted(set(ordered)):
        same = (finding.rule, finding.path, " ".join(finding.evidence.split()))
        fingerprints[finding] = _digest(*same, str(counts[same]))
        counts[same] += 1
    added = {
        file.path: frozenset(line.number for line in file.added) for file in subject.change.files
    }
    return tuple(Reported(one, fingerprints[one], _changed(added, one)) for one in ordered)


def _changed(added: Mapping[str, frozenset[int]], finding: Finding) -> bool:
    return finding.line in added.get(finding.path, frozenset())


def _digest(*parts: str) -> str:
    # A length before each part: no two lists of parts are the same text.
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]
