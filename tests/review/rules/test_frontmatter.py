from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.drift.whole_tree import Scope, whole_tree_subject
from sdd_hooks.review.rules.frontmatter import RULE, validate_changed
from tests.review.repositories import staged_subject_of, subject_of
from tests.review.rules.records import ADRS, SPECS, adr, run_rule, spec
from tests.support.repos import Repo


def path_of(files: dict[str, str]) -> str:
    return next(iter(files))


def test_errors_of_a_changed_record(tmp_path: Path) -> None:
    matter = "extends: [ADR-0077]\n"
    broken = {f"{ADRS}/ADR-0003-broken.md": "---\nstatus: [accepted\n---\n# ADR-0003: Broken\n"}
    unknown = adr(4, "Unknown", status="perhaps")
    subject = subject_of(tmp_path, adr(1), {**adr(2, "Two", matter=matter), **broken, **unknown})

    assert [
        (finding.rule, finding.severity, finding.path, finding.line)
        for finding in run_rule(RULE, subject)
    ] == [
        ("frontmatter/unknown-id", "critical", path_of(adr(2, "Two")), 4),
        ("frontmatter/broken-frontmatter", "critical", path_of(broken), 3),
        ("frontmatter/unknown-status", "warning", path_of(unknown), 2),
    ]


def test_an_edge_to_a_removed_record(tmp_path: Path) -> None:
    follower = adr(2, "Two", matter="extends: [ADR-0001]\n")
    before = {**adr(1), **follower}
    deleted = staged_subject_of(tmp_path / "a", before, {path_of(adr(1)): None})
    renumbered = subject_of(tmp_path / "b", before, {path_of(adr(1)): None, **adr(7)})

    for subject in (deleted, renumbered):
        assert [(finding.rule, finding.path) for finding in run_rule(RULE, subject)] == [
            ("frontmatter/unknown-id", path_of(follower))
        ]


def test_errors_of_unchanged_records_are_ignored(tmp_path: Path) -> None:
    wrong = adr(2, "Two", matter="extends: [ADR-0077]\n")
    subject = subject_of(tmp_path, {**adr(1), **wrong}, adr(1, decision="We keep it short.\n"))

    assert run_rule(RULE, subject) == []


def test_an_older_error_of_a_changed_record_is_reported(tmp_path: Path) -> None:
    wrong = adr(2, "Two", matter="extends: [ADR-0077]\n")
    more = adr(2, "Two", matter="extends: [ADR-0077]\n", more="\nMore.\n")

    assert len(run_rule(RULE, subject_of(tmp_path, wrong, more))) == 1


def test_a_duplicate_number_of_the_base_is_ignored(tmp_path: Path) -> None:
    before = {**adr(1, "One"), **adr(1, "Other")}
    subject = subject_of(tmp_path, before, adr(1, "One", more="\nMore.\n"))

    assert run_rule(RULE, subject) == []
    # The pre-commit hook reports it all the same.
    assert {finding.rule for finding in validate_changed(subject)} == {"duplicate-id"}


def test_a_duplicate_number_is_left_to_its_rule(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, adr(1, "One"), adr(1, "Other"))

    assert run_rule(RULE, subject) == []


def test_a_cycle_and_a_status_that_the_change_causes(tmp_path: Path) -> None:
    before = {**adr(1, "One"), **adr(2, "Two", matter="extends: [ADR-0001]\n"), **adr(3, "Three")}
    after = {
        **adr(1, "One", matter="extends: [ADR-0002]\n"),
        **adr(4, "Four", matter="supersedes: [ADR-0003]\n"),
    }
    subject = subject_of(tmp_path, before, after)

    assert [finding.rule for finding in run_rule(RULE, subject)] == [
        "frontmatter/cycle",
        "frontmatter/superseded-status",
    ]


def test_an_incomplete_spec_is_left_to_its_rule(tmp_path: Path) -> None:
    path = f"{SPECS}/search/spec.md"

    assert run_rule(RULE, subject_of(tmp_path, {}, {path: spec(1)[path]})) == []


def test_a_change_without_records_has_no_findings(tmp_path: Path) -> None:
    assert run_rule(RULE, subject_of(tmp_path, adr(1), {"a.py": "1\n"})) == []


@pytest.mark.parametrize(
    ("status", "is_found"),
    [
        ("perhaps", True),
        ("opened for discussion", True),
        ("closed", False),
        ("all 12 defects fixed", False),
        ("**Resolved** in April", False),
    ],
)
def test_in_a_whole_tree_the_status_of_work_is_no_unknown_status(
    repo: Repo, status: str, is_found: bool
) -> None:
    for path, text in {**adr(1), **adr(2, "Defects", status=f"'{status}'")}.items():
        repo.write(path, text)
    found = run_rule(RULE, whole_tree_subject(repo.project(), Scope()))

    assert [one.rule for one in found] == ["frontmatter/unknown-status"] * is_found


@pytest.mark.parametrize(
    ("related", "is_found"),
    [
        ("[[ADR-0001]]", True),
        ("{because: ADR-0001}", True),
        # Another tool lists slugs of records by their kind.
        ("{rfcs: [use-queues], guides: []}", False),
        ("[{slug: use-queues}]", False),
    ],
)
def test_in_a_whole_tree_a_nested_value_without_an_id_is_of_another_tool(
    repo: Repo, related: str, is_found: bool
) -> None:
    for path, text in {**adr(1), **adr(2, "Queues", matter=f"related: {related}\n")}.items():
        repo.write(path, text)
    found = run_rule(RULE, whole_tree_subject(repo.project(), Scope()))

    assert [one.rule for one in found] == ["frontmatter/unreadable-id"] * is_found


@pytest.mark.parametrize(("title", "count"), [("SPIKE-001 Analysis Report", 0), ("Other", 2)])
def test_in_a_whole_tree_a_report_to_a_record_may_have_its_number(
    repo: Repo, title: str, count: int
) -> None:
    for name, heading in (("one", "# ADR 10: One"), ("other", f"# {title}")):
        repo.write(f"{ADRS}/0010-{name}.md", f"{heading}\n\n## Decision\n\nA.\n")
    found = run_rule(RULE, whole_tree_subject(repo.project(), Scope()))
    assert [one.rule for one in found] == ["frontmatter/duplicate-id"] * count
