"""Markdown as a document of Atlassian's (ADF), as Jira Cloud wants texts.

What is written back was read as Markdown before: as much of its form as can be is kept. What a
document cannot hold at some place (a heading in a list) becomes what it can hold, and no text is
lost; pictures become links to them.

The format: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
"""

# Governing: SPEC-0009 REQ "Writing to a tracker"

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sdd_hooks.trackers.jira.adf_to_markdown import PANELS
from sdd_hooks.trackers.jira.inline_markdown import SCHEMES

if TYPE_CHECKING:
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode

Node = dict[str, Any]

DEEPEST = 30
"""Levels of blocks in blocks; a text with more is written as it is."""

_MARKS = {"strong": "strong", "em": "em", "s": "strike"}
_TEXTUAL = frozenset({"paragraph", "bulletList", "orderedList", "codeBlock"})
_HELD = {
    "doc": _TEXTUAL | {"heading", "blockquote", "panel", "rule", "table", "taskList"},
    "panel": _TEXTUAL | {"heading", "rule", "taskList"},
    "blockquote": _TEXTUAL,
    "listItem": _TEXTUAL,
}
"""What may stand in what."""
_KINDS = {alert: kind for kind, alert in PANELS.items()}
_ALERT = re.compile(r"\[!(NOTE|IMPORTANT|TIP|WARNING|CAUTION)\](?:\n|\Z)")
_TASK = re.compile(r"\[[ xX]\](?: |\Z)")
_TAG = re.compile(r"<(/?)(su[bp])>")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def document_of(markdown: str) -> Node:
    """The document that reads as the Markdown does."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    reader = MarkdownIt("commonmark", {"maxNesting": 4 * DEEPEST})
    tokens = reader.enable(["table", "strikethrough"]).parse(markdown)
    if max((token.level for token in tokens), default=0) > 2 * DEEPEST:
        return _node("doc", [_plain(markdown)]) | {"version": 1}
    content = _fit(_blocks(SyntaxTreeNode(tokens).children), "doc")
    return _node("doc", content) | {"version": 1}


def _node(kind: str, content: list[Node], **attrs: object) -> Node:
    made: Node = {"type": kind, "content": content}
    return made | {"attrs": attrs} if attrs else made


def _text(value: str, marks: list[Node]) -> Node:
    made: Node = {"type": "text", "text": value}
    return made | {"marks": marks} if marks else made


def _plain(text: str) -> Node:
    """A paragraph of these lines as they are."""
    content: list[Node] = []
    for line in text.strip("\n").split("\n"):
        content += [{"type": "hardBreak"}] if content else []
        content += [_text(line, [])] if line else []
    return _node("paragraph", content)


def _blocks(nodes: list[SyntaxTreeNode]) -> list[Node]:
    return [made for node in nodes for made in _block(node)]


def _block(node: SyntaxTreeNode) -> Iterator[Node]:
    match node.type:
        case "heading":
            yield _node("heading", _inline(_tokens(node)), level=int(node.tag[1]))
        case "paragraph":
            yield _node("paragraph", _inline(_tokens(node)))
        case "fence" | "code_block":
            code = node.content.removesuffix("\n")
            language = (node.info.split() or [""])[0]
            attrs = {"language": language} if language else {}
            yield _node("codeBlock", [_text(code, [])] if code else [], **attrs)
        case "hr":
            yield {"type": "rule"}
        case "html_block":
            yield _plain(node.content)
        case "blockquote":
            yield from _quote(node)
        case "bullet_list" if _is_tasks(node):
            yield _tasks(node)
        case "bullet_list":
            yield _node("bulletList", [_item(child) for child in node.children])
        case "ordered_list":
            order = int(node.attrs.get("start", 1))
            yield _node("orderedList", [_item(child) for child in node.children], order=order)
        case "table":
            rows = [row for part in node.children for row in part.children]
            yield _node(
                "table", [_node("tableRow", list(map(_cell, row.children))) for row in rows]
            )


def _tokens(node: SyntaxTreeNode) -> list[Token]:
    """What is within the lines of a heading, a paragraph or a cell."""
    return [one for child in node.children if child.token for one in child.token.children or []]


def _raw(node: SyntaxTreeNode) -> str:
    """The lines of a paragraph as they were written; "" for another block."""
    return node.children[0].content if node.type == "paragraph" and node.children else ""


def _quote(node: SyntaxTreeNode) -> Iterator[Node]:
    """A quotation, or the panel that an alert stands for."""
    inside = _blocks(node.children)
    alert = _ALERT.match(_raw(node.children[0])) if node.children else None
    if alert is None:
        content = _fit(inside, "blockquote")
        yield from [_node("blockquote", content)] if content else []
        return
    first = inside[0]["content"][2:]
    content = _fit([_node("paragraph", first)] * bool(first) + inside[1:], "panel")
    kind = _KINDS.get(alert[1], "note" if alert[1] == "IMPORTANT" else "info")
    yield _node("panel", content or [_node("paragraph", [])], panelType=kind)


def _item(node: SyntaxTreeNode) -> Node:
    content = _fit(_blocks(node.children), "listItem")
    if not content or content[0]["type"] not in {"paragraph", "codeBlock"}:
        content.insert(0, _node("paragraph", []))
    return _node("listItem", content)


def _is_tasks(node: SyntaxTreeNode) -> bool:
    """Whether every item of a list can be ticked off, and is no more than a line or two."""
    for item in node.children:
        if not item.children:
            return False
        first, *rest = item.children
        if not _TASK.match(_raw(first)) or _tokens(first)[0].type != "text":
            return False
        if len(rest) > 1 or not all(one.type == "bullet_list" and _is_tasks(one) for one in rest):
            return False
    return True


def _tasks(node: SyntaxTreeNode) -> Node:
    content: list[Node] = []
    for item in node.children:
        first, *rest = item.children
        state = "TODO" if _raw(first)[1] == " " else "DONE"
        said = _inline(_tokens(first))
        said[0] = said[0] | {"text": said[0]["text"][4:]}
        said = said if said[0]["text"] else said[1:]
        content.append(_node("taskItem", said, localId=f"task-{_line(item)}", state=state))
        content += map(_tasks, rest)
    return _node("taskList", content, localId=f"tasks-{_line(node)}")


def _line(node: SyntaxTreeNode) -> int:
    return node.map[0] + 1 if node.map else 0


def _cell(node: SyntaxTreeNode) -> Node:
    kind = "tableHeader" if node.type == "th" else "tableCell"
    return _node(kind, [_node("paragraph", _inline(_tokens(node)))])


def _inline(tokens: list[Token]) -> list[Node]:
    """What is within lines. A line ends where it did: Jira's readers see the lines of a text."""
    made: list[Node] = []
    marks: list[Node] = []
    for token in tokens:
        kind, _, side = token.type.partition("_")
        if token.type in {"softbreak", "hardbreak"} or _is_break(token):
            made.append({"type": "hardBreak"})
        elif kind in _MARKS and side in {"open", "close"}:
            _turn(marks, {"type": _MARKS[kind]}, side)
        elif kind == "link" and side in {"open", "close"}:
            _turn(marks, _link(str(token.attrs.get("href", ""))), side)
        elif token.type == "html_inline" and (tag := _TAG.fullmatch(token.content)):
            _turn(
                marks, {"type": "subsup", "attrs": {"type": tag[2]}}, "close" if tag[1] else "open"
            )
        elif token.type == "image":
            source = str(token.attrs.get("src", ""))
            made.append(_text(token.content or source, _once([*marks, _link(source)])))
        elif token.type == "code_inline":
            links = [mark for mark in marks if mark["type"] == "link"]
            made.append(_text(token.content, _once([*links, {"type": "code"}])))
        elif token.content:
            made.append(_text(token.content, _once(marks)))
    return [one for one in made if one.get("text") != ""]


def _is_break(token: Token) -> bool:
    return token.type == "html_inline" and _BREAK.fullmatch(token.content) is not None


def _turn(marks: list[Node], mark: Node, side: str) -> None:
    """Begin a mark, or end the last one of its type."""
    if side == "open":
        marks.append(mark)
        return
    for position in range(len(marks) - 1, -1, -1):
        if marks[position]["type"] == mark["type"]:
            del marks[position]
            return


def _link(href: str) -> Node:
    return {"type": "link", "attrs": {"href": href}}


def _once(marks: list[Node]) -> list[Node]:
    """The marks, each type once, without links to what Jira would not go to."""
    kept = {
        mark["type"]: mark
        for mark in marks
        if mark["type"] != "link" or mark["attrs"]["href"].lower().startswith(SCHEMES)
    }
    return list(kept.values())


def _fit(nodes: list[Node], parent: str) -> list[Node]:
    """The nodes as the parent can hold them."""
    return [made for node in nodes for made in _fitted(node, parent)]


def _fitted(node: Node, parent: str) -> Iterator[Node]:
    kind = node["type"]
    if kind in _HELD[parent]:
        yield node
    elif kind == "heading":
        yield _node("paragraph", [_strong(one) for one in node["content"]])
    elif kind == "taskList":
        yield _node("bulletList", list(_as_items(node)))
    elif kind == "table":
        for row in node["content"]:
            cells = [cell["content"][0]["content"] for cell in row["content"]]
            parts = [[_text(" | ", []), *cell] for cell in cells]
            yield _node("paragraph", [one for part in parts for one in part][1:])
    else:
        yield from _fit(node.get("content", []), parent)


def _as_items(node: Node) -> Iterator[Node]:
    for one in node["content"]:
        if one["type"] == "taskList":
            yield _node("listItem", [_node("paragraph", []), *_fitted(one, "listItem")])
        else:
            box = "[x] " if one["attrs"]["state"] == "DONE" else "[ ] "
            yield _node("listItem", [_node("paragraph", [_text(box, []), *one["content"]])])


def _strong(node: Node) -> Node:
    marks = node.get("marks", [])
    if node["type"] != "text" or any(mark["type"] in {"code", "strong"} for mark in marks):
        return node
    return node | {"marks": [*marks, {"type": "strong"}]}
