"""Whether an expression of JavaScript, as it is written, is HTML with harmless values only.

An expression is divided at its operators, and a variable stands for what the lines above assign to
it. What cannot be read is not harmless.
"""

# Governing: ADR-0021 (patterns confirm their match in the text around it)

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sdd_hooks.code.source_files import MAX_LINE
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rules.security.site import (
    MAX_STATEMENT,
    MatchSite,
    interpolations,
    is_constant,
)
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_DEPTH = 6
"""Variables and nested expressions that are followed."""
MAX_EXPRESSION = 2_000
"""Characters of an expression that are read."""

_NUMBER = lazy_regex(
    r"""-?[0-9][0-9._]* | (?:Number|parseInt|parseFloat|Math\.\w+|timeSince)\(.*\)(?:\ *\|\ *0)?
    | .*\.(?:toFixed|toLocaleString|getTime)\([^()]*\) | [\w$.?\[\]]*\.(?:length|size)
    | i|j|k|n|idx|index|\w*(?:Index|Idx|Count|Total|Percent|Pct)""",
    re.VERBOSE | re.DOTALL,
)
# The HTML of an element of this page, and a table of constants.
_MARKUP = lazy_regex(
    r"[\w$.?()\[\]\"'#-]*\.(?:inner|outer)HTML(?:\.replace\(.*\))?|[A-Z][A-Z0-9_]+(?:\[.*\])?",
    re.DOTALL,
)
_NAME = lazy_regex(r"[A-Za-z_$][\w$]*")
_NAMED_HTML = lazy_regex(r"\w*(?:html|markup|svg)", re.IGNORECASE)
_SAFE_CALL = lazy_regex(
    r"(?:[\w$]+\.)*(?:(?!un)\w*(?:escape|sanitiz|sanitis|purif)\w*|esc(?:_?[a-z]{0,12})?"
    r"|encodeURI(?:Component)?|\w*(?:to_?|as)(?:html|svg))(?:\(.*\)|`.*`)",
    re.IGNORECASE | re.DOTALL,
)
# Without "<", a text is no markup between tags.
_ESCAPED = lazy_regex(r".*\.replace(?:All)?\(\s*(?:/<|[\"']<|/\[[^\]\n]{0,20}<).*&lt;.*", re.DOTALL)
_MAPPED = lazy_regex(r".*=>\s*(?P<value>`.*`|\(\s*`.*`\s*\))\s*\)(?:\.join\([^()]*\))?", re.DOTALL)
_COMMENT = lazy_regex(r"(?<!:)//[^\n]*|/\*.*?\*/", re.DOTALL)
_MARK = lazy_regex(r"\\.|\$\{|[\"'`()\[\]{}]", re.DOTALL)
_OPERATORS = ("||", "??", "+", "?", ":")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_JOINS_LINES = ("+", "?", ":", "||", "&&", "??", "=", "(", ",", ".")


class _Reader(NamedTuple):
    """The site of an expression, and what is not harmless of the variables that were followed."""

    site: MatchSite
    known: dict[str, tuple[str, ...]]


def is_harmless(site: MatchSite, text: str) -> bool:
    """Whether every part of the expression at the start of a text is escaped, a number or HTML.

    `text` continues to the end of the statement, and beyond. A variable stands for its values.
    """
    return not any(True for _ in _unsafe(_Reader(site, {}), _read_statement(text), 0))


def _unsafe(reader: _Reader, expression: str, depth: int) -> Iterator[str]:
    expression = expression.strip()
    while expression.startswith("(") and _end_of(expression, 0) == len(expression):
        expression = expression[1:-1].strip()
    parts = _parts(expression)
    if depth > MAX_DEPTH or not expression:
        yield expression
    elif parts is not None:
        for part in parts:
            yield from _unsafe(reader, part, depth + 1)
    elif _NAME.fullmatch(expression) and not _is_simple(expression):
        yield from _unsafe_values(reader, expression, depth)
    elif not is_constant(expression) and not _is_simple(expression):
        yield expression


def _parts(expression: str) -> Sequence[str] | None:
    """The expressions that an expression consists of; None for one that is not divided."""
    operands = _operands(expression)
    if len(operands) > 1:
        return operands
    if expression.startswith("`"):
        return interpolations(expression)
    mapped = _MAPPED.fullmatch(expression)
    return [mapped["value"]] if mapped else None


def _is_simple(expression: str) -> bool:
    return any(
        pattern.fullmatch(expression) for pattern in (_NUMBER, _MARKUP, _SAFE_CALL, _ESCAPED)
    ) or expression in ("true", "false", "null", "undefined")


def _unsafe_values(reader: _Reader, name: str, depth: int) -> tuple[str, ...]:
    """What is not harmless of the values that the lines above assign to a variable.

    Without a value, that is the variable, unless its name says that it is HTML.
    """
    if name not in reader.known:
        # `html = html + …` adds to what is known.
        reader.known[name] = ()
        values = [_read_statement(one) for one in _assigned(reader.site.above, name)]
        found: list[str] = []
        for value in values:
            if _is_simple(value) and name in _NAME.findall(value):
                # `title = escape(title)`: what the lines above assign is escaped here.
                break
            found += _unsafe(reader, value, depth + 1)
        if not values and not _NAMED_HTML.fullmatch(name):
            found = [name]
        reader.known[name] = tuple(found)
    return reader.known[name]


def _assigned(lines: Sequence[str], name: str) -> Iterator[str]:
    """The texts from each value that lines assign to a variable, up to its declaration."""
    pattern = lazy_regex(
        rf"(?P<declared>\b(?:const|let|var)\s+)?(?<![\w.$]){re.escape(name)}\s*\+?=(?![=>])\s*"
    )
    for index in range(len(lines) - 1, -1, -1):
        if match := pattern.search(lines[index][:MAX_LINE]):
            below = (one[:MAX_LINE] for one in lines[index + 1 : index + MAX_STATEMENT])
            rest = lines[index][match.end() : MAX_LINE]
            yield "\n".join([rest, *below])[:MAX_EXPRESSION]
            if match["declared"]:
                return


def _read_statement(text: str) -> str:
    """The text of an expression up to the end of its statement, without comments."""
    text = _COMMENT.sub(" ", text[:MAX_EXPRESSION])
    index = 0
    while index < len(text):
        character = text[index]
        if character in ";)]},":
            return text[:index]
        if character == "\n":
            before, after = text[:index].rstrip(), text[index:].lstrip()
            joined = before.endswith(_JOINS_LINES) or after.startswith((*_JOINS_LINES[:6], "."))
            if before and not joined:
                return before
        index = _end_of(text, index)
    return text


def _operands(expression: str) -> Sequence[str]:
    """The parts that the value consists of: of a choice both sides, without its condition."""
    found: list[str] = []
    begin = index = 0
    while index < len(expression):
        operator = next((one for one in _OPERATORS if expression.startswith(one, index)), "")
        if operator == "?" and expression[index + 1 : index + 2] in (".", "?"):
            operator = ""
        if operator:
            if operator != "?":
                found.append(expression[begin:index])
            begin = index + len(operator)
        index = begin if operator else _end_of(expression, index)
    return [*found, expression[begin:]]


def _end_of(text: str, index: int) -> int:
    """The end of the string, the brackets or the character that begins at `index`."""
    opened = [text[index]]
    if opened[0] not in "\"'`([{":
        return index + 1
    for position in _marks(text, index + 1):
        character = text[position]
        if opened[-1] in "\"'`":
            if character == opened[-1]:
                opened.pop()
            elif opened[-1] == "`" and text.startswith("${", position):
                opened.append("{")
        elif character in "\"'`([{":
            opened.append(character)
        elif character == _CLOSING[opened[-1]]:
            opened.pop()
        if not opened:
            return position + 1
    return len(text)


def _marks(text: str, start: int) -> Iterator[int]:
    """The positions of quotes and brackets that are not escaped."""
    for match in _MARK.finditer(text, start):
        if match[0][0] != "\\":
            yield match.start()
