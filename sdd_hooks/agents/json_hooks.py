"""Add the hooks of sdd to a JSON file of settings, and remove them, with all else byte for byte.

What is added to an empty array or object of the user touches its bracket, and what sdd creates
begins on a line below: a removal tells by this which brackets were the user's.
"""

# Governing: SPEC-0029 REQ "Installing"

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

MARK = "sdd agent hook "
"""What is part of every command that sdd adds."""
HOOKS = "hooks"
INDENT = "  "

Wanted = Mapping[str, Sequence[Mapping[str, Any]]]
"""The entries of each event."""

MAX_DEPTH = 100
"""Arrays and objects in each other."""

_SPACE = lazy_regex(r"[ \t\r\n]*")
_SCALAR = lazy_regex(r'"(?:[^"\\\x00-\x1f]|\\.)*"|[^\s,\[\]{}":]+')


def add_hooks(text: str | None, wanted: Wanted, version: int | None = None) -> str:
    """The file with the wanted entries, and with no older ones of sdd.

    `text` is None without a file. A file that sdd creates has `version`, if it is not None. Raises
    ValueError for what is no JSON, and where the values have other types than the program reads.
    """
    if text is None:
        root: dict[str, Any] = {HOOKS: {event: list(wanted[event]) for event in wanted}}
        if version is not None:
            root["version"] = version
        return json.dumps(root, indent=2) + "\n"
    if _has(text, wanted):
        return text
    cleaned = remove_hooks(text)
    if cleaned is None:
        return add_hooks(None, wanted, version)
    text = cleaned
    for event, entries in wanted.items():
        for entry in entries:
            text = _add(text, event, entry)
    return text


def remove_hooks(text: str) -> str | None:
    """The file without the entries of sdd; None when it has nothing else and sdd created it.

    Raises ValueError for what is no JSON.
    """
    while True:
        root = find_spans(text)
        doomed = _find_entry(text, root)
        if doomed is None:
            return text
        path = _containers(root, doomed)
        # An array or object that sdd created goes with its last entry.
        while len(path) > 1 and len(path[-1].items) == 1 and not _touches(path[-1]):
            doomed = path.pop()
        if len(path) == 1 and _is_created(text, path[0], doomed):
            return None
        text = _cut(text, path[-1], doomed)


def _has(text: str, wanted: Wanted) -> bool:
    """Whether the file has exactly the wanted entries of sdd."""
    hooks = find_spans(text).member(HOOKS)
    if hooks is None or hooks.kind != "object":
        return False
    found = {
        event.key: [value for one in event.items if _is_own(value := value_of(text, one))]
        for event in hooks.items
        if event.kind == "array"
    }
    return {key: value for key, value in found.items() if value} == {
        event: list(entries) for event, entries in wanted.items()
    }


def _is_own(value: Any) -> bool:
    """Whether an entry runs the hook of sdd, and nothing else."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get(HOOKS), list):
        return bool(value[HOOKS]) and all(_is_own(one) for one in value[HOOKS])
    commands = (value.get("command"), value.get("bash"))
    return any(isinstance(command, str) and MARK in command for command in commands)


def _find_entry(text: str, root: JsonSpan) -> JsonSpan | None:
    """The last entry of sdd: a group whose hooks are all of sdd, or one hook in another group."""
    hooks = root.member(HOOKS) if root.kind == "object" else None
    for event in reversed(hooks.items if hooks else ()):
        for entry in reversed(event.items if event.kind == "array" else ()):
            if _is_own(value_of(text, entry)):
                return entry
            inner = entry.member(HOOKS) if entry.kind == "object" else None
            for one in reversed(inner.items if inner and inner.kind == "array" else ()):
                if _is_own(value_of(text, one)):
                    return one
    return None


def _containers(span: JsonSpan, wanted: JsonSpan) -> list[JsonSpan]:
    """The arrays and objects around a span, outermost first."""
    around = []
    while span != wanted:
        around.append(span)
        span = next(one for one in span.items if one.start <= wanted.start < one.end)
    return around


def _touches(container: JsonSpan) -> bool:
    """Whether the first item stands directly behind the bracket, which was the user's."""
    return container.items[0].first == container.start + 1


def _is_created(text: str, root: JsonSpan, doomed: JsonSpan) -> bool:
    """Whether sdd created the file, of which `doomed` is the last part that it has added."""
    if _touches(root) or root.items[0] != doomed:
        return False
    return len(root.items) == 1 or (
        [one.key for one in root.items[1:]] == ["version"] and not text[root.end :].strip()
    )


def _cut(text: str, container: JsonSpan, item: JsonSpan) -> str:
    """The text without an item, and without the comma that is before it, else behind it."""
    at = container.items.index(item)
    if at > 0:
        return text[: container.items[at - 1].end] + text[item.end :]
    if len(container.items) > 1:
        return text[: item.first] + text[container.items[1].first :]
    return text[: item.first] + text[item.end :]


def _add(text: str, event: str, entry: Mapping[str, Any]) -> str:
    root = find_spans(text)
    hooks = root.member(HOOKS)
    if root.kind != "object" or (hooks and hooks.kind != "object"):
        raise ValueError(f'"{HOOKS}" is no object')
    listed = hooks.member(event) if hooks else None
    if listed and listed.kind != "array":
        raise ValueError(f'"{event}" is no array')
    if hooks is None:
        return _append(text, root, entry, (HOOKS, event))
    if listed is None:
        return _append(text, hooks, entry, (event,))
    return _append(text, listed, entry, ())


def _append(text: str, container: JsonSpan, entry: Mapping[str, Any], keys: Sequence[str]) -> str:
    """The text with an entry as the last item of a container, in new ones for these keys."""
    if not container.items:
        at = container.start + 1
        return text[:at] + _on_one_line(entry, keys) + text[at:]
    last = container.items[-1]
    before = text[text.rfind("\n", 0, last.first) + 1 : last.first]
    if before.strip() or "\n" not in text[: last.first]:
        return f"{text[: last.end]}, {_on_one_line(entry, keys)}{text[last.end :]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = "\t" if before.startswith("\t") else INDENT
    value: Any = [entry] if keys else entry
    for key in keys[:0:-1]:
        value = {key: value}
    name = f"{json.dumps(keys[0])}: " if keys else ""
    shown = json.dumps(value, indent=unit).replace("\n", newline + before)
    return f"{text[: last.end]},{newline}{before}{name}{shown}{text[last.end :]}"


def _on_one_line(entry: Mapping[str, Any], keys: Sequence[str]) -> str:
    """An entry in containers whose brackets it does not touch: they go with it."""
    shown = json.dumps(entry)
    for number, key in enumerate(reversed(keys)):
        shown = f"{json.dumps(key)}: {'{' if number else '['} {shown} {'}' if number else ']'}"
    return shown


class JsonSpan(NamedTuple):
    """A value from `start` to `end` in the text.

    `items` are its parts: of an array the elements, of an object the members with their keys.
    `key` and `key_start` are those of a member, "" and -1 for other values.
    """

    start: int
    end: int
    kind: str
    items: tuple[JsonSpan, ...] = ()
    key: str = ""
    key_start: int = -1

    @property
    def first(self) -> int:
        """Where the item begins: its key, or its value."""
        return self.start if self.key_start < 0 else self.key_start

    def member(self, key: str) -> JsonSpan | None:
        """The member of an object with a key, the last one like `json.loads`; None for none."""
        return next((one for one in reversed(self.items) if one.key == key), None)


def find_spans(text: str) -> JsonSpan:
    """Find the spans of a document. Raises ValueError for what is no JSON or nested too deep."""
    try:
        json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return _read(text, _skip(text, 0), 0)


def value_of(text: str, span: JsonSpan) -> Any:
    """The value that a span has."""
    return json.loads(text[span.start : span.end])


def _read(text: str, at: int, depth: int) -> JsonSpan:
    if depth > MAX_DEPTH:
        raise ValueError("nested too deep")
    opening = text[at]
    if opening not in "[{":
        match = _SCALAR.match(text, at)
        assert match
        return JsonSpan(at, match.end(), "scalar")
    items: list[JsonSpan] = []
    position = _skip(text, at + 1)
    while text[position] not in "]}":
        key, key_start = "", -1
        if opening == "{":
            name = _SCALAR.match(text, position)
            assert name
            key, key_start = json.loads(name[0]), position
            position = _skip(text, _skip(text, name.end()) + 1)
        item = _read(text, position, depth + 1)._replace(key=key, key_start=key_start)
        items.append(item)
        position = _skip(text, item.end)
        if text[position] == ",":
            position = _skip(text, position + 1)
    kind = "array" if opening == "[" else "object"
    return JsonSpan(at, position + 1, kind, tuple(items))


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match
    return match.end()
