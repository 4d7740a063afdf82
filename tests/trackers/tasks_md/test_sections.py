"""Parsing the sections of a tasks.md, of any content, and changing them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.trackers.tasks_md.sections import (
    append_section,
    append_to_section,
    normalise_body,
    parse_task_sections,
    tick_all,
)
from tests.support.cpu_time import assert_linear

PLAIN = """\
# Tasks

Words before.

## 1. Set up

- [x] 1.1 One
- [ ] 1.2 Two

## 2. Go on

### In parts

- [x] 2.1 Three

## Notes

No number, no boxes.

# Appendix
"""


def outline(text: str) -> list[tuple[str, str, int, int]]:
    """Key, title, boxes and open boxes of each section."""
    return [(s.key, s.title, s.boxes, len(s.open)) for s in parse_task_sections(text)[0]]


def test_a_section_ends_at_the_next_heading_of_its_level() -> None:
    assert outline(PLAIN) == [("1", "Set up", 2, 1), ("2", "Go on", 1, 0)]
    first, second = parse_task_sections(PLAIN)[0]
    assert first.body == "- [x] 1.1 One\n- [ ] 1.2 Two"
    assert second.body == "### In parts\n\n- [x] 2.1 Three"
    assert [first.done, second.done] == [False, True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("## 1. A", [("1", "A", 0, 0)]),
        ("## 1) A\n## 2: B\n## 3b. C\n## 04. D", ["1 A", "2 B", "3b C", "04 D"]),
        ("## 1.\n- [ ] x", [("1", "", 1, 1)]),
        ("## 1. A ##\n", ["1 A"]),
        ("   ## 1. A\n", ["1 A"]),
        ("    ## 1. code\n", []),
        ("\ufeff## 1. A\n- [ ] x", [("1", "A", 1, 1)]),
        # Not sections: other levels, no number, a year, a version, a number after a word.
        ("# 1. A\n### 2. B\n## A\n## 2026 plans\n## 1.2 C\n## 1.x D\n## Phase 1: E", []),
        ("1: A\n---\n", []),
        # Duplicated
        ("## 1. A\n## 1. B\n## 1. C\n## 2. D", ["1 A", "1.2 B", "1.3 C", "2 D"]),
        # Boxes
        ("## 1. A\n- [ ] a\n* [x] b\n+ [X] c\n1. [ ] d\n2) [x] e", [("1", "A", 5, 2)]),
        ("## 1. A\n- [x] a\n  - [ ] b\n\t- [ ] c\n      * [x] d", [("1", "A", 4, 2)]),
        ("## 1. A\n> - [ ] quoted\n- [x]\n- [ ]\n", [("1", "A", 3, 2)]),
        ("## 1. A\n- []\n- [-] a\n- [ ]b\n[ ] c\n-[ ] d\n- a [ ] b\n- [xx] e", [("1", "A", 0, 0)]),
        # Code and comments hide headings and boxes.
        ("## 1. A\n```\n## 2. B\n- [ ] b\n```\n- [x] a", [("1", "A", 1, 0)]),
        ("## 1. A\n~~~ md\n- [ ] b\n```\n~~~\n- [x] a", [("1", "A", 1, 0)]),
        ("## 1. A\n- [x] a\n\n  ```\n  - [ ] b\n  ```\n- [x] c", [("1", "A", 2, 0)]),
        ("## 1. A\n- [x] a\n    - b\n\n      ```\n      - [ ] c\n      ```\n", [("1", "A", 1, 0)]),
        ("## 1. A\n- a\n    - ```\n      - [ ] b\n\n- [x] out again", [("1", "A", 1, 0)]),
        ("## 1. A\n- a\n    - b\n      `` ` ``\n      - [ ] c", [("1", "A", 1, 1)]),
        ("## 1. A\n<!-- - [ ] b\n## 2. C -->\n- [x] a", [("1", "A", 1, 0)]),
        ("## 1. A\n- [x] a\n```\n- [ ] never closed\n## 2. B", [("1", "A", 1, 0)]),
        ("---\ntitle: a\n---\n## 1. A\n- [ ] a", [("1", "A", 1, 1)]),
    ],
)
def test_sections(text: str, expected: list[object]) -> None:
    found = outline(text)
    short = [f"{key} {title}" for key, title, _, _ in found]
    assert (short if expected and isinstance(expected[0], str) else found) == expected


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_any_line_end(newline: str) -> None:
    text = PLAIN.replace("\n", newline)
    found = parse_task_sections(text)[0]
    assert outline(text) == outline(PLAIN)
    assert [section.body for section in found] == [
        section.body.replace("\n", newline) for section in parse_task_sections(PLAIN)[0]
    ]
    assert text[: found[0].heading_end].endswith(f"{newline}## 1. Set up")


def test_a_body_excludes_blank_lines_around_it() -> None:
    text = "## 1. A\n \n\t\n  - [ ] a  \n\nb \t\n\n   \n## 2. B\n \n"
    assert [section.body for section in parse_task_sections(text)[0]] == ["  - [ ] a  \n\nb \t", ""]


def test_sections_with_boxes_and_without_a_number_are_returned() -> None:
    assert parse_task_sections("## 1. A\n## Later\n- [ ] x\n## Notes\n# Top\n- [x] y")[1] == [
        "Later",
        "Top",
    ]


def test_tick_all_changes_the_boxes_of_one_section() -> None:
    text = "## 1. A\r\n- [ ] a\r\n  * [x] b\r\n  1. [ ] c\r\n## 2. B\r\n- [ ] d"
    first = parse_task_sections(text)[0][0]
    after = tick_all(text, first)
    assert after == text.replace("[ ] a", "[x] a").replace("[ ] c", "[x] c")
    assert [section.done for section in parse_task_sections(after)[0]] == [True, False]


def test_append_section() -> None:
    after, key, _ = append_section(PLAIN, "More", "- [ ] 3.1 Four")
    assert (after, key) == (f"{PLAIN}\n## 3. More\n\n- [ ] 3.1 Four\n", "3")
    assert append_section("", "A", "") == ("## 1. A\n\n- [ ] 1.1 A\n", "1", "- [ ] 1.1 A")
    added = append_section("# T\r\n\r\n## 7b. X\r\n", "A", "Text.\n\nMore.")
    assert (added.text, added.key) == (
        "# T\r\n\r\n## 7b. X\r\n\r\n## 8. A\r\n\r\nText.\r\n\r\nMore.\r\n\r\n- [ ] 8.1 A\r\n",
        "8",
    )


def test_boxes_of_an_appended_section_get_numbers() -> None:
    body = "Text.\n\n- [ ] One\n  - [x] Two\n- [ ] 1.7 Three\n- [ ]\n\n```\n- [ ] no task\n```"
    assert append_section("## 4. X\n", "A", body).body == (
        "Text.\n\n- [ ] 5.1 One\n  - [x] 5.2 Two\n- [ ] 1.7 Three\n- [ ] 5.4\n\n"
        "```\n- [ ] no task\n```"
    )


LINES = st.sampled_from(
    ["## 1. A", "## 2. B", "## 1. C", "# T", "### D", "## E", "- [ ] a", "  - [x] b", "* [X] c",
     "> - [ ] d", "```", "~~~", "    ```", "      ~~~", "<!--", "-->", "", "  ", "text", "---",
     "\ta", "- ```", "1. [ ] e", "\x0c", "é\u2028f"]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(),
    st.lists(LINES, max_size=40).map("\n".join),
    st.lists(LINES, max_size=40).map("\r\n".join),
    st.lists(st.sampled_from(["\n", "\r\n", "\r", "#", " ", "- [ ] x", "## 3. Y", "`"])).map(
        "".join
    ),
)


@given(TEXTS)
def test_offsets_are_ordered_and_match_the_text(text: str) -> None:
    sections, _ = parse_task_sections(text)
    position = 0
    for s in sections:
        body_start = s.body_end - len(s.body)
        assert position <= s.heading_end <= body_start <= s.body_end
        assert text[body_start : s.body_end] == s.body
        assert all(text[at] == " " and body_start <= at < s.body_end for at in s.open)
        assert len(s.open) <= s.boxes
        position = s.body_end
    assert position <= len(text)
    assert len({s.key for s in sections}) == len(sections)


@given(TEXTS, st.integers(0, 5))
def test_tick_all_completes_one_section_and_no_other(text: str, number: int) -> None:
    before, _ = parse_task_sections(text)
    if not before:
        return
    ticked = before[number % len(before)]
    new_text = tick_all(text, ticked)
    assert len(new_text) == len(text)
    assert [at for at in range(len(text)) if new_text[at] != text[at]] == list(ticked.open)
    after, _ = parse_task_sections(new_text)
    assert [section.done for section in after] == [
        section.boxes > 0 if section.key == ticked.key else section.done for section in before
    ]


TITLES = (
    st.text(st.sampled_from("abc é#1.`"), min_size=1)
    .map(str.strip)
    .filter(lambda title: title and not title.endswith("#") and not title.startswith("#"))
)
BODIES = st.lists(
    st.sampled_from(["- [ ] a", "- [x] b", "", "text  ", "### Part", "> c"]), max_size=8
).map("\n".join)
ADDITIONS = BODIES.map(lambda body: normalise_body(body, "")).filter(bool)


@given(st.lists(st.tuples(TITLES, BODIES), max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_written_sections_are_parsed_back(parts: list[tuple[str, str]], newline: str) -> None:
    written = [f"## {n}. {title}\n\n{body}\n\n" for n, (title, body) in enumerate(parts, 1)]
    text = "".join(["# Tasks\n\n", *written]).replace("\n", newline)
    assert [
        (section.key, section.title, section.body) for section in parse_task_sections(text)[0]
    ] == [(str(n), title, normalise_body(body, text)) for n, (title, body) in enumerate(parts, 1)]


@given(st.lists(st.tuples(TITLES, BODIES), min_size=1, max_size=5), ADDITIONS)
def test_an_addition_is_parsed_back(parts: list[tuple[str, str]], addition: str) -> None:
    text = "# Tasks\n"
    for part in parts:
        text = append_section(text, *part).text
    before = parse_task_sections(text)[0]
    assert len(before) == len(parts)
    assert all(section.boxes for section in before)
    target = before[len(before) // 2]
    after = parse_task_sections(append_to_section(text, target, addition).text)[0]
    assert [(section.key, section.title, section.body) for section in after] == [
        (
            section.key,
            section.title,
            f"{section.body}\n\n{addition}" if section is target else section.body,
        )
        for section in before
    ]


@pytest.mark.parametrize(
    "text",
    [
        lambda size: "## 1. A\n" + "- [ ] a\n" * (size // 5),
        lambda size: "".join(f"## {n}. A\n- [ ] a\n" for n in range(size // 64)),
        lambda size: "## 1. A\n" + "\n" * size,
        lambda size: "## 1. A\n" + "> " * (size // 2),
        lambda size: "## 1. A\n" + "- " * (size // 2),
        lambda size: "## 1. A\n" + "    ```\n" * (size // 10),
        lambda size: "## 1. " + "1. " * (size // 2),
    ],
    ids=["boxes", "sections", "blank lines", "quotes", "items", "fences", "a title"],
)
def test_a_huge_file_is_parsed_in_linear_time(text: Callable[[int], str]) -> None:
    assert_linear(parse_task_sections, text, 400_000)
