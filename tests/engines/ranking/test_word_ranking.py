"""How much a section says about its subject."""

from __future__ import annotations

import pytest

from sdd_hooks.engines.ranking.word_ranking import section_factor


@pytest.mark.parametrize(
    "section",
    [
        "Changelog",
        "Change Log",
        "7. References",
        "More Information",
        "**Links**",
        "Related decisions",
        "Appendix › Revision history",
        "Considered Options",
        "Considered Options › Keep tokens in Redis",
        "Pros and Cons of the Options",
        "Decision Outcome › Rejected options",
        "Alternatives considered",
        "Out of Scope",
    ],
)
def test_an_aside_says_less(section: str) -> None:
    assert section_factor(section) < 1


@pytest.mark.parametrize(
    "section",
    [
        "",
        "Decision Outcome",
        "Consequences",
        "Context and Problem Statement",
        "Requirement: Options of the command line",
        "Linking",
        "Change detection",
    ],
)
def test_what_a_record_is_about_counts_in_full(section: str) -> None:
    assert section_factor(section) == 1


def test_references_say_less_than_options() -> None:
    assert section_factor("References") < section_factor("Considered Options")
