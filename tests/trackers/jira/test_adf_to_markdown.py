"""Converting ADF documents to Markdown."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sdd_hooks.trackers.jira.adf_to_markdown import MAX_DEPTH, markdown_of

READER = MarkdownIt("commonmark", {"maxNesting": 1000}).enable(["table", "strikethrough"])


def doc(*content):
    return {"version": 1, "type": "doc", "content": list(content)}


def node(kind, *content, **attrs):
    return {"type": kind, "attrs": attrs, "content": list(content)}


def words(value, *marks, href=None):
    found = [{"type": mark} for mark in marks]
    if href is not None:
        found.append({"type": "link", "attrs": {"href": href}})
    return {"type": "text", "text": value, "marks": found}


def p(*content):
    return node("paragraph", *[words(one) if isinstance(one, str) else one for one in content])


def read(tokens: list[Token]) -> str:
    """The text of parsed Markdown."""
    made = ""
    for token in tokens:
        if token.type in {"softbreak", "hardbreak"}:
            made += " "
        elif token.children is not None:
            made += read(token.children) + " "
        elif token.type in {"text", "code_inline", "fence", "code_block", "html_block"}:
            made += token.content
        elif token.type == "html_inline":
            made += " " if token.content == "<br>" else ""
    return made


def seen(markdown: str) -> str:
    return "".join(read(READER.parse(markdown)).split())


def test_common_blocks():
    document = doc(
        node("heading", words("Plan"), level=2),
        p(
            "Some ",
            words("bold", "strong"),
            ", ",
            words("slanted", "em"),
            " and ",
            words("x", "code"),
        ),
        node(
            "bulletList",
            node("listItem", p("one"), node("orderedList", node("listItem", p("two")), order=3)),
            node("listItem", p("three"), p("four")),
        ),
        node("codeBlock", {"type": "text", "text": "a = 1\n```\n"}, language="python"),
        node("blockquote", p("said"), p("again")),
        node("rule"),
        node("panel", p("Mind the gap"), panelType="warning"),
        node("expand", p("inside"), title="More"),
        node(
            "taskList",
            node("taskItem", words("done"), state="DONE"),
            node("taskItem", words("to do"), state="TODO"),
        ),
    )
    assert markdown_of(document) == (
        "## Plan\n\n"
        "Some **bold**, _slanted_ and `x`\n\n"
        "- one\n\n  3. two\n- three\n\n  four\n\n"
        "````python\na = 1\n```\n\n````\n\n"
        "> said\n>\n> again\n\n"
        "***\n\n"
        "> [!WARNING]\n>\n> Mind the gap\n\n"
        "**More**\n\ninside\n\n"
        "- [x] done\n- [ ] to do"
    )


def test_inline_nodes():
    document = doc(
        p(
            node("mention", id="5b10a2844c20165700ede21g", text="@Ann"),
            " ",
            node("mention", id="5b10a2844c20165700ede21g"),
            " ",
            node("emoji", shortName=":smile:", text="😄"),
            " ",
            node("emoji", shortName=":party:"),
            " ",
            node("date", timestamp="1700000000000"),
            " ",
            node("status", text="In review", color="blue"),
            " ",
            node("inlineCard", url="https://e.example/a"),
            " ",
            words("here", href="https://e.example/(b) c"),
            " ",
            words("bad", href="javascript:alert(1)"),
            {"type": "hardBreak"},
            words("2", {"no": "name"}, None),
            {"type": "text", "text": "2", "marks": [{"type": "subsup", "attrs": {"type": "sup"}}]},
        )
    )
    assert markdown_of(document) == (
        "@Ann @someone 😄 :party: 2023-11-14 In review <https://e.example/a> "
        "[here](https://e.example/%28b%29%20c) bad\\\n2<sup>2</sup>"
    )


def test_attachments():
    document = doc(
        node(
            "mediaSingle",
            node("media", id="6f", type="file", alt="screen.png"),
            node("caption", words("Broken")),
        ),
        node("mediaGroup", node("media", id="7", type="file", collection="")),
        node("mediaSingle", node("media", type="external", url="https://e.example/x.png")),
        node("blockCard", url="https://e.example/card"),
    )
    assert markdown_of(document) == (
        "(attachment: screen.png)\n\nBroken\n\n(attachment)\n\n"
        "<https://e.example/x.png>\n\n<https://e.example/card>"
    )


def test_a_table():
    document = doc(
        node(
            "table",
            node("tableRow", node("tableHeader", p("a|b")), node("tableHeader", p("c"))),
            node(
                "tableRow",
                node("tableCell", p("x"), p("y"), colspan=1),
                node("tableCell", node("bulletList", node("listItem", p("z")))),
            ),
            node("tableRow", node("tableCell", node("codeBlock", words("p = q\nr")), colspan=2)),
        ),
        node("table", node("tableRow", node("tableCell", p("alone")))),
    )
    assert markdown_of(document) == (
        "| a\\|b | c |\n| --- | --- |\n| x<br>y | - z |\n| `p = q`<br>`r` |  |\n\n"
        "|  |\n| --- |\n| alone |"
    )


def test_the_text_of_unknown_nodes_is_kept():
    document = doc(
        node("hologram", p("kept")),
        node("layoutSection", node("layoutColumn", p("left")), node("layoutColumn", p("right"))),
        node("bodiedExtension", p("macro"), extensionKey="toc"),
        node("extension", extensionKey="chart", text="Sales"),
        p(node("sparkle", words("inner"))),
    )
    assert markdown_of(document) == "kept\n\nleft\n\nright\n\nmacro\n\nSales\n\ninner"


def test_invalid_documents():
    for value in (None, "text", 3, [], {}, {"type": "doc"}, {"type": "doc", "content": None}):
        assert markdown_of(value) == ""
    assert markdown_of(doc(None, 7, [], {"type": None}, p("here"))) == "here"
    assert markdown_of(doc(node("heading", words("x"), level=99))) == "###### x"


def test_a_document_deeper_than_the_recursion_limit():
    for kind in ("blockquote", "bulletList", "listItem", "hologram", "paragraph", "table"):
        deep = p("bottom")
        for _ in range(5000):
            deep = {"type": kind, "content": [deep]}
        assert "bottom" in markdown_of(doc(deep))
    deep = p("bottom")
    for _ in range(MAX_DEPTH + 1):
        deep = {"type": "blockquote", "content": [deep]}
    assert markdown_of(doc(deep)).endswith("> bottom")


def test_very_long_texts_take_linear_time():
    """In quadratic time each would take minutes."""
    for part in (" ", "#", "!", "`", "&", "_", "\\ ", "=", "- ", "|", "\n", "*a"):
        value = f"a{part * 25_000}x"
        for kind in ("paragraph", "heading", "codeBlock", "tableCell"):
            assert "x" in markdown_of(doc({"type": kind, "content": [words(value)]}))
    many = [words("!"), words("x", href="https://e.example"), {"type": "hardBreak"}] * 5_000
    assert markdown_of(doc({"type": "paragraph", "content": many})).count("\\![x]") == 5_000


def test_markdown_syntax_in_texts_is_escaped():
    for value in (
        "# no heading",
        "- no list",
        "1. none",
        "a_b __init__ *x* `y` ~~z~~",
        "[a](b) ![c](d) [e]: f",
        "<b>bold</b> &amp; R&D",
        "---",
        "===",
        "| a |\n|---|\n| b |",
        "> quote",
        "\\* C:\\temp\\",
        "    code",
        "```\nfence\n```",
    ):
        assert seen(markdown_of(doc(p(value)))) == "".join(value.split())
    assert markdown_of(doc(p("snake_case and R&D, 5 < 6, C:\\temp!"))) == (
        "snake_case and R&D, 5 < 6, C:\\temp!"
    )


MARK = st.sampled_from(
    [
        {"type": "strong"},
        {"type": "em"},
        {"type": "strike"},
        {"type": "code"},
        {"type": "underline"},
        {"type": "link", "attrs": {"href": "https://e.example/(a b)"}},
        {"type": "subsup", "attrs": {"type": "sub"}},
        {"type": "textColor", "attrs": {"color": "#ff0000"}},
        {"type": "unheard"},
        None,
    ]
)
STRANGE = st.text("ab \n\t*_`~#-+=|:<>[]()!&;\\.1é€\u00a0", min_size=1, max_size=12)
LETTERS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), min_size=1, max_size=12
)
TEXT = st.builds(
    lambda value, marks: {"type": "text", "text": value, "marks": marks},
    STRANGE | LETTERS,
    st.lists(MARK, max_size=3),
)
KINDS = [
    "paragraph",
    "heading",
    "bulletList",
    "orderedList",
    "listItem",
    "taskList",
    "taskItem",
    "decisionList",
    "decisionItem",
    "blockquote",
    "codeBlock",
    "panel",
    "expand",
    "nestedExpand",
    "table",
    "tableRow",
    "tableHeader",
    "tableCell",
    "caption",
    "mediaSingle",
    "mediaGroup",
    "layoutSection",
    "layoutColumn",
    "bodiedExtension",
    "hologram",
]
NODE = st.recursive(
    TEXT | st.just({"type": "hardBreak"}) | st.just({"type": "rule"}),
    lambda inner: st.builds(
        lambda kind, content: {"type": kind, "attrs": {}, "content": content},
        st.sampled_from(KINDS),
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)


def texts(value) -> str:
    own = value["text"] if value.get("type") == "text" else ""
    return own + "".join(texts(one) for one in value.get("content", []))


@given(st.lists(TEXT | st.just({"type": "hardBreak"}), max_size=6))
@example([words("\\ \n1")])
@example([words("a", href="https://e.example"), words("]:", "code", href="https://e.example")])
@example([words("1", "em"), words(":", "strong", "em"), words(":", "strong"), words("1")])
def test_the_text_of_a_paragraph_is_unchanged(content):
    document = doc({"type": "paragraph", "content": content})
    assert seen(markdown_of(document)) == "".join(texts(document).split())


def in_order(value: str, within: str) -> bool:
    """Whether the characters of `value` occur in `within` in this order."""
    rest = iter(within)
    return all(one in rest for one in value)


@given(st.lists(NODE, max_size=4))
@example([node("table", words("\\\n1"))])
@example([node("heading", words("\\\n1 ##"))])
def test_every_text_of_a_document_is_in_the_markdown(content):
    document = doc(*content)
    markdown = markdown_of(document)
    assert in_order("".join(texts(document).split()), seen(markdown))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "content", "attrs", "marks", "text", "level", "order", "url"])
            | st.text(max_size=3),
            inner | st.sampled_from(["text", "media", "link", "taskItem", *KINDS]),
            max_size=5,
        )
    ),
)


@given(JSON)
def test_any_json_is_converted(value):
    assert isinstance(markdown_of(value), str)
    assert isinstance(markdown_of({"type": "doc", "content": [value]}), str)
