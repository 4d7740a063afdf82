"""How many findings there are of each severity."""

from __future__ import annotations

from sdd_hooks.findings import Finding
from sdd_hooks.reporting.severity_counts import SeverityCounts, count_severities, sum_counts


def test_findings_are_counted_by_severity() -> None:
    findings = [
        Finding("a.py", 1, "one", "info", "An info."),
        Finding("a.py", 2, "one", "critical", "A defect."),
        Finding("b.py", 1, "two", "info", "Another info."),
    ]
    assert count_severities(findings) == SeverityCounts(critical=1, warning=0, info=2)
    assert count_severities([]).total == 0


def test_the_counts_of_several_groups_are_added() -> None:
    assert sum_counts([SeverityCounts(1, 2, 0), SeverityCounts(0, 3, 4)]) == (1, 5, 4)
    assert sum_counts([]) == SeverityCounts()
