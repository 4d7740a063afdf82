"""What a check reports: findings, how many of each severity, and what identifies one over time."""

# Governing: ADR-0022 (fingerprints that survive a rebase), ADR-0031 (what could not be checked is a
# finding), SPEC-0010 REQ "Findings keep their identity"

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from sdd_hooks.named_tuple import NamedTuple

Severity = Literal["critical", "warning", "info"]

SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "info")
"""The most severe first."""

FINGERPRINT_LENGTH = 32
"""Hexadecimal digits of a fingerprint."""

INCOMPLETE = "incomplete"
"""The rule of a finding about what a review could not check."""


@dataclass(frozen=True, order=True, slots=True)
class Finding:
    """A problem that a check found. `line` is 1-based, 0 for the file as a whole.

    `path` is relative to the repository's root, "" for a problem that is in no file. `message` is
    one line that says what is wrong and what to do. `evidence` is the text of the file that shows
    it, unchanged.
    """

    path: str
    line: int
    rule: str
    severity: Severity
    message: str
    evidence: str = ""


class ReportedFinding(NamedTuple):
    """A finding in a report.

    `fingerprint` stays the same when the finding moves to another line or commit. `on_added_line`
    is whether the change adds the line.
    """

    finding: Finding
    fingerprint: str
    on_added_line: bool = False


class SuppressedFinding(NamedTuple):
    """A finding that a comment in the file suppresses, and the reason that the comment gives."""

    finding: Finding
    reason: str


class RuleDescription(NamedTuple):
    """What a report says about a rule.

    `severity` is the worst of its findings, `summary` says in one line what it finds, `advice` in
    one or two sentences why, and what to do.
    """

    id: str
    severity: Severity
    summary: str
    advice: str


def incomplete_finding(reason: str, severity: Severity, path: str = "", line: int = 0) -> Finding:
    """A finding about what a check did not look at, in one line: what it is, and what to do.

    `path` and `line` are the place, "" and 0 for the change or the file as a whole.
    """
    return Finding(path, line, INCOMPLETE, severity, f"not checked: {reason}")


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings without duplicates, the most severe first, then by path and line."""
    return tuple(sorted(set(findings), key=lambda one: (SEVERITIES.index(one.severity), one)))


def identify_findings(
    findings: Iterable[Finding], added_lines: Mapping[str, Collection[int]]
) -> tuple[ReportedFinding, ...]:
    """Add to each finding its fingerprint and whether it is on an added line. Keeps the order.

    A fingerprint is a hash of the rule, the path and the evidence, with white space normalised.
    Findings that have all three in common are numbered by line, so that distinct findings have
    distinct fingerprints. `added_lines` has the numbers of the added lines of each path.
    """
    ordered = list(findings)
    counts: Counter[tuple[str, str, str]] = Counter()
    fingerprints: dict[Finding, str] = {}
    for finding in sorted(set(ordered)):
        key = (finding.rule, finding.path, " ".join(finding.evidence.split()))
        fingerprints[finding] = _digest(*key, str(counts[key]))
        counts[key] += 1
    return tuple(
        ReportedFinding(one, fingerprints[one], one.line in added_lines.get(one.path, ()))
        for one in ordered
    )


def _digest(*parts: str) -> str:
    from hashlib import sha256

    # The length before each part makes the text of two different lists of parts different.
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:FINGERPRINT_LENGTH]


class SeverityCounts(NamedTuple):
    """How many findings there are of each severity."""

    critical: int = 0
    warning: int = 0
    info: int = 0

    @property
    def total(self) -> int:
        """How many there are of all severities."""
        return sum(self)


def count_severities(findings: Iterable[Finding]) -> SeverityCounts:
    """How many of the findings have each severity."""
    counts = Counter(one.severity for one in findings)
    return SeverityCounts(*(counts[severity] for severity in SEVERITIES))


def sum_counts(counts: Iterable[SeverityCounts]) -> SeverityCounts:
    """The counts of all together."""
    return SeverityCounts(*map(sum, zip(*counts, strict=True)))
