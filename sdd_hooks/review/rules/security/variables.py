"""The variables of a script: where they are bound, what is assigned to them, and who calls whom."""

# Governing: ADR-0051 (in old code a hazard has to be shown)

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rules.security.script import Range, Script
from sdd_hooks.text.lazy_regex import lazy_regex

Path = tuple[str, ...]
"""Members that lead from a value to a part of it; ITEM is an entry of a list."""
ITEM = "[]"

BindingKind = Literal["value", "item", "parameter"]

MAX_NAMES = 40
"""Names in one pattern, and patterns in each other, that are read."""
MAX_PLACES = 1_000
"""Places of one name that are examined."""
MAX_BINDINGS = 300
"""Bindings of one name that are examined."""

_WORD = lazy_regex(r"[A-Za-z_$][\w$]*")
_DECLARED = lazy_regex(r"\b(?:const|let|var)\s+")
_FOR = lazy_regex(r"\bfor\s*(?:await\s*)?\Z")
_TYPE = lazy_regex(r"\s*:[^=,;()\n]{1,100}")
_NEXT = lazy_regex(r"\s*(=(?![=>])|of\b|in\b|,)?\s*")
_ASSIGNS = lazy_regex(r"\s*(?:\+|\?\?|\|\|)?=(?![=>])\s*")
_ADDS = lazy_regex(r"\s*\.\s*(?:push|unshift)\s*\(")
_CALLS = lazy_regex(r"\s*(?:\?\.)?\s*\(")
_RENAMED = lazy_regex(r"\s*:")
_OWNER = lazy_regex(r"(?:[A-Za-z_$][\w$]*(?:\[[^\[\]\n]{0,40}\])?\s*\??\.\s*)+\Z")


class Binding(NamedTuple):
    """A name that stands for a value within `scope`.

    `span` is the range of the value that `path` leads from, or of the list that it is an item of.
    Of a parameter, `number` is its place in the function at index `function`.
    """

    kind: BindingKind
    scope: Range
    span: Range
    path: Path = ()
    function: int = -1
    number: int = -1


class Variables:
    """The names in a script, by what they are bound to."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._places: dict[str, dict[Binding | None, list[int]]] = {}

    @cached_property
    def _words(self) -> tuple[Mapping[str, Sequence[int]], Mapping[str, Sequence[int]]]:
        """The offsets of each name, and of each member."""
        names: dict[str, list[int]] = {}
        members: dict[str, list[int]] = {}
        code = self.script.code
        for match in _WORD.finditer(code):
            start = match.start()
            is_member = code[start - 1 : start] == "." and code[start - 3 : start] != "..."
            (members if is_member else names).setdefault(match[0], []).append(start)
        return names, members

    @cached_property
    def _bindings(self) -> Mapping[str, Sequence[Binding]]:
        found: dict[str, list[Binding]] = {}
        for name, binding in (*self._declarations(), *self._parameters()):
            found.setdefault(name, []).append(binding)
        return found

    def binding(self, name: str, offset: int) -> Binding | None:
        """What a name is bound to at an offset: of several scopes, the innermost one."""
        around = [
            one
            for one in self._bindings.get(name, ())[:MAX_BINDINGS]
            if one.scope[0] <= offset < one.scope[1]
        ]
        return min(around, key=lambda one: one.scope[1] - one.scope[0], default=None)

    def assigned(self, name: str, binding: Binding | None) -> Iterator[tuple[Range, bool]]:
        """The values that are assigned to a name elsewhere, and whether each becomes an item."""
        if name not in self._places:
            places = self._places.setdefault(name, {})
            for offset in self._words[0].get(name, ())[:MAX_PLACES]:
                places.setdefault(self.binding(name, offset), []).append(offset)
        for offset in self._places[name].get(binding, ()):
            yield from self._values(offset + len(name))

    def assigned_member(self, dotted: str) -> Iterator[tuple[Range, bool]]:
        """The values that are assigned to a member, such as `this.rows`."""
        owner, _, name = dotted.rpartition(".")
        for offset in self._words[1].get(name, ())[:MAX_PLACES]:
            values = list(self._values(offset + len(name)))
            if values and self._owner(offset) == owner:
                yield from values

    def calls(self, name: str, is_method: bool) -> Iterator[tuple[int, Sequence[Range]]]:
        """The calls of a function: the offset of its name, and the ranges of the arguments."""
        for offset in self._words[int(is_method)].get(name, ())[:MAX_PLACES]:
            opened = _CALLS.match(self.script.code, offset + len(name))
            if opened and not re.search(r"\bfunction\s*\Z", self.script.before(offset, 20)):
                yield offset, self.arguments(opened.end() - 1)

    def references(self, name: str, is_method: bool) -> Iterator[int]:
        """The offsets where a function is named without being called."""
        for offset in self._words[int(is_method)].get(name, ())[:MAX_PLACES]:
            if not _CALLS.match(self.script.code, offset + len(name)):
                yield offset

    def arguments(self, opened: int) -> Sequence[Range]:
        """The arguments of the call whose bracket is at an offset."""
        closed = self.script.closing.get(opened)
        return self.script.split((opened + 1, closed)) if closed else ()

    def _owner(self, offset: int) -> str:
        """What the member at an offset belongs to, as `a.b`; "" for a name."""
        found = _OWNER.search(self.script.before(offset))
        return re.sub(r"[\s?]", "", found[0])[:-1] if found else ""

    def _values(self, offset: int) -> Iterator[tuple[Range, bool]]:
        code = self.script.code
        if assigns := _ASSIGNS.match(code, offset):
            start = assigns.end()
            yield (start, self.script.expression_end(start)), False
        elif adds := _ADDS.match(code, offset):
            yield from ((one, True) for one in self.arguments(adds.end() - 1))

    def _declarations(self) -> Iterator[tuple[str, Binding]]:
        code = self.script.code
        for match in _DECLARED.finditer(code):
            scope = self._scope(match.start())
            offset: int | None = match.end()
            while offset is not None:
                end = self._pattern_end(offset)
                kind = _NEXT.match(code, self._without_type(end))
                sign = kind[1] if kind else None
                start = kind.end() if kind else end
                value = (start, start)
                following: int | None = start if sign == "," else None
                if sign in ("=", "of"):
                    value = (start, self.script.expression_end(start))
                    comma = _NEXT.match(code, value[1])
                    following = comma.end() if comma and comma[1] == "," else None
                is_item = sign in ("of", "in")
                for name, path in self._pattern((offset, end), (), 0):
                    yield name, Binding("item" if is_item else "value", scope, value, path)
                offset = following if following is not None and following > offset else None

    def _scope(self, offset: int) -> Range:
        """The range in which a declaration holds: its block, or the loop that it begins."""
        bracket = self.script.enclosing(offset)
        if bracket >= 0 and self.script.code[bracket] == "(":
            closed = self.script.closing.get(bracket, bracket)
            if _FOR.search(self.script.before(bracket, 20)):
                body = self.script.trim((closed + 1, min(closed + 200, len(self.script.code))))[0]
                is_block = self.script.code.startswith("{", body)
                end = self.script.behind(body) if is_block else self._statement_end(body)
                return bracket, end
        return self.script.block(offset)

    def _statement_end(self, offset: int) -> int:
        end = self.script.expression_end(offset)
        # `for (…) if (…) { … }`
        block = self.script.code.find("{", offset, end)
        return max(end, self.script.behind(block)) if block >= 0 else end

    def _pattern_end(self, offset: int) -> int:
        if self.script.code[offset : offset + 1] in ("{", "["):
            return self.script.behind(offset)
        word = _WORD.match(self.script.code, offset)
        return word.end() if word else offset

    def _without_type(self, offset: int) -> int:
        typed = _TYPE.match(self.script.code, offset)
        return typed.end() if typed else offset

    def _pattern(self, span: Range, path: Path, depth: int) -> Iterator[tuple[str, Path]]:
        """The names in a pattern, with the path from its value to each."""
        start, end = self.script.trim(span)
        code = self.script.code
        if depth > MAX_NAMES or start >= end:
            return
        if code[start] not in "{[":
            if word := _WORD.match(code, start, end):
                yield word[0], path
            return
        is_list = code[start] == "["
        for entry in self.script.split((start + 1, self.script.closing.get(start, end)))[
            :MAX_NAMES
        ]:
            first = entry[0]
            if code.startswith("...", first):
                yield from self._pattern((first + 3, entry[1]), path, depth + 1)
                continue
            key = _WORD.match(code, first, entry[1])
            if is_list or not key:
                yield from self._pattern(entry, (*path, ITEM), depth + 1)
                continue
            renamed = _RENAMED.match(code, key.end(), entry[1])
            target = (renamed.end(), entry[1]) if renamed else entry
            yield from self._pattern(target, (*path, key[0]), depth + 1)

    def _parameters(self) -> Iterator[tuple[str, Binding]]:
        for index, function in enumerate(self.script.functions):
            scope = (function.start, function.body[1] + 1)
            for number, one in enumerate(self.script.split(function.parameters)[:MAX_NAMES]):
                rest = 3 if self.script.code.startswith("...", one[0]) else 0
                end = self._pattern_end(one[0] + rest)
                for name, path in self._pattern((one[0] + rest, min(end, one[1])), (), 0):
                    whole = (ITEM, *path) if rest else path
                    yield name, Binding("parameter", scope, (0, 0), whole, index, number)
