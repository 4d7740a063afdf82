from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.findings import Finding
from sdd_hooks.review.rules.superseded_reference import RULE
from tests.review.repositories import staged_subject_of, subject_of
from tests.review.rules.records import adr, run_rule, spec

BEFORE = {
    **adr(1, "Old", status="superseded by ADR-0002"),
    **adr(2, "Newer", status="superseded"),
    **adr(3, "Newest", matter="supersedes: [ADR-0002]\n"),
    **adr(4, "Refused", status="rejected"),
    **adr(5, "Holds"),
    **spec(1, "search"),
}


def path_of(files: dict[str, str]) -> str:
    return next(iter(files))


def test_a_finding_names_the_record_in_force(tmp_path: Path) -> None:
    text = "# Governing: ADR-0001 (queues), ADR-0005\n"

    assert run_rule(RULE, subject_of(tmp_path, BEFORE, {"a.py": text})) == [
        Finding(
            "a.py",
            1,
            "superseded-reference",
            "warning",
            "ADR-0001 is superseded: see ADR-0003 (Newest) instead",
            "# Governing: ADR-0001 (queues), ADR-0005",
        )
    ]


def test_a_record_without_a_replacement(tmp_path: Path) -> None:
    subject = staged_subject_of(tmp_path, BEFORE, {"a.md": "By ADR-0004.\n"})

    assert [finding.message for finding in run_rule(RULE, subject)] == [
        "ADR-0004 is rejected: no record replaces it, so say why it still matters"
    ]


def test_a_cycle_of_successors(tmp_path: Path) -> None:
    before = {
        **adr(1, "One", status="superseded by ADR-0002"),
        **adr(2, "Two", status="superseded by ADR-0001"),
    }
    findings = run_rule(RULE, subject_of(tmp_path, before, {"a.md": "By ADR-0001.\n"}))

    assert [finding.message.partition(":")[0] for finding in findings] == ["ADR-0001 is superseded"]


def test_outdated_ids_in_title_body_and_messages(tmp_path: Path) -> None:
    subject = subject_of(
        tmp_path,
        BEFORE,
        {"a.py": "1\n"},
        title="Queues by ADR-0001",
        body="After ADR-0004.",
        message="Go\n\nRefs: ADR-0002",
    )

    assert [
        (finding.path, finding.message.partition(":")[0]) for finding in run_rule(RULE, subject)
    ] == [
        ("", "a commit message names ADR-0002, which is superseded"),
        ("", "the description names ADR-0004, which is rejected"),
        ("", "the title names ADR-0001, which is superseded"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "ADR-0005 and ADR-0003 hold.",
        "ADR-0001 was superseded.",
        "ADR-0003 replaced ADR-0001.",
        "ADR-0001, now ADR-0003",
        "ADR-0004 was rejected for good reasons.",
        "the former ADR-0001",
        "`ADR-0001`",
    ],
)
def test_a_line_that_says_that_a_record_is_outdated_is_ignored(tmp_path: Path, line: str) -> None:
    subject = staged_subject_of(tmp_path, BEFORE, {"a.md": f"{line}\n", "a.py": f"# {line}\n"})

    assert run_rule(RULE, subject) == []


def test_the_wording_of_a_governing_comment_is_ignored(tmp_path: Path) -> None:
    text = "# Governing: ADR-0001 (formerly), ADR-0003\n"

    assert len(run_rule(RULE, subject_of(tmp_path, BEFORE, {"a.py": text}))) == 1


def test_indexes_changelogs_and_tests_are_ignored(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = dict.fromkeys(
        ("README.md", "docs/adrs/README.md", "docs/adrs/overview.md", "CHANGELOG.md"),
        "- [ADR-0001](ADR-0001-old.md)\n",
    )

    assert (
        run_rule(RULE, subject_of(tmp_path, BEFORE, {**files, "tests/a.py": "'ADR-0001'\n"})) == []
    )


def test_of_a_decision_only_the_edges_are_checked(tmp_path: Path) -> None:
    outdated = adr(1, "Old", status="superseded by ADR-0002", more="\nADR-0001 had its day.\n")
    new = adr(
        6,
        "Six",
        matter="extends: [ADR-0001]\nrelated: [ADR-0004]\n",
        decision="As ADR-0001 did, we queue.\n",
    )
    replacing = adr(7, "Seven", matter="supersedes: [ADR-0001]\n")
    findings = run_rule(RULE, subject_of(tmp_path, BEFORE, {**outdated, **new, **replacing}))

    assert [(finding.path, finding.line, finding.evidence) for finding in findings] == [
        (path_of(new), 4, "extends: [ADR-0001]")
    ]


def test_text_and_edges_of_a_spec_are_checked(tmp_path: Path) -> None:
    path = path_of(spec(1, "search"))
    after = {path: spec(1, "search", matter="implements: [ADR-0002]\n")[path] + "\nBy ADR-0001.\n"}
    findings = run_rule(RULE, subject_of(tmp_path, BEFORE, after))

    assert [finding.evidence for finding in findings] == ["implements: [ADR-0002]", "By ADR-0001."]


def test_a_spec_can_name_the_one_that_it_replaces(tmp_path: Path) -> None:
    old, new = spec(1, "search"), spec(2, "find", matter="supersedes: [SPEC-0001]\n")
    old[path_of(old)] = old[path_of(old)].replace("approved", "deprecated")
    new[path_of(new)] += "\nSPEC-0001 knew no ranking.\n"
    subject = subject_of(tmp_path, {}, {**old, **new, "a.md": "By SPEC-0001.\n"})

    assert [(finding.path, finding.message) for finding in run_rule(RULE, subject)] == [
        ("a.md", "SPEC-0001 is deprecated: see SPEC-0002 (Find) instead")
    ]


def test_a_change_that_supersedes_a_record_can_name_it(tmp_path: Path) -> None:
    after = adr(5, "Holds", status="superseded by ADR-0003")
    subject = subject_of(tmp_path, BEFORE, after, message="Lay ADR-0005 to rest")

    assert run_rule(RULE, subject) == []


def test_an_id_of_two_records_is_in_force_while_one_of_them_is(tmp_path: Path) -> None:
    before = {**BEFORE, **adr(1, "Another")}

    assert run_rule(RULE, subject_of(tmp_path, before, {"a.md": "By ADR-0001.\n"})) == []


def test_unchanged_lines_are_ignored(tmp_path: Path) -> None:
    before = {**BEFORE, "a.md": "By ADR-0001.\n"}

    assert run_rule(RULE, subject_of(tmp_path, before, {"a.md": "By ADR-0001.\nMore.\n"})) == []
