"""The configuration of a repository, read from its memory file.

`### SDD Configuration` holds bold-key bullets under `####` headings. Real files also have the keys
directly under the section, other levels of headings, and small variations of the names; what is
meant is accepted, what is not understood becomes a warning, and a value that cannot be used is an
error, both with file and line.
"""

# Governing: ADR-0007 (Markdown-native configuration)

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sdd_hooks.config.entries import Entry, entries, squeezed
from sdd_hooks.config.keys import GROUPS, Group, Key
from sdd_hooks.config.memory_file import CONFIGURATION, MemoryFile, Unreadable, find_memory_file
from sdd_hooks.config.settings import (
    BranchSettings,
    FreshnessSettings,
    ProjectSettings,
    PullRequestSettings,
    ReviewSettings,
    SearchSettings,
    TrackerSettings,
    WorktreeSettings,
)
from sdd_hooks.errors import ConfigurationError


class ConfigurationWarning(NamedTuple):
    """Something in the configuration that is not understood, and where it stands."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


@dataclass(frozen=True)
class Configuration:
    """Every setting, with its default where nothing is said."""

    memory_file: Path | None = None
    tracker: TrackerSettings = field(default_factory=TrackerSettings)
    freshness: FreshnessSettings = field(default_factory=FreshnessSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    branches: BranchSettings = field(default_factory=BranchSettings)
    pull_requests: PullRequestSettings = field(default_factory=PullRequestSettings)
    review: ReviewSettings = field(default_factory=ReviewSettings)
    worktrees: WorktreeSettings = field(default_factory=WorktreeSettings)
    projects: ProjectSettings = field(default_factory=ProjectSettings)
    warnings: tuple[ConfigurationWarning, ...] = ()


MOST_WARNINGS = 20

_Index = dict[str, list[tuple[Group, Key]]]

# `(none)`, `-`: a place kept for a value.
_UNSAID = re.compile(r"\([^()]*\)|[-–—]+")

_BY_NAME = {name: group for group in GROUPS for name in group.names}


def load_configuration(root: Path, inherit: Configuration | None = None) -> Configuration:
    """The configuration that the memory file in the directory `root` declares.

    With `inherit`, a module's: what its own memory file does not say is as there. Raises
    ConfigurationError for a value that cannot be used.
    """
    memory, unreadable = find_memory_file(root)
    return read_configuration(memory, unreadable, inherit or Configuration())


def read_configuration(
    memory: MemoryFile | None, unreadable: Sequence[Unreadable], base: Configuration
) -> Configuration:
    """`base` with what the memory file says in its place, key by key; the warnings are its own."""
    warnings = [ConfigurationWarning(u.path, 0, f"not read: {u.reason}") for u in unreadable]
    if memory is None:
        return replace(base, memory_file=None, warnings=tuple(warnings))
    found: dict[tuple[str, str], object] = {}
    for setting in _settings(memory):
        if isinstance(setting, _Odd):
            # A file of somebody else's format would have a warning for every line.
            if len(warnings) < MOST_WARNINGS:
                text = setting.text + _closest(setting.name, setting.known)
                warnings.append(ConfigurationWarning(memory.path, setting.line, text))
            continue
        place = (setting.group.field, setting.key.field)
        if place in found and len(warnings) < MOST_WARNINGS:
            text = f"{setting.key.name!r} is said twice: this one counts"
            warnings.append(ConfigurationWarning(memory.path, setting.line, text))
        found[place] = _value(memory.path, setting)
    changed: dict[str, Any] = {}
    for group in GROUPS:
        fields = {field: value for (name, field), value in found.items() if name == group.field}
        changed[group.field] = getattr(base, group.field)._replace(**fields)
    return replace(base, memory_file=memory.path, warnings=tuple(warnings), **changed)


class _Setting(NamedTuple):
    group: Group
    key: Key
    value: str
    line: int


class _Odd(NamedTuple):
    """Something not understood: `name` may be meant as one of the `known` ones."""

    text: str
    line: int
    name: str = ""
    known: tuple[str, ...] = ()


def _settings(memory: MemoryFile) -> Iterator[_Setting | _Odd]:
    """What the memory file sets, and what in it nobody understands."""
    for top, *inside in memory.below(*CONFIGURATION):
        for entry in entries(top, _BY_NAME):
            group = _BY_NAME.get(squeezed(entry.group))
            yield from _understood(group, entry, strict=False)
        ignored = 0
        for section in inside:
            if ignored and section.level > ignored:
                continue
            group = _BY_NAME.get(squeezed(section.title))
            ignored = 0 if group else section.level
            if group is None:
                text = f"unknown section {_shown(section.title)}"
                known = tuple(group.name for group in GROUPS)
                yield _Odd(text, section.number, section.title, known)
                continue
            for entry in entries(section):
                yield from _understood(group, entry, strict=True)


def _understood(group: Group | None, entry: Entry, *, strict: bool) -> Iterator[_Setting | _Odd]:
    """The setting that an entry is. `strict`: under a heading of its group, where it must be."""
    name = squeezed(entry.key)
    matches = _keys(group, name) if group else []
    if not matches and not strict:
        opened = _BY_NAME.get(name)
        if opened and not entry.value:
            return
        matches = _keys(opened, name) if opened else _anywhere(name)
    if len(matches) == 1:
        if entry.value and not _UNSAID.fullmatch(entry.value):
            yield _Setting(*matches[0], entry.value, entry.line)
    elif matches:
        places = " or ".join(f"'{group.name}'" for group, _ in matches)
        text = f"{_shown(entry.key)} is a key of {places}: put it under one of them"
        yield _Odd(text, entry.line)
    elif entry.bold or (entry.bullet and group):
        names = tuple(key.name for g in ((group,) if group else GROUPS) for key in g.keys)
        where = f" in '{group.name}'" if group else ""
        yield _Odd(f"unknown key {_shown(entry.key)}{where}", entry.line, entry.key, names)


def _keys(group: Group, name: str) -> list[tuple[Group, Key]]:
    """The key of the group that a name means: its own, or with the group's name before it."""
    return [match for match in _anywhere(name) if match[0] is group] or [
        (group, key)
        for key in group.keys
        if any(name == prefix + own for prefix in group.names for own in key.names)
    ]


def _anywhere(name: str) -> list[tuple[Group, Key]]:
    """Every key that a name can mean where no group is said."""
    exact, prefixed = _index()
    return exact.get(name) or prefixed.get(name) or []


@cache
def _index() -> tuple[_Index, _Index]:
    """What each name means: as the name of a key, and as that with its group's name before it."""
    exact: _Index = {}
    prefixed: _Index = {}
    for group in GROUPS:
        for key in group.keys:
            for own in key.names:
                exact.setdefault(own, []).append((group, key))
                for prefix in group.names:
                    matches = prefixed.setdefault(prefix + own, [])
                    if (group, key) not in matches:
                        matches.append((group, key))
    return exact, prefixed


def _value(path: Path, setting: _Setting) -> object:
    try:
        return setting.key.read(setting.value)
    except ValueError as error:
        text = f"'{setting.key.name}' must be {error}, not {_shown(setting.value)}"
        raise ConfigurationError(text, path, setting.line) from None


def _closest(name: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    by_name = {squeezed(known): known for known in names}
    close = get_close_matches(squeezed(name)[:80], by_name, n=1, cutoff=0.6)
    return f": did you mean '{by_name[close[0]]}'?" if close else ""


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
