from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.reporting.escape import BREAK, MAX_LENGTH, code_span, escape_sentence, escape_text
from sdd_hooks.reporting.escape import single_line as as_line
from tests.reporting.forges import acted_on, shown
from tests.reporting.reviews import texts
from tests.support.cpu_time import assert_linear

PLACES = ["{}", "- {}", "- [x](y) {}", "> {}", "### {}", "1. {}", "- a\\\n  {}", "a ({})", "| {} |"]

# Pieces of all syntax of Markdown and of forges.
PIECES = st.sampled_from(
    [
        *"\\`*_~|#<>&$[]()!@%^:{}+-=./;\"'0",
        *["a", "B", "é", " ", "\n", "\t", "  ", "1", "ff", "``", "```", "~~~", "---", "==="],
        *["@team", "#1", "!2", "GH-3", "gl-4", "Fixes #5", "owner/repo#6", "deadbeef", "f" * 40],
        *["https://", "www.", "ftp://", "mailto:", "x@y.org", ":tada:", ":100:", "$x$", "$$", "$`"],
        *["<b>", "<!--", "-->", "</details>", "<script>", "&lt;", "&#64;", "&amp;#35;", "&"],
        *["![", "](x)", "[x]: y", "[^1]", "[ ]", "[!NOTE]", "[[_TOC_]]", "{+x+}", "[-x-]"],
        *["/close", ": ", "1.", "1)", "# ", "> ", "- ", "| a |", "|---|"],
        *["\u202e", "\u200b", "\u200d"],
        *["group/project>", "~label", "%milestone", "&7", "^alert#8", "[epic:9]", "\0", "\x1b["],
    ]
)
HOSTILE = st.one_of(st.lists(PIECES, max_size=12).map("".join), texts())


def read(text: str) -> str:
    """The rendered text of `escape_text`: the same, without the backticks of code."""
    return re.sub(r"(?<!`)`([^`\s](?:[^`]*[^`\s])?)`(?!`)", r"\1", as_line(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text, in two (2) parts", "plain text, in two (2) parts"),
        ("Sessions MUST live in Postgres.", "Sessions MUST live in Postgres."),
        ('ADR-0011, SPEC-0003 REQ "Token"', 'ADR-0011, SPEC-0003 REQ "Token"'),
        ("use `textContent`", "use `textContent`"),
        ("`a``b`", "&#96;a&#96;&#96;b&#96;"),
        ("see src/a.py:18, at 12:30", "see src/a.py:18, at 12:30"),
        (":100: a::b", f"\\:{BREAK}100: a:{BREAK}:{BREAK}b"),
        ("*a* _b_ ~~c~~", rf"\*a\* \_b\_ \~{BREAK}\~{BREAK}c\~{BREAK}\~"),
        ("@team", f"@{BREAK}team"),
        ("Fixes #1", rf"Fixes \#{BREAK}1"),
        ("a\n\n# b\r\n", r"a \# b"),
        ("<!-- sdd-review -->", rf"&lt;!{BREAK}-- sdd-review --{BREAK}&gt;"),
        ("![x](y)", f"!{BREAK}&#91;{BREAK}x&#93;(y)"),
        (": a", r"\: a"),
        ("[ ] a", f"&#91;{BREAK} &#93; a"),
        ("- a", r"\- a"),
        ("12) a", r"12\) a"),
        ("/close", r"\/close"),
        ("===", r"\=\=\="),
        ("---", r"\---"),
        ("costs $5", "costs <span>&#36;</span>5"),
        ("\u202eevil\x1b[2J", f"\\\\u202eevil\\\\u001b&#91;{BREAK}2J"),
        ("cafe1234", f"cafe12{BREAK}34"),
        ("", ""),
    ],
)
def test_escaped_text(text: str, expected: str) -> None:
    assert escape_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Toggle**: a `button`", "Toggle: a `button`"),
        ("***all*** of *it*, (**here**)", "all of it, (here)"),
        ("**a `*b*` c** d", "a `*b*` c d"),
        ("see [ADR-0001](ADR-0001-x.md) and ![a](b.png)", "see ADR-0001 and a"),
        ("[**a**](b) **[c](d)**", "a c"),
        ("`**a` and `**b`", "`**a` and `**b`"),
        ("2**3, 2 ** 3, * a * b", r"2\*\*3, 2 \*\* 3, \* a \* b"),
        ("snake_case and __init__", r"snake\_case and \_\_init\_\_"),
        ("**@team**", f"@{BREAK}team"),
    ],
)
def test_an_escaped_sentence_has_no_emphasis_and_links(text: str, expected: str) -> None:
    assert escape_sentence(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1", "`a = 1`"),
        ("a `b` c", "``a `b` c``"),
        ("`", "`` ` ``"),
        ("```", "```` ``` ````"),
        ("a\nb\t c", "`a b c`"),
        ("@team #1 <b>", "`@team #1 <b>`"),
        ("<!-- sdd-review -->", f"`<!{BREAK}-- sdd-review -->`"),
        ("\u202e", r"`\u202e`"),
        (" \n", ""),
        ("", ""),
    ],
)
def test_code_spans(text: str, expected: str) -> None:
    assert code_span(text) == expected


@pytest.mark.parametrize("text", ["می‌خواهم", "👨‍👩‍👧", "日本語", "naïve", "Ω"])
def test_text_of_any_script_is_unchanged(text: str) -> None:
    assert escape_text(text) == text


@pytest.mark.parametrize("text", ["AD\u200dR", "a\u200b", "\u2066x\u2069", "\U000e0041", "\u3164"])
def test_invisible_characters_become_escapes(text: str) -> None:
    assert as_line(text).isascii()


def test_a_long_text_ends_in_an_ellipsis() -> None:
    assert as_line("a" * MAX_LENGTH) == "a" * MAX_LENGTH
    assert as_line("a" * (MAX_LENGTH + 1)) == "a" * (MAX_LENGTH - 1) + "…"
    assert as_line("a " + " " * 10**6 + "b", 10) == "a…"


PIECES = ["a", " ", "`", "` ", "[", "[a", "**a", "*a", "** `", "\n", "@", "f", "\u200d", "é\u200d"]


@pytest.mark.parametrize("piece", PIECES)
def test_a_huge_text_takes_linear_time(piece: str) -> None:
    assert_linear(escape_sentence, lambda size: piece * size, 10**7)


@given(HOSTILE, st.sampled_from(PLACES))
def test_an_escaped_sentence_is_plain_text(text: str, place: str) -> None:
    frame = shown(place.format("PLACE"))
    page = shown(place.format(escape_sentence(text) or "PLACE"))
    assert [tag for tag in page.tags if tag not in {"span", "code"}] == frame.tags
    assert page.links == frame.links
    assert acted_on(page.texts) == []


@given(HOSTILE)
def test_no_text_has_an_html_comment_a_line_end_or_a_command(text: str) -> None:
    for form in (escape_text(text), escape_sentence(text), code_span(text)):
        assert "<!--" not in form
        assert not form.startswith("/")
        assert len(form.splitlines()) <= 1
        assert form.encode().decode() == form
