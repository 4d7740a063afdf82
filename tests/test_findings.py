"""The order of findings, and the fingerprints that identify them over time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.findings import (
    FINGERPRINT_LENGTH,
    Finding,
    SeverityCounts,
    count_severities,
    identify_findings,
    sum_counts,
    worst_first,
)


def fingerprints(findings: list[Finding]) -> list[str]:
    return [finding.fingerprint for finding in identify_findings(findings, {})]


def test_line_message_severity_and_white_space_do_not_change_a_fingerprint() -> None:
    a = Finding("a.py", 3, "r", "info", "one", "x  =\t1")
    b = Finding("a.py", 90, "r", "critical", "two", "  x = 1 ")

    assert fingerprints([a]) == fingerprints([b])


def test_rule_path_and_evidence_change_a_fingerprint() -> None:
    base = Finding("a.py", 3, "r", "info", "one", "x")
    others = [
        Finding("b.py", 3, "r", "info", "one", "x"),
        Finding("a.py", 3, "s", "info", "one", "x"),
        Finding("a.py", 3, "r", "info", "one", "y"),
        Finding("a.py", 3, "r", "info", "one", ""),
        # The boundary between two fields counts.
        Finding("a.py", 3, "ra.", "info", "one", "pyx"),
    ]

    assert len(set(fingerprints([base, *others]))) == 6


def test_equal_findings_are_numbered_by_line_in_any_input_order() -> None:
    first = Finding("a.py", 3, "r", "info", "m", "x")
    second = Finding("a.py", 9, "r", "info", "m", "x")

    assert fingerprints([first, second]) == fingerprints([second, first])[::-1]
    assert len(set(fingerprints([first, second]))) == 2
    # An equal finding above them keeps both of their fingerprints.
    above = Finding("a.py", 1, "r", "info", "m", "x")
    assert set(fingerprints([first, second])) < set(fingerprints([above, first, second]))


@given(
    st.lists(
        st.builds(
            Finding,
            st.text(max_size=3),
            st.integers(0, 4),
            st.sampled_from(["r", "s/t"]),
            st.sampled_from(["critical", "warning", "info"]),
            st.text(max_size=2),
            st.text(st.characters(exclude_categories=[]), max_size=4),
        ),
        max_size=12,
    )
)
def test_distinct_findings_have_distinct_fingerprints(findings: list[Finding]) -> None:
    reported = identify_findings(findings, {})

    assert [finding.finding for finding in reported] == findings
    assert len({finding.fingerprint for finding in reported}) == len(set(findings))
    assert all(len(finding.fingerprint) == FINGERPRINT_LENGTH for finding in reported)
    assert not any(finding.on_added_line for finding in reported)


def test_a_finding_on_a_line_that_the_change_adds_is_marked() -> None:
    on_lines = [Finding("a.py", line, "r", "info", "m") for line in (0, 1, 2, 3)]

    reported = identify_findings([*on_lines, Finding("b.py", 2, "r", "info", "m")], {"a.py": {2}})

    assert [finding.on_added_line for finding in reported] == [False, False, True, False, False]


def test_worst_first_orders_by_severity_path_and_line_without_duplicates() -> None:
    info = Finding("a.py", 1, "r", "info", "m")
    warning = Finding("b.py", 9, "r", "warning", "m")
    earlier = Finding("b.py", 2, "r", "warning", "m")

    assert worst_first([info, warning, earlier, info]) == (earlier, warning, info)


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
