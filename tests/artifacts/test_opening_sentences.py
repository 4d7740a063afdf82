"""Summaries: the first sentences of a decision or an overview."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.opening_sentences import MAX_LENGTH, MAX_SENTENCES, opening_sentences
from sdd_hooks.artifacts.spec import read_spec
from tests.support.cpu_time import assert_linear

ONE = "Orders are in one database."
TWO = "Sessions are in signed cookies."


def of_adr(text: str) -> tuple[str, ...]:
    artifact = read_adr("docs/adrs/ADR-0001-x.md", text)
    assert artifact
    return opening_sentences(artifact, text)


def of_spec(text: str) -> tuple[str, ...]:
    artifact = read_spec("docs/specs/x", text, None)
    assert artifact
    return opening_sentences(artifact, text)


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (
            f"# A\n\nBefore.\n\n## Decision\n\n{ONE} {TWO} {ONE} {TWO}\n",
            (ONE, TWO, ONE),
        ),
        (f"# A\n\n## Decision\n\nOption 4. {ONE}\n\n{TWO}\n", (f"Option 4. {ONE}", TWO)),
        (f"# A\n\n## Decision\n\n**Paths.** {ONE}\n", (f"**Paths.** {ONE}",)),
        (f"# A\n\n## Decision\n\n**{ONE}**\n", (f"**{ONE}**",)),
        ("# A\n\n## Context\n\nWhy.\n\n## Decision Outcome\n\nUse it.\n", ("Use it.",)),
        (
            '# A\n\n## Decision\n\nChosen: "B", because:\n\n- fast\n- small\n',
            ('Chosen: "B", because: fast.', "small."),
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
        assert all(word in words or word.rstrip(".…") in document for word in sentence.split())


def test_the_cost_grows_with_the_text() -> None:
    def make(size: int) -> str:
        return "# A\n\n" + "## B\n\n```\nx\n```\n\n" * (size // 16)

    assert_linear(of_adr, make, 1 << 15)
