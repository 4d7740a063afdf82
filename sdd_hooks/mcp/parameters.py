"""The parameters of a tool: their JSON schema, and the check of what a client sends.

One table serves both, so that the schema states every limit that the check applies.
"""

# Governing: ADR-0057 (five tools that carry decisions), SPEC-0030 REQ "A hostile client"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.display import is_unicode, printable_line, shortened

Kind = Literal["text", "texts", "number", "score", "flag", "searches"]

SEARCH_TYPES = ("lex", "vec", "hyde")

_SHOWN_WIDTH = 60


class BadArgument(SddError):
    """The arguments of a call are not those that the tool takes."""

    exit_code = EXIT_USAGE
    code = "usage"


class Parameter(NamedTuple):
    """A parameter of a tool.

    `low` and `high` limit a number, `high` the length of a text. A list has at most `items` texts.
    `choices` are the only texts that are valid; none allows any.
    """

    name: str
    kind: Kind
    description: str
    required: bool = False
    default: object = None
    low: int = 0
    high: int = 1_000
    items: int = 0
    choices: tuple[str, ...] = ()


def input_schema(parameters: Sequence[Parameter]) -> dict[str, object]:
    """Return the JSON schema of an object with these parameters."""
    return {
        "type": "object",
        "properties": {one.name: _schema(one) for one in parameters},
        "required": [one.name for one in parameters if one.required],
        "additionalProperties": False,
    }


def _schema(parameter: Parameter) -> dict[str, object]:
    about: dict[str, object] = {"description": parameter.description}
    if parameter.default is not None:
        about["default"] = parameter.default
    text: dict[str, object] = {"type": "string", "maxLength": parameter.high}
    if parameter.choices:
        text["enum"] = list(parameter.choices)
    match parameter.kind:
        case "text":
            return {**text, **about}
        case "texts":
            return {"type": "array", "items": text, "maxItems": parameter.items, **about}
        case "searches":
            search = {
                "type": "object",
                "properties": {
                    "type": {"type": "string", "enum": list(SEARCH_TYPES)},
                    "query": text,
                },
                "required": ["type", "query"],
            }
            return {"type": "array", "items": search, "maxItems": parameter.items, **about}
        case "flag":
            return {"type": "boolean", **about}
        case "score":
            return {"type": "number", "minimum": 0, "maximum": 1, **about}
    return {"type": "integer", "minimum": parameter.low, "maximum": parameter.high, **about}


def check_arguments(
    parameters: Sequence[Parameter], given: Mapping[str, object]
) -> dict[str, object]:
    """Return a value for each parameter: the one that is given, else its default.

    A null counts as not given. Raises BadArgument for an unknown name, a missing value, a value of
    another type and one beyond a limit.
    """
    known = {one.name: one for one in parameters}
    for name in given:
        if name not in known:
            names = ", ".join(known) or "none"
            raise BadArgument(f"there is no argument {_shown(name)}: the tool takes {names}")
    values: dict[str, object] = {}
    for name, parameter in known.items():
        value = given.get(name)
        if value is None:
            if parameter.required:
                raise BadArgument(f"the argument {name} is missing")
            values[name] = parameter.default
        else:
            values[name] = _checked(parameter, value)
    return values


def _checked(parameter: Parameter, value: object) -> object:
    match parameter.kind:
        case "text":
            return _text(parameter, value)
        case "flag":
            if not isinstance(value, bool):
                raise BadArgument(f"{parameter.name} is not true or false")
            return value
        case "texts":
            return tuple(_text(parameter, one) for one in _items(parameter, value))
        case "searches":
            return tuple(_search(parameter, one) for one in _items(parameter, value))
    return _number(parameter, value)


def _text(parameter: Parameter, value: object) -> str:
    if not isinstance(value, str):
        raise BadArgument(f"{parameter.name} is not text")
    if len(value) > parameter.high:
        raise BadArgument(
            f"{parameter.name} has {len(value):,} characters: the limit is {parameter.high:,}"
        )
    if "\0" in value or not is_unicode(value):
        raise BadArgument(f"{parameter.name} contains a character that is no text")
    if parameter.choices and value not in parameter.choices:
        choices = ", ".join(parameter.choices)
        raise BadArgument(f"{parameter.name} is {_shown(value)}: it is one of {choices}")
    return value


def _items(parameter: Parameter, value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise BadArgument(f"{parameter.name} is not a list")
    if len(value) > parameter.items:
        raise BadArgument(
            f"{parameter.name} has {len(value):,} entries: the limit is {parameter.items}"
        )
    return value


def _search(parameter: Parameter, value: object) -> tuple[str, str]:
    if not isinstance(value, dict) or value.get("type") not in SEARCH_TYPES:
        raise BadArgument(f"{parameter.name} has an entry without the type lex, vec or hyde")
    return str(value["type"]), _text(parameter, value.get("query"))


def _number(parameter: Parameter, value: object) -> int | float:
    low, high = (0, 1) if parameter.kind == "score" else (parameter.low, parameter.high)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadArgument(f"{parameter.name} is not a number")
    if not low <= value <= high:
        raise BadArgument(f"{parameter.name} is {value:g}: it is from {low} to {high}")
    if parameter.kind == "number":
        if value != int(value):
            raise BadArgument(f"{parameter.name} is {value:g}: it is a whole number")
        return int(value)
    return value


def _shown(value: str) -> str:
    return shortened(printable_line(value[: 2 * _SHOWN_WIDTH]), _SHOWN_WIDTH)
