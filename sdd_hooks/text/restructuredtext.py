"""Read reStructuredText as Markdown with the same lines: docutils finds what each line is.

Nothing of a document is executed or fetched: each directive is code, hidden or prose, by its name,
and roles and references are plain text for docutils.
"""

# Governing: SPEC-0002 REQ "Records as they are found", ADR-0012 (untrusted input)

from __future__ import annotations

import re
from functools import cache
from itertools import takewhile
from typing import Any

from docutils import frontend, nodes, utils
from docutils.parsers import rst
from docutils.parsers.rst import directives

from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import unify_line_endings
from sdd_hooks.text.tables import write_rows

MAX_SIZE = 128 * 1024
"""Of a longer document, in characters, only the headings that Markdown has as well are seen."""

_CODE = lazy_regex(
    "code|code-block|csv-table|ditaa|graphviz|math|mermaid|parsed-literal|plantuml"
    "|productionlist|prompt|sourcecode|uml|.*diag"
)
_HIDDEN = lazy_regex(
    "contents|figure|highlight|image|include|index|literalinclude|meta|raw|toctree"
)
# `.. date-accepted:: 2018-02-27` is a field of some proposals.
_FIELD_NAME = lazy_regex(r"(?:date|author|status)(?:-[a-z]+)?s?")
_TEXT_ROLE = lazy_regex(r"abbr|any|doc|download|numref|(?:std:)?ref|term")

_DIRECTIVE = lazy_regex(
    r"^([ ]*)\.\.[ ]+(?:\|[^|\n]{1,100}\|[ ]+)?([\w.+:-]{1,60}?)[ ]?::(?:[ ]+|$)", re.MULTILINE
)
_FIELD = lazy_regex(r"([ ]*):((?:[^:\\]|\\.|:(?![ ]|$)){1,200}):(?:[ ]+|$)(.*)")
_TARGET = lazy_regex(r"([ ]*)\.\.[ ]_(`?)([^`:]{1,200})\2:[ ]+(\S+)[ ]*$")
_FOOTNOTE = lazy_regex(r"[ ]*\.\.[ ]+(?=\[[#*\w.-]{1,60}\](?:[ ]|$))")
_EXPLICIT = lazy_regex(r"[ ]*(?:\.\.|__)(?:[ ]|$)")
_ADORNMENT = lazy_regex(r"[ ]*([!-/:-@\[-`{-~])\1*[ ]*$")
_BORDER = lazy_regex(r"[ ]*=+(?:[ ]+=+)+[ ]*$|[ ]*\+(?:[-=]+\+)+[ ]*$")
_CELL = lazy_regex(r"[ ]*(\*[ ]+)?-(?:[ ]+(.*))?$")
_NUMBERED = lazy_regex(r"([ ]*)#(?=[.)][ ])")
_HASHES = lazy_regex(r"([ ]{0,3})(?=#{1,6}(?:[ ]|$))")
_INLINE = lazy_regex(
    r"""(?<![`\w\\])(?:``[^`\n]{1,300}``|(?::(?P<role>[\w.+:-]{1,40}):)?
    `(?P<text>[^`<>\n]{1,200}(?:\n[^`<>\n]{1,200})?)
    (?:<(?P<target>[^`<>\s]{1,300})>)?`(?P<end>_{0,2}))(?![\w`])""",
    re.VERBOSE,
)
# What `splitlines`, with which docutils cuts a text, takes for an end of a line.
NO_BREAK = dict.fromkeys(map(ord, "\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")


def rst_as_markdown(text: str) -> str:
    """Return a text of reStructuredText as Markdown with as many lines. Never raises.

    A document that docutils cannot read, or that is too large or too deep, is returned as it is.
    """
    if len(text) > MAX_SIZE:
        return text
    try:
        return translate(unify_line_endings(text).translate(NO_BREAK).expandtabs(8))
    except Exception:  # the input is hostile: RecursionError, and whatever docutils raises
        return text


def translate(text: str) -> str:
    """Return a text with line feeds alone as Markdown. Raises what docutils raises."""
    for name in {match[2].lower() for match in _DIRECTIVE.finditer(text)}:
        directives.register_directive(name, _AnyDirective)
    document = utils.new_document("", _settings())
    inliner = rst.states.Inliner()
    vars(inliner)["parse"] = lambda text, *_: ([nodes.Text(text)], [])
    rst.Parser(inliner=inliner).parse(text, document)
    return _Translation(text).translate(document)


@cache
def _settings() -> Any:
    settings = frontend.get_default_settings(rst.Parser)
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.report_level, settings.halt_level, settings.warning_stream = 5, 6, False
    settings.line_length_limit = MAX_SIZE
    return settings


class _AnyDirective(rst.Directive):
    """Becomes a container with the name and the number of lines; prose is parsed."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        name, block = self.name.lower(), self.block_text.rstrip().split("\n")
        options = 1 + len(list(takewhile(_FIELD.match, block[1:])))
        indent = min((_indent(line) for line in block[1:] if line.strip()), default=0)
        found = nodes.container(names=[name], lines=len(block), options=options, indent=indent)
        found.line = self.lineno
        if not (_CODE.fullmatch(name) or _HIDDEN.fullmatch(name)) and options < len(block):
            skipped = max(0, self.lineno + options - 1 - self.content_offset)
            rest, offset = self.content[skipped:], self.content_offset + skipped
            self.state.nested_parse(rest, offset, found)
        return [found]


class _Translation:
    """The lines of a document, as they are turned into Markdown one by one.

    `done` has the lines that are code, or that a title or directive replaces, `dedent` by how much
    the content of directives is indented, `below` is the line below the last title.
    """

    def __init__(self, text: str) -> None:
        self.source = text.split("\n")
        self.lines = self.source.copy()
        self.dedent = [0] * len(self.lines)
        self.done: set[int] = set()
        self.below = 0

    def translate(self, document: nodes.document) -> str:
        for node in document.findall():
            line = (getattr(node, "line", None) or 0) - 1
            if isinstance(node, nodes.title) and isinstance(node.parent, nodes.section):
                self._title(node)
            elif not 0 <= line < len(self.lines):
                continue
            elif isinstance(node, nodes.literal_block):
                self._code(line - 1, line + node.rawsource.count("\n") + 1)
            elif isinstance(node, nodes.container):
                self._directive(node, line)
            elif isinstance(node, nodes.field):
                self._field(line)
            elif isinstance(node, nodes.definition_list_item):
                self._term(node.next_node(nodes.term), line)
            elif isinstance(node, nodes.line):
                self.lines[line] = self.lines[line].replace("|", " ", 1)
        self._explicit()
        self._tables()
        return self._prose()

    def _title(self, node: nodes.title) -> None:
        level, above = 0, node.parent
        while isinstance(above, nodes.section):
            level, above = level + 1, above.parent
        text = node.rawsource.strip()
        for at in range(self.below, len(self.lines) - 1):
            if self.source[at].strip() == text and _ADORNMENT.match(self.source[at + 1]):
                self.lines[at : at + 2] = [f"{'#' * min(level, 6)} {text}", ""]
                if at > self.below and self.source[at - 1].strip() == self.source[at + 1].strip():
                    self.lines[at - 1] = ""
                self.done.update((at, at + 1))
                self.below = at + 2
                return

    def _code(self, fence: int, end: int, language: str = "") -> None:
        """Enclose the lines between `fence` and `end` in a fence, if the next one is empty."""
        if fence < 0 or (end < len(self.lines) and self.source[end].strip()):
            return
        inside = re.findall("`{3,}", "\n".join(self.source[fence + 1 : end]))
        ticks = "`" * max(3, *(len(one) + 1 for one in inside), 3)
        self.lines[fence] = ticks + language
        self.lines[end : end + 1] = [ticks] * (end < len(self.lines))
        self.done.update(range(fence, end + 1))

    def _directive(self, node: nodes.container, line: int) -> None:
        match = _DIRECTIVE.match(self.source[line])
        if not match or match[2].lower() != node["names"][0]:
            return
        name, end = match[2].lower(), min(line + node["lines"], len(self.lines))
        argument = self.source[line][match.end() :]
        if _CODE.fullmatch(name):
            self._code(line, end, argument if re.fullmatch(r"[\w+#.-]+", argument) else "")
            return
        label = f"- {name}: " if _FIELD_NAME.fullmatch(name) else ""
        self.lines[line] = match[1] + label + argument
        self.done.add(line)
        if _HIDDEN.fullmatch(name):
            self.lines[line:end] = [""] * (end - line)
            self.done.update(range(line, end))
        elif name == "list-table":
            self._list_table(line + 1, end)
        else:
            for at in range(line + 1, end):
                self.dedent[at] += node["indent"]
            for at in range(line + 1, line + node["options"]):
                self._field(at)

    def _field(self, line: int) -> None:
        if match := _FIELD.match(self.lines[line]):
            self.lines[line] = f"{match[1]}- {match[2]}: {match[3]}".rstrip()

    def _term(self, node: nodes.Element | None, line: int) -> None:
        term = node.rawsource.strip() if node else ""
        for at in (line, line - 1):  # before docutils 0.21, it is the line of the definition
            if self.source[at].strip() == term and len(term) < 80:
                self.lines[at] = f"{' ' * _indent(self.source[at])}- {term.rstrip(':')}:"
                return

    def _list_table(self, first: int, end: int) -> None:
        rows: list[tuple[int, list[str]]] = []
        for at in range(first, end):
            match = _CELL.match(self.source[at])
            if match and match[1]:
                rows.append((at, [match[2] or ""]))
            elif match and rows:
                rows[-1][1].append(match[2] or "")
            elif rows:
                rows[-1][1][-1] += " " + self.source[at].strip()
        write_rows(self.lines, rows, first, end)
        self.done.update(set(range(first, end)) - {at for at, _ in rows})

    def _explicit(self) -> None:
        """Turn targets into links, and hide comments with what is indented below them."""
        indent = -1
        for at, line in enumerate(self.source):
            if not line.strip() or at in self.done:
                continue
            if _indent(line) > indent >= 0:
                self.lines[at] = ""
                continue
            indent = -1
            if match := _TARGET.match(line):
                self.lines[at] = f"{match[1]}[{match[3]}]: {match[4]}"
            elif match := _FOOTNOTE.match(line):
                self.lines[at] = line[match.end() :]
            elif _EXPLICIT.match(line):
                self.lines[at], indent = "", _indent(line)

    def _tables(self) -> None:
        """Write the rows of tables with `===` borders, whose columns are those of the borders."""
        borders = [
            at for at, line in enumerate(self.source) if at not in self.done and _BORDER.match(line)
        ]
        for at, following in zip(borders, [*borders[1:], len(self.lines)], strict=False):
            self.lines[at] = ""
            starts = [match.start() for match in re.finditer("=+", self.source[at])]
            is_last = at + 1 == len(self.lines) or not self.source[at + 1].strip()
            if is_last or following == len(self.lines) or "+" in self.source[at]:
                continue
            for row in range(at + 1, following):
                line = self.source[row]
                ends = [*starts[1:], len(line)]
                cells = [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
                self.lines[row] = f"| {' | '.join(cells)} |" if line.strip() else ""

    def _prose(self) -> str:
        """Translate what is in lines, several at once: a link may continue on the next one."""
        at = 0
        while at < len(self.lines):
            end = at
            while end < len(self.lines) and end not in self.done and self.lines[end].strip():
                end += 1
            if end > at:
                text = "\n".join(map(self._plain, range(at, end)))
                self.lines[at:end] = _INLINE.sub(_inline, text).split("\n")
            at = end + 1
        return "\n".join(self.lines)

    def _plain(self, at: int) -> str:
        line = self.lines[at]
        line = line[min(self.dedent[at], _indent(line)) :].rstrip()
        line = _HASHES.sub(r"\1\\", _NUMBERED.sub(r"\g<1>1", line, count=1), count=1)
        return line[:-2].rstrip() + ":" * (line != "::") if line.endswith("::") else line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _inline(match: re.Match[str]) -> str:
    text, target = match["text"], match["target"]
    if text is None:
        return match[0]
    if target:
        return f"[{text.rstrip(' ')}]({target})"
    if match["end"]:
        return f"[{text}]"
    return text if _TEXT_ROLE.fullmatch(match["role"] or "") else f"`{text}`"
