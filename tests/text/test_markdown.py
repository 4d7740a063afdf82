from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.text.markdown import (
    MAX_SECTIONS,
    MAX_TITLE,
    Section,
    find_fenced_blocks,
    find_frontmatter_end,
    heading_anchor,
    mask_non_prose,
    parse_sections,
    unify_line_endings,
)
from tests.support.cpu_time import assert_cpu_seconds, assert_linear


def outline(text: str) -> list[str]:
    return [f"{section.level} {section.title}".rstrip() for section in parse_sections(text)]


def test_sections_carry_lines_offsets_ancestors_and_anchors() -> None:
    text = "Before.\n\n# One\n\ntext\n\n## Two\n### Three\n## Two\n# Four"
    assert parse_sections(text) == [
        Section(0, "", 1, 2, 0, 9, (), "file"),
        Section(1, "One", 3, 6, 9, 22, (), "one"),
        Section(2, "Two", 7, 7, 22, 29, ("One",), "two"),
        Section(3, "Three", 8, 8, 29, 39, ("One", "Two"), "three"),
        Section(2, "Two", 9, 9, 39, 46, ("One",), "two-1"),
        Section(1, "Four", 10, 10, 46, 52, (), "four"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n \n\t\n", []),
        ("\n\n# A", ["1 A"]),
        ("just text", ["0"]),
        # ATX
        ("# A #\n## B ##   \n### C#\n#### D # E", ["1 A", "2 B", "3 C#", "4 D # E"]),
        ("#\n## ##\n#\tTab", ["1", "2", "1 Tab"]),
        ("   ### Three spaces", ["3 Three spaces"]),
        ("    # Four spaces\n\t# tab", ["0"]),
        ("#hashtag\n####### seven\n\\# escaped\n> # quoted", ["0"]),
        ("## A <!-- optional -->\n## <!-- only -->", ["2 A", "2"]),
        # Setext
        ("One\n===\n\nTwo\n---\n", ["1 One", "2 Two"]),
        ("One\n  =  \n\nTwo\n   -\t\n", ["1 One", "2 Two"]),
        ("# A\nTwo\n---\nThree\n---", ["1 A", "2 Two", "2 Three"]),
        ("text\n\n---\n\ntext", ["0"]),
        ("---\n---\n---", ["0"]),
        ("# A\n---\n***\n", ["1 A"]),
        ("- item\n---\n1. item\n---\n> quote\n---\n| a |\n---\n</details>\n---", ["0"]),
        ("several lines\nof text\n---\n", ["0"]),
        ("**Status:** accepted\n---\n**Date**: today\n---\n", ["0"]),
        ("    code\n---\n\ta\n---\n", ["0"]),
        ("```\nx\n```\nAfter a fence\n---", ["0", "2 After a fence"]),
        ("A\n- -\n", ["0"]),
        # Fences
        ("```\n# no\n```\n# yes", ["0", "1 yes"]),
        ("~~~ sh\n# no\n```\n~~~\n# yes", ["0", "1 yes"]),
        ("````\n```\n# no\n```\n````\n# yes", ["0", "1 yes"]),
        ("```\n# no\n`````  \n# yes", ["0", "1 yes"]),
        ("```\n# no\n``` not closing\n# no", ["0"]),
        ("   ```\n# no\n  ```\n# yes", ["0", "1 yes"]),
        ("    ```\n# yes\n    ```\n# also", ["0", "1 yes", "1 also"]),
        ("```\n    ```\n# no\n```\n# yes", ["0", "1 yes"]),
        ("``` a`b\n# yes", ["0", "1 yes"]),
        ("~~~ a`b ~~~\n# no", ["0"]),
        ("```\n# never closed", ["0"]),
        ("- ```sh\n  # no\n  ```\n# yes", ["0", "1 yes"]),
        ("10. ```sh\n    # no\n    ```\n# yes", ["0", "1 yes"]),
        ("1. - ~~~\n     # no\n     ~~~\n# yes", ["0", "1 yes"]),
        ("> ```\n> x\n# yes\n> ```\n# also", ["0", "1 yes", "1 also"]),
        # HTML
        ("<!-- # no -->\n# yes", ["0", "1 yes"]),
        ("<!--\n# no\n```\n--> # no\n# yes", ["0", "1 yes"]),
        ("<!--\n# never closed", ["0"]),
        ("text <!-- \n# yes\n-->", ["0", "1 yes"]),
        ("<pre>\n# no\n</pre>\n# yes", ["0", "1 yes"]),
        ("<PRE class=x>\n# no\n</PRE>\n# yes", ["0", "1 yes"]),
        ("<preface>\n# yes", ["0", "1 yes"]),
        ("```\n<!--\n```\n# yes", ["0", "1 yes"]),
        # Frontmatter
        ("---\ntitle: x\n# no\n---\n# yes", ["0", "1 yes"]),
        ("---\n# comment\n\ntitle: x\n---\n# yes", ["0", "1 yes"]),
        ("---\ntitle: x\n...\n# yes", ["0", "1 yes"]),
        ('---\n"title": x\nlist:\n- a\n---\nTwo\n---', ["0", "2 Two"]),
        ("---\ntitle: x\n\n# yes, it was never closed", ["0", "1 yes, it was never closed"]),
        ("---\n\n# A rule, no frontmatter\n\nProse.\n\n---\n", ["0", "1 A rule, no frontmatter"]),
        ("---\n---\n# yes", ["0", "1 yes"]),
        (" ---\ntitle: x\n---\n", ["0", "2 title: x"]),
    ],
)
def test_headings(text: str, expected: list[str]) -> None:
    assert outline(text) == expected
    assert outline(text.replace("\n", "\r\n")) == expected
    assert outline(text.replace("\n", "\r")) == expected


def test_crlf_keeps_offsets_and_lines() -> None:
    """Scenario "A file from an old editor" of SPEC-0002."""
    text = "---\r\na: b\r\n---\r\n\r\nTitle\r\n=====\r\n\r\nx\r\n## Two\r\n"
    found = parse_sections(text)
    assert [text[s.start : s.end] for s in found] == [
        "---\r\na: b\r\n---\r\n\r\n",
        "Title\r\n=====\r\n\r\nx\r\n",
        "## Two\r\n",
    ]
    assert [(s.first_line, s.last_line) for s in found] == [(1, 4), (5, 8), (9, 9)]


def test_unicode_separators_do_not_end_a_line() -> None:
    assert [(s.title, s.first_line) for s in parse_sections("# A\x0b\x0c\x85\u2028b\n# C")] == [
        ("A\x0b\x0c\x85\u2028b", 1),
        ("C", 2),
    ]


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Decision Outcome", "decision-outcome"),
        ("Pros & Cons", "pros--cons"),
        ("ADR-0012: Use `foo_bar()`", "adr-0012-use-foo_bar"),
        ("See [ADR 4](0004-x.md) and [B][b]", "see-adr-4-and-b"),
        ("![logo](x.png) Name", "logo-name"),
        ("Übersicht über Größen", "übersicht-über-größen"),
        ("決定の結果（案）", "決定の結果案"),
        ("हिन्दी", "हिन्दी"),
        ("🎉!", ""),
        ("", ""),
    ],
)
def test_heading_anchor(title: str, slug: str) -> None:
    assert heading_anchor(title) == slug


def test_anchors_are_unique_and_file_is_kept_for_the_document() -> None:
    """Scenario "Two sections of one name" of SPEC-0002."""
    text = "# File\n# a\n# a\n# a-1\n# a\n# !\n# ?\n# Section\n"
    anchors = [section.anchor for section in parse_sections(text)]
    assert anchors == ["file-1", "a", "a-1", "a-1-1", "a-2", "section", "section-1", "section-2"]


def test_a_title_is_cut() -> None:
    (section,) = parse_sections("# " + "x" * 10_000)
    assert len(section.title) == MAX_TITLE
    assert section.end == 10_002


def test_headings_beyond_the_limit_belong_to_the_last_section() -> None:
    text = "# x\n" * (MAX_SECTIONS + 10)
    found = parse_sections(text)
    assert len(found) == MAX_SECTIONS
    assert found[-1].last_line == MAX_SECTIONS + 10
    assert found[-1].end == len(text)


@pytest.mark.parametrize(
    "unit",
    [
        "#",
        "`",
        "~",
        "-",
        "=",
        " ",
        "\n",
        "\r\n",
        "# ",
        "#\n",
        "`\n",
        "```\n",
        "````a`\n",
        "- ",
        "- ```\n",
        "1. ",
        "<!--\n",
        "<!-- -->\n",
        "<pre>\n",
        "---\n",
        "---\na: b\n",
        "a\n---\n",
        "a\n\n---\n",
        "# [",
        "# a <!--",
        "# -->",
        "\n [](",
        "---\n#\n",
        "---\n\n\n\n\n",
        "-\t\t",
    ],
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    def make(size: int) -> tuple[str, str]:
        text = unit * (size // len(unit))
        return text, "---\na: b\n" + text + "\nx"

    def parse(texts: tuple[str, str]) -> None:
        for text in texts:
            parse_sections(text)
            mask_non_prose(text)

    assert_linear(parse, make, 1 << 15)


@pytest.mark.parametrize("unit", ["`", "# A\ntext\n"])
def test_five_megabytes_parse_within_the_limit(unit: str) -> None:
    text = unit * ((5 << 20) // len(unit))
    assert assert_cpu_seconds(lambda: parse_sections(text), 10)[-1].end == len(text)


LINES = """\
# A
## B ##
Text
===
---

```
~~~~
  ```sh
- ```
<!--
-->
<pre>
</pre>
a: b
    # code
\t
> # q
# 日本
...
\ufeff
\x00"""
lines = st.sampled_from(LINES.split("\n"))
documents = st.one_of(
    st.text(),
    st.text(alphabet="#`~-=<!> \t\r\nab:"),
    st.tuples(st.lists(lines), st.sampled_from(["\n", "\r\n", "\r"])).map(
        lambda drawn: drawn[1].join(drawn[0])
    ),
)


@given(documents)
def test_sections_are_the_text_in_order(text: str) -> None:
    found = parse_sections(text)
    plain = unify_line_endings(text)
    assert len(plain) == len(text)
    start = found[0].start if found else len(text)
    assert not text[:start].strip()
    assert "".join(text[s.start : s.end] for s in found) == text[start:]
    total = plain.count("\n") + (not plain.endswith("\n"))
    line = 1 + plain.count("\n", 0, start)
    for section in found:
        assert 0 <= section.level <= 6
        assert section.first_line == line
        assert section.first_line <= section.last_line <= total
        line = section.last_line + 1
        assert "\n" not in section.title
    if found:
        assert found[-1].last_line == total
    anchors = [section.anchor for section in found]
    assert len(set(anchors)) == len(anchors)
    assert all(anchors)


def test_mask_non_prose_blanks_everything_but_prose() -> None:
    text = (
        "---\na: MUST\n---\n\nMUST `code` stays <!-- inline stays -->\n- ```sh\n  MUST\n  ```\n"
        "<!-- MUST\nMUST --> rest\nSHALL\r\n~~~\nMUST"
    )
    kept = mask_non_prose(text)
    assert len(kept) == len(text)
    assert [line.rstrip() for line in kept.split("\n")] == [
        *("", "", "", "", "MUST `code` stays <!-- inline stays -->"),
        *("-", "", "", "", "", "SHALL", "", ""),
    ]


@given(documents)
def test_mask_non_prose_keeps_every_offset(text: str) -> None:
    plain = unify_line_endings(text)
    kept = mask_non_prose(text)
    assert len(kept) == len(text)
    assert all(a in (b, " ") for a, b in zip(kept, plain, strict=True))
    assert kept.count("\n") == plain.count("\n")
    for section in parse_sections(text):
        if section.level and section.title:
            assert kept[section.start : section.end].strip()


def test_fenced_blocks_have_their_text_and_line() -> None:
    text = (
        "---\na: b\n---\n```py one\nx = 1\n\ny\n```\n<!--\n```no\n```\n-->\n"
        "- ~~~\r\n  item\r\n  ~~~\r\n````md\n```\ninner\n```\n````\n```\n```\n```open\nlast"
    )
    assert [(block.info, block.text, block.line) for block in find_fenced_blocks(text)] == [
        ("py one", "x = 1\n\ny", 4),
        ("", "  item ", 13),
        ("md", "```\ninner\n```", 16),
        ("", "", 21),
        ("open", "last", 23),
    ]


@given(documents)
def test_fenced_blocks_are_on_their_reported_line(text: str) -> None:
    lines = unify_line_endings(text).split("\n")
    for block in find_fenced_blocks(text):
        opening = lines[block.line - 1]
        assert "```" in opening or "~~~" in opening
        inside = lines[block.line : block.line + block.text.count("\n") + 1]
        assert block.text in ("", "\n".join(inside))


@given(documents)
def test_frontmatter_ends_at_a_line_start(text: str) -> None:
    plain = unify_line_endings(text)
    end = find_frontmatter_end(plain)
    assert 0 <= end <= len(plain)
    assert end in (0, len(plain)) or plain[end - 1] == "\n"


@given(st.text())
def test_heading_anchors_have_no_spaces(title: str) -> None:
    assert " " not in heading_anchor(title)
