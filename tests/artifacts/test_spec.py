from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.spec import read_spec

SPEC = """\
---
status: approved
date: 2026-05-01
implements: [ADR-0023]
requires: [SPEC-0014]
---

# SPEC-0018: Artifact Graph

## Requirements

### Requirement: Edges

Edges MUST be lists.

#### Scenario: One

- WHEN x
- THEN y
"""
DESIGN = "# SPEC-0018 Design: Artifact Graph\n\n## Architecture\n"
FOLDER = "docs/openspec/specs/artifact-graph"


def read(spec: str | None, design: str | None = DESIGN, directory: str = FOLDER) -> Artifact:
    artifact = read_spec(f"{directory}/spec.md".lstrip("/"), spec, design)
    assert artifact is not None
    return artifact


def test_a_spec() -> None:
    spec = read(SPEC)
    assert (spec.kind, spec.name, spec.title) == ("SPEC", "SPEC-0018", "Artifact Graph")
    assert (spec.path, spec.design) == (f"{FOLDER}/spec.md", f"{FOLDER}/design.md")
    assert spec.paths == (f"{FOLDER}/spec.md", f"{FOLDER}/design.md")
    assert (spec.status.value, spec.date) == ("approved", "2026-05-01")
    assert [(e.kind, str(e.target), e.line) for e in spec.edges] == [
        ("implements", "ADR-0023", 4),
        ("requires", "SPEC-0014", 5),
    ]
    (requirement,) = spec.requirements
    assert (requirement.name, requirement.first_line, requirement.last_line) == ("Edges", 12, 19)
    assert [step.word for step in requirement.scenarios[0].steps] == ["WHEN", "THEN"]
    assert spec.findings == ()


@pytest.mark.parametrize(
    ("heading", "directory", "identifier", "name", "title"),
    [
        ("# SPEC-0018: T", "specs/graph", "SPEC-0018", "SPEC-0018", "T"),
        ("# SPEC-0018: T", "specs/0003-graph", "SPEC-0018", "SPEC-0018", "T"),
        ("# T", "specs/0003-graph", "SPEC-0003", "SPEC-0003", "T"),
        ("# T", "specs/spec-0003-graph", "SPEC-0003", "SPEC-0003", "T"),
        ("---\nid: SPEC-0003\n---\n# T", "specs/graph", "SPEC-0003", "SPEC-0003", "T"),
        ("# Auth Specification", "openspec/specs/auth", "auth", "auth", "Auth Specification"),
        ("## Requirements", "openspec/specs/user-auth", "user-auth", "user-auth", "User auth"),
        ("# T", "", "spec", "spec", "T"),
    ],
)
def test_ids(heading: str, directory: str, identifier: str, name: str, title: str) -> None:
    spec = read(heading, "", directory)
    assert (str(spec.id), spec.name, spec.title) == (identifier, name, title)


def test_a_missing_file_is_a_finding() -> None:
    without_design = read(SPEC, None)
    assert (without_design.design, without_design.paths) == ("", (f"{FOLDER}/spec.md",))
    (finding,) = without_design.findings
    assert (finding.rule, finding.severity) == ("spec-incomplete", "warning")
    assert finding.message == f"{FOLDER} has no design.md: a spec is always both files"
    without_spec = read(None)
    assert (without_spec.name, without_spec.path) == ("SPEC-0018", f"{FOLDER}/design.md")
    assert without_spec.paths == (f"{FOLDER}/design.md",)
    assert without_spec.title == "Artifact Graph"
    assert [finding.rule for finding in without_spec.findings] == ["spec-incomplete"]
    assert read_spec(f"{FOLDER}/spec.md", None, None) is None


def test_a_design_of_another_spec_is_a_finding() -> None:
    (finding,) = read(SPEC, "\n# SPEC-0019 Design: Another\n").findings
    assert (finding.rule, finding.path, finding.line) == ("id-conflict", f"{FOLDER}/design.md", 2)
    assert "the design says SPEC-0019, the spec SPEC-0018" in finding.message


def test_a_template_is_not_a_spec() -> None:
    assert (
        read_spec("specs/template/spec.md", "# SPEC-XXXX: {Title}\n\n## Overview\n", DESIGN) is None
    )


DIRECTORIES = st.text().map(lambda name: name.rstrip("/"))


@given(st.one_of(st.none(), st.text()), st.one_of(st.none(), st.text()), DIRECTORIES)
def test_any_text_is_read(spec: str | None, design: str | None, directory: str) -> None:
    artifact = read_spec(f"{directory}/spec.md".lstrip("/"), spec, design)
    assert artifact is None or artifact.title or not directory
