"""Converting Markdown to ADF documents."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.trackers.jira.adf_to_markdown import markdown_of
from sdd_hooks.trackers.jira.markdown_to_adf import document_of
from tests.support.jira import check_document
from tests.trackers.jira.test_adf_to_markdown import NODE, STRANGE, doc, in_order, seen, texts


def content_of(markdown):
    document = document_of(markdown)
    assert (document["type"], document["version"]) == ("doc", 1)
    return document["content"]


def word(value, *marks):
    made = {"type": "text", "text": value}
    return made | {"marks": [{"type": mark} for mark in marks]} if marks else made


def test_common_blocks():
    assert content_of("# Plan\n\nSome **bold**, _slanted_, ~~gone~~ `x`\nand more\n\n---\n") == [
        {"type": "heading", "attrs": {"level": 1}, "content": [word("Plan")]},
        {
            "type": "paragraph",
            "content": [
                word("Some "),
                word("bold", "strong"),
                word(", "),
                word("slanted", "em"),
                word(", "),
                word("gone", "strike"),
                word(" "),
                word("x", "code"),
                {"type": "hardBreak"},
                word("and more"),
            ],
        },
        {"type": "rule"},
    ]
    assert content_of("```py\na = 1\n```\n\n    b\n") == [
        {"type": "codeBlock", "attrs": {"language": "py"}, "content": [word("a = 1")]},
        {"type": "codeBlock", "content": [word("b")]},
    ]
    assert content_of("") == []


def test_links_and_pictures():
    (paragraph,) = content_of(
        "[a **b**](https://e.example) [c](javascript:x) ![d](https://e.example/d.png) <e@e.example>"
    )
    texts = [(node["text"], node.get("marks", [])) for node in paragraph["content"]]
    link = {"type": "link", "attrs": {"href": "https://e.example"}}
    picture = {"type": "link", "attrs": {"href": "https://e.example/d.png"}}
    mail = {"type": "link", "attrs": {"href": "mailto:e@e.example"}}
    assert texts == [
        ("a ", [link]),
        ("b", [link, {"type": "strong"}]),
        (" [c](javascript:x) ", []),
        ("d", [picture]),
        (" ", []),
        ("e@e.example", [mail]),
    ]


def test_blocks_that_a_list_item_does_not_allow():
    (listing,) = content_of("- # Title\n  > said\n  ***\n  | a | b |\n  |---|---|\n  | c | d |\n- ")
    first, second = listing["content"]
    assert first["content"] == [
        {"type": "paragraph", "content": [word("Title", "strong")]},
        {"type": "paragraph", "content": [word("said")]},
        {"type": "paragraph", "content": [word("a"), word(" | "), word("b")]},
        {"type": "paragraph", "content": [word("c"), word(" | "), word("d")]},
    ]
    assert second == {"type": "listItem", "content": [{"type": "paragraph", "content": []}]}
    (nested,) = content_of("- - a")
    assert [one["type"] for one in nested["content"][0]["content"]] == ["paragraph", "bulletList"]


def test_markdown_survives_a_round_trip():
    for markdown in (
        "## Plan\n\nSome **bold**, _slanted_ and `x`\\\nanother line",
        "- one\n\n  3. two\n- three\n\n  four",
        "````python\na = 1\n```\n````",
        "> said\n>\n> again",
        "> [!WARNING]\n>\n> Mind the gap",
        "> [!NOTE]\n>\n> - a\n> - b",
        "- [x] done\n- [ ] to do\n  - [ ] part of it",
        "| a\\|b | c |\n| --- | --- |\n| x<br>y | `z` |",
        "H<sub>2</sub>O, x<sup>2</sup>, [here](https://e.example/a_b), <https://e.example/>",
        "***",
    ):
        assert markdown_of(document_of(markdown)) == markdown


def test_an_alert_on_one_line():
    (panel,) = content_of("> [!TIP]\n> Look **here**\n")
    assert panel["attrs"] == {"panelType": "success"}
    (paragraph,) = panel["content"]
    assert paragraph["content"] == [word("Look "), word("here", "strong")]
    (empty,) = content_of("> [!CAUTION]\n")
    assert empty["content"] == [{"type": "paragraph", "content": []}]


def test_a_text_deeper_than_the_limit():
    markdown = ">" * 400 + " bottom\nnext"
    (paragraph,) = content_of(markdown)
    assert paragraph["content"][0]["text"] == ">" * 400 + " bottom"


MARKDOWN = st.lists(
    st.sampled_from(
        ["- ", "> ", "1. ", "# ", "| a | b |\n|---|---|\n", "- [ ] ", "[!NOTE]\n", "```\n", "  "]
    )
    | st.sampled_from(["***\n", "**", "[x](https://e.example)", "`", "<br>", "<sub>", "\n", "\n\n"])
    | STRANGE
    | st.text(max_size=4),
    max_size=12,
).map("".join)


@given(MARKDOWN)
def test_every_document_is_valid(markdown):
    check_document(document_of(markdown))


@given(st.lists(NODE, max_size=3))
def test_a_round_trip_loses_no_text(content):
    document = doc(*content)
    again = document_of(markdown_of(document))
    check_document(again)
    assert in_order("".join(texts(document).split()), "".join(texts(again).split()))
    assert in_order("".join(texts(document).split()), seen(markdown_of(again)))
