"""Read the YAML frontmatter of an artifact, with all scalars as text.

Scalars are not converted: YAML 1.1 would read `id: 0007` as an octal number and `2026-01-01` as a
date object, and the author meant neither. The YAML is read event by event, so that depth, size and
aliases are limited before any object is built.
"""

# Governing: ADR-0012 (untrusted input), SPEC-0002 REQ "Frontmatter"

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import find_frontmatter_end, unify_line_endings

if TYPE_CHECKING:
    import yaml

MAX_SIZE = 64 * 1024
"""Longer frontmatter, in characters, is not read."""

MAX_DEPTH = 16
"""Deeper nested frontmatter is an error."""

_ADVICE = "quote a value that holds `: ` or begins with a bracket"

FrontmatterValue: TypeAlias = "str | list[FrontmatterValue] | dict[str, FrontmatterValue]"


class FrontmatterError(NamedTuple):
    """Why the frontmatter is invalid, and the line of the file."""

    message: str
    line: int


class Frontmatter(NamedTuple):
    """The frontmatter of a document: its fields by key, in lower case with hyphens.

    Scalars are text, null is "". `lines` has the line of each key, `duplicates` the keys that occur
    more than once. `end` is the offset after the frontmatter, 0 without frontmatter. With an
    `error`, `fields` has the values of the lines that parse on their own.
    """

    fields: Mapping[str, FrontmatterValue] = {}
    lines: Mapping[str, int] = {}
    end: int = 0
    error: FrontmatterError | None = None
    duplicates: tuple[str, ...] = ()

    def text(self, *keys: str) -> str:
        """Return the first of these fields with a value, on one line; a list joined by commas."""
        for key in keys:
            value = self.fields.get(key)
            if isinstance(value, list):
                value = ", ".join(item for item in value if isinstance(item, str))
            if isinstance(value, str) and (line := " ".join(value.split())):
                return line
        return ""

    def items(self, key: str) -> tuple[str, ...]:
        """Return the scalars of a list field. A scalar counts as a list of one, "" as empty."""
        value = self.fields.get(key, "")
        if isinstance(value, list):
            return tuple(" ".join(item.split()) for item in value if isinstance(item, str) and item)
        return (" ".join(value.split()),) if isinstance(value, str) and value.strip() else ()


NO_FRONTMATTER = Frontmatter()


class _UnreadableError(Exception):
    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def read_frontmatter(text: str) -> Frontmatter:
    """Read the frontmatter of a document. Never raises: a problem becomes its `error`."""
    text = unify_line_endings(text)
    end = find_frontmatter_end(text)
    if not end:
        return _unclosed(text)
    source = text[text.index("\n") + 1 : text.rindex("\n", 0, end - 1) + 1]
    if len(source) > MAX_SIZE:
        error = FrontmatterError(
            f"frontmatter is over {MAX_SIZE // 1024} kB and not read: shorten it", 1
        )
        return Frontmatter(end=end, error=error)
    try:
        fields, lines, duplicates = _read_plain(source) or _read(source)
    except _UnreadableError as unreadable:
        last = source.count("\n") + 2  # YAML also counts line endings that editors do not
        error = FrontmatterError(str(unreadable), min(unreadable.line, last))
        fields, lines = _line_by_line(source)
        return Frontmatter(fields, lines, end, error)
    return Frontmatter(fields, lines, end, None, duplicates)


_OPENED = lazy_regex(r"---[ \t]*\n(?:[ \t]*\n){0,9}[A-Za-z][A-Za-z0-9 _-]{0,40}:[ \t][^\n]*\n")


def _unclosed(text: str) -> Frontmatter:
    if _OPENED.match(text):
        return Frontmatter(
            error=FrontmatterError("frontmatter is never closed: add a line of `---` after it", 1)
        )
    return NO_FRONTMATTER


_LINE = lazy_regex(r"(?P<key>[A-Za-z][A-Za-z0-9 _-]{0,40}?)[ \t]*:(?:[ \t]+(?P<value>.*))?$")


def _line_by_line(source: str) -> tuple[dict[str, FrontmatterValue], dict[str, int]]:
    """Read the lines `key: value` and `key: [a, b]` of invalid YAML, each on its own."""
    fields: dict[str, FrontmatterValue] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(source.split("\n"), 2):
        if match := _LINE.match(line):
            key = _key(match["key"])
            value = (match["value"] or "").strip()
            if value.startswith("[") and value.endswith("]") and "](" not in value:
                fields[key] = [item.strip(" \t\"'") for item in value[1:-1].split(",")]
            else:
                quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
                fields[key] = value[1:-1] if quoted else value
            lines[key] = number
    return fields, lines


def _key(name: str) -> str:
    return re.sub(r"[\s_-]+", "-", name.strip().lower())


# What nearly all frontmatter consists of: a search that parses it this way does not import YAML,
# which takes as long as the search. Every other line is left to the YAML parser.
_WORDS = r"[A-Za-z0-9](?:[A-Za-z0-9 ._/()+,-]{0,400}[A-Za-z0-9._/()+,-])?"
_PLAIN_ITEM = r"[A-Za-z0-9](?:[A-Za-z0-9 ._/+-]{0,100}[A-Za-z0-9._/+-])?"
_PLAIN_LINE = lazy_regex(
    rf"""(?P<key>[A-Za-z][A-Za-z0-9_-]{{0,40}}):
    (?:[ ]+ (?: (?P<words>{_WORDS})
              | \[[ ]*(?P<items>(?:{_PLAIN_ITEM}(?:[ ]*,[ ]*{_PLAIN_ITEM}){{0,100}})?)[ ]*\] ))?
    [ ]*""",
    re.VERBOSE,
)

_PLAIN_LIST_ITEM = lazy_regex(rf"(?P<indent>[ ]{{0,6}})-[ ]{{1,3}}(?P<item>{_PLAIN_ITEM})[ ]*")

_Parsed = tuple[dict[str, FrontmatterValue], dict[str, int], tuple[str, ...]]


def _read_plain(source: str) -> _Parsed | None:
    """Read frontmatter of plain scalars and lists of them; None if a line is anything else."""
    fields: dict[str, FrontmatterValue] = {}
    lines: dict[str, int] = {}
    duplicates: list[str] = []
    key = indent = ""
    items: list[FrontmatterValue] | None = None
    for number, line in enumerate(source.removesuffix("\n").split("\n"), 2):
        if items is not None and (item := _PLAIN_LIST_ITEM.fullmatch(line)):
            if items and item["indent"] != indent:
                return None
            indent = item["indent"]
            items.append(_plain_scalar(item["item"]))
            fields[key] = items
            continue
        match = _PLAIN_LINE.fullmatch(line)
        if match is None:
            return None
        key, items = _key(_plain_scalar(match["key"])), None
        if key in fields:
            duplicates.append(key)
        lines[key] = number
        if match["items"] is not None:
            fields[key] = [_plain_scalar(i.strip()) for i in match["items"].split(",") if i.strip()]
        else:
            fields[key] = _plain_scalar(match["words"] or "")
            items = None if match["words"] else []
    return fields, lines, tuple(duplicates)


def _plain_scalar(text: str) -> str:
    return "" if text in ("null", "Null", "NULL") else text


def _read(source: str) -> _Parsed:
    """Parse the top-level mapping into fields, the line of each key, and duplicate keys."""
    import yaml

    # Events, because the composer of libyaml recurses: a few kilobytes of brackets crash it.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    fields: dict[str, FrontmatterValue] = {}
    lines: dict[str, int] = {}
    duplicates: list[str] = []
    try:
        events = iter(yaml.parse(source, Loader=loader))
        for event in events:
            if isinstance(event, yaml.MappingStartEvent):
                break
            if isinstance(event, yaml.NodeEvent):
                raise _UnreadableError(
                    "frontmatter is not made of `key: value` lines", _line(event)
                )
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = _key(_scalar(event))
            if key in fields:
                duplicates.append(key)
            lines[key] = _line(event)
            fields[key] = _value(next(events), events, MAX_DEPTH)
        for event in events:
            if isinstance(event, yaml.NodeEvent):
                raise _UnreadableError(
                    "frontmatter is more than one document: remove what follows", _line(event)
                )
    except yaml.MarkedYAMLError as error:
        line = int(getattr(error.problem_mark, "line", 0)) + 2
        problem = " ".join(f"{error.problem or error.context}".split())
        raise _UnreadableError(f"frontmatter is not YAML ({problem}): {_ADVICE}", line) from error
    except (yaml.YAMLError, UnicodeError) as error:
        message = "frontmatter holds a character that YAML does not allow: remove it"
        raise _UnreadableError(message, 2) from error
    return fields, lines, tuple(duplicates)


def _value(event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> FrontmatterValue:
    import yaml

    if not depth:
        raise _UnreadableError("frontmatter is nested too deeply: flatten it", _line(event))
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[FrontmatterValue] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(_value(event, events, depth - 1))
        return items
    if isinstance(event, yaml.MappingStartEvent):
        mapping: dict[str, FrontmatterValue] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = _scalar(event)
            mapping[key] = _value(next(events), events, depth - 1)
        return mapping
    return _scalar(event)


def _scalar(event: yaml.Event) -> str:
    import yaml

    if isinstance(event, yaml.AliasEvent):
        raise _UnreadableError("frontmatter uses an alias (`*`): write the value out", _line(event))
    if not isinstance(event, yaml.ScalarEvent):
        raise _UnreadableError("frontmatter has a key that is not a word", _line(event))
    if not event.style and event.value in ("~", "null", "Null", "NULL"):
        return ""
    return str(event.value)


def _line(event: yaml.Event) -> int:
    """Return the line in the file: frontmatter begins on the second line."""
    return int(getattr(event.start_mark, "line", 0)) + 2
