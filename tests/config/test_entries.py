import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.entries import entries, plain, squeezed
from sdd_hooks.config.memory_file import parse

GROUPS = {"tracker", "branchconventions"}


def read(text: str) -> list[tuple[str, str, str]]:
    (section,) = parse(text)
    return [(e.group, e.key, e.value) for e in entries(section, GROUPS)]


@pytest.mark.parametrize(
    "line",
    [
        "- **Type**: github",
        "* **Type:** github",
        "+ __Type__: `github`",
        "- Type: github",
        '**Type**: "github"',
        "Type: github",
        "  - **Type** : *github*  ",
        "\t- **Type**:\tgithub",
    ],
)
def test_ways_to_write_a_setting(line: str):
    assert read(line) == [("", "Type", "github")]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "- text",
        "**Note** that this is text",
        "- **bold** text: with a colon",
        "| **Type** | github |",
        "- https://example.org",
        "- `code`: text",
        "10:30 o'clock",
    ],
)
def test_not_a_setting(line: str):
    assert read(line) == []


def test_groups_opened_by_a_paragraph():
    text = (
        "**Tracker**: GitHub\n**Owner**: me\n"
        "**Branch Conventions**:\n- Prefix: a\n\n  - Epic: b\n**X**: c"
    )
    assert read(text) == [
        ("", "Tracker", "GitHub"),
        ("", "Owner", "me"),
        ("", "Branch Conventions", ""),
        ("Branch Conventions", "Prefix", "a"),
        ("Branch Conventions", "Epic", "b"),
        ("", "X", "c"),
    ]


def test_groups_opened_by_an_item():
    text = "- **Tracker**: GitHub\n  - Owner: me\n- **X**: c\n- **Branch conventions**\n- **Y**: d"
    assert read(text) == [
        ("", "Tracker", "GitHub"),
        ("Tracker", "Owner", "me"),
        ("", "X", "c"),
        ("", "Y", "d"),
    ]


def test_a_value_may_hold_anything():
    assert read("- **URL**: https://a.b:8/c?d=e: f **g**") == [
        ("", "URL", "https://a.b:8/c?d=e: f **g**")
    ]
    assert read("- **Views**:") == [("", "Views", "")]


@pytest.mark.parametrize(
    ("value", "bare"),
    [("`a`", "a"), ("**a**", "a"), ("'\"a\"'", "a"), ("`", "`"), ("`a", "`a"), ("``", "")],
)
def test_plain(value: str, bare: str):
    assert plain(value) == bare


@given(st.text())
def test_squeezed(name: str):
    assert squeezed(name).isalnum() or squeezed(name) == ""
    assert squeezed(f" {name}-_: ") == squeezed(name)


words = st.text(alphabet="abc", min_size=1, max_size=5)


@given(st.lists(st.tuples(words, words), max_size=5))
def test_what_is_written_is_read(pairs: list[tuple[str, str]]):
    text = "\n".join(f"- **{key}**: {value}" for key, value in pairs)
    assert [(key, value) for _, key, value in read(text)] == pairs


@given(st.text(alphabet=st.sampled_from("-*_: \tab`"), max_size=60))
def test_any_line_is_read_or_left(line: str):
    assert len(read(line)) <= 1
