from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.requirements import (
    Requirement,
    RequirementKeyword,
    Scenario,
    ScenarioStep,
    find_keywords,
    read_requirements,
)
from sdd_hooks.text.markdown import mask_non_prose, parse_sections


def read(text: str) -> tuple[Requirement, ...]:
    return read_requirements(mask_non_prose(text), parse_sections(text))


SPEC = """\
# SPEC-0007: Tokens

## Requirements

### Requirement: Token Validation

The service MUST refuse expired tokens and SHOULD log them.
It MUST
NOT keep them. `may` is no keyword, MAY is.

```
MUST in code is none
```

#### Scenario: Expired

- **GIVEN** a token of yesterday
- **WHEN** it is sent
  with a request
- **THEN** the answer is 401
- AND the request MUST NOT run

Not a step.

#### Notes

### Requirement: Nothing binding

#### Scenario: A

- WHEN x
- THEN y

## Other

OPTIONAL
"""


def test_a_spec() -> None:
    first, second = read(SPEC)
    assert first == Requirement(
        name="Token Validation",
        id="",
        first_line=5,
        last_line=26,
        anchor="requirement-token-validation",
        keywords=(
            RequirementKeyword("MUST", "must", 7),
            RequirementKeyword("SHOULD", "should", 7),
            RequirementKeyword("MUST NOT", "must", 8),
            RequirementKeyword("MAY", "may", 9),
            RequirementKeyword("MUST NOT", "must", 21),
        ),
        scenarios=(
            Scenario(
                "Expired",
                15,
                24,
                (
                    ScenarioStep("GIVEN", "a token of yesterday", 17),
                    ScenarioStep("WHEN", "it is sent with a request", 18),
                    ScenarioStep("THEN", "the answer is 401", 20),
                    ScenarioStep("AND", "the request MUST NOT run", 21),
                ),
            ),
        ),
    )
    assert first.level == "must"
    assert (second.name, second.first_line, second.last_line) == ("Nothing binding", 27, 33)
    assert second.level is None
    assert [(step.word, step.text) for step in second.scenarios[0].steps] == [
        ("WHEN", "x"),
        ("THEN", "y"),
    ]


@pytest.mark.parametrize(
    ("heading", "name", "identifier"),
    [
        ("### Requirement: Name", "Name", ""),
        ("### Requirement 3: Name", "Name", "REQ-3"),
        ("### Requirement - Name", "Name", ""),
        ("### **Requirement**: Name", "Name", ""),
        ("### REQ-0002-001: Name", "Name", "REQ-0002-001"),
        ("### REQ-0002-001b: Name", "Name", "REQ-0002-001b"),
        ("### REQ: Name", "Name", ""),
        ("#### FR-001: Name", "Name", "FR-001"),
        ("### NFR-2. Name", "Name", "NFR-2"),
        ("### REQ-7", "REQ-7", "REQ-7"),
    ],
)
def test_headings_of_requirements(heading: str, name: str, identifier: str) -> None:
    (found,) = read(f"# S\n\n{heading}\n\nIt MUST.\n")
    assert (found.name, found.id, found.level) == (name, identifier, "must")


@pytest.mark.parametrize(
    "heading", ["## Requirements", "### Required work", "# Requirement: Title", "### Requirement X"]
)
def test_other_headings_are_not_requirements(heading: str) -> None:
    assert read(f"{heading}\n\nIt MUST.\n") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MUST", [("MUST", "must", False)]),
        ("MUST NOT", [("MUST NOT", "must", True)]),
        ("**MUST** **NOT**", [("MUST NOT", "must", True)]),
        ("SHALL, SHALL NOT", [("SHALL", "must", False), ("SHALL NOT", "must", True)]),
        ("REQUIRED", [("REQUIRED", "must", False)]),
        ("SHOULD NOT", [("SHOULD NOT", "should", True)]),
        ("NOT RECOMMENDED", [("NOT RECOMMENDED", "should", True)]),
        ("RECOMMENDED", [("RECOMMENDED", "should", False)]),
        ("MAY or OPTIONAL", [("MAY", "may", False), ("OPTIONAL", "may", False)]),
        ("must, Should, MUSTARD, MAYBE, A_MUST", []),
    ],
)
def test_keywords(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert [(k.word, k.level, k.negative) for k in find_keywords(text)] == expected


def test_keywords_have_lines() -> None:
    assert [k.line for k in find_keywords("MUST\n\nMAY MUST\nSHALL", 10)] == [10, 12, 12, 13]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- **WHEN** x", ("WHEN", "x")),
        ("- **When** x", ("WHEN", "x")),
        ("- __Then:__ x", ("THEN", "x")),
        ("* WHEN: x", ("WHEN", "x")),
        ("WHEN x", ("WHEN", "x")),
        ("  - BUT x", ("BUT", "x")),
        ("When x", None),
        ("- WHENEVER x", None),
        ("- x", None),
    ],
)
def test_steps(line: str, expected: tuple[str, str] | None) -> None:
    (found,) = read(f"### Requirement: R\n#### Scenario: S\n{line}\n")
    steps = [(step.word, step.text) for step in found.scenarios[0].steps]
    assert steps == ([expected] if expected else [])


blocks = st.sampled_from(
    ["### Requirement: a", "#### Scenario: b", "- **WHEN** c", "d MUST e", "## f", "```", ""]
)


@given(st.one_of(st.text(), st.lists(blocks).map("\n".join)))
def test_lines_are_ordered_and_within_the_text(text: str) -> None:
    total = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    last = 0
    for requirement in read(text):
        assert last < requirement.first_line <= requirement.last_line <= total
        last = requirement.first_line
        for keyword in requirement.keywords:
            assert requirement.first_line <= keyword.line <= requirement.last_line
        for scenario in requirement.scenarios:
            assert requirement.first_line < scenario.first_line <= scenario.last_line
            assert scenario.last_line <= requirement.last_line
            lines = [step.line for step in scenario.steps]
            assert lines == sorted(set(lines))
            assert all(scenario.first_line < line <= scenario.last_line for line in lines)


SPEC_KIT = """# Feature Specification: Pay

**Status**: Draft

### User Story 1 - Pay by card (Priority: P1)

**Acceptance Scenarios**:

1. **Given** a cart, **When** it is paid,
   **Then** a receipt is sent

### Functional Requirements

- **FR-001**: System MUST store receipts
- **FR-002**: System SHOULD mail them
"""
KIRO = """# Requirements

### Requirement 1: Pay

**User Story:** As a buyer, I want to pay.

#### Acceptance Criteria

1. WHEN a cart is paid THEN the system SHALL store a receipt
2. WHILE it is offline, WHEN a cart is paid, THE SYSTEM SHALL queue it
3. THE SYSTEM SHALL be fast
"""


def test_requirements_of_spec_kit_are_stories_and_items() -> None:
    story, *items = read(SPEC_KIT)
    assert (story.id, story.name, story.is_story) == (
        "US-1",
        "Pay by card (Priority: P1)",
        True,
    )
    (scenario,) = story.scenarios
    assert (scenario.first_line, scenario.last_line) == (9, 10)
    assert [tuple(step)[:2] for step in scenario.steps] == [
        ("GIVEN", "a cart"),
        ("WHEN", "it is paid"),
        ("THEN", "a receipt is sent"),
    ]
    assert [(one.id, one.name, one.first_line, one.level) for one in items] == [
        ("FR-001", "System MUST store receipts", 14, "must"),
        ("FR-002", "System SHOULD mail them", 15, "should"),
    ]


def test_criteria_of_kiro_are_scenarios() -> None:
    (requirement,) = read(KIRO)
    assert (requirement.id, requirement.name, requirement.level) == ("REQ-1", "Pay", "must")
    steps = [[tuple(step)[:2] for step in one.steps] for one in requirement.scenarios]
    assert steps == [
        [("WHEN", "a cart is paid"), ("THEN", "the system SHALL store a receipt")],
        [
            ("GIVEN", "it is offline"),
            ("WHEN", "a cart is paid"),
            ("THEN", "THE SYSTEM SHALL queue it"),
        ],
    ]
