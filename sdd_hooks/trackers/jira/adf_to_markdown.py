"""Convert the Atlassian Document Format (ADF), the format of texts in Jira Cloud, to Markdown.

A document is untrusted input: any node, mark or attribute may be missing or of another type. Every
text is kept, also the text of unknown nodes, and Markdown syntax in it is escaped. Marks without an
equivalent in Markdown (colour, alignment) are left out.

The format: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from sdd_hooks.remote.json_fields import Json, format_utc, number, rows, text
from sdd_hooks.trackers.jira.inline_markdown import (
    MARKS,
    MarkedText,
    address,
    escape_line_starts,
    inline,
    longest_ticks,
    on_one_line,
)

MAX_DEPTH = 40
"""Levels of nested blocks; deeper blocks become plain text."""
MAX_COLSPAN = 50
"""Columns that one cell may span."""
PANELS = {"warning": "WARNING", "error": "CAUTION", "success": "TIP"}
"""The types of panels and the types of alerts that represent them; other panels are notes."""

_INLINE = frozenset(
    {"text", "hardBreak", "date", "emoji", "mention", "placeholder", "status"}
    | {"inlineCard", "inlineExtension", "mediaInline"}
)
_LEAVES = frozenset({"blockCard", "embedCard", "extension", "media", "syncBlock"})
_LISTS = frozenset({"bulletList", "decisionList", "orderedList", "taskList"})
_CARDS = frozenset({"blockCard", "embedCard", "inlineCard"})


def markdown_of(document: Json) -> str:
    """A document as Markdown, without a final line end; "" for an empty document."""
    return "\n\n".join(_blocks([document], 0))


def _blocks(nodes: list[Json], depth: int) -> list[str]:
    """Render nodes as blocks; inline nodes are wrapped in a paragraph."""
    blocks: list[str] = []
    for is_inline, group in groupby(nodes, _is_inline):
        if is_inline:
            blocks.append(_paragraph(list(group)))
        else:
            blocks += [block for node in group for block in _block(node, depth)]
    return [block for block in blocks if block]


def _block(node: Json, depth: int) -> list[str]:
    kind, content = text(node, "type"), rows(node, "content")
    if depth > MAX_DEPTH:
        return [_paragraph([node])]
    match kind:
        case "paragraph":
            blocks = [_paragraph(content)]
        case "heading":
            blocks = _heading(node)
        case "codeBlock":
            blocks = [_fenced(_plain(content), text(node, "attrs", "language"))]
        case "rule":
            blocks = ["***", *_blocks(content, depth + 1)]
        case "blockquote":
            blocks = [_quoted(_blocks(content, depth + 1))]
        case "panel":
            alert = PANELS.get(text(node, "attrs", "panelType"), "NOTE")
            inside = _blocks(content, depth + 1)
            blocks = [_quoted([f"[!{alert}]", *inside])] if inside else []
        case "table":
            blocks = [_table(content, depth + 1)]
        case _ if kind in _LISTS:
            blocks = [_list(node, depth)]
        case _ if kind in _LEAVES:
            blocks = [_paragraph([node])]
        case _:
            title = MarkedText(text(node, "attrs", "title"), frozenset({"strong"}))
            label = MarkedText(text(node, "text") or text(node, "attrs", "text"))
            blocks = [escape_line_starts(inline([run])) for run in (title, label)]
            blocks += _blocks(content, depth + 1)
    return blocks


def _heading(node: Json) -> list[str]:
    level = min(max(number(node, "attrs", "level") or 1, 1), 6)
    title = " ".join(on_one_line(inline(_runs(rows(node, "content"))), " ").split())
    bare = title.rstrip("#")
    # Unescaped, a final `#` would be parsed as the end of the heading.
    title = bare + "\\#" * (len(title) - len(bare))
    return [f"{'#' * level} {title}"] if title else []


def _is_inline(node: Json) -> bool:
    kind = text(node, "type")
    return kind in _INLINE and not (kind != "text" and rows(node, "content"))


def _paragraph(nodes: list[Json]) -> str:
    return escape_line_starts(inline(_runs(nodes)))


def _fenced(code: str, language: str) -> str:
    fence = "`" * max(3, longest_ticks(code) + 1)
    return f"{fence}{re.sub(r'[^A-Za-z0-9_+#.-]', '', language)}\n{code}\n{fence}"


def _quoted(blocks: list[str]) -> str:
    lines = "\n\n".join(blocks).split("\n") if blocks else []
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _list(node: Json, depth: int) -> str:
    """A list. Any node in it is an item; a list directly in it belongs to the item before."""
    kind = text(node, "type")
    order = min(max(number(node, "attrs", "order") or 1, 0), 10**8) if kind == "orderedList" else 0
    items: list[str] = []
    marker = ""
    for position, child in enumerate(rows(node, "content")):
        if text(child, "type") in _LISTS:
            items += [_indented(block, len(marker)) for block in _block(child, depth + 1)]
            continue
        marker = f"{order + position}. " if kind == "orderedList" else "- "
        task = {"TODO": "[ ] ", "DONE": "[x] "}.get(text(child, "attrs", "state"), "")
        is_leaf = text(child, "type") in _INLINE | _LEAVES or not rows(child, "content")
        blocks = _blocks([child] if is_leaf else rows(child, "content"), depth + 1)
        body = blocks[0] if blocks else ""
        for block in blocks[1:]:
            body += f"\n{block}" if block.startswith("- ") else f"\n\n{block}"
        items.append(f"{marker}{task}{_indented(body, len(marker)).lstrip(' ')}".rstrip(" "))
    return "\n".join(items)


def _indented(block: str, by: int) -> str:
    return "\n".join(f"{' ' * by}{line}" if line else "" for line in block.split("\n"))


def _table(content: list[Json], depth: int) -> str:
    """A table with a header row, which is empty if the document has none."""
    table = []
    for row in content:
        cells = []
        for cell in rows(row, "content") or [row]:
            lines = "<br>".join(line for line in _cell(cell, depth) if line)
            cells.append(re.sub(r"\s+", " ", lines).replace("|", "\\|"))
            cells += [""] * (min(number(cell, "attrs", "colspan") or 1, MAX_COLSPAN) - 1)
        table.append(cells)
    if not table:
        return ""
    first = rows(content[0], "content")
    has_header = first and all(text(cell, "type") == "tableHeader" for cell in first)
    width = max(map(len, table))
    head = table.pop(0) if has_header else []
    head += [""] * (width - len(head))
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * width, *table))


def _cell(node: Json, depth: int) -> Iterator[str]:
    """The lines of a table cell, which cannot contain blocks in Markdown."""
    kind, content = text(node, "type"), rows(node, "content")
    if kind == "codeBlock":
        for line in _plain(content).split("\n"):
            yield inline([MarkedText(line, frozenset({"code"}))])
    elif kind in _INLINE | _LEAVES | {"paragraph", "heading"} or depth > MAX_DEPTH:
        yield on_one_line(inline(_runs([node])), "<br>")
    else:
        yield inline(_runs([{**node, "content": None}])) if isinstance(node, dict) else ""
        for is_inline, group in groupby(content, _is_inline):
            if is_inline:
                yield on_one_line(inline(_runs(list(group))), "<br>")
            else:
                item = "- " if kind in _LISTS else ""
                for child in group:
                    lines = "<br>".join(filter(None, _cell(child, depth + 1)))
                    yield f"{item}{lines}" if lines else ""


def _runs(nodes: list[Json]) -> list[MarkedText]:
    """The texts of the nodes and their descendants in document order, without recursion."""
    runs: list[MarkedText] = []
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        kind = text(node, "type")
        if kind not in _INLINE and runs and not runs[-1].text.endswith(("\n", " ")):
            runs.append(MarkedText(" "))
        marks, href = _marks(node)
        runs.append(MarkedText("\n", hard=True) if kind == "hardBreak" else _run(node, marks, href))
        stack += reversed(rows(node, "content"))
    return runs


def _run(node: Json, marks: frozenset[str], href: str) -> MarkedText:
    kind = text(node, "type")
    label = text(node, "text") or text(node, "attrs", "text")
    if kind == "mention":
        # The account id is private.
        label = label or "@someone"
    elif kind == "emoji":
        label = label or text(node, "attrs", "shortName")
    elif kind == "date":
        label = _day(text(node, "attrs", "timestamp"))
    elif kind in _CARDS:
        href = text(node, "attrs", "url") or text(node, "attrs", "data", "url")
        label = text(node, "attrs", "data", "name") or href
    elif kind in {"media", "mediaInline"}:
        href = text(node, "attrs", "url")
        alt = text(node, "attrs", "alt")
        label = alt or href if href else f"(attachment: {alt})" if alt else "(attachment)"
    elif kind in {"expand", "nestedExpand"}:
        label = label or text(node, "attrs", "title")
    return MarkedText(_unix(label), marks, address(href))


def _marks(node: Json) -> tuple[frozenset[str], str]:
    """The marks that Markdown supports, and the target of a link."""
    marks, href = set(), ""
    for mark in rows(node, "marks"):
        kind = text(mark, "type")
        if kind == "link":
            href = text(mark, "attrs", "href")
        elif kind == "subsup":
            kind = text(mark, "attrs", "type")
        marks.add(kind)
    return frozenset(marks & set(MARKS)), href


def _day(timestamp: str) -> str:
    """The date of a timestamp in milliseconds; an invalid timestamp is returned unchanged."""
    try:
        return format_utc(int(timestamp) / 1000)[:10]
    except (ValueError, OverflowError, OSError):
        return timestamp


def _plain(nodes: list[Json]) -> str:
    return "".join(run.text for run in _runs(nodes))


def _unix(value: str) -> str:
    return value.replace("\r\n", "\n").replace("\r", "\n")
