"""Read AsciiDoc as Markdown with the same lines, one line after another.

What records are written with is translated: headings, attributes, lists, blocks, tables and links.
Nothing is included, evaluated or fetched.
"""

# Governing: SPEC-0002 REQ "Records as they are found", ADR-0012 (untrusted input)

from __future__ import annotations

import re

from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import unify_line_endings
from sdd_hooks.text.tables import write_rows

MAX_EXPANDED = 100
"""Longer values of attributes, in characters, are not inserted where they are referred to."""

_MAX_COLUMNS = 100
_LEVELS = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}

_HEADING = lazy_regex(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_TITLE_END = lazy_regex(r"[ \t]*(?:\[\[[^\]]*\]\]|[ \t]=+)[ \t]*$")
_UNDERLINE = lazy_regex(r"(?:={3,}|-{3,}|~{3,}|\^{3,}|\+{3,})$")
_DELIMITER = lazy_regex(
    r"(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|/{4,}|\+{4,}|`{3,}\w*|--|[|!,:]={3,})$"
)
_ATTRIBUTE = lazy_regex(r":(!?[\w][\w-]*!?):(?:[ \t]+(.*))?$")
_SETTING = lazy_regex(
    r"toc.*|.*dir|.*-caption|.*-image.*|source-.*|sect.*|table-.*|figure-.*|example-.*|pdf-.*|url-.*"
    r"|icons|experimental|doctype|style.*|lang|encoding|id(?:prefix|separator)|xrefstyle|data-uri",
    re.IGNORECASE,
)
_REVISION = lazy_regex(r"(?:v?[\d.]+,[ \t]*)?(\d{4}-\d\d?-\d\d?)(?:[:,].*)?$")
_BLOCK_LINE = lazy_regex(r"\[(?:\[[^\]]*\]|[^\[\]]*)\]$")
_LANGUAGE = lazy_regex(r"\[(?:source|,)?[ ]*(?:%\w+)?,?[ ]*([\w+#.-]{1,30})?")
_COLUMNS = lazy_regex(r"""\bcols=(?:"([^"]*)"|'([^']*)'|([^,\]]*))""")
_MACRO = lazy_regex(
    r"(?:ifn?def|ifeval|endif|include|toc|image|video|audio)::\S*\[.*\]$|'{3}$|-{3}$|\*{3}$|<{3}$|\+$"
)
_BLOCK_TITLE = lazy_regex(r"\.([^\s.].*)$")
_ITEM = lazy_regex(r"[ \t]*(?:(\*{1,5}|-)|(\.{1,5})|(\d{1,5}\.))[ \t]+(\S.*)$")
_TERM = lazy_regex(r"[ \t]*(?P<term>\S.{0,100}?)(?::{2,4}|;;)(?:[ \t]+(?P<text>\S.*))?$")
_CELL = lazy_regex(r"(?:(?<=\s)|^)(?:\d[\d.]*[+*])?[<^>.]{0,4}[adehlmsv]?(?<!\\)\|")
_LINK = lazy_regex(
    r"(?:link:|xref:(?:[\w-]+\$)?)([^\s\[\]]{1,300})\[([^\[\]\n]{0,200})\]"
    r"|(https?://[^\s\[\]<>]{1,300})\[([^\[\]\n]{0,200})\]"
    r"|<<([^<>,\n]{1,200})(?:,[ ]?([^<>\n]{1,200}))?>>"
)
_BOLD = lazy_regex(r"(?<![\w*\\`])\*(?![\s*])([^*\n]{0,300}?[^\s*])\*(?![\w*`])")
_EMOJI = lazy_regex(r"[ ]:\w{1,40}:$")
_REFERENCE = lazy_regex(r"(?<!\\)\{([\w][\w-]{0,60})\}")


def asciidoc_as_markdown(text: str) -> str:
    """Return a text of AsciiDoc as Markdown with as many lines. Never raises."""
    return _Translation(unify_line_endings(text)).translate()


class _Translation:
    """The lines of a document, as they are turned into Markdown one by one."""

    def __init__(self, text: str) -> None:
        self.lines = [line.rstrip() for line in text.split("\n")]
        self.source = tuple(self.lines)
        self.attributes: dict[str, str] = {}
        self.options = ""
        """The line in brackets above a block."""
        self.open_until = self.fence = ""
        """The delimiter that closes the block of code or the comment in which a line is."""
        self.is_term = self.is_titled = False
        self.header = 0
        """The line of the header, counted from the title; 0 outside."""

    def translate(self) -> str:
        at = 0
        while at < len(self.lines):
            line = self.source[at]
            if self.open_until:
                self._inside(at, line)
            elif _DELIMITER.match(line) and not self._is_underline(at):
                at = self._block(at, line)
            else:
                self.lines[at] = self._line(at, line)
            at += 1
        return "\n".join(self.lines)

    def _inside(self, at: int, line: str) -> None:
        is_comment = self.open_until[0] == "/"
        if line == self.open_until:
            self.lines[at] = "" if is_comment else self.fence
            self.open_until = ""
        elif is_comment:
            self.lines[at] = ""

    def _block(self, at: int, line: str) -> int:
        """Begin the block that a delimiter opens. Returns the last line that was read."""
        options, self.options = self.options, ""
        kind = line[-1]
        self.lines[at] = ""
        if line[0] in "|!,:":
            return self._table(at, line, options)
        if line[0] == "`":
            self.open_until = self.fence = "`" * line.count("`")
            self.lines[at] = line
        elif kind in "-.+" and len(line) > 2:
            self.open_until, self.fence = line, "`" * (len(line) + 3)
            language = _LANGUAGE.match(options)
            self.lines[at] = self.fence + (language[1] or "" if language else "")
        elif kind == "/":
            self.open_until = line
        return at

    def _line(self, at: int, line: str) -> str:
        """Return a line outside of code, comments and tables."""
        if not line:
            self.header, self.is_term = 0, False
            return ""
        if line.startswith("//") or _MACRO.match(line):
            return ""
        if (title := self._title(at, line)) is not None:
            return title
        options, self.options = self.options, line if _BLOCK_LINE.match(line) else ""
        if self.options:
            return ""
        header = self._header_line(line, options)
        return self._text(line) if header is None else header

    def _header_line(self, line: str, options: str) -> str | None:
        """Return an attribute, the author, the revision or the title of a block."""
        if match := _ATTRIBUTE.match(line):
            return self._attribute(match[1], match[2] or "")
        if 0 < self.header < 3:
            self.header += 1
            revision = _REVISION.match(line)
            return f"- Date: {revision[1]}" if revision else f"- Author: {self._inline(line)}"
        if match := _BLOCK_TITLE.match(line):
            self.options = options
            return f"**{match[1]}**"
        return None

    def _text(self, line: str) -> str:
        if match := _ITEM.match(line):
            level = len(match[1] or match[2] or "*") - 1
            mark = "1." if match[2] else match[3] or "*"
            return f"{'  ' * level}{mark} {self._inline(match[4])}"
        if (match := _TERM.match(line)) and not match["term"].startswith(("http", "<")):
            self.is_term = True
            return f"- {self._inline(match['term'])}: {self._inline(match['text'] or '')}".rstrip()
        return ("  " if self.is_term else "") + self._inline(line)

    def _title(self, at: int, line: str) -> str | None:
        """Return a heading, "" for the underline of one; None for another line."""
        level, text = 0, line
        if match := _HEADING.match(line):
            level, text = len(match[1]), match[2]
        elif at and self._is_underline(at):
            return ""
        elif at + 1 < len(self.lines) and self._is_underline(at + 1):
            level = _LEVELS[self.source[at + 1][0]]
        if not level:
            return None
        self.header = 0 if self.is_titled or level > 1 else 1
        self.is_titled = True
        self.options, self.is_term = "", False
        return f"{'#' * level} {self._inline(_TITLE_END.sub('', text).strip())}"

    def _is_underline(self, at: int) -> bool:
        """Whether the line underlines a title of one line, in the form of two lines."""
        if not at or not _UNDERLINE.match(self.source[at]):
            return False
        above = self.source[at - 1]
        before = self.source[at - 2] if at > 1 else ""
        return (
            above[:1].isalnum()
            and abs(len(above) - len(self.source[at])) < 2
            and (not before or bool(_BLOCK_LINE.match(before)) or before.startswith("//"))
        )

    def _attribute(self, name: str, value: str) -> str:
        if len(value) <= MAX_EXPANDED:
            self.attributes[name.lower()] = value
        if not value or _SETTING.fullmatch(name):
            return ""
        return f"- {'Date' if name.lower() == 'revdate' else name}: {self._inline(value)}"

    def _table(self, at: int, delimiter: str, options: str) -> int:
        """Translate a table, whose rows may be on several lines. Returns its last line."""
        try:
            end = self.source.index(delimiter, at + 1)
        except ValueError:
            return at
        cells: list[tuple[int, str]] = []
        columns = _column_count(options)
        for number in range(at + 1, end):
            line = self.source[number]
            if line.startswith("//"):
                continue
            first, *others = _CELL.split(line) if delimiter[0] == "|" else [line]
            if cells and first.strip():
                cells[-1] = (cells[-1][0], f"{cells[-1][1]} {first.strip()}".strip())
            cells += [(number, _EMOJI.sub("", self._inline(cell.strip()))) for cell in others]
            if not columns and others:
                columns = len(others)
        columns = min(columns or 1, _MAX_COLUMNS)
        rows: list[tuple[int, list[str]]] = []
        for index in range(0, len(cells), columns):
            row = cells[index : index + columns]
            texts = [text for _, text in row]
            if rows and rows[-1][0] == row[0][0]:
                rows[-1][1].extend(texts)
            else:
                rows.append((row[0][0], texts))
        write_rows(self.lines, rows, at, end + 1)
        return end

    def _inline(self, text: str) -> str:
        text = _REFERENCE.sub(lambda one: self.attributes.get(one[1].lower(), one[0]), text)
        text = _LINK.sub(_link, text)
        text = _BOLD.sub(r"**\1**", text)
        return text[:-2] if text.endswith(" +") else text


def _link(match: re.Match[str]) -> str:
    target = match[1] or match[3] or f"#{match[5]}"
    text = match[2] or match[4] or match[6] or match[1] or match[3] or match[5]
    return f"[{text.partition(',')[0] or target}]({target})"


def _column_count(options: str) -> int:
    """The number of columns that the line above a table says, 0 for none."""
    match = _COLUMNS.search(options)
    if not match:
        return 0
    written = next(one for one in match.groups() if one is not None)
    if written.strip().isdigit():
        return min(int(written), _MAX_COLUMNS)
    total = 0
    for column in re.split("[,;]", written)[:_MAX_COLUMNS]:
        times = re.match(r"\s*(\d{1,3})\*", column)
        total += int(times[1]) if times else 1
    return total
