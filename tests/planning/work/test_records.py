"""The requirements that an issue names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.spec import read_spec
from sdd_hooks.planning.work.brief import BriefRequirement
from sdd_hooks.planning.work.records import select_requirements
from tests.support.cpu_time import assert_linear

SPEC = """\
# SPEC-0004: Views

### Requirement: Landing Page (`GET /`)

The page MUST be served.

#### Scenario: Unauthenticated Root Visit

- WHEN a user visits `/`
- THEN the page is rendered

---

### Requirement: Search

It MUST find.

### REQ-7: Delete a link

It MUST be confirmed.
"""


def selected(issue: str, spec: str = SPEC) -> tuple[BriefRequirement, ...]:
    artifact = read_spec("docs/openspec/specs/views/spec.md", spec, None)
    assert artifact is not None
    return select_requirements([(artifact, spec)], issue)


@pytest.mark.parametrize(
    ("issue", "names"),
    [
        ('REQ "Landing Page"', ["Landing Page (`GET /`)"]),
        ("the landing page, once more", ["Landing Page (`GET /`)"]),
        ('(Scenario "Unauthenticated Root Visit")', ["Landing Page (`GET /`)"]),
        ("REQ “search”", ["Search"]),
        ("Delete a   **link**.", ["Delete a link"]),
    ],
)
def test_what_an_issue_names(issue: str, names: list[str]) -> None:
    found = selected(issue)
    assert [one.name for one in found] == names
    assert all(one.is_named for one in found)


@pytest.mark.parametrize("issue", ["", "a search for links", "landing pages"])
def test_without_a_name_all_are_selected(issue: str) -> None:
    found = selected(issue)
    assert len(found) == 3
    assert not any(one.is_named for one in found)


def test_the_text_ends_before_a_thematic_break() -> None:
    assert selected('"Landing Page"')[0].text.endswith("- THEN the page is rendered")


@given(st.text(), st.text())
def test_any_texts_are_read(issue: str, spec: str) -> None:
    for one in selected(issue, f"{SPEC}{spec}"):
        assert one.first_line <= one.last_line


def test_a_long_issue_takes_linear_time() -> None:
    assert_linear(selected, lambda size: '"landing ' * size, 40_000)
