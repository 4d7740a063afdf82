from __future__ import annotations

from pathlib import Path

from sdd_hooks.review.rules.frontmatter import RULE, artifact_findings
from tests.review.repositories import staged_subject_of, subject_of
from tests.review.rules.records import ADRS, SPECS, adr, found, spec


def path_of(files: dict[str, str]) -> str:
    return next(iter(files))


def test_what_is_wrong_with_a_changed_record(tmp_path: Path) -> None:
    matter = "extends: [ADR-0077]\n"
    broken = {f"{ADRS}/ADR-0003-broken.md": "---\nstatus: [accepted\n---\n# ADR-0003: Broken\n"}
    odd = adr(4, "Odd", status="perhaps")
    subject = subject_of(tmp_path, adr(1), {**adr(2, "Two", matter=matter), **broken, **odd})

    assert [(one.rule, one.severity, one.path, one.line) for one in found(RULE, subject)] == [
        ("frontmatter/unknown-id", "critical", path_of(adr(2, "Two")), 4),
        ("frontmatter/broken-frontmatter", "critical", path_of(broken), 3),
        ("frontmatter/unknown-status", "warning", path_of(odd), 2),
    ]


def test_an_edge_to_a_record_that_the_change_takes_away(tmp_path: Path) -> None:
    follower = adr(2, "Two", matter="extends: [ADR-0001]\n")
    before = {**adr(1), **follower}
    deleted = staged_subject_of(tmp_path / "a", before, {path_of(adr(1)): None})
    renumbered = subject_of(tmp_path / "b", before, {path_of(adr(1)): None, **adr(7)})

    for subject in (deleted, renumbered):
        assert [(one.rule, one.path) for one in found(RULE, subject)] == [
            ("frontmatter/unknown-id", path_of(follower))
        ]


def test_what_others_have_wrong_is_left_alone(tmp_path: Path) -> None:
    wrong = adr(2, "Two", matter="extends: [ADR-0077]\n")
    subject = subject_of(tmp_path, {**adr(1), **wrong}, adr(1, decision="We keep it short.\n"))

    assert found(RULE, subject) == []


def test_what_a_changed_record_has_wrong_is_told_again(tmp_path: Path) -> None:
    wrong = adr(2, "Two", matter="extends: [ADR-0077]\n")
    more = adr(2, "Two", matter="extends: [ADR-0077]\n", more="\nMore.\n")

    assert len(found(RULE, subject_of(tmp_path, wrong, more))) == 1


def test_a_number_that_two_records_had_before_is_nobodys_news(tmp_path: Path) -> None:
    before = {**adr(1, "One"), **adr(1, "Other")}
    subject = subject_of(tmp_path, before, adr(1, "One", more="\nMore.\n"))

    assert found(RULE, subject) == []
    # Before a commit everything is told.
    assert {one.rule for one in artifact_findings(subject)} == {"duplicate-id"}


def test_a_number_taken_is_told_by_its_own_rule(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, adr(1, "One"), adr(1, "Other"))

    assert found(RULE, subject) == []


def test_a_circle_and_a_status_that_the_change_brings_about(tmp_path: Path) -> None:
    before = {**adr(1, "One"), **adr(2, "Two", matter="extends: [ADR-0001]\n"), **adr(3, "Three")}
    after = {
        **adr(1, "One", matter="extends: [ADR-0002]\n"),
        **adr(4, "Four", matter="supersedes: [ADR-0003]\n"),
    }
    subject = subject_of(tmp_path, before, after)

    assert [one.rule for one in found(RULE, subject)] == [
        "frontmatter/cycle",
        "frontmatter/superseded-status",
    ]


def test_half_a_spec_is_told_by_its_own_rule(tmp_path: Path) -> None:
    path = f"{SPECS}/search/spec.md"

    assert found(RULE, subject_of(tmp_path, {}, {path: spec(1)[path]})) == []


def test_a_change_without_records_reads_none(tmp_path: Path) -> None:
    assert found(RULE, subject_of(tmp_path, adr(1), {"a.py": "1\n"})) == []
