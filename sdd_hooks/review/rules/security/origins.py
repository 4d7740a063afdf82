"""Whether a script shows that a text which it puts into HTML comes from outside the program.

A value is followed back through variables, parameters, results, loops and callbacks of the same
file to where it enters: a response, a message, the address of the page, what a user typed, or data
that a template fills in. What cannot be followed is not shown.
"""

# Governing: ADR-0051 (in old code a hazard has to be shown)

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rules.security import sources
from sdd_hooks.review.rules.security.callers import (
    Given,
    find_called_back,
    find_given,
    find_named,
    find_returned,
    is_reached,
    names_around,
)
from sdd_hooks.review.rules.security.chains import Chain, dotted, operands, read_chain, read_text
from sdd_hooks.review.rules.security.resources import find_resource
from sdd_hooks.review.rules.security.script import Range, Script
from sdd_hooks.review.rules.security.site import OtherFiles
from sdd_hooks.review.rules.security.sources import Source
from sdd_hooks.review.rules.security.variables import ITEM, Binding, Path, Variables
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_STEPS = 600
"""Expressions that are read for one value."""
MAX_DEPTH = 40
"""Expressions that are followed from one to the next."""

_ESCAPE = r"(?:(?!un)\w*(?:escape|sanitiz|sanitis|purif)\w*|esc(?:_?[a-z]{0,12})?|h)"
_SAFE = lazy_regex(_ESCAPE, re.IGNORECASE)
_ESCAPES = lazy_regex(rf"\s*(?:[\w$]+\.)*{_ESCAPE}\(", re.IGNORECASE)
_REPLACES_MARKUP = lazy_regex(r"[<>]|&lt;|\[\^")
# The result of these methods is the value, or its items in another order; …
_SAME = frozenset(
    """filter slice sort reverse concat flat catch finally trim toLowerCase toUpperCase substring
    substr padEnd padStart toString normalize json data toSorted toReversed trimStart trimEnd values
    replace replaceAll""".split()  # noqa: SIM905 (one word beside the other)
)
# … it is made of the items, or is one; …
_OF_ITEMS = frozenset(("find", "findLast", "at", "pop", "shift", "join"))
# … it is what their argument returns.
_RETURNS = frozenset(("map", "flatMap", "then"))
# The result of these functions is their first argument.
_WRAPS = frozenset(
    """JSON.parse JSON.stringify String Array.from Object.freeze structuredClone decodeURIComponent
    unescape $.parseJSON $.trim Promise.all Promise.resolve Object.assign
    Object.fromEntries""".split()  # noqa: SIM905 (one word beside the other)
)
_OF_OBJECT = ("Object.values", "Object.entries")
_OF_PAGE = ("textContent", "innerText", "innerHTML", "outerHTML")
_SENDS = lazy_regex(r"\b(?:method|type)[\"']?\s*:\s*[\"'`](?:post|put|patch)\b", re.IGNORECASE)
# `name = ` at the start of a line: in front may be a condition.
_REPLACES = lazy_regex(r"(?:\A|\n)[ \t]*[\w$]+\s*=\s*\Z")
_FIRST_TEXT = lazy_regex(r"\s*([\"'`])(?P<text>(?:(?!\1).)*)", re.DOTALL)
_KEY = lazy_regex(r"[\"']?(?P<name>[\w$-]+)[\"']?\s*(?P<colon>:)?")


class _Frame(NamedTuple):
    """A call that is followed into a function: its arguments, and the frame they are in."""

    function: int
    arguments: Sequence[Range]
    outer: _Frame | None


class _Sought(NamedTuple):
    """A part of a value, in the frame of a call, and whether literal text is around it."""

    path: Path = ()
    in_text: bool = False
    frame: _Frame | None = None
    is_awaited: bool = False

    def at(self, *path: str) -> _Sought:
        """The part from which a path leads to this one."""
        return self._replace(path=(*path, *self.path))

    def item(self) -> _Sought | None:
        """The part of an item; None if this one is not in an item of a list."""
        return self._replace(path=self.path[1:]) if self.path[:1] == (ITEM,) else None


class Origins:
    """What the scripts of one file show about the values that they put into HTML."""

    def __init__(self, path: str, text: str, others: OtherFiles) -> None:
        self._path = path
        self._others = others
        self._script = Script(path, text)
        self._variables = Variables(self._script)
        self._steps = 0
        self._active: dict[tuple[Range, Path, bool], None] = {}

    def joins_text(self, start: int) -> bool:
        """Whether the expression at an offset joins literal text with a text from outside."""
        return self._begin((start, self._script.expression_end(start)))

    def inserts_text(self, opened: int) -> bool:
        """Whether the second argument of the call whose bracket is at an offset does so."""
        return any(self._begin(one) for one in self._variables.arguments(opened)[1:2])

    def _begin(self, span: Range) -> bool:
        self._steps = 0
        # Looking for a name in other files takes longest.
        return self._is_shown(span, _Sought()) and self._may_run(span[0])

    def _may_run(self, offset: int) -> bool:
        """Whether no function around an offset is replaced by another, or named nowhere."""
        return is_reached(self._variables, offset) and all(
            len(re.findall(rf"(?<![\w$]){re.escape(name)}(?![\w$])", self._script.raw)) > 1
            or self._others.is_named(name, self._path)
            for name in names_around(self._script, offset)
        )

    def _is_shown(self, span: Range, sought: _Sought) -> bool:
        """Whether the part of an expression's value is shown to be a text from outside."""
        key = (span, sought.path, sought.in_text)
        self._steps += 1
        if self._steps > MAX_STEPS or len(self._active) > MAX_DEPTH or key in self._active:
            return False
        self._active[key] = None
        ranges, are_joined = operands(self._script, span)
        if are_joined and any(self._script.code[start] in "\"'`" for start, _ in ranges):
            sought = sought._replace(in_text=True)
        found = any(self._operand(one, sought) for one in ranges)
        del self._active[key]
        return found

    def _operand(self, span: Range, sought: _Sought) -> bool:
        script = self._script
        mark = script.code[span[0]]
        if mark in "([{\"'`" and script.closing.get(span[0]) == span[1] - 1:
            return self._literal(span, sought)
        if sources.is_filled_in(script.raw[slice(*span)]):
            return self._enters("data", sought)
        chain = read_chain(script, span)
        if not chain:
            return False
        chain = chain._replace(is_awaited=chain.is_awaited or sought.is_awaited)
        return self._chain(chain, sought._replace(is_awaited=False))

    def _literal(self, span: Range, sought: _Sought) -> bool:
        mark, inside = self._script.code[span[0]], (span[0] + 1, span[1] - 1)
        if mark == "(":
            return self._is_shown(inside, sought)
        if mark == "`":
            return self._template(span, sought)
        if mark in "[{":
            part = self._entry if mark == "[" else self._property
            return any(part(one, sought) for one in self._script.split(inside))
        is_filled_in = sources.is_filled_in(self._script.raw[slice(*inside)])
        return is_filled_in and self._enters("data", sought)

    def _template(self, span: Range, sought: _Sought) -> bool:
        """Whether a value in a template literal is shown."""
        script = self._script
        filled: list[Range] = []
        offset = span[0] + 1
        text = ""
        while (opened := script.code.find("${", offset, span[1])) >= 0:
            text += script.raw[offset:opened]
            filled.append((opened + 2, script.closing.get(opened + 1, span[1])))
            offset = script.behind(opened + 1)
        text += script.raw[offset : span[1] - 1]
        inner = sought._replace(in_text=sought.in_text or bool(text.strip()))
        return not sought.path and any(self._is_shown(one, inner) for one in filled)

    def _entry(self, span: Range, sought: _Sought) -> bool:
        """Whether an entry of a list has what is sought."""
        if self._script.code.startswith("...", span[0]):
            return self._is_shown((span[0] + 3, span[1]), sought)
        inner = sought.item()
        return inner is not None and self._is_shown(span, inner)

    def _property(self, span: Range, sought: _Sought) -> bool:
        """Whether an entry of an object has what is sought."""
        if self._script.code.startswith("...", span[0]):
            return self._is_shown((span[0] + 3, span[1]), sought)
        key = _KEY.match(self._script.raw, *span)
        if not key or sought.path[:1] not in ((ITEM,), (key["name"],)):
            return False
        value = (key.end() if key["colon"] else span[0], span[1])
        return self._is_shown(value, sought._replace(path=sought.path[1:]))

    def _chain(self, chain: Chain, sought: _Sought) -> bool:
        """Whether the value at the end of a chain has what is sought."""
        if not chain.steps:
            return self._first(chain.first, sought)
        step = chain.steps[-1]
        if step.kind == "member":
            return self._member(chain, sought)
        if step.kind == "call":
            return self._call(chain, sought)
        key = read_text(self._script, step.span)
        return self._chain(chain.before_last, sought.at(key or ITEM))

    def _first(self, span: Range, sought: _Sought) -> bool:
        name = self._script.code[slice(*span)]
        if not name.replace("$", "_").isidentifier():
            return self._is_shown(span, sought)
        binding = self._variables.binding(name, span[0])
        values = list(self._variables.assigned(name, binding))
        last = self._last_assigned(values, span[0])
        if last >= 0:
            return self._any_assigned((one for one in values if one[0][0] >= last), sought)
        if binding and self._bound(binding, sought):
            return True
        return self._any_assigned(values, sought)

    def _last_assigned(self, values: Iterable[tuple[Range, bool]], offset: int) -> int:
        """Where the last of these values before an offset begins that replaces those before it, as
        it is assigned in the same block; -1 for none.
        """
        script = self._script
        block = script.block(offset)
        return max(
            (
                start
                for (start, end), _ in values
                if end <= offset
                and _REPLACES.search(script.before(start))
                and script.block(start) == block
            ),
            default=-1,
        )

    def _bound(self, binding: Binding, sought: _Sought) -> bool:
        inner = sought.at(*binding.path)
        if binding.kind == "parameter":
            return self._parameter(binding, inner)
        return self._is_shown(binding.span, inner.at(ITEM) if binding.kind == "item" else inner)

    def _any_assigned(self, values: Iterable[tuple[Range, bool]], sought: _Sought) -> bool:
        for span, becomes_item in values:
            inner = sought.item() if becomes_item else sought
            if inner is not None and self._is_shown(span, inner):
                return True
        return False

    def _parameter(self, binding: Binding, sought: _Sought) -> bool:
        """Whether a call of the function hands over what is sought."""
        frame = sought.frame
        while frame and frame.function != binding.function:
            frame = frame.outer
        if frame:
            given = frame.arguments[binding.number : binding.number + 1]
            inner = sought._replace(frame=frame.outer)
            return any(self._is_shown(one, inner) for one in given)
        inner = sought._replace(frame=None, is_awaited=True)
        for one in find_given(self._variables, binding.function, binding.number):
            if one.source:
                found = self._is_sent(one, inner) and self._enters(one.source, inner)
            else:
                found = self._is_shown(one.span, inner.at(*one.path))
            if found:
                return True
        return False

    def _member(self, chain: Chain, sought: _Sought) -> bool:
        name = chain.steps[-1].name
        whole = dotted(self._script, chain, len(chain.steps))
        if source := sources.read_member(whole or f"?.{name}"):
            return self._enters(source, sought)
        if name in _OF_PAGE:
            # `JSON.parse(element.textContent)`
            return bool(sought.path) and self._enters("data", sought)
        if chain.before_last.ends_with("dataset"):
            is_filled_in = sources.is_filled_attribute(self._script.raw, name)
            return is_filled_in and self._enters("text", sought)
        values = list(self._variables.assigned_member(whole)) if whole else []
        # `row.title = escape(row.title)`
        if any(_ESCAPES.match(self._script.raw, *span) for span, _ in values):
            return False
        return self._any_assigned(values, sought) or self._chain(chain.before_last, sought.at(name))

    def _call(self, chain: Chain, sought: _Sought) -> bool:
        callee = chain.before_last
        name = dotted(self._script, callee, len(callee.steps))
        arguments = self._script.split(chain.steps[-1].span)
        if _SAFE.fullmatch(callee.steps[-1].name if callee.steps else name):
            return False
        functions = self._functions(callee)
        if functions:
            return any(self._result(one, arguments, sought) for one in functions)
        if source := sources.called(name, chain.is_awaited):
            address = arguments[0] if arguments else None
            is_theirs = source != "data" or (
                not self._sends(name, arguments) and self._is_theirs(address, name, sought)
            )
            return is_theirs and self._enters(source, sought)
        inner = sought.item() if name in _OF_OBJECT else None
        if arguments and (inner or name in _WRAPS):
            return self._is_shown(arguments[0], inner.at(ITEM) if inner else sought)
        if arguments and name in sources.STORED:
            return self._stored(arguments[0], sought)
        return bool(callee.steps) and self._method(callee, arguments, sought)

    def _stored(self, key: Range, sought: _Sought) -> bool:
        """Whether the file stores what is sought under a key."""
        raw, trim = self._script.raw, self._script.trim
        return any(
            self._is_shown(arguments[1], sought)
            for _, arguments in self._variables.calls("setItem", True)
            if len(arguments) > 1 and raw[slice(*trim(arguments[0]))] == raw[slice(*trim(key))]
        )

    def _method(self, callee: Chain, arguments: Sequence[Range], sought: _Sought) -> bool:
        """Whether what a method of a value returns has what is sought."""
        method, base = callee.steps[-1].name, callee.before_last
        replaced = "".join(self._script.raw[slice(*one)] for one in arguments)
        if method.startswith("replace") and _REPLACES_MARKUP.search(replaced):
            return False
        inner: _Sought | None = None
        if method in _RETURNS:
            inner = sought if method == "then" else sought.item() or sought
            return bool(arguments) and self._called_back(arguments[0], inner)
        if method in _SAME or method in _OF_ITEMS:
            inner = sought if method in _SAME else sought.at(ITEM)
        elif method == "get":
            inner = sought.at(read_text(self._script, arguments[0]) if arguments else ITEM)
        elif method == "split":
            inner = sought.item()
        if inner is not None:
            return self._chain(base, inner)
        root = self._script.code[slice(*base.first)]
        if not callee.is_awaited or not sources.called(root, True):
            return False
        return self._is_theirs((base.first[0], callee.end), "", sought) and self._enters(
            "data", sought
        )

    def _called_back(self, span: Range, sought: _Sought) -> bool:
        """Whether the function that is an argument returns what is sought."""
        return not _SAFE.fullmatch(
            self._script.code[slice(*span)].rpartition(".")[2].strip()
        ) and any(
            self._is_shown(one, sought)
            for index in find_called_back(self._variables, span)
            for one in find_returned(self._variables, index)
        )

    def _functions(self, callee: Chain) -> Sequence[int]:
        """The functions of the file that a call may mean."""
        owner = self._script.code[slice(*callee.first)]
        if len(callee.steps) > 1 or not owner.replace("$", "_").isidentifier():
            return ()
        name = callee.steps[-1].name if callee.steps else owner
        is_method = bool(callee.steps) and owner != "window"
        return find_named(self._variables, name, is_method, callee.first[0])

    def _result(self, index: int, arguments: Sequence[Range], sought: _Sought) -> bool:
        inner = sought._replace(frame=_Frame(index, arguments, sought.frame))
        return any(self._is_shown(one, inner) for one in find_returned(self._variables, index))

    def _enters(self, source: Source, sought: _Sought) -> bool:
        return sought.in_text and sources.is_shown(source, sought.path)

    def _is_sent(self, given: Given, sought: _Sought) -> bool:
        """Whether people write what a function is given, or the program sends the event."""
        if given.event and not self._others.is_named(given.event, self._path):
            return False
        return given.address is None or self._is_theirs(given.address, "", sought)

    def _sends(self, name: str, arguments: Sequence[Range]) -> bool:
        """Whether a request sends something, so that its answer is not what others have written."""
        options = "".join(self._script.raw[slice(*one)] for one in arguments)
        return name.endswith((".post", ".put", ".patch")) or bool(_SENDS.search(options))

    def _is_theirs(self, address: Range | None, callee: str, sought: _Sought) -> bool:
        """Whether people write what is requested from an address, or by a function of a client."""
        requested = self._address(address, sought) if address else ""
        literal = _FIRST_TEXT.match(requested)
        if literal and sources.is_static(literal["text"]):
            return False
        return self._others.is_written(find_resource(requested) or find_resource(callee))

    def _address(self, span: Range, sought: _Sought) -> str:
        """An address as it is written, for which a constant or an argument may stand."""
        frame = sought.frame
        for _ in range(MAX_DEPTH):
            name = self._script.code[slice(*self._script.trim(span))]
            binding = self._variables.binding(name, span[0])
            if binding and binding.kind == "value":
                span = binding.span
                continue
            while binding and frame and frame.function != binding.function:
                frame = frame.outer
            if not binding or not frame or binding.number >= len(frame.arguments):
                break
            span, frame = frame.arguments[binding.number], frame.outer
        return self._script.raw[slice(*self._script.trim(span))]
