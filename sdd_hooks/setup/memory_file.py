"""Add the sections that `sdd` reads to a memory file.

Each step adds what is missing and changes nothing else, so that a second run changes nothing. Text
is edited by position: all other bytes stay the same.
"""

# Governing: ADR-0007 (Markdown-native configuration), SPEC-0005 REQ "Initialisation"

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.config.memory_file import (
    MemoryFile,
    normalize_key,
    parse_memory_sections,
    read_settings,
)
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.project.layout import find_declarations
from sdd_hooks.setup.legacy import Settings
from sdd_hooks.text.decoding import split_mark
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import Section, parse_sections

CONTEXT = "Architecture Context"
CONFIGURATION = "SDD Configuration"

RENAMED = (
    ("Design Plugin Configuration", CONFIGURATION),
    ("Design Plugin Skills", "SDD Skills"),
)

_INTRODUCTION = (
    "Decisions and specifications govern the code. `sdd search` finds those that apply to a change."
)
_DECLARATIONS = {"adrs": "Architecture Decision Records", "specs": "Specifications"}
_BULLET = lazy_regex(r" {0,3}[-*+] ")


@dataclass(frozen=True)
class RequiredContent:
    """The content that a memory file needs: directories, settings to migrate, and defaults."""

    adrs: tuple[str, ...]
    specs: tuple[str, ...]
    migrated: Settings
    defaults: Settings


def add_sections(current: bytes | None, required: RequiredContent, path: Path) -> bytes | None:
    """The memory file with every required section once, or None if it needs no change.

    Raises ConfigurationError when the file cannot be extended safely: UTF-16, or a code fence or
    comment that would contain the added text.
    """
    if current is not None and current[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        raise ConfigurationError("is UTF-16: save it as UTF-8, then run `sdd init` again", path)
    mark, data = split_mark(current or b"")
    text = data.decode("utf-8", "surrogateescape")
    result = _with_sections(text, required)
    if result == text:
        return None
    if _with_sections(result, required) != result:
        raise ConfigurationError(
            "a code fence or HTML comment is never closed: close it, then run `sdd init` again",
            path,
        )
    return mark + result.encode("utf-8", "surrogateescape")


def find_old_headings(data: bytes) -> tuple[str, ...]:
    """Old headings that the user has to merge by hand, since their new form exists, too."""
    titles = {
        normalize_key(s.title) for s in parse_sections(data.decode("utf-8", "surrogateescape"))
    }
    return tuple(old for old, new in RENAMED if {normalize_key(old), normalize_key(new)} <= titles)


def _with_sections(text: str, required: RequiredContent) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    for old, new in RENAMED:
        text = _rename(text, old, new)
    text = _declare(text, required, newline)
    for title, pairs in required.migrated.items():
        text = _configure(text, title, pairs, newline, extend=True)
    for title, pairs in required.defaults.items():
        text = _configure(text, title, pairs, newline, extend=False)
    return text


def _rename(text: str, old: str, new: str) -> str:
    if _find(text, new):
        return text
    section = _find(text, old)
    if section is None:
        return text
    words = r"\s+".join(map(re.escape, old.split()))
    body = re.sub(words, new, text[section.start : section.end], count=1, flags=re.IGNORECASE)
    return text[: section.start] + body + text[section.end :]


def _declare(text: str, required: RequiredContent, newline: str) -> str:
    context = _find(text, CONTEXT)
    if context is None:
        bullets = [*_bullets("adrs", required.adrs), *_bullets("specs", required.specs)]
        lines = [f"## {CONTEXT}", "", _INTRODUCTION, *(["", *bullets] if bullets else [])]
        return _insert(text, len(text), lines, newline, tight=False)
    declared = {
        one.kind
        for one in find_declarations(MemoryFile(Path(), tuple(parse_memory_sections(text))))
    }
    missing = [("adrs", required.adrs), ("specs", required.specs)]
    lines = [
        bullet for kind, dirs in missing if kind not in declared for bullet in _bullets(kind, dirs)
    ]
    return _insert(text, context.end, lines, newline, tight=True) if lines else text


def _bullets(kind: str, directories: Sequence[str]) -> list[str]:
    return [f"- {_DECLARATIONS[kind]} are in `{directory or '.'}/`" for directory in directories]


def _configure(
    text: str, title: str, pairs: Sequence[tuple[str, str]], newline: str, *, extend: bool
) -> str:
    configuration = _find(text, CONFIGURATION)
    if configuration is None:
        context = _find(text, CONTEXT)
        level = context.level + 1 if context else 3
        at = _extent(text, context) if context else len(text)
        text = _insert(text, at, [f"{'#' * level} {CONFIGURATION}"], newline, tight=False)
        configuration = _find(text, CONFIGURATION)
        if configuration is None:
            return text
    end = _extent(text, configuration)
    flat = _keys(text[configuration.start : configuration.end])
    section = _find(text, title, lambda s: configuration.end <= s.start < end)
    if section is None:
        if normalize_key(title) in flat:
            return text
        lines = _settings(pairs, flat)
        heading = "#" * min(configuration.level + 1, 6)
        block = [f"{heading} {title}", "", *lines]
        return _insert(text, end, block, newline, tight=False) if lines else text
    lines = _settings(pairs, flat | _keys(text[section.start : section.end]))
    if not (extend and lines):
        return text
    return _insert(text, section.end, lines, newline, tight=True)


def _settings(pairs: Sequence[tuple[str, str]], present: set[str]) -> list[str]:
    return [f"- **{key}**: {value}" for key, value in pairs if normalize_key(key) not in present]


def _insert(text: str, at: int, lines: Sequence[str], newline: str, *, tight: bool) -> str:
    """Insert lines after the last non-blank line before `at`.

    A blank line separates them from the text, but not from a list that they continue (`tight`).
    """
    kept = len(text[:at].rstrip())
    broken = re.compile(r"\r?\n|\Z").search(text, kept)
    end = broken.start() if broken else kept
    head, tail = text[:end], text[end:]
    last = head[max(head.rfind("\n"), head.rfind("\r")) + 1 :]
    glue = newline if tight and _BULLET.match(last) else newline * 2
    if not tail.strip():
        tail = tail or newline
    elif not re.match(r"(\r?\n){2}", tail):
        tail = newline + tail
    return (head + glue if head.strip() else head) + newline.join(lines) + tail


def _find(
    text: str, title: str, where: Callable[[Section], bool] = lambda _: True
) -> Section | None:
    wanted = normalize_key(title)
    return next(
        (
            s
            for s in parse_sections(text)
            if s.level and normalize_key(s.title) == wanted and where(s)
        ),
        None,
    )


def _extent(text: str, section: Section) -> int:
    """The end of the section including its subsections."""
    after = (
        s.start
        for s in parse_sections(text)
        if s.start > section.start and s.level <= section.level
    )
    return next(after, len(text))


def _keys(text: str) -> set[str]:
    return {
        normalize_key(entry.key)
        for section in parse_memory_sections(text)
        for entry in read_settings(section)
    }
