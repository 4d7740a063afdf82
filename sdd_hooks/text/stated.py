"""What an author states in Markdown: not what only a reader of the source can see.

A template's comment, an example in a code block, a box without a tick, struck-out text and
`Does not touch ADR-0004` are no statements. CommonMark's parser finds the blocks.
"""

# Governing: SPEC-0010 REQ "Silence", SPEC-0002 REQ "Identifiers in every spelling"

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import find_frontmatter_end, unify_line_endings

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_BOX = r"(?:\[[ \t\xa0]?\]|[☐⬜🔲])(?=\s|$)"
_MARK = r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]+"
_OPEN_BOX = lazy_regex(rf"[ \t>]*(?:{_MARK})*{_BOX}")
_TICKED = lazy_regex(rf"[ \t>]*(?:{_MARK})*\[[xX]\]")
_NAME = r"(?=\S{0,200}(?:[0-9/]|\w-\w))\S{1,200}"
_NAMES = rf"(?<!\S){_NAME}(?:\s+(?:(?:and|or|nor|&)\s+)?{_NAME}){{0,20}}"
_VERB = r"""(?:touch|affect|chang|alter|modif|concern|relat|relevan|involv|need|requir|refer|cite
    |mention|appl(?:y|ie|icab)|implement|follow|us(?:e|ing)|address|cover|about|part|govern|impact
    |influenc|fix|clos|resolv|block|depend|subject)\w*"""
_TO = r"(?:\s+(?:to|the|by|of|in|on|for|any|with|from|under|decisions?|records?|issues?))*"
# Only what a negated verb is about: `as ADR-0004 says, we do not use Redis` is a statement, and so
# are `does not violate ADR-0004` and `does not yet follow ADR-0004`.
_NEGATED = lazy_regex(
    rf"""(?: (?:\b(?:not|never|cannot|nor)|n['’]t)(?:\s+(?!only\b|yet\b|longer\b|just\b)\w+){{0,2}}?
        \s+{_VERB}
      | \bnot(?=\s+\S?(?:ADR|SPEC|\#)[\s-]*[0-9])
      | \b(?:unrelated|irrelevant|nothing\s+to\s+do|neither|(?:e\.g\.,?|example:?)\s+refs:)
      | \bno\s+(?:relation|bearing|impact|effect|changes?|need|influence)
      | \bwithout\s+(?:\w+\s+)?(?:touch|affect|chang|alter|modif|concern|involv|need)\w*
      ){_TO}\s+{_NAMES}
    | {_NAMES}(?<![.,;:!?])(?=\s+(?:is|are|was|were|remains?|stays?|do(?:es)?)
      (?:(?:n['’]t|\s+not)\s+(?:\w+\s+)?(?:appl|cover|concern|matter|touch|affect|chang|involv|rel|need)
      |\s+(?:un(?:related|affected|touched|changed)|irrelevant)\b))""",
    re.VERBOSE | re.IGNORECASE,
)
_WORD = lazy_regex(r"\S+")
_NAMING = frozenset("0123456789/-")
_DEFINITION = lazy_regex(
    r"""[ ]{0,3}\[(?P<label>[^\[\]\n]{1,200})\]:[ \t]*(?:<[^<>\n]*>|[^\s<]\S*)
    (?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*(?=\n|$)""",
    re.VERBOSE,
)
_LABEL = lazy_regex(r"\[([^\[\]\n]{1,200})\]")
_HIDING = ("del", "s", "strike", "pre", "template", "script", "style", "textarea")
_ELEMENT_END = lazy_regex(rf"</({'|'.join(_HIDING)})\s{{0,9}}>", re.IGNORECASE)
_INLINE = lazy_regex(
    rf"""(?P<code>(?<!`)`{{1,99}})(?!`) | (?P<comment><!--)
    | (?P<struck>(?<![~\w])~~?(?=[^\s~]))
    | <(?P<element>{"|".join(_HIDING)})(?=[\s>])
    | </?[A-Za-z](?![\w+.-]*:)(?![^\s<>]*@)[^<>]{{0,300}}>""",
    re.VERBOSE | re.IGNORECASE,
)
# Text without any of these is what its author states.
_MAYBE_HIDDEN = lazy_regex(
    rf"""<[A-Za-z/!] | ~ | ^[ >]*(?:```|(?:[ ]{{4}}|\t)) | {_BOX} | ^[ ]{{0,3}}\[[^\]\n]+\]:
    | ^---[ \t]*$ | \b(?:not|never|cannot|nor|un\w+|irrelevant|nothing|n/a|no|without
    |neither|e\.g|example)\b | n['’]t\b
    | {_MARK}(?:[ ]{{4}}|\t|```)""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_VISIBLE = lazy_regex(r"\S")
_COMMENT_LINE = lazy_regex(r"^\#(?: -+ >8 -+\n.*|(?![0-9])[^\n]*)", re.MULTILINE | re.DOTALL)
_SQUASHED = "Squashed commit of the following:"
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")
_PLACEHOLDER = lazy_regex(
    r"\s*<[^<>]*>\W*"
    r"|[\W_]*(?:(?:the|your)\s)?(?:reason|why|explanation|explain|todo|tbd|xxx+|n/?a|none|no|nil)"
    r"(?:\shere)?[\W_]*",
    re.IGNORECASE,
)


def read_stated(text: str, *, open_boxes: bool = False, comments: bool = False) -> str:
    """Replace what the author of a Markdown text does not state with spaces.

    These are code blocks, comments, tags, struck-out text, definitions of links that nothing uses,
    names in clauses such as `does not touch ADR-0004`, frontmatter, and items whose box is open.
    With `open_boxes` the last stay: an issue states what there is to do. With `comments` these
    stay, for what tools read in them. Every character and every line keeps its position, and lines
    end in `\\n`. Never raises.
    """
    text = unify_line_endings(text)
    if not may_hide(text):
        return text
    matter = find_frontmatter_end(text)
    return _blank(text[:matter]) + _Reader(text[matter:], open_boxes, comments).read()


def may_hide(text: str) -> bool:
    """Whether a text may have what its author does not state. Cheap."""
    return _MAYBE_HIDDEN.search(text) is not None


def read_stated_message(message: str) -> str:
    """Replace what the author of a commit message does not state, as in `read_stated`.

    Lines that git takes for comments are blank as well.
    """
    if message.startswith(_SQUASHED):
        message = message.replace("\n    ", "\n")
    return read_stated(_COMMENT_LINE.sub("", message))


def has_reason(text: str) -> bool:
    """Whether a text gives a reason: words or a symbol that can be seen, and not `<reason>`."""
    from html import unescape
    from unicodedata import category

    shown = unescape(text)
    visible = any(category(c)[0] in "LNS" and c not in _BLANK_LETTERS for c in shown)
    return visible and not _PLACEHOLDER.fullmatch(shown)


@lru_cache(1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


class _Reader:
    """Reads a text without frontmatter, block by block."""

    def __init__(self, text: str, open_boxes: bool, comments: bool) -> None:
        self._text = text
        self._open_boxes = open_boxes
        self._comments = comments
        self._labels = Counter(label.casefold() for label in _LABEL.findall(text))
        self._last_end = {one[1].lower(): one.start() for one in _ELEMENT_END.finditer(text)}
        self._inside = ""

    def read(self) -> str:
        lines = self._text.split("\n")
        offsets = [0, *accumulate(len(line) + 1 for line in lines)]
        shown = [" " * len(line) for line in lines]
        hidden = [False]
        for token in _parser().parse(self._text):
            if token.type == "list_item_close":
                hidden.pop()
            elif token.map and token.type == "list_item_open":
                item = lines[token.map[0]]
                hidden.append(self._is_open(item) or (hidden[-1] and not _TICKED.match(item)))
            elif token.map and token.type in ("inline", "html_block") and not hidden[-1]:
                first, end = token.map
                block = (_blank(one) if self._is_open(one) else one for one in lines[first:end])
                shown[first:end] = self._stated("\n".join(block), offsets[end]).split("\n")
        return "\n".join(shown)

    def _is_open(self, line: str) -> bool:
        return not self._open_boxes and _OPEN_BOX.match(line) is not None

    def _stated(self, block: str, end_of_block: int) -> str:
        """A paragraph, a heading or HTML without what is hidden within it."""
        pieces: list[str] = []
        position = at = 0
        if self._inside:
            closing = re.search(rf"</{self._inside}\s{{0,9}}>", block, re.IGNORECASE)
            if closing is None:
                return _blank(block)
            self._inside = ""
            position = closing.end()
            pieces.append(_blank(block[:position]))
        while definition := _DEFINITION.match(block, at):
            end = definition.end()
            if self._labels[definition["label"].casefold()] < 2:
                block = block[:at] + _blank(block[at:end]) + block[end:]
            at = end + 1
        unclosed: set[str] = set()
        for match in _INLINE.finditer(block):
            if match.start() < position:
                continue
            end = _end_of_hidden(block, match, unclosed)
            element = (match["element"] or "").lower()
            if not end and self._last_end.get(element, 0) >= end_of_block:
                self._inside, end = element, len(block)
            if not end:
                continue
            pieces.append(block[position : match.start()])
            shows = match["code"] or (self._comments and match["comment"])
            pieces.append(
                block[match.start() : end] if shows else _blank(block[match.start() : end])
            )
            position = end
        shown = "".join((*pieces, block[position:]))
        return _NEGATED.sub(lambda negated: _WORD.sub(_blank_name, negated[0]), shown)


def _end_of_hidden(block: str, match: re.Match[str], unclosed: set[str]) -> int:
    """Where what a match opens ends, 0 where it is not closed."""
    kind = match.lastgroup
    if kind is None:
        return match.end()
    opening = match[kind].lower()
    if opening in unclosed:
        return 0
    closing = {
        "code": rf"(?<!`){opening}(?!`)",
        "comment": "-->",
        "struck": rf"(?<=[^\s~]){opening}(?!~)",
        "element": rf"</{opening}\s{{0,9}}>",
    }[kind]
    found = re.compile(closing, re.IGNORECASE).search(block, match.end())
    if found is None:
        unclosed.add(opening)
        # A block that begins with a comment is hidden to its end.
        return 0 if kind != "comment" or block[: match.start()].strip() else len(block)
    return found.end()


def _blank_name(word: re.Match[str]) -> str:
    return word[0] if _NAMING.isdisjoint(word[0]) else " " * len(word[0])


def _blank(text: str) -> str:
    return _VISIBLE.sub(" ", text)
