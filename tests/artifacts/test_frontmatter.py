from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.frontmatter import MAX_SIZE, FrontmatterError, read_frontmatter


def test_scalars_stay_text() -> None:
    """Scenario "Numbers and dates" of SPEC-0002."""
    text = (
        "---\nid: 0007\ndate: 2026-01-01\nStatus: Accepted\nversion: 1.10\nflag: yes\n"
        "title: |\n  6. Errors\n  and more\nrelated: [ADR-0001, 0002]\n"
        "Decision_Makers:\n  - A\n  - name: B\nempty:\nnothing: null\nquoted: 'null'\n---\n# T\n"
    )
    matter = read_frontmatter(text)
    assert matter.error is None
    assert matter.fields == {
        "id": "0007",
        "date": "2026-01-01",
        "status": "Accepted",
        "version": "1.10",
        "flag": "yes",
        "title": "6. Errors\nand more\n",
        "related": ["ADR-0001", "0002"],
        "decision-makers": ["A", {"name": "B"}],
        "empty": "",
        "nothing": "",
        "quoted": "null",
    }
    assert matter.lines["id"] == 2
    assert matter.lines["related"] == 10
    assert matter.lines["quoted"] == 16
    assert text[matter.end :] == "# T\n"
    assert matter.text("title") == "6. Errors and more"
    assert matter.text("missing", "related") == "ADR-0001, 0002"
    assert matter.text("missing") == ""
    assert matter.items("decision-makers") == ("A",)
    assert matter.items("status") == ("Accepted",)
    assert matter.items("empty") == ()


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_any_line_ending(newline: str) -> None:
    matter = read_frontmatter(newline.join(["---", "a: b", "c: d", "---", "text"]))
    assert matter.fields == {"a": "b", "c": "d"}
    assert matter.lines == {"a": 2, "c": 3}


@pytest.mark.parametrize(
    "text",
    ["", "# T", "text\n---\na: b\n---\n", "---\n\n# A rule\n\nprose\n\n---\n", "---", "---\n"],
)
def test_no_frontmatter(text: str) -> None:
    matter = read_frontmatter(text)
    assert (dict(matter.fields), matter.end, matter.error) == ({}, 0, None)


@pytest.mark.parametrize("text", ["---\n---\n", "---\n# only a comment\n---\n", "---\n\n---"])
def test_empty_frontmatter(text: str) -> None:
    matter = read_frontmatter(text)
    assert (dict(matter.fields), matter.end, matter.error) == ({}, len(text), None)


@pytest.mark.parametrize(
    ("text", "line", "words", "fields"),
    [
        (
            "---\ndate: 2026-01-01\nstatus: superseded by [9](9.md) (was: x)\n---\n",
            3,
            "not YAML (mapping values",
            {"date": "2026-01-01", "status": "superseded by [9](9.md) (was: x)"},
        ),
        (
            "---\ntitle: Use X: the story\nrelated: [ADR-0001, 'ADR-0002']\nq: \"a\"\n---\n",
            2,
            "not YAML",
            {"title": "Use X: the story", "related": ["ADR-0001", "ADR-0002"], "q": "a"},
        ),
        ("---\na: 1\nb: [[api]/SPEC-1]\n---\n", 3, "not YAML", {"a": "1", "b": ["[api]/SPEC-1"]}),
        ("---\na: {b\n---\n", 3, "not YAML", {"a": "{b"}),
        ("---\na: 1\nb: &x [1]\nc: *x\n---\n", 4, "alias", {"a": "1", "b": "&x [1]", "c": "*x"}),
        ("---\na: &x\n  <<: *x\n---\n", 3, "alias", {"a": "&x"}),
        ("---\na: 1\n? [b]\n: c\n---\n", 3, "not a word", {"a": "1"}),
        ("---\na: 1\n--- b\n---\n", 3, "more than one", {"a": "1"}),
        ("---\na: \x00\n---\n", 2, "character", {"a": "\x00"}),
        ("---\na: \ud800\n---\n", 2, "character", {"a": "\ud800"}),
        ("---\n# c\n{[a]: b}\n---\n", 3, "not a word", {}),
        ("---\n[a: b]\n---\n", 2, "not made of", {}),
        ("---\na: b\n", 1, "never closed", {}),
    ],
)
def test_an_error_has_its_line_and_the_other_lines_are_read(
    text: str, line: int, words: str, fields: dict[str, object]
) -> None:
    matter = read_frontmatter(text)
    assert matter.error is not None
    assert matter.error.line == line
    assert words in matter.error.message
    assert matter.fields == fields


def test_flow_style_and_quoted_keys() -> None:
    assert read_frontmatter("---\n{a: b}\n---\n").fields == {"a": "b"}
    assert read_frontmatter('---\n"a":\n- b\n---\n').fields == {"a": ["b"]}
    assert read_frontmatter("---\n{}\n---\n").error is None


def test_duplicate_keys_are_reported() -> None:
    matter = read_frontmatter("---\nstatus: a\nStatus: b\n---\n")
    assert matter.duplicates == ("status",)
    assert matter.fields == {"status": "b"}
    assert matter.lines == {"status": 3}


def test_tags_construct_no_objects() -> None:
    matter = read_frontmatter(
        "---\na: !!python/object/apply:os.system [ls]\nb: !!binary aGk=\n---\n"
    )
    assert matter.fields == {"a": ["ls"], "b": "aGk="}


@pytest.mark.parametrize("unit", ["[", "{a: ", "- ", "? "])
def test_deep_nesting_is_refused(unit: str) -> None:
    matter = read_frontmatter(f"---\nstatus: accepted\nx:\n {unit * 10_000}\n---\n")
    assert matter.error is not None
    assert matter.fields["status"] == "accepted"


def test_a_billion_laughs_are_refused() -> None:
    levels = "".join(f"l{n + 1}: &l{n + 1} [{', '.join([f'*l{n}'] * 9)}]\n" for n in range(9))
    matter = read_frontmatter(f"---\nl0: &l0 lol\n{levels}---\n")
    assert matter.error is not None
    assert "alias" in matter.error.message


def test_giant_frontmatter_is_not_read() -> None:
    matter = read_frontmatter(f"---\na: {'x' * MAX_SIZE}\n---\n")
    assert matter.error == FrontmatterError(
        "frontmatter is over 64 kB and not read: shorten it", line=1
    )
    assert not matter.fields
    assert matter.end


@given(
    st.one_of(
        st.text(alphabet=st.characters()),
        st.text(alphabet="ab:-[]{}&*!|>'\"#?%@, \n\t\x85\u2028"),
    )
)
def test_any_text_is_read_with_lines_within_it(source: str) -> None:
    text = f"---\nkey: value\n{source}\n---\nbody"
    matter = read_frontmatter(text)
    total = text.count("\n") + text.count("\r") + 1
    assert all(2 <= line <= total for line in matter.lines.values())
    if matter.error:
        assert 1 <= matter.error.line <= total
        assert "\n" not in matter.error.message
    assert "key" in matter.fields or matter.error
    read_frontmatter(source)


@given(st.dictionaries(st.from_regex(r"\A[a-z]{1,8}\Z"), st.text(alphabet="ab01 é", min_size=1)))
def test_plain_values_are_read_back(values: dict[str, str]) -> None:
    lines = "".join(f'{key}: "{value}"\n' for key, value in values.items())
    assert read_frontmatter(f"---\n{lines}---\n").fields == values


LINES = """
status: accepted
date: 2026-01-02
id: 0007
tags: [a, b-c]
tags: []
x:
  - ADR-1
- b
related:
null: null
k: a: b
k: 'q'
k: [a
  n: 1
k: x # y
# c

K-e_y: (a), b/c
k: -1
t: ~
d: 1.5
---
é: é
"""


@given(st.lists(st.sampled_from(LINES.splitlines()), max_size=7))
def test_plain_frontmatter_reads_like_yaml(lines: list[str]) -> None:
    """A comment at the end makes the YAML parser read all of it."""
    source = "".join(f"{line}\n" for line in lines)
    read = read_frontmatter(f"---\n{source}---\n")
    parsed = read_frontmatter(f"---\n{source}# read by YAML\n---\n")
    assert (read.fields, read.lines) == (parsed.fields, parsed.lines)
    assert read.duplicates == parsed.duplicates
    assert bool(read.error) == bool(parsed.error)
