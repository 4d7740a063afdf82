"""Convert Markdown to the Atlassian Document Format (ADF), the format of texts in Jira Cloud.

The inverse of `adf_to_markdown`, as far as possible. A block that ADF does not allow at its place
(a heading in a list) becomes an allowed block, and no text is lost. Images become links.

The format: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
"""

# Governing: SPEC-0009 REQ "Writing to a tracker"

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.jira.adf_to_markdown import PANELS
from sdd_hooks.trackers.jira.inline_markdown import SCHEMES

if TYPE_CHECKING:
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode

AdfNode = dict[str, Any]

MAX_DEPTH = 30
"""Levels of nested blocks; a deeper text becomes one plain paragraph."""

_MARKS = {"strong": "strong", "em": "em", "s": "strike"}
_TEXTUAL = frozenset({"paragraph", "bulletList", "orderedList", "codeBlock"})
_ALLOWED = {
    "doc": _TEXTUAL | {"heading", "blockquote", "panel", "rule", "table", "taskList"},
    "panel": _TEXTUAL | {"heading", "rule", "taskList"},
    "blockquote": _TEXTUAL,
    "listItem": _TEXTUAL,
}
"""The types of blocks that ADF allows in each type of parent."""
_KINDS = {alert: kind for kind, alert in PANELS.items()}
_ALERT = lazy_regex(r"\[!(NOTE|IMPORTANT|TIP|WARNING|CAUTION)\](?:\n|\Z)")
_TASK = lazy_regex(r"\[[ xX]\](?: |\Z)")
_TAG = lazy_regex(r"<(/?)(su[bp])>")
_BREAK = lazy_regex(r"<br\s*/?>", re.IGNORECASE)


def document_of(markdown: str) -> AdfNode:
    """Convert Markdown to an ADF document."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    parser = MarkdownIt("commonmark", {"maxNesting": 4 * MAX_DEPTH})
    tokens = parser.enable(["table", "strikethrough"]).parse(markdown)
    if max((token.level for token in tokens), default=0) > 2 * MAX_DEPTH:
        return _node("doc", [_plain(markdown)]) | {"version": 1}
    content = _fit(_blocks(SyntaxTreeNode(tokens).children), "doc")
    return _node("doc", content) | {"version": 1}


def _node(kind: str, content: list[AdfNode], **attrs: object) -> AdfNode:
    node: AdfNode = {"type": kind, "content": content}
    return node | {"attrs": attrs} if attrs else node


def _text(value: str, marks: list[AdfNode]) -> AdfNode:
    node: AdfNode = {"type": "text", "text": value}
    return node | {"marks": marks} if marks else node


def _plain(text: str) -> AdfNode:
    """A paragraph of unparsed lines."""
    content: list[AdfNode] = []
    for line in text.strip("\n").split("\n"):
        content += [{"type": "hardBreak"}] if content else []
        content += [_text(line, [])] if line else []
    return _node("paragraph", content)


def _blocks(nodes: list[SyntaxTreeNode]) -> list[AdfNode]:
    return [block for node in nodes for block in _block(node)]


def _block(node: SyntaxTreeNode) -> Iterator[AdfNode]:
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
    """The inline tokens of a heading, a paragraph or a cell."""
    tokens = (child.token for child in node.children if child.token)
    return [inline for token in tokens for inline in token.children or []]


def _raw(node: SyntaxTreeNode) -> str:
    """The source of a paragraph; "" for another block."""
    return node.children[0].content if node.type == "paragraph" and node.children else ""


def _quote(node: SyntaxTreeNode) -> Iterator[AdfNode]:
    """A block quote, or the panel for an alert (`[!NOTE]`)."""
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


def _item(node: SyntaxTreeNode) -> AdfNode:
    content = _fit(_blocks(node.children), "listItem")
    if not content or content[0]["type"] not in {"paragraph", "codeBlock"}:
        content.insert(0, _node("paragraph", []))
    return _node("listItem", content)


def _is_tasks(node: SyntaxTreeNode) -> bool:
    """Whether every item of a list is a paragraph with a box, with at most one nested task list."""
    for item in node.children:
        if not item.children:
            return False
        first, *rest = item.children
        if not _TASK.match(_raw(first)) or _tokens(first)[0].type != "text":
            return False
        nested = (child.type == "bullet_list" and _is_tasks(child) for child in rest)
        if len(rest) > 1 or not all(nested):
            return False
    return True


def _tasks(node: SyntaxTreeNode) -> AdfNode:
    content: list[AdfNode] = []
    for item in node.children:
        first, *rest = item.children
        state = "TODO" if _raw(first)[1] == " " else "DONE"
        texts = _inline(_tokens(first))
        texts[0] = texts[0] | {"text": texts[0]["text"][4:]}
        texts = texts if texts[0]["text"] else texts[1:]
        content.append(_node("taskItem", texts, localId=f"task-{_line(item)}", state=state))
        content += map(_tasks, rest)
    return _node("taskList", content, localId=f"tasks-{_line(node)}")


def _line(node: SyntaxTreeNode) -> int:
    return node.map[0] + 1 if node.map else 0


def _cell(node: SyntaxTreeNode) -> AdfNode:
    kind = "tableHeader" if node.type == "th" else "tableCell"
    return _node(kind, [_node("paragraph", _inline(_tokens(node)))])


def _inline(tokens: list[Token]) -> list[AdfNode]:
    """Convert inline tokens. Every line end becomes a hard break, as Jira displays plain text."""
    nodes: list[AdfNode] = []
    marks: list[AdfNode] = []
    for token in tokens:
        kind, _, side = token.type.partition("_")
        if token.type in {"softbreak", "hardbreak"} or _is_break(token):
            nodes.append({"type": "hardBreak"})
        elif kind in _MARKS and side in {"open", "close"}:
            _toggle(marks, {"type": _MARKS[kind]}, side)
        elif kind == "link" and side in {"open", "close"}:
            _toggle(marks, _link(str(token.attrs.get("href", ""))), side)
        elif token.type == "html_inline" and (tag := _TAG.fullmatch(token.content)):
            _toggle(
                marks, {"type": "subsup", "attrs": {"type": tag[2]}}, "close" if tag[1] else "open"
            )
        elif token.type == "image":
            source = str(token.attrs.get("src", ""))
            nodes.append(_text(token.content or source, _unique([*marks, _link(source)])))
        elif token.type == "code_inline":
            links = [mark for mark in marks if mark["type"] == "link"]
            nodes.append(_text(token.content, _unique([*links, {"type": "code"}])))
        elif token.content:
            nodes.append(_text(token.content, _unique(marks)))
    return [node for node in nodes if node.get("text") != ""]


def _is_break(token: Token) -> bool:
    return token.type == "html_inline" and _BREAK.fullmatch(token.content) is not None


def _toggle(marks: list[AdfNode], mark: AdfNode, side: str) -> None:
    """Add a mark for the side "open", else remove the last mark of its type."""
    if side == "open":
        marks.append(mark)
        return
    for position in range(len(marks) - 1, -1, -1):
        if marks[position]["type"] == mark["type"]:
            del marks[position]
            return


def _link(href: str) -> AdfNode:
    return {"type": "link", "attrs": {"href": href}}


def _unique(marks: list[AdfNode]) -> list[AdfNode]:
    """The last mark of each type, without links to unsupported addresses."""
    kept = {
        mark["type"]: mark
        for mark in marks
        if mark["type"] != "link" or mark["attrs"]["href"].lower().startswith(SCHEMES)
    }
    return list(kept.values())


def _fit(nodes: list[AdfNode], parent: str) -> list[AdfNode]:
    """Replace nodes that the parent does not allow."""
    return [fitted for node in nodes for fitted in _fitted(node, parent)]


def _fitted(node: AdfNode, parent: str) -> Iterator[AdfNode]:
    kind = node["type"]
    if kind in _ALLOWED[parent]:
        yield node
    elif kind == "heading":
        yield _node("paragraph", [_strong(text) for text in node["content"]])
    elif kind == "taskList":
        yield _node("bulletList", list(_as_items(node)))
    elif kind == "table":
        for row in node["content"]:
            cells = [cell["content"][0]["content"] for cell in row["content"]]
            texts = [text for cell in cells for text in (_text(" | ", []), *cell)]
            yield _node("paragraph", texts[1:])
    else:
        yield from _fit(node.get("content", []), parent)


def _as_items(node: AdfNode) -> Iterator[AdfNode]:
    for item in node["content"]:
        if item["type"] == "taskList":
            yield _node("listItem", [_node("paragraph", []), *_fitted(item, "listItem")])
        else:
            box = "[x] " if item["attrs"]["state"] == "DONE" else "[ ] "
            yield _node("listItem", [_node("paragraph", [_text(box, []), *item["content"]])])


def _strong(node: AdfNode) -> AdfNode:
    marks = node.get("marks", [])
    if node["type"] != "text" or any(mark["type"] in {"code", "strong"} for mark in marks):
        return node
    return node | {"marks": [*marks, {"type": "strong"}]}
