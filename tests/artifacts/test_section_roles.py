import pytest

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.section_roles import SectionRole, find_role

APART, CONTEXT, CONSEQUENCE, DETAIL, DECISION = SectionRole


def roles(*headings: str, title: str = "# ADR-0007: Sweep the outbox") -> list[SectionRole]:
    """The roles of the sections with these headings, which follow a title."""
    body = "\n\n".join(f"{heading}\n\nText of the section." for heading in headings)
    record = read_adr("docs/adrs/ADR-0007-x.md", f"{title}\n\nPreamble.\n\n{body}\n")
    assert record is not None
    return [find_role(section, record) for section in record.sections]


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        ("Decision", DECISION),
        ("Decision Outcome", DECISION),
        ("3. Decision", DECISION),
        ("**The decision**", DECISION),
        ("Proposed solution", DECISION),
        ("Requirement: Leases", DECISION),
        ("Our principles", DECISION),
        ("Decision tree", DECISION),
        ("Access policy matrix", DECISION),
        ("Version comparison rules", DECISION),
        ("Resolved decisions (previously open questions)", DECISION),
        ("决策", DECISION),
        ("Entscheidung", DECISION),
        ("(b) A lease in the database (CHOSEN)", DECISION),
        ("Option 2: a lease (selected)", DECISION),
        ("Status", APART),
        ("Changelog", APART),
        ("Considered Options", APART),
        ("Alternatives considered", APART),
        ("Option 1: Redis", APART),
        ("A lease in Redis (rejected)", APART),
        ("A lease in Redis (not chosen)", APART),
        ("Pros and Cons of the Options", APART),
        ("Decision Drivers", APART),
        ("Decision makers", APART),
        ("Decision Matrix", APART),
        ("Weighted decision matrix (1-5)", APART),
        ("Options matrix", APART),
        ("Solution comparison", APART),
        ("Comparison of the proposals", APART),
        ("Pros & cons of the solution", APART),
        ("Pros/Cons", APART),
        ("Advantages and disadvantages of the proposal", APART),
        ("Decision Criteria Summary", APART),
        ("Specification Format Options", APART),
        ("13. Decision log", APART),
        ("Status / decision history", APART),
        ("Open questions (need a decision)", APART),
        ("References", APART),
        ("Related decisions", APART),
        ("More Information", APART),
        ("Out of scope", APART),
        ("Context and Problem Statement", CONTEXT),
        ("1. Background", CONTEXT),
        ("Problem", CONTEXT),
        ("Decision Problem", CONTEXT),
        ("Requirements context", CONTEXT),
        ("Verified facts grounding the decision", CONTEXT),
        ("Consequences", CONSEQUENCE),
        ("Validation / Rollout", CONSEQUENCE),
        ("Implementation plan", CONSEQUENCE),
        ("The lease", DETAIL),
        ("`outbox_lease`", DETAIL),
        ("", DETAIL),
    ],
)
def test_a_heading_tells_the_role(heading: str, role: SectionRole) -> None:
    assert roles(f"## {heading}")[-1] == role


def test_a_section_has_the_role_of_the_closest_heading_that_tells_one() -> None:
    found = roles("## Decision", "### The lease", "## Context", "### The sweeper", "### Decision")
    assert found[1:] == [DECISION, DECISION, CONTEXT, CONTEXT, DECISION]


def test_nothing_below_the_options_decides_but_the_chosen_one() -> None:
    found = roles("## Considered Options", "### Redis", "#### Decision", "### A lease (chosen)")
    assert found[1:] == [APART, APART, APART, DECISION]


@pytest.mark.parametrize(
    "title", ["# ADR-0007: Rejection of Redis", "# Decision Record: Status", "# 7. Options"]
)
def test_the_title_of_a_record_tells_nothing(title: str) -> None:
    assert roles("## The lease", "## Decision", title=title) == [CONTEXT, DETAIL, DECISION]


def test_the_text_under_the_title_counts_in_a_record_without_sections() -> None:
    assert roles() == [DETAIL]
