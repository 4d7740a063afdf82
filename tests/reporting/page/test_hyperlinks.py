"""Test sdd_hooks.reporting.page.hyperlinks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.reporting.page.hyperlinks import Hyperlinks
from sdd_hooks.reporting.page.keys import assign_keys
from sdd_hooks.reporting.registry import Links
from tests.reporting.page.pages import FILES, QUEUES_PATH, SPEC_PATH, corpus_of

CORPUS = corpus_of(FILES)
KEYS = assign_keys(CORPUS.artifacts)
LINKED = Hyperlinks(CORPUS, KEYS, Links("https://forge.example/o/r/blob", "abc"))
QUEUES = CORPUS.by_path[QUEUES_PATH]


def address(href: str, hyperlinks: Hyperlinks = LINKED) -> str:
    return hyperlinks.address(href, QUEUES, QUEUES_PATH)


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("ADR-0002-use-streams.md", "#/record/ADR-0002"),
        ("./ADR-0002-use-streams.md#decision", "#/record/ADR-0002/decision"),
        ("../openspec/specs/logs/spec.md", "#/record/SPEC-0001"),
        ("../openspec/specs/logs", "#/record/SPEC-0001"),
        ("../openspec/specs/logs/design.md", "#/record/SPEC-0001"),
        ("/docs/adrs/ADR-0003-use-logs.md", "#/record/ADR-0003"),
        ("#context", "#/record/ADR-0001/context"),
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("../../src/a%20b.py", "https://forge.example/o/r/blob/abc/src/a%20b.py"),
    ],
)
def test_links_lead_to_artifacts_files_and_the_web(href: str, expected: str) -> None:
    assert address(href) == expected


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        "\x01javascript:alert(1)",
        "vbscript:x",
        "data:text/html,<script>",
        "file:///etc/passwd",
        "//example.org/a",
        "\\\\example.org\\a",
        "https:example.org",
        "../../../etc/passwd",
        "https://example.org/" + "a" * 3000,
        "#",
        "#a b",
    ],
)
def test_other_links_lead_nowhere(href: str) -> None:
    assert address(href) == ""


def test_without_a_forge_files_are_no_links() -> None:
    assert address("../../src/a.py", LINKED._replace(links=None)) == ""


@given(st.text(max_size=60))
def test_every_address_is_of_the_page_or_the_web(href: str) -> None:
    found = address(href)
    assert not found or re.match(r"#/record/[\w.~-]+|https?://|mailto:", found, re.IGNORECASE)


def test_ids_in_texts_are_mentions_of_other_artifacts() -> None:
    text = "As ADR-0003 and ADR-0001 say, unlike ADR-0099; see SPEC-0001."
    found = LINKED.mentions(text, QUEUES)
    assert [(text[one.start : one.end], one.key) for one in found] == [
        ("ADR-0003", "ADR-0003"),
        ("SPEC-0001", "SPEC-0001"),
    ]
    assert LINKED.mentions("a spectre", CORPUS.by_path[SPEC_PATH]) == []
