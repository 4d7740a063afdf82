"""Atlassian's document format (ADF), in which Jira Cloud keeps descriptions, as Markdown.

A document is whatever a host answered: no node, mark or attribute of it is relied on. Every text in
it is kept, that of unknown nodes, too, and stays text: what Markdown would take for its own is
escaped. A mark that Markdown cannot carry (colour, alignment), or not at that place, is left out.

The format: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from sdd_hooks.remote.json_fields import Json, number, rows, stamp, text
from sdd_hooks.trackers.jira.inline_markdown import (
    MARKS,
    Run,
    address,
    inline,
    longest_ticks,
    on_one_line,
    unlike_blocks,
)

DEEPEST = 40
"""Levels of blocks in blocks; what is deeper becomes plain text."""
WIDEST = 50
"""Columns that one cell may stand for."""
PANELS = {"warning": "WARNING", "error": "CAUTION", "success": "TIP"}
"""Kinds of panels, and of the alerts that stand for them; others are notes."""

_INLINE = frozenset(
    {"text", "hardBreak", "date", "emoji", "mention", "placeholder", "status"}
    | {"inlineCard", "inlineExtension", "mediaInline"}
)
_LEAVES = frozenset({"blockCard", "embedCard", "extension", "media", "syncBlock"})
_LISTS = frozenset({"bulletList", "decisionList", "orderedList", "taskList"})
_CARDS = frozenset({"blockCard", "embedCard", "inlineCard"})


def markdown_of(document: Json) -> str:
    """A document as Markdown, without a line end at its end; "" for what is none."""
    return "\n\n".join(_blocks([document], 0))


def _blocks(nodes: list[Json], depth: int) -> list[str]:
    """The nodes as blocks; what should be inside a paragraph gets one."""
    made: list[str] = []
    for within_paragraph, group in groupby(nodes, _is_inline):
        if within_paragraph:
            made.append(_paragraph(list(group)))
        else:
            made += [block for node in group for block in _block(node, depth)]
    return [block for block in made if block]


def _block(node: Json, depth: int) -> list[str]:
    kind, content = text(node, "type"), rows(node, "content")
    if depth > DEEPEST:
        return [_paragraph([node])]
    match kind:
        case "paragraph":
            return [_paragraph(content)]
        case "heading":
            level = min(max(number(node, "attrs", "level") or 1, 1), 6)
            title = " ".join(on_one_line(inline(_runs(content)), " ").split())
            bare = title.rstrip("#")
            # At the end they would close the heading.
            title = bare + "\\#" * (len(title) - len(bare))
            return [f"{'#' * level} {title}"] if title else []
        case "codeBlock":
            return [_fenced(_plain(content), text(node, "attrs", "language"))]
        case "rule":
            return ["***", *_blocks(content, depth + 1)]
        case "blockquote":
            return [_quoted(_blocks(content, depth + 1))]
        case "panel":
            alert = PANELS.get(text(node, "attrs", "panelType"), "NOTE")
            inside = _blocks(content, depth + 1)
            return [_quoted([f"[!{alert}]", *inside])] if inside else []
        case "table":
            return [_table(content, depth + 1)]
    if kind in _LISTS:
        return [_list(node, depth)]
    if kind in _LEAVES:
        return [_paragraph([node])]
    headline = Run(text(node, "attrs", "title"), frozenset({"strong"}))
    own = Run(text(node, "text") or text(node, "attrs", "text"))
    said = [unlike_blocks(inline([run])) for run in (headline, own)]
    return [*said, *_blocks(content, depth + 1)]


def _is_inline(node: Json) -> bool:
    kind = text(node, "type")
    return kind in _INLINE and not (kind != "text" and rows(node, "content"))


def _paragraph(nodes: list[Json]) -> str:
    return unlike_blocks(inline(_runs(nodes)))


def _fenced(code: str, language: str) -> str:
    fence = "`" * max(3, longest_ticks(code) + 1)
    return f"{fence}{re.sub(r'[^A-Za-z0-9_+#.-]', '', language)}\n{code}\n{fence}"


def _quoted(blocks: list[str]) -> str:
    lines = "\n\n".join(blocks).split("\n") if blocks else []
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _list(node: Json, depth: int) -> str:
    """A list; whatever is in it is an item, and a list right in it belongs to the item above."""
    kind = text(node, "type")
    order = min(max(number(node, "attrs", "order") or 1, 0), 10**8) if kind == "orderedList" else 0
    made: list[str] = []
    marker = ""
    for position, child in enumerate(rows(node, "content")):
        if text(child, "type") in _LISTS:
            made += [_indented(block, len(marker)) for block in _block(child, depth + 1)]
            continue
        marker = f"{order + position}. " if kind == "orderedList" else "- "
        task = {"TODO": "[ ] ", "DONE": "[x] "}.get(text(child, "attrs", "state"), "")
        leaf = text(child, "type") in _INLINE | _LEAVES or not rows(child, "content")
        blocks = _blocks([child] if leaf else rows(child, "content"), depth + 1)
        body = blocks[0] if blocks else ""
        for block in blocks[1:]:
            body += f"\n{block}" if block.startswith("- ") else f"\n\n{block}"
        made.append(f"{marker}{task}{_indented(body, len(marker)).lstrip(' ')}".rstrip(" "))
    return "\n".join(made)


def _indented(block: str, by: int) -> str:
    return "\n".join(f"{' ' * by}{line}" if line else "" for line in block.split("\n"))


def _table(content: list[Json], depth: int) -> str:
    """A table with a first row of headings, empty ones where the document has none."""
    table = []
    for row in content:
        cells = []
        for cell in rows(row, "content") or [row]:
            lines = "<br>".join(line for line in _cell(cell, depth) if line)
            cells.append(re.sub(r"\s+", " ", lines).replace("|", "\\|"))
            cells += [""] * (min(number(cell, "attrs", "colspan") or 1, WIDEST) - 1)
        table.append(cells)
    if not table:
        return ""
    first = rows(content[0], "content")
    headed = first and all(text(cell, "type") == "tableHeader" for cell in first)
    width = max(map(len, table))
    head = table.pop(0) if headed else []
    head += [""] * (width - len(head))
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * width, *table))


def _cell(node: Json, depth: int) -> Iterator[str]:
    """What is in a cell as lines, since a cell has no blocks."""
    kind, content = text(node, "type"), rows(node, "content")
    if kind == "codeBlock":
        for line in _plain(content).split("\n"):
            yield inline([Run(line, frozenset({"code"}))])
    elif kind in _INLINE | _LEAVES | {"paragraph", "heading"} or depth > DEEPEST:
        yield on_one_line(inline(_runs([node])), "<br>")
    else:
        yield inline(_runs([{**node, "content": None}])) if isinstance(node, dict) else ""
        for within_paragraph, group in groupby(content, _is_inline):
            if within_paragraph:
                yield on_one_line(inline(_runs(list(group))), "<br>")
            else:
                item = "- " if kind in _LISTS else ""
                for child in group:
                    lines = "<br>".join(filter(None, _cell(child, depth + 1)))
                    yield f"{item}{lines}" if lines else ""


def _runs(nodes: list[Json]) -> list[Run]:
    """The texts of the nodes and of everything in them, in order, however deep that is."""
    made: list[Run] = []
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        kind = text(node, "type")
        if kind not in _INLINE and made and not made[-1].text.endswith(("\n", " ")):
            made.append(Run(" "))
        marks, href = _marks(node)
        made.append(Run("\n", hard=True) if kind == "hardBreak" else _run(node, marks, href))
        waiting += reversed(rows(node, "content"))
    return made


def _run(node: Json, marks: frozenset[str], href: str) -> Run:
    kind = text(node, "type")
    said = text(node, "text") or text(node, "attrs", "text")
    if kind == "mention":
        # The id of an account is nobody's business.
        said = said or "@someone"
    elif kind == "emoji":
        said = said or text(node, "attrs", "shortName")
    elif kind == "date":
        said = _day(text(node, "attrs", "timestamp"))
    elif kind in _CARDS:
        href = text(node, "attrs", "url") or text(node, "attrs", "data", "url")
        said = text(node, "attrs", "data", "name") or href
    elif kind in {"media", "mediaInline"}:
        href = text(node, "attrs", "url")
        alt = text(node, "attrs", "alt")
        said = alt or href if href else f"(attachment: {alt})" if alt else "(attachment)"
    elif kind in {"expand", "nestedExpand"}:
        said = said or text(node, "attrs", "title")
    return Run(_unix(said), marks, address(href))


def _marks(node: Json) -> tuple[frozenset[str], str]:
    """The marks that Markdown has, and where a link goes."""
    found, href = set(), ""
    for mark in rows(node, "marks"):
        kind = text(mark, "type")
        if kind == "link":
            href = text(mark, "attrs", "href")
        elif kind == "subsup":
            kind = text(mark, "attrs", "type")
        found.add(kind)
    return frozenset(found & set(MARKS)), href


def _day(timestamp: str) -> str:
    """The day of a time in milliseconds; that itself where it is none."""
    try:
        return stamp(int(timestamp) / 1000)[:10]
    except (ValueError, OverflowError, OSError):
        return timestamp


def _plain(nodes: list[Json]) -> str:
    return "".join(run.text for run in _runs(nodes))


def _unix(value: str) -> str:
    return value.replace("\r\n", "\n").replace("\r", "\n")
