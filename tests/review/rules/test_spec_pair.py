from __future__ import annotations

from pathlib import Path

from sdd_hooks.review.rules.spec_pair import RULE
from tests.review.repositories import staged_subject_of, subject_of
from tests.review.rules.records import SPECS, found, spec

SPEC, DESIGN = f"{SPECS}/search/spec.md", f"{SPECS}/search/design.md"


def test_a_new_spec_without_its_design(tmp_path: Path) -> None:
    findings = found(RULE, subject_of(tmp_path, {}, {SPEC: spec(1)[SPEC]}))

    assert [(one.path, one.severity, one.message) for one in findings] == [
        (SPEC, "warning", f"{SPECS}/search has no design.md: a spec is always both files")
    ]


def test_a_new_design_without_its_spec(tmp_path: Path) -> None:
    findings = found(RULE, staged_subject_of(tmp_path, {}, {DESIGN: "# SPEC-0001: Search\n"}))

    assert [(one.path, one.message) for one in findings] == [
        (DESIGN, f"{SPECS}/search has no spec.md: a spec is always both files")
    ]


def test_one_of_the_two_is_deleted_or_moved_away(tmp_path: Path) -> None:
    deleted = subject_of(tmp_path / "a", spec(1), {DESIGN: None})
    moved = subject_of(tmp_path / "b", spec(1), {DESIGN: None, "docs/design.md": spec(1)[DESIGN]})

    assert [one.path for one in found(RULE, deleted)] == [SPEC]
    assert [one.path for one in found(RULE, moved)] == [SPEC]


def test_both_files_and_none_at_all_are_right(tmp_path: Path) -> None:
    before = {**spec(1), **spec(2, "index")}
    gone: dict[str, str | None] = dict.fromkeys(spec(2, "index"))
    subject = subject_of(tmp_path, before, {**gone, SPEC: spec(1, "search", "More")[SPEC]})

    assert found(RULE, subject) == []


def test_what_was_incomplete_before_is_left_alone_until_it_changes(tmp_path: Path) -> None:
    before = {SPEC: spec(1)[SPEC], **spec(2, "index")}
    other = spec(2, "index", "More")
    again = {SPEC: spec(1, "search", "More")[SPEC]}

    assert found(RULE, subject_of(tmp_path / "a", before, other)) == []
    assert len(found(RULE, subject_of(tmp_path / "b", before, again))) == 1


def test_files_of_that_name_elsewhere_are_none(tmp_path: Path) -> None:
    assert found(RULE, subject_of(tmp_path, {}, {"design.md": "# Design\n"})) == []
