"""The summary of a record."""

import pytest

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.spec import read_spec
from sdd_hooks.artifacts.summary import summarize, summary_section

ADR = """\
# ADR-0001: Orders

## Context

Orders change.

## Considered Options

* PostgreSQL
* Files

## Decision Outcome

PostgreSQL it is. It has transactions. {more}

### Consequences

Bad, because it is one server.
"""


@pytest.mark.parametrize(
    ("text", "title", "summary"),
    [
        (ADR.format(more=""), "Decision Outcome", "PostgreSQL it is. It has transactions."),
        ("# ADR-0001: A\n\n## Context\n\nIt is slow.\n", "Context", "It is slow."),
        ("# ADR-0001: A\n\n## Notes\n\nA note.\n", "Notes", "A note."),
        ("# ADR-0001: A\n\nOnly this.\n", "ADR-0001: A", "Only this."),
        ("# ADR-0001: A\n", "ADR-0001: A", ""),
    ],
)
def test_the_summary_of_a_decision(text: str, title: str, summary: str) -> None:
    artifact = read_adr("docs/adrs/ADR-0001-x.md", text)
    assert artifact
    section = summary_section(artifact)
    assert section
    assert section.title == title
    found = summarize(artifact, text)
    assert found.startswith(summary)
    assert (found == "") == (summary == "")


def test_the_summary_of_a_spec_is_its_overview() -> None:
    text = "# SPEC-0001: S\n\n## Overview\n\nHow people pay.\n\n## Requirements\n\nIt MUST.\n"
    artifact = read_spec("docs/specs/s", text, None)
    assert artifact
    assert summarize(artifact, text) == "How people pay."


def test_a_summary_ends_with_a_sentence_or_is_cut() -> None:
    text = ADR.format(more="A long sentence " + "that goes on " * 40 + "ends.")
    artifact = read_adr("docs/adrs/ADR-0001-x.md", text)
    assert artifact
    assert summarize(artifact, text) == "PostgreSQL it is. It has transactions."
    assert summarize(artifact, text, 12) == "PostgreSQL…"
