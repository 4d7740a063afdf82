from __future__ import annotations

from pathlib import Path

from sdd_hooks.review.rules.spec_pair import RULE
from tests.review.repositories import staged_subject_of, subject_of
from tests.review.rules.records import SPECS, run_rule, spec

SPEC, DESIGN = f"{SPECS}/search/spec.md", f"{SPECS}/search/design.md"


def test_a_new_spec_without_its_design(tmp_path: Path) -> None:
    findings = run_rule(RULE, subject_of(tmp_path, {}, {SPEC: spec(1)[SPEC]}))

    assert [(finding.path, finding.severity, finding.message) for finding in findings] == [
        (SPEC, "warning", f"{SPECS}/search has no design.md: a spec is always both files")
    ]


def test_a_new_design_without_its_spec(tmp_path: Path) -> None:
    findings = run_rule(RULE, staged_subject_of(tmp_path, {}, {DESIGN: "# SPEC-0001: Search\n"}))

    assert [(finding.path, finding.message) for finding in findings] == [
        (DESIGN, f"{SPECS}/search has no spec.md: a spec is always both files")
    ]


def test_a_deleted_or_moved_file_of_a_spec(tmp_path: Path) -> None:
    deleted = subject_of(tmp_path / "a", spec(1), {DESIGN: None})
    moved = subject_of(tmp_path / "b", spec(1), {DESIGN: None, "docs/design.md": spec(1)[DESIGN]})

    assert [finding.path for finding in run_rule(RULE, deleted)] == [SPEC]
    assert [finding.path for finding in run_rule(RULE, moved)] == [SPEC]


def test_a_complete_and_a_deleted_spec_are_no_findings(tmp_path: Path) -> None:
    before = {**spec(1), **spec(2, "index")}
    gone: dict[str, str | None] = dict.fromkeys(spec(2, "index"))
    subject = subject_of(tmp_path, before, {**gone, SPEC: spec(1, "search", "More")[SPEC]})

    assert run_rule(RULE, subject) == []


def test_an_incomplete_spec_is_reported_when_it_changes(tmp_path: Path) -> None:
    before = {SPEC: spec(1)[SPEC], **spec(2, "index")}
    other = spec(2, "index", "More")
    edited = {SPEC: spec(1, "search", "More")[SPEC]}

    assert run_rule(RULE, subject_of(tmp_path / "a", before, other)) == []
    assert len(run_rule(RULE, subject_of(tmp_path / "b", before, edited))) == 1


def test_files_with_these_names_outside_the_specs_are_ignored(tmp_path: Path) -> None:
    assert run_rule(RULE, subject_of(tmp_path, {}, {"design.md": "# Design\n"})) == []
