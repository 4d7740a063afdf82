"""Records in reStructuredText and AsciiDoc are written and changed as they are."""

from __future__ import annotations

import pytest

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.frontmatter_edit import NotEditable
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.authoring.other_markup import from_markdown
from sdd_hooks.authoring.status_change import NewStatus, change_status
from sdd_hooks.text.documents import as_markdown

DRAFT = """---
status: proposed
supersedes: [ADR-0001, ADR-0002]
---

# 3. Übung

- Date: 2026-01-02

## Context

<!-- What is asked? -->
"""
RST = """3. Übung
========

:status: proposed
:supersedes: ADR-0001, ADR-0002

:Date: 2026-01-02

Context
-------

.. What is asked?
"""
ADOC = """= 3. Übung

:status: proposed
:supersedes: ADR-0001, ADR-0002

:Date: 2026-01-02

== Context

// What is asked?
"""


@pytest.mark.parametrize(("path", "expected"), [("0003.rst", RST), ("0003.asciidoc", ADOC)])
def test_a_draft_is_written_in_the_markup_of_its_neighbours(path: str, expected: str) -> None:
    assert from_markdown(path, DRAFT) == expected
    assert from_markdown("0003.md", DRAFT) == DRAFT
    adr = read_adr(path, as_markdown(path, expected))
    assert adr and (str(adr.id), adr.title, adr.status.value) == ("ADR-0003", "Übung", "proposed")
    assert [str(edge.target) for edge in adr.edges] == ["ADR-0001", "ADR-0002"]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.rst", "T\n=\n\n:Status: Accepted\n", ":Status: Superseded by `ADR-0009 <9.rst>`_"),
        ("a.rst", "T\n=\n\nStatus\n-\n\n**accepted**", "**superseded by `ADR-0009 <9.rst>`_**"),
        ("a.adoc", "= T\n:status: accepted\n", ":status: superseded by xref:9.rst[ADR-0009]"),
        (
            "a.adoc",
            "= T\n\n|===\n|Status |Accepted\n|===",
            "|Status |Superseded by xref:9.rst[ADR-0009]",
        ),
    ],
)
def test_a_status_is_changed_where_it_is_written(path: str, text: str, expected: str) -> None:
    new = NewStatus("superseded", ArtifactId("ADR", 9), "9.rst", path)
    changed = change_status(text, "ADR", new).split("\n")
    assert [line for line in changed if line not in text.split("\n")] == [expected]


def test_no_frontmatter_is_added_to_another_markup() -> None:
    with pytest.raises(NotEditable, match="no Markdown"):
        change_status("T\n=\n", "ADR", NewStatus("accepted", path="a.rst"))
