from __future__ import annotations

import pytest

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.artifacts.spec import read_spec
from sdd_hooks.authoring.record_draft import RecordDraft
from sdd_hooks.authoring.spec_draft import draft_spec, spec_directory

DRAFT = RecordDraft(ArtifactId("SPEC", 7), "Token validation", "2026-11-23")


@pytest.mark.parametrize(
    ("samples", "step"),
    [
        ((), "- **WHEN** "),
        (("- WHEN a\n- THEN b\n",), "- WHEN "),
        (("- **WHEN** a\n",), "- **WHEN** "),
    ],
)
def test_a_pair_with_a_requirement_and_a_scenario(samples, step) -> None:
    spec, design = draft_spec(DRAFT, samples)
    read = read_spec("specs/token-validation/spec.md", spec, design)
    assert read
    assert (str(read.id), read.title, read.status.value) == ("SPEC-0007", DRAFT.title, "draft")
    assert (read.date, read.findings) == ("2026-11-23", ())
    (requirement,) = read.requirements
    assert requirement.level == "must"
    assert [one.word for one in requirement.scenarios[0].steps] == ["WHEN", "THEN"]
    assert f"\n{step}<!--" in spec


def test_the_directory_is_the_title_in_kebab_case() -> None:
    assert spec_directory("The user's Token — Validation!") == "the-users-token-validation"
    assert spec_directory("???") == "spec"
