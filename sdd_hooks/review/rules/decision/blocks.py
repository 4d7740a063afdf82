"""The rules that an ADR states itself, in fenced blocks that begin with `sdd-rule`.

    forbid import: sqlalchemy
    in: src/**
    except: src/storage/**
    message: All SQL goes through storage.
    severity: MUST

A block is one rule: lines of `key: value`. A value is the rest of its line as it is, or items on
lines of their own below it, each behind a `-`. docs/decision-rules.md tells it to people.
"""

# Governing: ADR-0021 (a decision's own rules run in linear time), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from sdd_hooks.findings import Severity
from sdd_hooks.review.patterns import Pattern, PatternError, compile_pattern
from sdd_hooks.text.display import one_line
from sdd_hooks.text.globs import compile_glob
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import FencedBlock, find_fenced_blocks

MARK = "sdd-rule"
"""What stands behind the opening fence of a block."""
MOST_RULES = 50
"""Blocks of one record that are read."""
MOST_ITEMS = 100
"""Items of one key."""
LONGEST_LINE = 2_000
LONGEST_MESSAGE = 500

Verb = Literal["forbid", "require"]
What = Literal["regex", "import", "dependency"]


class DecisionRule(NamedTuple):
    """What a decision forbids or requires.

    `names` are regular expressions, modules, or packages, as they are written. It holds for files
    that match a glob of `within` (none: all) and none of `outside`. `line` is where it stands.
    """

    verb: Verb
    what: What
    names: tuple[str, ...]
    within: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    message: str = ""
    severity: Severity = "warning"
    line: int = 0

    @property
    def substance(self) -> DecisionRule:
        """What of it must not change without a decision."""
        return self._replace(message="", line=0)

    def holds_for(self) -> Callable[[str], bool]:
        """A function that says whether a path is among its files."""
        inside = [_glob(pattern) for pattern in self.within]
        outside = [_glob(pattern) for pattern in self.outside]

        def holds(path: str) -> bool:
            chosen = not inside or any(matches(path) for matches in inside)
            return chosen and not any(matches(path) for matches in outside)

        return holds

    def patterns(self) -> tuple[Pattern, ...]:
        """A pattern for each name: of a line, of a module, or of a package."""
        return tuple(_pattern(self.what, name) for name in self.names)


class Fault(NamedTuple):
    """Why a block is no rule: the line, what to do about it, and the text that shows it."""

    line: int
    message: str
    text: str


class _Entry(NamedTuple):
    """A key of a block with its values, and the line of each."""

    line: int
    text: str
    values: list[tuple[int, str]]


class _Unreadable(ValueError):
    def __init__(self, line: int, message: str, text: str) -> None:
        super().__init__(message)
        self.fault = Fault(line, message, text)


_SEVERITIES: Mapping[str, Severity] = {
    **dict.fromkeys(("critical", "must", "must not", "shall", "shall not", "required"), "critical"),
    **dict.fromkeys(
        ("warning", "should", "should not", "recommended", "not recommended"), "warning"
    ),
    **dict.fromkeys(("info", "may", "optional"), "info"),
}
_VERBS: Mapping[str, tuple[Verb, What]] = {
    f"{verb} {what}": (verb, what) for verb in get_args(Verb) for what in get_args(What)
}
_KEYS = (*_VERBS, "in", "except", "message", "severity")
_KEY = lazy_regex(r"([A-Za-z][A-Za-z _-]{0,40})[ \t]*:(?:[ \t]+(.*)|$)")
_COMMA = lazy_regex(r",(?![^{]*\})")


def read_rules(text: str) -> tuple[tuple[DecisionRule, ...], tuple[Fault, ...]]:
    """The rules of a record, and why some of its blocks are none. Never raises."""
    rules: list[DecisionRule] = []
    faults: list[Fault] = []
    for count, block in enumerate(_blocks(text)):
        if count == MOST_RULES:
            message = f"it is the record's block number {MOST_RULES + 1}, and is not read"
            faults.append(Fault(block.line, message, MARK))
            break
        try:
            rules.append(_rule(block))
        except _Unreadable as error:
            faults.append(error.fault)
    return tuple(rules), tuple(faults)


def _blocks(text: str) -> Iterator[FencedBlock]:
    if MARK in text:
        yield from (
            one for one in find_fenced_blocks(text) if one.info.split(None, 1)[:1] == [MARK]
        )


def _rule(block: FencedBlock) -> DecisionRule:
    entries = _entries(block)
    stated = [key for key in _VERBS if key in entries]
    if not stated:
        message = "it says neither what it forbids nor what it requires: begin with `forbid regex:`"
        raise _Unreadable(block.line, message, MARK)
    if len(stated) > 1:
        second = max((entries[key] for key in stated), key=lambda entry: entry.line)
        message = "a block is one rule: put the second one into a block of its own"
        raise _Unreadable(second.line, message, second.text)
    entry = entries[stated[0]]
    verb, what = _VERBS[stated[0]]
    rule = DecisionRule(
        verb,
        what,
        _checked(entry, _items(entry, split=what != "regex"), lambda name: _pattern(what, name)),
        _globs(entries.get("in")),
        _globs(entries.get("except")),
        _message(entries.get("message")),
        _severity(entries.get("severity")),
        entry.line,
    )
    if "in" in entries and not rule.within:
        raise _unreadable(entries["in"], "`in` has no glob: write one, or leave it out")
    return rule


def _entries(block: FencedBlock) -> dict[str, _Entry]:
    found: dict[str, _Entry] = {}
    entry: _Entry | None = None
    for number, raw in enumerate(block.text.split("\n"), block.line + 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if len(line) > LONGEST_LINE:
            raise _Unreadable(number, f"the line has more than {LONGEST_LINE:,} characters", MARK)
        matched = _KEY.match(line)
        key = " ".join(matched[1].lower().split()) if matched else ""
        if entry and line.startswith("- "):
            entry.values.append((number, line[2:].strip()))
        elif key not in _KEYS and entry is found.get("message") and entry and raw[:1].isspace():
            entry.values.append((number, line))
        elif matched is None or key not in _KEYS:
            raise _Unreadable(number, _unknown(key, line), line)
        elif key in found:
            raise _Unreadable(
                number, f"`{key}` is said twice: put its items below each other", line
            )
        else:
            value = (matched[2] or "").strip()
            entry = _Entry(number, line, [(number, value)] if value else [])
            found[key] = entry
        if entry and len(entry.values) > MOST_ITEMS:
            raise _Unreadable(number, f"there are more than {MOST_ITEMS} items", line)
    return found


def _unknown(key: str, line: str) -> str:
    from difflib import get_close_matches

    known = ", ".join(f"`{one}`" for one in _KEYS)
    if not key:
        return f"{_shown(line)} is no `key: value`; the keys are {known}"
    close = get_close_matches(key, _KEYS, 1)
    hint = f"did you mean `{close[0]}`?" if close else f"the keys are {known}"
    return f"there is no key {_shown(key)}: {hint}"


def _items(entry: _Entry, *, split: bool) -> list[tuple[int, str]]:
    """The values of a key; with `split`, also those between commas, but not within braces."""
    found: list[tuple[int, str]] = []
    for line, value in entry.values:
        text = value
        if split and text.startswith("[") and text.endswith("]"):
            text = text[1:-1]
        parts = _COMMA.split(text) if split else [text]
        found.extend((line, _unquoted(part.strip())) for part in parts)
    found = [(line, part) for line, part in found if part]
    if len(found) > MOST_ITEMS:
        raise _unreadable(entry, f"there are more than {MOST_ITEMS} items")
    return found


def _checked(
    entry: _Entry, items: Sequence[tuple[int, str]], check: Callable[[str], object]
) -> tuple[str, ...]:
    if not items:
        raise _unreadable(entry, f"{_shown(entry.text)} has no value: write it behind the colon")
    for line, item in items:
        try:
            check(item)
        except ValueError as error:
            message = f"{_shown(item)} cannot be used: {one_line(str(error))}"
            raise _Unreadable(line, message, item) from None
    return tuple(item for _, item in items)


def _globs(entry: _Entry | None) -> tuple[str, ...]:
    if entry is None:
        return ()
    items = _items(entry, split=True)
    return _checked(entry, items, _glob) if items else ()


def _glob(pattern: str) -> Callable[[str], bool]:
    """`src/` is all that is below it; what has no slash is a name in any folder."""
    if len(pattern) > LONGEST_MESSAGE:
        raise ValueError(f"it is longer than {LONGEST_MESSAGE} characters")
    whole = pattern.removeprefix("./")
    if "/" not in whole:
        whole = f"**/{whole}"
    whole = whole.removeprefix("/")
    return compile_glob(f"{whole}**" if whole.endswith("/") else whole)


def _message(entry: _Entry | None) -> str:
    if entry is None:
        return ""
    text = _unquoted(one_line(" ".join(value for _, value in entry.values)))
    if len(text) > LONGEST_MESSAGE:
        raise _unreadable(entry, f"the message is longer than {LONGEST_MESSAGE} characters")
    return text


def _severity(entry: _Entry | None) -> Severity:
    if entry is None:
        return "warning"
    said = " ".join(_unquoted(" ".join(value for _, value in entry.values)).lower().split())
    if said not in _SEVERITIES:
        message = (
            f"{_shown(said)} is no severity: write critical, warning, info, or MUST, SHOULD, MAY"
        )
        raise _unreadable(entry, message)
    return _SEVERITIES[said]


def _pattern(what: What, name: str) -> Pattern:
    if what == "regex":
        return compile_pattern(name)
    if any(c.isspace() for c in name):
        raise PatternError("a name has no spaces")
    if not name.strip("*./:\\"):
        raise PatternError("it is every name: say which")
    parts = [_spelled(part, what) for part in name.split("*")]
    if what == "import":
        # A module, and what is in it.
        return compile_pattern(f"^{'.*'.join(parts)}(?:$|[./:\\\\])")
    return compile_pattern(f"^{'.*'.join(parts)}(?:/v[0-9]+)?$", ignore_case=True)


def _spelled(text: str, what: What) -> str:
    """A pattern of a piece of a name. `-`, `_` and `.` are the same in the name of a package."""
    escaped = re.escape(text)
    return re.sub(r"\\[-.]|_", "[-_.]", escaped) if what == "dependency" else escaped


def _unquoted(text: str) -> str:
    """The text without the quotes around it; two quoted pieces in a row are left as they are."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`" and text[0] not in text[1:-1]:
        return text[1:-1]
    return text


def _shown(text: str) -> str:
    line = one_line(text)
    return f"`{line}`" if len(line) <= 80 else f"`{line[:79]}…`"


def _unreadable(entry: _Entry, message: str) -> _Unreadable:
    return _Unreadable(entry.line, message, entry.text)
