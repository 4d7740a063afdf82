from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.changes.change import Change
from sdd_hooks.changes.diff import read_change
from sdd_hooks.changes.tree import Tree
from sdd_hooks.findings import Finding
from sdd_hooks.project.project import load_project
from sdd_hooks.review.apply_rules import check
from sdd_hooks.review.fingerprint import report
from sdd_hooks.review.review import subject_of as subject_at
from sdd_hooks.review.rules import own
from sdd_hooks.review.subject import Subject
from tests.review.repositories import subject_of
from tests.review.rules.records import adr
from tests.support.repos import Repo

NOWHERE = Subject(Change("", "", "", "", (), ()), Tree(Path("none")), Tree(Path("none")), ())
CONFLICT = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"


def prints(findings: list[Finding]) -> list[str]:
    return [one.fingerprint for one in report(NOWHERE, findings)]


def test_neither_line_nor_message_nor_severity_nor_white_space_matters() -> None:
    a = Finding("a.py", 3, "r", "info", "one", "x  =\t1")
    b = Finding("a.py", 90, "r", "critical", "two", "  x = 1 ")

    assert prints([a]) == prints([b])


def test_rule_path_and_evidence_matter() -> None:
    base = Finding("a.py", 3, "r", "info", "one", "x")
    others = [
        Finding("b.py", 3, "r", "info", "one", "x"),
        Finding("a.py", 3, "s", "info", "one", "x"),
        Finding("a.py", 3, "r", "info", "one", "y"),
        Finding("a.py", 3, "r", "info", "one", ""),
        # The border between two parts is not lost.
        Finding("a.py", 3, "ra.", "info", "one", "pyx"),
    ]

    assert len(set(prints([base, *others]))) == 6


def test_equals_are_told_apart_by_their_order_and_not_by_how_they_are_given() -> None:
    first = Finding("a.py", 3, "r", "info", "m", "x")
    second = Finding("a.py", 9, "r", "info", "m", "x")

    assert prints([first, second]) == prints([second, first])[::-1]
    assert len(set(prints([first, second]))) == 2
    # One more above them leaves as many of the same ones as there were.
    above = Finding("a.py", 1, "r", "info", "m", "x")
    assert set(prints([first, second])) < set(prints([above, first, second]))


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
    reported = report(NOWHERE, findings)

    assert [one.finding for one in reported] == findings
    assert len({one.fingerprint for one in reported}) == len(set(findings))
    assert all(len(one.fingerprint) == 32 for one in reported)
    assert not any(one.changed for one in reported)


def test_changed_is_what_stands_on_an_added_line(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, {"a.py": "1\n2\n"}, {"a.py": "1\nnew\n2\n"})
    at = [Finding("a.py", line, "r", "info", "m") for line in (0, 1, 2, 3)]

    reported = report(subject, [*at, Finding("b.py", 2, "r", "info", "m")])

    assert [one.changed for one in reported] == [False, False, True, False, False]


def test_a_rebase_and_lines_above_leave_the_fingerprints(repo: Repo) -> None:
    path = next(iter(adr(1)))
    repo.write("CLAUDE.md", "## Architecture Context\n\n- ADRs are in `docs/adrs/`\n")
    repo.write(path, adr(1)[path])
    repo.write("a.py", "one\ntwo\n")
    base = repo.commit("Base")
    repo.git("switch", "--quiet", "--create", "topic")
    repo.write("a.py", "one\ntwo\n# Governing: ADR-0099\n" + CONFLICT)
    repo.commit("Topic\n\nBy ADR-0098.")

    def fingerprints(base: str) -> list[tuple[str, str, int]]:
        change = read_change(repo.root, base, "topic")
        subject = subject_at(load_project(repo.root), change)
        checked = check(subject, own())
        assert checked.notes == ()
        return [
            (one.finding.rule, one.fingerprint, one.finding.line)
            for one in report(subject, checked.findings)
        ]

    before = fingerprints(base)
    repo.git("switch", "--quiet", "main")
    repo.write("a.py", "zero\n\none\ntwo\n")
    moved = repo.commit("Main goes on")
    repo.git("switch", "--quiet", "topic")
    repo.git("rebase", "--quiet", "main")
    after = fingerprints(moved)

    assert [one[:2] for one in before] == [one[:2] for one in after]
    assert [one[2] for one in before] == [3, 4, 0]
    assert [one[2] for one in after] == [5, 6, 0]
