"""The syntax of a script, as far as values are followed in it: brackets, functions, expressions.

Offsets are those of the file, also in the scripts of a page.
"""

# Governing: ADR-0051 (in old code a hazard has to be shown)

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from sdd_hooks.code.source_files import COMPONENTS, PAGES
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_SCRIPT = 400_000
"""Characters of a file whose values are followed."""

Range = tuple[int, int]
"""Offsets of the first character, and of the one behind the last."""

_MARK = lazy_regex(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|[`()\[\]{}/]""",
    re.DOTALL,
)
_IN_TEMPLATE = lazy_regex(r"\\.|`|\$\{", re.DOTALL)
_REGEX = lazy_regex(r"/(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+/[a-z]*")
# Behind these, a slash begins a regular expression.
_BEFORE_REGEX = lazy_regex(r"(?:\A|[(,=:\[!&|?{};+*%<>~^-]|\b(?:return|typeof|case|in|of))\s*\Z")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_STOP = lazy_regex(r"[,;)\]}\n(\[{\"'`]")
_GOES_ON_BEHIND = ("+", "-", "*", "/", "%", "=", "?", ":", "&", "|", "<", "(", ".", "!", "=>")
_GOES_ON_WITH = ("+", "-", "*", "?", ":", "&&", "||", "=", ".")

_SCRIPT_TAG = lazy_regex(r"<script\b([^>]{0,500})>(.*?)(?:</script|\Z)", re.IGNORECASE | re.DOTALL)
_OTHER_TYPE = lazy_regex(r"\btype\s*=\s*[\"'][^\"']*(?:json|template|html|x-)", re.IGNORECASE)
# What a template fills in is an operand of the script.
_FILLED_IN = lazy_regex(
    r"\{\{.{0,500}?\}\}|\{%.{0,500}?%\}|\{!!.{0,500}?!!\}|<%.{0,500}?%>|<\?.{0,500}?\?>"
    r"|@json\([^()\n]{0,200}\)",
    re.DOTALL,
)
_FUNCTION = lazy_regex(
    r"\bfunction\b\s*\*?\s*(?P<named>[A-Za-z_$][\w$]*)?\s*(?P<open>\()"
    r"|(?P<arrow>=>)"
    r"|(?<![\w$.])(?P<method>[A-Za-z_$][\w$]*)\s*(?P<list>\()"
)
_NOT_METHODS = frozenset(("if", "for", "while", "switch", "catch", "function", "with", "return"))
# `name = function`, `name: () =>`, `const name = async () =>`
_NAMED_BEFORE = lazy_regex(
    r"(?P<owner>[.\w$]*\.)?(?P<name>[A-Za-z_$][\w$]*)\s*(?P<by>[:=])\s*(?:async\s*)?\Z"
)
_NEW = lazy_regex(r"\bnew\s*\Z")
_BODY = lazy_regex(r"\s*(?::[^{}()=;\n]{1,80})?\{")
_MAX_NAME = 120
_WORD_END = lazy_regex(r"[A-Za-z_$][\w$]*\s*\Z")
_DOT_END = lazy_regex(r"\s*\??\.\s*\Z")


class Function(NamedTuple):
    """A function: its name, "" for none, the ranges of its parameters and of its body.

    With `is_method`, it is a member of a class or an object. With `is_value`, the body is the
    expression that the function returns.
    """

    name: str
    start: int
    parameters: Range
    body: Range
    is_method: bool
    is_value: bool


class Script:
    """The text of a script. In `code`, comments and texts are blank; offsets are the same.

    `closing` has the end of each bracket and of each text by its start.
    """

    def __init__(self, path: str, text: str) -> None:
        self.raw = text
        is_page = path.lower().endswith((*PAGES, *COMPONENTS))
        self.code, self.closing, self._opened = _read(_scripts_of(text) if is_page else text)
        self._positions = [position for position, _ in self._opened]

    @cached_property
    def opening(self) -> dict[int, int]:
        """The start of each bracket by its end."""
        return {end: start for start, end in self.closing.items()}

    @cached_property
    def functions(self) -> Sequence[Function]:
        """The functions by their start."""
        return sorted(self._functions(), key=lambda one: one.start)

    def enclosing(self, offset: int) -> int:
        """The innermost bracket around an offset; -1 for none."""
        index = bisect_left(self._positions, offset) - 1
        return self._opened[index][1] if index >= 0 else -1

    def block(self, offset: int) -> Range:
        """The innermost block or function body around an offset; the whole script for none."""
        bracket = self.enclosing(offset)
        while bracket >= 0 and (self.code[bracket] != "{" or self.code[bracket - 1] == "$"):
            bracket = self.enclosing(bracket)
        end = len(self.code)
        return (bracket, self.closing.get(bracket, end)) if bracket >= 0 else (0, end)

    def behind(self, offset: int) -> int:
        """The offset behind the bracket, the text or the character at an offset."""
        return self.closing.get(offset, offset) + 1

    def expression_end(self, offset: int) -> int:
        """The end of the expression that begins at an offset."""
        start = offset
        while stop := _STOP.search(self.code, offset):
            mark = stop[0]
            offset = stop.start()
            if mark in ",;)]}":
                return offset
            if mark == "\n" and self._ends(start, offset):
                return offset
            offset = offset + 1 if mark == "\n" else self.behind(offset)
        return len(self.code)

    def chain_start(self, opened: int) -> int:
        """The start of what is called by the bracket at an offset: `a.b(c).d` in front of it."""
        offset = opened
        while offset > 0:
            before = self.before(offset)
            end = offset - len(before) + len(before.rstrip())
            last = self.code[end - 1 : end]
            if last in (")", "]", '"', "'", "`"):
                start = self.opening.get(end - 1, -1)
                if start < 0:
                    return offset
                offset = start
                if last != ")" and not (last == "]" and _WORD_END.search(self.before(start))):
                    return offset
                continue
            word = _WORD_END.search(before)
            if not word:
                return offset
            offset = end - len(word[0])
            dot = _DOT_END.search(self.before(offset))
            if not dot:
                return offset
            offset -= len(dot[0])
        return offset

    def function_around(self, offset: int) -> int:
        """The index of the innermost function whose body is around an offset; -1 for none."""
        bracket = self.enclosing(offset)
        while bracket >= 0 and bracket not in self._bodies:
            bracket = self.enclosing(bracket)
        return self._bodies.get(bracket, -1)

    def named(self, name: str, is_method: bool) -> Sequence[int]:
        """The indices of the functions with a name."""
        return self._names.get((name, is_method), ())

    def starting(self, offsets: Sequence[int]) -> int:
        """The index of the function that starts at one of these offsets; -1 for none."""
        return next((self._starts[one] for one in offsets if one in self._starts), -1)

    @cached_property
    def _names(self) -> Mapping[tuple[str, bool], Sequence[int]]:
        names: dict[tuple[str, bool], list[int]] = {}
        for index, one in enumerate(self.functions):
            names.setdefault((one.name, one.is_method), []).append(index)
        return names

    @cached_property
    def _starts(self) -> Mapping[int, int]:
        return {one.start: index for index, one in enumerate(self.functions)}

    @cached_property
    def _bodies(self) -> Mapping[int, int]:
        return {one.body[0]: index for index, one in enumerate(self.functions)}

    def split(self, span: Range) -> Sequence[Range]:
        """The ranges between the commas, without those of blanks."""
        found: list[Range] = []
        begin, offset = span[0], span[0]
        while (stop := _STOP.search(self.code, offset, span[1])) is not None:
            offset = self.behind(stop.start()) if stop[0] in "([{\"'`" else stop.end()
            if stop[0] == ",":
                found.append((begin, stop.start()))
                begin = offset
        found.append((begin, span[1]))
        return [one for one in map(self.trim, found) if one[0] < one[1]]

    def trim(self, span: Range) -> Range:
        """The range without blanks around it."""
        start, end = span
        text = self.code[start:end]
        return start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())

    def before(self, offset: int, length: int = _MAX_NAME) -> str:
        """The code in front of an offset."""
        return self.code[max(0, offset - length) : offset]

    def _ends(self, start: int, newline: int) -> bool:
        """Whether the expression that begins at `start` ends with its line."""
        before = self.code[max(start, newline - 200) : newline].rstrip()
        after = self.code[newline : newline + 400].lstrip()
        if not before:
            return False
        return not before.endswith(_GOES_ON_BEHIND) and not after.startswith(_GOES_ON_WITH)

    def _functions(self) -> Iterator[Function]:
        for match in _FUNCTION.finditer(self.code):
            found: Function | None = None
            if match["arrow"]:
                found = self._arrow(match.start(), match.end())
            elif match["open"]:
                found = self._listed(match.start(), match.start("open"))
                if found and match["named"]:
                    found = found._replace(name=match["named"], is_method=False)
            elif match["method"] not in _NOT_METHODS and not self._is_called(match.start()):
                found = self._listed(match.start(), match.start("list"))
                if found:
                    found = found._replace(name=match["method"], is_method=True)
            if found:
                yield found

    def _is_called(self, offset: int) -> bool:
        return bool(_NEW.search(self.before(offset)))

    def _arrow(self, arrow: int, end: int) -> Function | None:
        before = self.before(arrow)
        last = arrow - len(before) + len(before.rstrip())
        if self.code[last - 1 : last] == ")":
            start = self.opening.get(last - 1, -1)
            parameters = (start + 1, last - 1)
        else:
            name = _WORD_END.search(before)
            start = last - len(name[0].rstrip()) if name else -1
            parameters = (start, last)
        if start < 0:
            return None
        body = self.trim((end, min(end + _MAX_NAME, len(self.code))))[0]
        is_value = not self.code.startswith("{", body)
        body_end = self.expression_end(body) if is_value else self._end(body)
        return self._made(start, parameters, (body, body_end), is_value)

    def _listed(self, start: int, opened: int) -> Function | None:
        """The function whose parameters are in the bracket at an offset, if a body follows."""
        closed = self.closing.get(opened, -1)
        body = _BODY.match(self.code, closed + 1) if closed >= 0 else None
        if not body:
            return None
        span = (body.end() - 1, self._end(body.end() - 1))
        return self._made(start, (opened + 1, closed), span, False)

    def _made(self, start: int, parameters: Range, body: Range, is_value: bool) -> Function:
        named = _NAMED_BEFORE.search(self.before(start))
        name = named["name"] if named else ""
        is_method = bool(named and (named["by"] == ":" or named["owner"]))
        return Function(name, start, parameters, body, is_method, is_value)

    def _end(self, opened: int) -> int:
        return self.closing.get(opened, len(self.code))


def _scripts_of(page: str) -> str:
    """The scripts of a page, with blanks for the rest, and a name for what a template fills in."""
    pieces: list[str] = []
    end = 0
    for match in _SCRIPT_TAG.finditer(page):
        if not _OTHER_TYPE.search(match[1]):
            pieces.append(" " * (match.start(2) - end))
            pieces.append(_FILLED_IN.sub(lambda one: "_" * len(one[0]), match[2]))
            end = match.end(2)
    return "".join(pieces).ljust(len(page))


def _read(text: str) -> tuple[str, dict[int, int], list[tuple[int, int]]]:
    """The code, the ends of brackets and texts, and the innermost bracket behind each bracket."""
    pieces: list[str] = []
    closing: dict[int, int] = {}
    opened: list[tuple[int, int]] = []
    stack: list[int] = []
    copied = offset = 0

    def blank(start: int, end: int, mark: str = " ") -> None:
        nonlocal copied
        pieces.append(text[copied:start])
        pieces.append(f"{mark}{' ' * (end - start - 2)}{mark}"[: end - start])
        copied = end

    while True:
        in_template = bool(stack) and text[stack[-1]] == "`"
        match = (_IN_TEMPLATE if in_template else _MARK).search(text, offset)
        if not match:
            break
        start, mark = match.start(), match[0]
        if in_template:
            blank(offset, start)
        offset = match.end()
        if in_template and mark[0] == "\\":
            blank(start, offset)
        elif mark == "/":
            regex = _REGEX.match(text, start) if _begins_regex(text, start) else None
            if regex:
                # It is an argument, as a text is.
                offset = regex.end()
                closing[start] = offset - 1
                blank(start, offset, '"')
        elif mark[:2] in ("//", "/*"):
            blank(start, offset)
        elif mark[0] in "\"'":
            closing[start] = max(offset - 1, start)
            blank(start + 1, max(offset - 1, start + 1))
        elif mark[-1] in "([{" or (mark == "`" and not in_template):
            stack.append(offset - 1)
            opened.append((offset - 1, offset - 1))
        elif stack and mark == _CLOSING.get(text[stack[-1]], "`"):
            closing[stack.pop()] = start
            opened.append((start, stack[-1] if stack else -1))
    pieces.append(text[copied:])
    return "".join(pieces), closing, opened


def _begins_regex(text: str, start: int) -> bool:
    return bool(_BEFORE_REGEX.search(text[max(0, start - 40) : start]))
