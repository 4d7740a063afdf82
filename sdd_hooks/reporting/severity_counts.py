"""How many findings there are of each severity."""

# Governing: ADR-0022 (one review, many reports)

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sdd_hooks.findings import SEVERITIES, Finding
from sdd_hooks.named_tuple import NamedTuple


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
