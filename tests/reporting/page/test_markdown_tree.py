"""Test sdd_hooks.reporting.page.markdown_tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.reporting.page.markdown_tree import (
    MAX_LINE,
    Node,
    TextLinks,
    common_length,
    cut,
    render_tree,
)
from tests.support.cpu_time import assert_linear

SCRIPT = (files("sdd_hooks.reporting.page") / "assets/dom.js").read_text(encoding="utf-8")
# What the script of the page creates; it shows any other element as a span.
LISTED = SCRIPT.partition("new Set((")[2].partition(")")[0]
ELEMENTS = frozenset(" ".join(re.findall(r'"([a-z0-9 ]+)"', LISTED)).split())

LINKS = TextLinks(
    lambda href: href if href.startswith("https://") else "",
    lambda text: [(at, at + 8, "#/record/ADR-0001")] if (at := text.find("ADR-0001")) >= 0 else [],
)


def tree_text(nodes: Iterable[Node]) -> Iterator[str]:
    """Yield the texts of a tree, in order."""
    stack: list[Node] = list(nodes)[::-1]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, list):
            stack.extend(node[:0:-1])


def render(text: str) -> list[Node]:
    return render_tree(text, {3: "here"}, LINKS)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("# Title\n\n## Here\n\nText", [["h2", {"i": "here"}, "Here"], ["p", "Text"]]),
        ("# Title\n\n# Second", [["h2", {"i": "here"}, "Second"]]),
        (
            "a *b* **c** ~~d~~ `e`",
            [["p", "a ", ["em", "b"], " ", ["strong", "c"], " ", ["s", "d"], " ", ["code", "e"]]],
        ),
        ("- a\n- b\n  - c", [["ul", ["li", "a"], ["li", "b", ["ul", ["li", "c"]]]]]),
        ("- a\n\n- b", [["ul", ["li", ["p", "a"]], ["li", ["p", "b"]]]]),
        ("3. a\n4. b", [["ol", {"s": 3}, ["li", "a"], ["li", "b"]]]),
        ("- [ ] a\n- [x] b", [["ul", ["li", "☐ a"], ["li", "☑ b"]]]),
        ("> a", [["blockquote", ["p", "a"]]]),
        ("```py\na < b\n```", [["pre", ["code", "a < b"]]]),
        ("    a", [["pre", ["code", "a"]]]),
        ("a  \nb\nc<br>d", [["p", "a", ["br"], "b\nc", ["br"], "d"]]),
        ("***\n\na", [["hr"], ["p", "a"]]),
        ("---\nstatus: x\n---\n\na", [["p", "a"]]),
        ("a <!-- b --> c", [["p", "a  c"]]),
        ("<!-- a\n\nb -->\n\nc", [["p", "c"]]),
        ("see ADR-0001.", [["p", "see ", ["a", {"h": "#/record/ADR-0001"}, "ADR-0001"], "."]]),
        ("[x ADR-0001](https://e.org)", [["p", ["a", {"h": "https://e.org"}, "x ADR-0001"]]]),
        (
            "(https://e.org/a).",
            [["p", "(", ["a", {"h": "https://e.org/a"}, "https://e.org/a"], ")."]],
        ),
        ("[x](file.txt)", [["p", ["span", "x"]]]),
        ("![x](https://e.org/i.png)", [["p", ["a", {"h": "https://e.org/i.png"}, "Image: x"]]]),
        ("![](i.png)", [["p", ["span", {"c": "image"}, "Image: without a description"]]]),
    ],
)
def test_markdown_becomes_elements(text: str, tree: list[Node]) -> None:
    assert render(text) == tree


def test_a_table_keeps_its_alignment() -> None:
    assert render("| a | b |\n|---|--:|\n| 1 | 2 |") == [
        [
            "table",
            ["thead", ["tr", ["th", "a"], ["th", {"c": "right"}, "b"]]],
            ["tbody", ["tr", ["td", "1"], ["td", {"c": "right"}, "2"]]],
        ]
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        "a <b onclick=alert(1)>b</b>",
        "<style>body { display: none }</style>",
        "<iframe src=x></iframe>",
    ],
)
def test_html_is_text(text: str) -> None:
    assert "".join(tree_text(render(text))) == text
    assert names(render(text)) == {"p"}


@pytest.mark.parametrize(
    "text",
    ["[a](javascript:alert(1))", "<javascript:alert(1)>", "[a]: javascript:x\n\n[a]", "[a](x:y)"],
)
def test_a_link_elsewhere_has_no_address(text: str) -> None:
    """Scenario "A link to a script" of SPEC-0002."""
    assert attributes(render(text)) == []


def test_a_paragraph_with_an_endless_line_is_shown_as_it_is() -> None:
    text = "x" * (MAX_LINE + 1)
    assert render(text) == [["pre", ["code", text]]]


@pytest.mark.parametrize(
    ("text", "length", "expected"),
    [
        ("abc", 3, "abc"),
        ("one\n\ntwo\nthree", 10, "one"),
        ("one\ntwo", 6, "one"),
        ("endless", 3, "end"),
    ],
)
def test_a_cut_text_ends_with_a_paragraph(text: str, length: int, expected: str) -> None:
    assert cut(text, length) == expected


MARKS = "abc# \n*_`~[]()<>!|-+>:/.&\"'=\\1ADR-0001"


@given(st.text(st.sampled_from(MARKS), max_size=120) | st.text(max_size=80))
def test_any_text_becomes_a_tree_of_known_elements(text: str) -> None:
    tree = render(text)
    assert names(tree) <= ELEMENTS
    for found in attributes(tree):
        assert set(found) <= {"h", "i", "s", "c"}
        assert str(found.get("h", "https://")).startswith(("https://", "#/record/"))


PIECES = "[ ![ [a [a]( ]( *a ** a*_ `a <!-- <a ~~ \\ &amp |- | 1. - > ADR-0001 https://e.org"


@pytest.mark.parametrize("piece", [*PIECES.split(), "- [ ] ", "<!--\n", "  - a\n", "[a]: x\n"])
def test_hostile_texts_cost_no_more_than_others(piece: str) -> None:
    assert_linear(render, lambda size: (piece * 40 + "\n") * (size // 40), 2_560)


def names(tree: Any) -> set[str]:
    """The names of all elements of a tree."""
    found = set()
    for node in tree:
        if isinstance(node, list):
            found |= {node[0]} | names(node[1:])
    return found


def attributes(tree: Any) -> list[dict[str, Any]]:
    """The attributes of all elements of a tree."""
    found = []
    for node in tree:
        if isinstance(node, dict):
            found.append(node)
        elif isinstance(node, list):
            found += attributes(node)
    return found


@pytest.mark.parametrize(
    ("lengths", "total", "expected"),
    [([], 10, 1), ([3, 4], 10, 4), ([10, 10], 10, 5), ([2, 10, 10], 12, 5), ([9], 0, 1)],
)
def test_the_longer_texts_share_the_rest(lengths: list[int], total: int, expected: int) -> None:
    assert common_length(lengths, total) == expected


@given(st.lists(st.integers(0, 1000), max_size=20), st.integers(100, 5000))
def test_the_share_fits_and_wastes_little(lengths: list[int], total: int) -> None:
    length = common_length(lengths, total)
    used = sum(min(one, length) for one in lengths)
    assert used <= total
    assert used == sum(lengths) or used > total - len(lengths)
