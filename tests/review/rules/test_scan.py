"""Results of scanners are findings on the lines that changed, or anywhere in a whole tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sdd_hooks.drift.whole_tree import Scope, whole_tree_subject
from sdd_hooks.findings import Finding
from sdd_hooks.review.apply_rules import apply_rules
from sdd_hooks.review.rules.scan import SECURITY, TEMPLATE, covered_rules, scan_notes
from sdd_hooks.review.sarif import parse_sarif
from sdd_hooks.review.scans import ScanFile
from sdd_hooks.review.subject import Subject
from tests.review.repositories import subject_of
from tests.review.rules.records import adr
from tests.support.repos import Repo
from tests.support.sarif import Fields, result, sarif

BEFORE = {"src/a.py": "one\ntwo\nthree\n", "src/b.py": "b\n"}
AFTER = {"src/a.py": "one\nTWO\nthree\n"}


def scan_of(*results: Fields, **fields: object) -> ScanFile:
    return parse_sarif(sarif(*results, **fields).encode(), "out/semgrep.sarif", ("/work",))


def with_scans(subject: Subject, *scans: ScanFile) -> Subject:
    return replace(subject, scans=scans, _results={})


def found(subject: Subject) -> tuple[Finding, ...]:
    return apply_rules(subject, (SECURITY, TEMPLATE)).findings


def lines(findings: Sequence[Finding]) -> list[tuple[str, int]]:
    return [(one.path, one.line) for one in findings]


@pytest.fixture
def change(tmp_path: Path) -> Subject:
    return subject_of(tmp_path, BEFORE, AFTER)


@pytest.fixture
def tree(repo: Repo) -> Subject:
    repo.write("src/a.py", "one\ntwo\nthree\n")
    repo.write("src/b.py", "b = 1  # nosemgrep\n")
    for path, text in adr(1, matter="applies-to:\n  - src/a.py\n").items():
        repo.write(path, text)
    for path, text in adr(2, "Old", status="superseded", matter="applies-to: src/\n").items():
        repo.write(path, text)
    repo.write("CLAUDE.md", "- Architecture Decision Records are in `docs/adrs/`\n")
    repo.commit("One")
    return whole_tree_subject(repo.project(), Scope())


def test_a_review_counts_results_on_changed_lines(change: Subject) -> None:
    # SPEC-0010 "A result on a line that did not change"
    several = result("src/a.py", 1)
    several["locations"][0]["physicalLocation"]["region"]["endLine"] = 2
    scan = scan_of(
        result("src/a.py", 1, "old"),
        result("src/a.py", 2, "new"),
        result("src/a.py", 0, "file"),
        result("src/b.py", 1),
        result("", 0, "project"),
        several,
    )
    findings = found(with_scans(change, scan))

    assert [(one.rule, one.line) for one in findings] == [
        ("security/semgrep/file", 0),
        ("security/semgrep/eval", 1),
        ("security/semgrep/new", 2),
    ]
    assert findings[2].evidence == "TWO"


def test_lines_that_were_not_read_may_have_changed(change: Subject) -> None:
    (file,) = change.change.files
    binary = replace(
        change, change=change.change._replace(files=(file._replace(added=(), binary=True),))
    )
    assert lines(found(with_scans(binary, scan_of(result("src/a.py", 1))))) == [("src/a.py", 1)]


def test_a_whole_tree_has_every_result_beside_its_decision(tree: Subject) -> None:
    # SPEC-0010 "A result beside its decision"
    scan = scan_of(result("src/a.py", 2), result("src/b.py", 1), result("", 0, "project"))
    findings = found(with_scans(tree, scan))

    assert findings == (
        Finding("", 0, "security/semgrep/project", "warning", "Mind project."),
        Finding(
            "src/a.py", 2, "security/semgrep/eval", "warning", "Mind eval (governed by ADR-0001)",
            "two",
        ),
        Finding(
            "src/b.py", 1, "security/semgrep/eval", "warning", "Mind eval.", "b = 1  # nosemgrep"
        ),
    )  # fmt: skip


def test_a_governing_comment_names_the_decision(tmp_path: Path) -> None:
    text = "# Governing: ADR-0001\neval(x)\n"
    subject = subject_of(tmp_path, adr(1), {"src/a.py": text})
    (finding,) = found(with_scans(subject, scan_of(result("src/a.py", 2))))
    assert finding.message == "Mind eval (governed by ADR-0001)"


def test_a_line_beyond_the_file_is_the_file(tree: Subject) -> None:
    findings = found(with_scans(tree, scan_of(result("src/a.py", 99))))
    assert lines(findings) == [("src/a.py", 0)]


def test_a_tag_makes_a_result_one_of_templates(tree: Subject) -> None:
    scan = scan_of(result("src/b.py", 1, properties={"tags": ["templates"]}))
    assert [one.rule for one in found(with_scans(tree, scan))] == ["template/semgrep/eval"]


def test_what_a_scanner_hides_is_not_shown(tree: Subject) -> None:
    secret = result("src/a.py", 2)
    region = secret["locations"][0]["physicalLocation"]["region"]
    region["snippet"] = {"text": "REDACTED"}
    (finding,) = found(with_scans(tree, scan_of(secret)))
    assert finding.evidence == "REDACTED"


def test_a_comment_of_ours_suppresses_a_result(tmp_path: Path) -> None:
    # SPEC-0010 "A result that a comment suppresses"
    text = "# sdd-ignore: security/semgrep/python.eval (a literal)\neval('1')\n"
    subject = subject_of(tmp_path, {}, {"src/a.py": text})
    results = apply_rules(
        with_scans(subject, scan_of(result("src/a.py", 2, "python.eval"))), (SECURITY,)
    )
    assert results.findings == ()
    assert [one.reason for one in results.suppressed] == ["a literal"]


def test_what_the_scanner_suppresses_is_counted(tree: Subject) -> None:
    scan = scan_of(result("src/b.py", 1, suppressions=[{"kind": "inSource"}]))
    subject = with_scans(tree, scan)

    assert found(subject) == ()
    assert scan_notes(subject) == (
        "left out: 1 result in out/semgrep.sarif that the scanner calls suppressed",
    )


def test_a_comment_of_the_change_suppresses_nothing_if_only_the_base_may(change: Subject) -> None:
    settings = change.settings._replace(suppressions="base")
    subject = replace(change, settings=settings)
    found_by = {
        kind: found(
            with_scans(subject, scan_of(result("src/a.py", 2, suppressions=[{"kind": kind}])))
        )
        for kind in ("inSource", "external")
    }
    assert {kind: len(findings) for kind, findings in found_by.items()} == {
        "inSource": 1,
        "external": 0,
    }


def test_results_outside_of_the_repository_are_counted(tree: Subject) -> None:
    # SPEC-0010 "Results outside of the repository"
    scan = scan_of(result("src/b.py", 1), result("../x.py", 1), result("gone.py", 2))
    subject = with_scans(tree, scan)

    assert lines(found(subject)) == [("src/b.py", 1)]
    assert scan_notes(subject) == (
        "left out: 2 results in out/semgrep.sarif about files that are not in the repository",
    )


def test_a_scan_of_another_directory_is_incomplete(tree: Subject) -> None:
    (finding,) = found(with_scans(tree, scan_of(result("a.py", 1), result("/x/b.py", 1))))

    assert (finding.rule, finding.severity, finding.path) == ("incomplete", "critical", "")
    assert finding.message == (
        "not checked: the results in out/semgrep.sarif: they name no file of this repository: start"
        " the scanner in its top directory"
    )


def test_a_file_that_cannot_be_read_leaves_the_others(tree: Subject) -> None:
    # SPEC-0010 "A file that is no SARIF"
    broken = ScanFile("a.sarif", problems=("no JSON, or nested too deep",))
    subject = with_scans(tree, broken, scan_of(result("src/b.py", 1)))

    assert [(one.rule, one.message) for one in found(subject)] == [
        ("incomplete", "not checked: the results in a.sarif: no JSON, or nested too deep"),
        ("security/semgrep/eval", "Mind eval."),
    ]


def test_the_settings_decide_how_severe_an_unread_scan_is(tree: Subject) -> None:
    settings = tree.settings._replace(incomplete="warning")
    subject = replace(tree, settings=settings, scans=(ScanFile("a", problems=("gone",)),))
    assert [one.severity for one in found(subject)] == ["warning"]


def test_the_worst_results_are_kept(tree: Subject) -> None:
    many = [result("src/a.py", 1 + number % 3, f"r{number}") for number in range(1_200)]
    subject = with_scans(tree, scan_of(*many, result("src/b.py", 1, "last", level="error")))
    findings = found(subject)

    assert len(findings) == 1_001
    assert findings[0].message == ("not checked: what the rule security finds beyond 1,000")
    assert findings[1].rule == "security/semgrep/last"


def test_a_run_covers_the_scanners_whose_results_it_has(tree: Subject) -> None:
    rules = ("frontmatter", "security", "template")

    assert covered_rules(tree, rules) == {"frontmatter"}
    assert covered_rules(with_scans(tree, scan_of(tool="Bandit")), rules) == {
        "frontmatter", "security/bandit", "template/bandit",
    }  # fmt: skip
