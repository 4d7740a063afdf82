"""What the functions of a script are given and what they return: calls, callbacks and results."""

# Governing: ADR-0051 (in old code a hazard has to be shown)

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rules.security import sources
from sdd_hooks.review.rules.security.chains import dotted, read_chain, read_text
from sdd_hooks.review.rules.security.script import Function, Range, Script
from sdd_hooks.review.rules.security.sources import Source
from sdd_hooks.review.rules.security.variables import ITEM, Path, Variables
from sdd_hooks.text.lazy_regex import lazy_regex

_RETURN = lazy_regex(r"\breturn\b[ \t]*(?![;}\n])")
_ASYNC = lazy_regex(r"async\s*")
# These call their argument with each item, `sort` with two.
_EACH = frozenset(
    ("forEach", "map", "filter", "find", "findLast", "some", "every", "flatMap", "findIndex")
)
_EACH_OF = ("$.each", "jQuery.each")


class Given(NamedTuple):
    """What a function is given as a parameter: the part of the expression at `span` to which a path
    leads, or what enters from `source`, where `address` is the range of what is requested, and
    `event` the name of a message.
    """

    span: Range
    path: Path = ()
    source: Source | None = None
    address: Range | None = None
    event: str = ""


def find_given(variables: Variables, index: int, number: int) -> Iterator[Given]:
    """What the calls of a function hand over as the parameter with a number."""
    function = variables.script.functions[index]
    yield from _as_argument(variables, function.start, number)
    if function.is_method and not number:
        yield from _as_option(variables, index)
    if not function.name:
        return
    for offset, arguments in variables.calls(function.name, function.is_method):
        is_meant = index in find_named(variables, function.name, function.is_method, offset)
        if is_meant and is_reached(variables, offset):
            yield from (Given(one) for one in arguments[number : number + 1])
    for offset in variables.references(function.name, function.is_method):
        yield from _as_argument(variables, offset, number)


def find_named(variables: Variables, name: str, is_method: bool, offset: int) -> Sequence[int]:
    """The functions that a name may mean at an offset: of several, the one in the same block, where
    a later one replaces another.
    """
    script = variables.script
    found = script.named(name, is_method)
    if len(found) < 2:
        return found
    blocks = {index: script.block(script.functions[index].start) for index in found}
    around = [one for one in found if blocks[one][0] <= offset < blocks[one][1]]
    return sorted(around, key=lambda one: (blocks[one][1] - blocks[one][0], -one))[:1]


def is_reached(variables: Variables, offset: int) -> bool:
    """Whether no function around an offset is replaced by a later one with its name."""
    return all(
        index in find_named(variables, function.name, False, function.start)
        for index, function in _functions_around(variables.script, offset)
    )


def names_around(script: Script, offset: int) -> Iterator[str]:
    """The names of the functions around an offset that are no methods."""
    return (function.name for _, function in _functions_around(script, offset))


def _functions_around(script: Script, offset: int) -> Iterator[tuple[int, Function]]:
    """The functions around an offset that have a name and are no methods, with their indices."""
    index = script.function_around(offset)
    while index >= 0:
        function = script.functions[index]
        if function.name and not function.is_method:
            yield index, function
        index = script.function_around(function.start)


def find_called_back(variables: Variables, span: Range) -> Sequence[int]:
    """The functions that an argument may be: one that is written there, or is named."""
    script = variables.script
    start, end = script.trim(span)
    is_async = _ASYNC.match(script.code, start, end)
    here = script.starting((start, is_async.end() if is_async else start))
    if here >= 0:
        return (here,)
    owner, _, name = script.code[start:end].rpartition(".")
    return find_named(variables, name, bool(owner), start) if name.isidentifier() else ()


def find_returned(variables: Variables, index: int) -> Iterator[Range]:
    """The expressions that a function returns."""
    script = variables.script
    function = script.functions[index]
    if function.is_value:
        yield function.body
        return
    for match in _RETURN.finditer(script.code, *function.body):
        if script.function_around(match.start()) == index:
            yield match.end(), script.expression_end(match.end())


def _as_argument(variables: Variables, offset: int, number: int) -> Iterator[Given]:
    """What the function at an offset is given by the call that it is an argument of."""
    script = variables.script
    opened = script.enclosing(offset)
    is_call = opened >= 0 and script.code[opened] == "("
    arguments = variables.arguments(opened) if is_call else ()
    place = next((at for at, one in enumerate(arguments) if one[0] <= offset < one[1]), -1)
    start = script.chain_start(opened) if place >= 0 else opened
    chain = read_chain(script, (start, opened)) if place >= 0 else None
    if not chain:
        return
    name = dotted(script, chain, len(chain.steps))
    base = (start, chain.before_last.end)
    method = chain.steps[-1].name if chain.steps else ""
    if name in _EACH_OF and (place, number) == (1, 1):
        yield Given(arguments[0], (ITEM,))
    elif not place and ((method in _EACH and not number) or method == "sort"):
        yield Given(base, (ITEM,))
    elif method in ("then", "done") and not place and not number:
        yield Given(base)
    elif source := sources.handed(name, read_text(script, arguments[0]), number):
        is_request = sources.is_request(name)
        event = "" if is_request or source == "event" else read_text(script, arguments[0])
        yield Given(base, (), source, arguments[0] if is_request else None, event)
    elif len(chain.steps) < 2:
        called = find_named(variables, method or name, bool(method), opened)
        for index in called:
            yield from _called_by(variables, index, place, number)


def _called_by(variables: Variables, index: int, place: int, number: int) -> Iterator[Given]:
    """What a function hands to the function that is its own argument at a place."""
    script = variables.script
    for one in script.split(script.functions[index].parameters)[place : place + 1]:
        name = script.code[slice(*one)]
        for offset, arguments in variables.calls(name, False):
            binding = variables.binding(name, offset)
            if binding and (binding.function, binding.number) == (index, place):
                yield from (Given(given) for given in arguments[number : number + 1])


def _as_option(variables: Variables, index: int) -> Iterator[Given]:
    """What a function is given that is an option of a request, or listens to messages."""
    script = variables.script
    function = script.functions[index]
    if function.name == "onmessage":
        yield Given(function.body, (), "event")
    opened = script.enclosing(script.enclosing(function.start))
    if function.name in sources.CALLED_BACK and opened >= 0:
        callee = script.code[script.chain_start(opened) : opened].strip()
        if sources.is_request(callee):
            yield Given(function.body, (), "data", _option(script, function.start, "url"))


def _option(script: Script, offset: int, name: str) -> Range | None:
    """The value of another option of the object that has a function at an offset."""
    opened = script.enclosing(offset)
    for start, end in script.split((opened + 1, script.behind(opened) - 1)):
        key, colon, _ = script.code[start:end].partition(":")
        if colon and key.strip("\"' ") == name:
            return start + len(key) + 1, end
    return None
