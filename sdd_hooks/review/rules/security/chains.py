"""An expression of a script: the operands that its value consists of, and the steps to one value.

The steps of `a.b[0].c()` are a member, an index, a member and a call.
"""

# Governing: ADR-0051 (in old code a hazard has to be shown)

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rules.security.script import Range, Script
from sdd_hooks.text.lazy_regex import lazy_regex

StepKind = Literal["member", "index", "call"]

MAX_STEPS = 40
"""Steps of one chain, and operands of one expression, that are read."""

_OPERATOR = lazy_regex(
    r"=>|\?\?|\|\||&&|\?\.(?![0-9])|[?:]|\+\+|--|[=!]==?|[<>]=|\+(?!=)|[-+*/%&|^?]{0,2}=|[-*/%<>&|^]"
    r"|[(\[{\"'`]"
)
# The value behind `a as B` is that of `a`.
_CAST = lazy_regex(r"\s(?:as|satisfies)\s+[\w$.<>\[\]| ]+\Z")
_PREFIX = lazy_regex(r"(?:(?P<await>await)|new)\b\s*(?=[\w$({\[`\"'])")
_NO_VALUE = lazy_regex(r"[!~+-]|(?:typeof|void|delete|function|class|async)\b")
_OPENING = ("(", "[", "{", '"', "'", "`")
_QUOTES = ("'", '"', "`")
_COMPARISONS = ("==", "===", "!=", "!==", "<=", ">=")
_WORD = lazy_regex(r"[A-Za-z_$][\w$]*")
_STEP = lazy_regex(
    r"\s*(?:!\s*)?(?:(?:\?\.|\.)\s*(?P<name>[A-Za-z_$][\w$]*)|(?:\?\.\s*)?(?P<bracket>[(\[`]))"
)
_MAX_CAST = 120


class Step(NamedTuple):
    """A step of a chain: `name` of a member, `span` in the brackets of an index or a call."""

    kind: StepKind
    name: str
    span: Range
    end: int


class Chain(NamedTuple):
    """A value and the steps from it to a part of it, or to a result."""

    first: Range
    steps: Sequence[Step]
    is_awaited: bool

    @property
    def before_last(self) -> Chain:
        """The chain without its last step."""
        return self._replace(steps=self.steps[:-1])

    def ends_with(self, name: str) -> bool:
        """Whether the last step is a member with this name."""
        return bool(self.steps) and self.steps[-1].name == name

    @property
    def end(self) -> int:
        """The offset behind the chain."""
        return self.steps[-1].end if self.steps else self.first[1]


class _Group(NamedTuple):
    """Operands between the signs of a choice. Of a comparison or a difference, none is a text."""

    ranges: list[Range]
    is_text: bool


class Operands(NamedTuple):
    """The ranges that the value of an expression consists of, and whether texts are joined."""

    ranges: Sequence[Range]
    are_joined: bool


def operands(script: Script, span: Range) -> Operands:
    """The operands of an expression: of a choice, those of both sides."""
    begin = offset = span[0]
    groups = [_Group([], True)]
    are_joined = False
    while len(groups) < MAX_STEPS and (mark := _OPERATOR.search(script.code, offset, span[1])):
        sign = mark[0]
        offset = script.behind(mark.start()) if sign in _OPENING else mark.end()
        if sign in _OPENING or sign == "?.":
            continue
        if sign == "=>":
            return Operands((), False)
        are_joined = are_joined or sign == "+"
        if sign in ("+", "||", "??", ":"):
            groups[-1].ranges.append((begin, mark.start()))
        if sign == ":":
            groups.append(_Group([], True))
        elif sign in ("?", "&&") or (sign.endswith("=") and sign not in _COMPARISONS):
            # What is in front is a condition, or is assigned to.
            groups[-1] = _Group([], True)
        elif sign not in ("+", "||", "??"):
            groups[-1] = _Group([], False)
        begin = offset
    groups[-1].ranges.append((begin, span[1]))
    texts = (one for group in groups if group.is_text for one in group.ranges)
    ranges = [one for one in map(script.trim, texts) if one[0] < one[1]]
    return Operands(ranges, are_joined)


def read_chain(script: Script, span: Range) -> Chain | None:
    """The chain that an operand consists of; None for one that is no value of another."""
    start, end = span
    cast = _CAST.search(script.code, max(start, end - _MAX_CAST), end)
    end = cast.start() if cast else end
    is_awaited = False
    while prefix := _PREFIX.match(script.code, start, end):
        is_awaited = is_awaited or bool(prefix["await"])
        start = prefix.end()
    if _NO_VALUE.match(script.code, start, end):
        return None
    word = _WORD.match(script.code, start, end)
    offset = word.end() if word else min(script.behind(start), end)
    first = (start, offset)
    steps: list[Step] = []
    while len(steps) < MAX_STEPS and (found := _STEP.match(script.code, offset, end)):
        bracket = found["bracket"]
        if bracket == "`":
            return None
        at = found.start("bracket") if bracket else found.start("name")
        offset = script.behind(at) if bracket else found.end()
        kind: StepKind = "call" if bracket == "(" else "index" if bracket else "member"
        inside = (at + 1, offset - 1) if bracket else (at, offset)
        steps.append(Step(kind, found["name"] or "", inside, offset))
    return Chain(first, tuple(steps), is_awaited) if offset >= end else None


def dotted(script: Script, chain: Chain, count: int) -> str:
    """The first steps of a chain as `a.b`, if each is a member; "" otherwise."""
    if any(step.kind != "member" for step in chain.steps[:count]):
        return ""
    first = script.code[slice(*chain.first)]
    names = [first, *(step.name for step in chain.steps[:count])]
    return ".".join(names[1:] if first == "window" and len(names) > 1 else names)


def read_text(script: Script, span: Range) -> str:
    """The text of a literal; "" for another expression."""
    start, end = script.trim(span)
    is_literal = script.code[start : start + 1] in _QUOTES and script.closing.get(start) == end - 1
    return script.raw[start + 1 : end - 1] if is_literal and end - start > 1 else ""
