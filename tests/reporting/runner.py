"""Parse a line of output as a runner of GitHub Actions does.

As `src/Runner.Common/ActionCommand.cs` of actions/runner does it: properties are split before they
are unescaped, and empty parts are dropped.
"""

from __future__ import annotations

from typing import NamedTuple

_DATA = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
_PROPERTY = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))


class Command(NamedTuple):
    """A command, its properties, and its message."""

    name: str
    properties: dict[str, str]
    data: str


def read(line: str) -> Command | None:
    """The command in a line; None if it is not a command."""
    line = line.lstrip()
    if not line.startswith("::") or "::" not in line[2:]:
        return None
    about, _, data = line[2:].partition("::")
    name, _, rest = about.partition(" ")
    properties = {}
    for part in filter(None, rest.strip().split(",")):
        key, _, value = part.lstrip("=").partition("=")
        if key and value.lstrip("="):
            properties[key.lower()] = _unescaped(value.lstrip("="), _PROPERTY)
    return Command(name, properties, _unescaped(data, _DATA))


def _unescaped(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    for written, meant in escapes:
        text = text.replace(written, meant)
    return text
