"""Turn the Markdown of an artifact into a tree of elements, which a page can only display.

The tree has no HTML. The page creates each element by its name from a list, and texts as texts, so
that no parser of HTML reads what an artifact says.
"""

# Governing: ADR-0042 (one page without a network), SPEC-0020 REQ "Hostile texts",
# SPEC-0020 REQ "Size"

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import mask_comments

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


Node = str | list["Node"] | dict[str, "str | int"]
"""A text, or an element: its name, its attributes if it has any, its children.

The attributes: `h` an address, `i` an anchor, `s` the first number of a list, `c` a class.
"""

MAX_TEXT = 200_000
"""Characters of a file that are rendered."""

MAX_LINE = 20_000
"""A paragraph with a longer line is displayed as it is written."""

_BREAK = lazy_regex(r"<br[ ]?/?>", re.IGNORECASE)
_BARE_ADDRESS = lazy_regex(r"https?://[^\s<>\"'`|\\]{1,500}[^\s<>\"'`|\\.,;:!?)\]}*_]")
_TASK = lazy_regex(r"\[([ xX])\] ")
_SIMPLE = {
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    "table": "table",
    "thead": "thead",
    "tbody": "tbody",
    "tr": "tr",
    "th": "th",
    "td": "td",
    "em": "em",
    "strong": "strong",
    "s": "s",
}


class TextLinks(NamedTuple):
    """How a text is linked: `address` of the target of a link ("": none), `mentions` of a text.

    `mentions` returns the parts of a text that are links: their offsets and addresses. `code` is
    the address of what a code span names.
    """

    address: Callable[[str], str]
    mentions: Callable[[str], list[tuple[int, int, str]]]
    code: Callable[[str], str] = lambda _: ""


def render_tree(text: str, anchors: Mapping[int, str], links: TextLinks) -> list[Node]:
    """Return the blocks of a Markdown file without its frontmatter, its title and its comments.

    `anchors` has the anchor of each heading by its 1-based line. Never raises.
    """
    text = mask_comments(cut(text, MAX_TEXT))
    if any(len(line) > MAX_LINE for line in text.split("\n")):
        return [["pre", ["code", text.strip("\n")]]]
    return _Builder(anchors, links).build(_parser().parse(text))


def cut(text: str, length: int) -> str:
    """Return at most `length` characters of a text, without a part of a paragraph or line."""
    if len(text) <= length:
        return text
    end = max(text.rfind("\n\n", 0, length), 0) or max(text.rfind("\n", 0, length), 0)
    return text[: end or length]


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _without_comments(text: str) -> str:
    pieces = []
    position = 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces.append(text[position:start])
        position = end + 3
    return "".join((*pieces, text[position:]))


class _Builder:
    """Builds the tree from the tokens of markdown-it, which are flat, with a stack."""

    def __init__(self, anchors: Mapping[int, str], links: TextLinks) -> None:
        self.anchors = anchors
        self.links = links
        self.blocks: list[Node] = []
        self.stack: list[list[Node]] = [self.blocks]
        self.is_titled = False

    def build(self, tokens: Iterable[Token]) -> list[Node]:
        for token in tokens:
            self._add(token)
        if not self.is_titled:
            return self.blocks
        return [block for block in self.blocks if block != ["title"]]

    def _add(self, token: Token) -> None:
        kind = token.type
        if kind == "inline":
            self._inline(token)
        elif kind == "heading_open":
            self._open(self._heading(token))
        elif kind.endswith("_open"):
            self._open(self._element(token))
        elif kind.endswith("_close"):
            self._close()
        elif kind in ("fence", "code_block"):
            self._append(["pre", ["code", token.content.rstrip("\n")]])
        elif kind == "hr":
            self._append(["hr"])

    def _heading(self, token: Token) -> list[Node]:
        line = token.map[0] + 1 if token.map else 0
        if token.tag == "h1" and not self.is_titled:
            # The page has the title already.
            self.is_titled = True
            return ["title"]
        name = "h2" if token.tag == "h1" else token.tag
        anchor = self.anchors.get(line, "")
        return [name, {"i": anchor}] if anchor else [name]

    def _element(self, token: Token) -> list[Node]:
        name = token.type.removesuffix("_open")
        if name == "link":
            address = self.links.address(str(token.attrs.get("href", "")))
            return ["a", {"h": address}] if address else ["span"]
        if name == "paragraph" and token.hidden:
            return ["tight"]
        node: list[Node] = [_SIMPLE.get(name, "span")]
        if name == "ordered_list" and "start" in token.attrs:
            node.append({"s": min(int(token.attrs["start"]), 10**9)})
        style = str(token.attrs.get("style", ""))
        if style.endswith((":right", ":center")):
            node.append({"c": "right" if style.endswith("right") else "center"})
        return node

    def _open(self, node: list[Node]) -> None:
        self._append(node)
        self.stack.append(node)

    def _close(self) -> None:
        node = self.stack.pop()
        if node[0] == "tight":
            parent = self.stack[-1]
            parent.pop()
            parent.extend(node[1:])
        elif node[0] == "title":
            del node[1:]

    def _append(self, node: Node) -> None:
        self.stack[-1].append(node)

    def _inline(self, token: Token) -> None:
        depth = len(self.stack)
        in_link = 0
        for child in token.children or ():
            kind = child.type
            if kind == "link_open":
                in_link += 1
            elif kind == "link_close":
                in_link -= 1
            if kind == "text":
                self._text(child.content, linked=in_link > 0)
            elif kind == "code_inline":
                address = "" if in_link else self.links.code(child.content)
                span: list[Node] = ["code", child.content]
                self._append(["a", {"h": address}, span] if address else span)
            elif kind == "softbreak":
                self._plain("\n")
            elif kind == "hardbreak":
                self._append(["br"])
            elif kind == "image":
                self._image(child, linked=in_link > 0)
            else:
                self._add(child)
        del self.stack[depth:]

    def _image(self, token: Token, *, linked: bool) -> None:
        # The page loads nothing, so an image is a link to it.
        label = f"Image: {token.content or 'without a description'}"
        address = "" if linked else self.links.address(str(token.attrs.get("src", "")))
        self._append(["a", {"h": address}, label] if address else ["span", {"c": "image"}, label])

    def _text(self, text: str, *, linked: bool) -> None:
        text = _without_comments(text)
        above, parent = self.stack[-2:] if len(self.stack) > 1 else ([], self.stack[-1])
        if len(parent) == 1 and above[:1] == ["li"] and (task := _TASK.match(text)):
            text = ("☐ " if task[1] == " " else "☑ ") + text[task.end() :]
        for number, piece in enumerate(_BREAK.split(text)):
            if number:
                self._append(["br"])
            if linked:
                self._plain(piece)
            else:
                self._linked(piece)

    def _plain(self, text: str) -> None:
        if text:
            parent = self.stack[-1]
            if len(parent) > 1 and isinstance(parent[-1], str):
                parent[-1] += text
            else:
                parent.append(text)

    def _linked(self, text: str) -> None:
        found = []
        if "://" in text:
            for match in _BARE_ADDRESS.finditer(text):
                if address := self.links.address(match[0]):
                    found.append((match.start(), match.end(), address))
        found.extend(self.links.mentions(text))
        position = 0
        for start, end, address in sorted(found):
            if start >= position:
                self._plain(text[position:start])
                self._append(["a", {"h": address}, text[start:end]])
                position = end
        self._plain(text[position:])


def common_length(lengths: Sequence[int], total: int) -> int:
    """Return the length, 1 or more, to which the longer texts are cut so that all have `total`.

    Texts that are shorter stay whole. Without a longer one it is the greatest length.
    """
    rest = total
    ordered = sorted(lengths)
    for position, length in enumerate(ordered):
        share = rest // (len(ordered) - position)
        if length > share:
            return max(share, 1)
        rest -= length
    return max(ordered, default=1)
