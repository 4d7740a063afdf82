"""Documents of reStructuredText and AsciiDoc, read as Markdown with the same lines."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.text import restructuredtext
from sdd_hooks.text.asciidoc import asciidoc_as_markdown
from sdd_hooks.text.documents import as_markdown, document_text
from sdd_hooks.text.markdown import unify_line_endings
from tests.support.cpu_time import assert_linear

RST = [
    ("T\n=\n\nA\n-\n\nB\n~\n\nC\n-", "# T\n\n\n## A\n\n\n### B\n\n\n## C\n"),
    ("###\n T\n###\n\nStatus\n******\n\nAccepted", "\n# T\n\n\n## Status\n\n\nAccepted"),
    ("1. T\n----\n\nStatus\n------\nYes", "# 1. T\n\n\n# Status\n\nYes"),
    (":Status: Accepted\n:Date: 2024", "- Status: Accepted\n- Date: 2024"),
    (
        ":Status:\n   Superseded by\n   :ref:`ADR-2 <a>`",
        "- Status:\n   Superseded by\n   [ADR-2](a)",
    ),
    (".. seed::\n   :status: Accepted\n\n   It is.", "\n- status: Accepted\n\nIt is."),
    (".. date-accepted:: 2018-02-27\n.. implemented:: 8", "- date-accepted: 2018-02-27\n8"),
    (".. note:: Read\n\n   - one\n   - two", "Read\n\n- one\n- two"),
    ("| Status: Accepted\n| Date: 2024", "  Status: Accepted\n  Date: 2024"),
    ("Status\n  Accepted", "- Status:\n  Accepted"),
    ("=== ===\na   b\n=== ===\nc   d\n=== ===", "\n| a | b |\n\n| c | d |\n"),
    ("+---+---+\n| a | b |\n+---+---+", "\n| a | b |\n"),
    (
        ".. list-table::\n\n   * - Status\n     - Accepted\n   * - Date\n     - 2024",
        "\n\n| Status | Accepted |\n| --- | --- |\n| Date | 2024 |\n",
    ),
    ("a::\n\n  # b\n\nc", "a:\n```\n  # b\n```\nc"),
    ("a\n\n::\n\n  b ```\n\nc", "a\n\n\n````\n  b ```\n````\nc"),
    (".. code-block:: python\n\n   x = 1\n\nc", "```python\n\n   x = 1\n```\nc"),
    (
        ".. a\n   comment\n\n.. _x:\n\n.. _y z: https://y.z\n\nt",
        "\n\n\n\n\n[y z]: https://y.z\n\nt",
    ),
    (".. include:: /etc/passwd\n.. raw:: html\n\n   <b>\n\nt", "\n\n\n\n\nt"),
    ("See `the\ndocs <u>`_, `x`_, :doc:`a` and :php:`b`.", "See [the\ndocs](u), [x], a and `b`."),
    ("# no heading\n\n#. one", "\\# no heading\n\n1. one"),
]

ADOC = [
    ("= T [[t]]\n\n== A\n\n=== B", "# T\n\n## A\n\n### B"),
    (
        "= T\nJo <j@x>\nv1, 2024-01-02\n:toc:\n\nt",
        "# T\n- Author: Jo <j@x>\n- Date: 2024-01-02\n\n\nt",
    ),
    ("Title\n=====\n\nA b\n---\n\nt", "# Title\n\n\n## A b\n\n\nt"),
    (
        ":status: accepted\n:revdate: 2024\n\n{status} {x}",
        "- status: accepted\n- Date: 2024\n\naccepted {x}",
    ),
    ("*Status:* accepted +\n*Date:* 2024", "**Status:** accepted\n**Date:** 2024"),
    ("Status:: Accepted\nDate::\n2024\n\nt", "- Status: Accepted\n- Date:\n  2024\n\nt"),
    ("* a\n** b\n. c\n.. d", "* a\n  * b\n1. c\n  1. d"),
    ("|===\n|Status |Accepted\n|Date |2024\n|===", "\n| Status | Accepted |\n| Date | 2024 |\n"),
    (
        '.M\n[cols="1h,1"]\n|===\n| Status\n| Final :x:\n\n| Date\na| 2024\n|===',
        "**M**\n\n\n| Status | Final |\n| --- | --- |\n|  |  |\n| Date | 2024 |\n\n",
    ),
    ("[source,go]\n----\n== x\n----\nt", "\n```````go\n== x\n```````\nt"),
    ("// a\n////\n== b\n////\n[NOTE]\n====\nt\n====", "\n\n\n\n\n\nt\n"),
    (
        "link:u[a] xref:p$b.adoc[c] https://x.y[z] <<d,e>>",
        "[a](u) [c](b.adoc) [z](https://x.y) [e](#d)",
    ),
    ("include::/etc/passwd[]\nifdef::a[]\nt\n'''", "\n\nt\n"),
]


@pytest.mark.parametrize(("text", "expected"), RST)
def test_restructuredtext(text: str, expected: str) -> None:
    assert restructuredtext.translate(text) == expected
    assert as_markdown("docs/A.RST", text) == expected


@pytest.mark.parametrize(("text", "expected"), ADOC)
def test_asciidoc(text: str, expected: str) -> None:
    assert as_markdown("a.adoc", text) == as_markdown("a.AsciiDoc", text) == expected
    assert document_text("a.adoc", text.encode("utf-16")) == expected
    assert as_markdown("a.md", text) == text


def test_what_hides_words_and_frontmatter_is_no_part_of_a_document() -> None:
    data = "\ufeff---\r\nstatus: accepted\r\n---\ra\0b\x1a".encode("utf-8-sig")
    assert document_text("a.md", data) == "--- \nstatus: accepted \n---\na b "


PIECES = st.one_of(
    st.sampled_from([piece + "\n" for text, _ in (*RST, *ADOC) for piece in text.split("\n")]),
    st.sampled_from(["\n", "   ", "\t", "\f", "\u2028", "\r\n", ".. role:: x\n", ".. date::\n"]),
    st.text(max_size=5),
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_every_text_keeps_its_lines(text: str) -> None:
    lines = unify_line_endings(text).count("\n")
    for name in ("a.rst", "a.adoc"):
        assert unify_line_endings(as_markdown(name, text)).count("\n") == lines
    plain = unify_line_endings(text).translate(restructuredtext.NO_BREAK).expandtabs()
    # Nothing in it is too hard for docutils: what `as_markdown` catches is depth and defects.
    assert restructuredtext.translate(plain).count("\n") == lines


UNITS = ["A\n-\n\n", "* a\n", "`a <b", "*a", "{a}", "|===\n|a\n", ".. x::\n", "a::\n"]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("read", [restructuredtext.rst_as_markdown, asciidoc_as_markdown])
def test_in_linear_time(read: Callable[[str], str], unit: str) -> None:
    assert_linear(read, lambda size: unit * (size // len(unit)), 40_000)


def test_what_is_too_deep_or_too_large_stays_as_it_is() -> None:
    for text in ("".join("  " * depth + "* a\n\n" for depth in range(200)), "a\n~\n\n" * 50_000):
        assert as_markdown("a.rst", text) == text


def test_a_heading_with_a_space_of_another_width() -> None:
    assert document_text("x.md", "##\xa0Status\n".encode()) == "## Status\n"
