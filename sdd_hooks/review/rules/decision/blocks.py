"""The rules that an ADR states in fenced blocks that begin with `sdd-rule`.

    forbid import: sqlalchemy
    in: src/**
    except: src/storage/**
    message: All SQL goes through storage.
    severity: MUST

A block is one rule in lines of `key: value`. A value is the rest of the line, unchanged, or a list
of items on the following lines, each behind a `-`. docs/decision-rules.md documents the format.
"""

# Governing: ADR-0021 (a decision's own rules run in linear time), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, get_args

from sdd_hooks.findings import Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rules.decision.kinds import KINDS, RuleKind
from sdd_hooks.text.display import one_line
from sdd_hooks.text.globs import compile_glob
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.linear_regex import Pattern
from sdd_hooks.text.markdown import FencedBlock, find_fenced_blocks

MARK = "sdd-rule"
"""The first word of the info string of a block."""
MAX_BLOCKS = 50
"""Blocks of one record that are read."""
MAX_ITEMS = 100
"""Items of one key."""
MAX_LINE = 2_000
"""Characters of a line."""
MAX_MESSAGE = 500
"""Characters of a message, and of a glob."""

RuleVerb = Literal["forbid", "require"]


class DecisionRule(NamedTuple):
    """One thing that a decision forbids or requires.

    `what` is the name of its kind, and `names` are its regular expressions, modules or packages, as
    written. The rule applies to files
    that match a glob of `within` (all files when empty) and no glob of `outside`. `line` is the
    line of the record that states it.
    """

    verb: RuleVerb
    what: str
    names: tuple[str, ...]
    within: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    message: str = ""
    severity: Severity = "warning"
    line: int = 0

    @property
    def kind(self) -> RuleKind:
        """What the rule forbids or requires."""
        return KINDS[self.what]

    @property
    def substance(self) -> DecisionRule:
        """The rule without its message and line, which can change without a new decision."""
        return self._replace(message="", line=0)

    def path_filter(self) -> Callable[[str], bool]:
        """A function that decides whether the rule applies to a path.

        `in` ignores case: on some systems, `SRC/a.py` is a file in `src`.
        """
        within = [_glob(pattern.lower()) for pattern in self.within]
        outside = [_glob(pattern) for pattern in self.outside]

        def applies_to(path: str) -> bool:
            lowered = path.lower()
            included = not within or any(matches(lowered) for matches in within)
            return included and not any(matches(path) for matches in outside)

        return applies_to

    def patterns(self) -> tuple[Pattern, ...]:
        """A pattern for each name: of a line, of a module, or of a package."""
        return tuple(self.kind.pattern(name) for name in self.names)


class BlockError(NamedTuple):
    """The reason why a block is no valid rule: the line, an advice, and the text as evidence."""

    line: int
    message: str
    text: str


class _Entry(NamedTuple):
    """A key of a block with its values, and the line of each."""

    line: int
    text: str
    values: list[tuple[int, str]]


class _InvalidBlock(ValueError):
    def __init__(self, line: int, message: str, text: str) -> None:
        super().__init__(message)
        self.error = BlockError(line, message, text)


_SEVERITIES: Mapping[str, Severity] = {
    **dict.fromkeys(("critical", "must", "must not", "shall", "shall not", "required"), "critical"),
    **dict.fromkeys(
        ("warning", "should", "should not", "recommended", "not recommended"), "warning"
    ),
    **dict.fromkeys(("info", "may", "optional"), "info"),
}
_STATEMENTS: Mapping[str, tuple[RuleVerb, str]] = {
    f"{verb} {what}": (verb, what) for verb in get_args(RuleVerb) for what in KINDS
}
_KEYS = (*_STATEMENTS, "in", "except", "message", "severity")
_KEY = lazy_regex(r"([A-Za-z][A-Za-z _-]{0,40})[ \t]*:(?:[ \t]+(.*)|$)")
_COMMA = lazy_regex(r",(?![^{]*\})")


def read_rules(text: str) -> tuple[tuple[DecisionRule, ...], tuple[BlockError, ...]]:
    """Read the rules of a record, and the errors of its invalid blocks. Never raises."""
    rules: list[DecisionRule] = []
    errors: list[BlockError] = []
    for count, block in enumerate(_find_blocks(text)):
        if count == MAX_BLOCKS:
            message = f"it is the record's block number {MAX_BLOCKS + 1}, and is not read"
            errors.append(BlockError(block.line, message, MARK))
            break
        try:
            rules.append(_parse_block(block))
        except _InvalidBlock as error:
            errors.append(error.error)
    return tuple(rules), tuple(errors)


def _find_blocks(text: str) -> Iterator[FencedBlock]:
    if MARK in text:
        yield from (
            one for one in find_fenced_blocks(text) if one.info.split(None, 1)[:1] == [MARK]
        )


def _parse_block(block: FencedBlock) -> DecisionRule:
    entries = _parse_entries(block)
    stated = [key for key in _STATEMENTS if key in entries]
    if not stated:
        message = "it says neither what it forbids nor what it requires: begin with `forbid regex:`"
        raise _InvalidBlock(block.line, message, MARK)
    if len(stated) > 1:
        second = max((entries[key] for key in stated), key=lambda entry: entry.line)
        message = "a block is one rule: put the second one into its own block"
        raise _InvalidBlock(second.line, message, second.text)
    entry = entries[stated[0]]
    verb, what = _STATEMENTS[stated[0]]
    rule = DecisionRule(
        verb,
        what,
        _validate(entry, _items(entry, split=KINDS[what].splits), KINDS[what].pattern),
        _globs(entries.get("in")),
        _globs(entries.get("except")),
        _message(entries.get("message")),
        _severity(entries.get("severity")),
        entry.line,
    )
    if "in" in entries and not rule.within:
        raise _invalid(entries["in"], "`in` has no glob: write one, or leave it out")
    return rule


def _parse_entries(block: FencedBlock) -> dict[str, _Entry]:
    """Parse the lines of a block into its keys. Raises _InvalidBlock."""
    entries: dict[str, _Entry] = {}
    entry: _Entry | None = None
    for number, raw in enumerate(block.text.split("\n"), block.line + 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if len(line) > MAX_LINE:
            raise _InvalidBlock(number, f"the line has more than {MAX_LINE:,} characters", MARK)
        matched = _KEY.match(line)
        key = " ".join(matched[1].lower().split()) if matched else ""
        if entry and line.startswith("- "):
            entry.values.append((number, line[2:].strip()))
        elif key not in _KEYS and entry is entries.get("message") and entry and raw[:1].isspace():
            entry.values.append((number, line))
        elif matched is None or key not in _KEYS:
            raise _InvalidBlock(number, _describe_unknown(key, line), line)
        elif key in entries:
            raise _InvalidBlock(
                number, f"`{key}` is said twice: put its items below each other", line
            )
        else:
            value = (matched[2] or "").strip()
            entry = _Entry(number, line, [(number, value)] if value else [])
            entries[key] = entry
        if entry and len(entry.values) > MAX_ITEMS:
            raise _InvalidBlock(number, f"there are more than {MAX_ITEMS} items", line)
    return entries


def _describe_unknown(key: str, line: str) -> str:
    from difflib import get_close_matches

    known = ", ".join(f"`{name}`" for name in _KEYS)
    if not key:
        return f"{_shown(line)} is no `key: value`; the keys are {known}"
    close = get_close_matches(key, _KEYS, 1)
    hint = f"did you mean `{close[0]}`?" if close else f"the keys are {known}"
    return f"there is no key {_shown(key)}: {hint}"


def _items(entry: _Entry, *, split: bool) -> list[tuple[int, str]]:
    """The values of a key by their lines; `split` divides them at commas outside of braces."""
    items: list[tuple[int, str]] = []
    for line, value in entry.values:
        text = value
        if split and text.startswith("[") and text.endswith("]"):
            text = text[1:-1]
        parts = _COMMA.split(text) if split else [text]
        items.extend((line, _unquoted(part.strip())) for part in parts)
    items = [(line, item) for line, item in items if item]
    if len(items) > MAX_ITEMS:
        raise _invalid(entry, f"there are more than {MAX_ITEMS} items")
    return items


def _validate(
    entry: _Entry, items: Sequence[tuple[int, str]], check: Callable[[str], object]
) -> tuple[str, ...]:
    """The items as they are. Raises _InvalidBlock when there is none, or `check` rejects one."""
    if not items:
        raise _invalid(entry, f"{_shown(entry.text)} has no value: write it behind the colon")
    for line, item in items:
        try:
            check(item)
        except ValueError as error:
            message = f"{_shown(item)} cannot be used: {one_line(str(error))}"
            raise _InvalidBlock(line, message, item) from None
    return tuple(item for _, item in items)


def _globs(entry: _Entry | None) -> tuple[str, ...]:
    if entry is None:
        return ()
    items = _items(entry, split=True)
    return _validate(entry, items, _glob) if items else ()


def _glob(pattern: str) -> Callable[[str], bool]:
    """Compile a glob. `src/` matches everything below it; one without a slash, any folder."""
    if len(pattern) > MAX_MESSAGE:
        raise ValueError(f"it is longer than {MAX_MESSAGE} characters")
    whole = pattern.removeprefix("./")
    if "/" not in whole:
        whole = f"**/{whole}"
    whole = whole.removeprefix("/")
    return compile_glob(f"{whole}**" if whole.endswith("/") else whole)


def _message(entry: _Entry | None) -> str:
    if entry is None:
        return ""
    text = _unquoted(one_line(" ".join(value for _, value in entry.values)))
    if len(text) > MAX_MESSAGE:
        raise _invalid(entry, f"the message is longer than {MAX_MESSAGE} characters")
    return text


def _severity(entry: _Entry | None) -> Severity:
    if entry is None:
        return "warning"
    word = " ".join(_unquoted(" ".join(value for _, value in entry.values)).lower().split())
    if word not in _SEVERITIES:
        message = (
            f"{_shown(word)} is no severity: write critical, warning, info, or MUST, SHOULD, MAY"
        )
        raise _invalid(entry, message)
    return _SEVERITIES[word]


def _unquoted(text: str) -> str:
    """The text without the quotes around it. Two quoted parts in a row are left unchanged."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`" and text[0] not in text[1:-1]:
        return text[1:-1]
    return text


def _shown(text: str) -> str:
    line = one_line(text)
    return f"`{line}`" if len(line) <= 80 else f"`{line[:79]}…`"


def _invalid(entry: _Entry, message: str) -> _InvalidBlock:
    return _InvalidBlock(entry.line, message, entry.text)
