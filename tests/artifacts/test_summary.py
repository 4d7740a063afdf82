"""The summary of a record: the first sentences of its decision or overview."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.spec import read_spec
from sdd_hooks.artifacts.summary import MAX_LENGTH, summarize, summary_section
from sdd_hooks.text.answers import MAX_SENTENCES
from sdd_hooks.text.prose import plain_text
from tests.support.cpu_time import assert_linear

ONE = "Orders are in one database."
TWO = "Sessions are in signed cookies."
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


def of_adr(text: str) -> tuple[str, ...]:
    artifact = read_adr("docs/adrs/ADR-0001-x.md", text)
    assert artifact
    return summarize(artifact, text).sentences


def of_spec(text: str) -> tuple[str, ...]:
    artifact = read_spec("docs/specs/x/spec.md", text, None)
    assert artifact
    return summarize(artifact, text).sentences


def plain(artifact: Artifact, text: str, max_length: int = 240) -> str:
    return summarize(artifact, text, max_length).text


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (
            f"# A\n\nBefore.\n\n## Decision\n\n{ONE} {TWO} {ONE} {TWO}\n",
            (ONE, TWO, ONE),
        ),
        (f"# A\n\n## Decision\n\nOption 4. {ONE}\n\n{TWO}\n", (f"Option 4. {ONE}", TWO)),
        (
            "# A\n\n## Decision\n\nOption 4. **Paths.** `read` follows no link.\n",
            ("Option 4. Paths. `read` follows no link.",),
        ),
        (f"# A\n\n## Decision\n\n**Paths.** {ONE}\n", (f"Paths. {ONE}",)),
        (f"# A\n\n## Decision\n\n**{ONE}**\n", (ONE,)),
        ("# A\n\n## Context\n\nWhy.\n\n## Decision Outcome\n\nUse it.\n", ("Use it.",)),
        (
            '# A\n\n## Decision\n\nChosen: "B", because:\n\n- fast\n- small\n',
            ('Chosen: "B", because: fast; small',),
        ),
        ("# A\n\n## Decision\n\n### What\n\nUse it.\n", ("Use it.",)),
        ("# A\n\n## Decision\n\n```\nx. Y.\n```\n<!--\nNot.\n-->\nUse `it`.\n", ("Use `it`.",)),
        ("# A\n\n## Decision\n\n## Context\n\nWhy.\n", ("Why.",)),
        ("# A\n\n- Status: accepted\n- Deciders: Ada\n\nWhy.\n\n## Links\n", ("Why.",)),
        ("---\nstatus: accepted\n---\n# A\n\n## Status\n\nAccepted.\n\n## Why\n\nSo.\n", ("So.",)),
        ("# A\r\n\r\n## Decision\r\n\r\nUse\r\nit.\r\n", ("Use it.",)),
        ("In the context of x, facing y,\nwe decided for z.\n\nMore.\n", None),
        ("# A\n", ()),
    ],
)
def test_the_summary_of_a_decision(text: str, summary: tuple[str, ...] | None) -> None:
    expected = ("In the context of x, facing y, we decided for z.",)
    assert of_adr(text) == (expected if summary is None else summary)


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (f"# SPEC-0001: A\n\nFirst.\n\n## Overview\n\n{ONE} {TWO}\n", (ONE, TWO)),
        ("# SPEC-0001: A\n\n## Requirements\n\n### Requirement: B\n\nIt MUST.\n", ("It MUST.",)),
        ("# SPEC-0001: A\n", ()),
    ],
)
def test_the_summary_of_a_specification(text: str, summary: tuple[str, ...]) -> None:
    assert of_spec(text) == summary


def test_a_long_summary_is_cut_between_sentences_or_after_a_word() -> None:
    long = "Word " * 60 + "end."
    assert of_adr(f"# A\n\n## Decision\n\n{ONE} {long} {long}\n") == (
        ONE,
        long,
    )
    (cut,) = of_adr(f"# A\n\n## Decision\n\n{'word ' * 500}\n")
    assert len(cut) <= MAX_LENGTH
    assert cut.endswith("word…")


@given(st.text(alphabet="aA.:# \n-`>|<!*=\r", max_size=300))
def test_a_summary_of_any_text_is_short_and_from_it(text: str) -> None:
    document = f"# A\n\n## Decision\n\n{text}"
    summary = of_adr(document)
    assert len(summary) <= MAX_SENTENCES
    assert sum(map(len, summary)) <= MAX_LENGTH + MAX_SENTENCES
    words = set(document.split())
    for sentence in summary:
        assert all(
            word in words or word.rstrip(".…;") in plain_text(document) for word in sentence.split()
        )


def test_the_cost_grows_with_the_text() -> None:
    def make(size: int) -> str:
        return "# A\n\n" + "## B\n\n```\nx\n```\n\n" * (size // 16)

    assert_linear(of_adr, make, 1 << 15)


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
def test_the_section_and_the_plain_summary_of_a_decision(
    text: str, title: str, summary: str
) -> None:
    artifact = read_adr("docs/adrs/ADR-0001-x.md", text)
    assert artifact
    section = summary_section(artifact)
    assert section
    assert section.title == title
    found = plain(artifact, text)
    assert found.startswith(summary)
    assert (found == "") == (summary == "")


def test_the_plain_summary_of_a_spec_is_its_overview() -> None:
    text = "# SPEC-0001: S\n\n## Overview\n\nHow people pay.\n\n## Requirements\n\nIt MUST.\n"
    artifact = read_spec("docs/specs/s/spec.md", text, None)
    assert artifact
    assert plain(artifact, text) == "How people pay."


def test_a_plain_summary_ends_with_a_sentence_or_is_cut() -> None:
    text = ADR.format(more="A long sentence " + "that goes on " * 40 + "ends.")
    artifact = read_adr("docs/adrs/ADR-0001-x.md", text)
    assert artifact
    assert plain(artifact, text) == "PostgreSQL it is. It has transactions."
    assert plain(artifact, text, 12) == "PostgreSQL …"


@pytest.mark.parametrize(
    ("decision", "summary"),
    [
        (
            "Chosen option: **B**, because:\n\n- it is [fast](x.md)\n- it is small and cheap",
            "Chosen option: B, because: it is fast; it is small and cheap",
        ),
        (
            'Chosen option: "npm", because\n\n- It is known to all users.\n- It is free.',
            'Chosen option: "npm", because It is known to all users. It is free.',
        ),
        (
            "Wir nehmen die Warteschlange, weil.\n\n1. sie da ist",
            "Wir nehmen die Warteschlange, weil. sie da ist",
        ),
        ("The queue it is, because\n\n| a | b |\n|---|---|\n", "The queue it is"),
        ("**We decided this:**\n\n- Use the outbox.", "We decided this: Use the outbox."),
        ("Orders are in one place.\n\nThe tables are:\n\n```\nx\n```", "Orders are in one place."),
        ("The tables of the orders are:\n\n```\nx\n```", "The tables of the orders are:"),
        ("![a diagram](x.png).\n\nOrders are in one place.", "Orders are in one place."),
        (f"{ONE} {TWO} {ONE} {TWO}", f"{ONE} {TWO} {ONE}"),
    ],
)
def test_a_plain_summary_has_no_marks_and_no_introduction_alone(
    decision: str, summary: str
) -> None:
    text = f"# A\n\n## Decision\n\n{decision}\n"
    artifact = read_adr("docs/adrs/ADR-0001-x.md", text)
    assert artifact
    assert plain(artifact, text) == summary


def test_a_document_without_sections_has_a_summary() -> None:
    assert of_spec("How people pay.\n") == ("How people pay.",)


def test_the_context_is_summarized_before_the_text_below_the_title() -> None:
    assert of_adr("# A\n\nMoved from a wiki.\n\n## Context\n\nIt is slow.\n") == ("It is slow.",)
