"""The configuration of a repository, read from its memory file.

`### SDD Configuration` holds bold-key bullets under `####` headings. Real files also have keys
directly under the section, headings of other levels, and variations of the names. Unambiguous
variations are accepted, unknown names become warnings, and invalid values are errors. Warnings and
errors name the file and line.
"""

# Governing: ADR-0007 (Markdown-native configuration)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from sdd_hooks.config.keys import GROUPS, SettingGroup, SettingKey
from sdd_hooks.config.memory_file import (
    CONFIGURATION,
    MemoryFile,
    MemorySection,
    UnreadableMemoryFile,
    WrittenSetting,
    find_memory_file,
    normalize_key,
    read_settings,
)
from sdd_hooks.config.settings import (
    BranchSettings,
    FreshnessSettings,
    KnowledgeSettings,
    ProjectSettings,
    PullRequestSettings,
    ReviewSettings,
    SearchSettings,
    TrackerSettings,
    WorktreeSettings,
)
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex


class ConfigurationWarning(NamedTuple):
    """A problem in the configuration that is not an error, with its file and line (0: none)."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


class WrittenValue(NamedTuple):
    """A value in a memory file, and where it is. `group` and `key` are the names of its fields."""

    group: str
    key: str
    value: object
    path: Path
    line: int


class Configuration(NamedTuple):
    """Every setting of a repository or module, with its default where the memory file has none."""

    memory_file: Path | None = None
    tracker: TrackerSettings = TrackerSettings()
    freshness: FreshnessSettings = FreshnessSettings()
    search: SearchSettings = SearchSettings()
    branches: BranchSettings = BranchSettings()
    pull_requests: PullRequestSettings = PullRequestSettings()
    review: ReviewSettings = ReviewSettings()
    worktrees: WorktreeSettings = WorktreeSettings()
    projects: ProjectSettings = ProjectSettings()
    knowledge: KnowledgeSettings = KnowledgeSettings()
    warnings: tuple[ConfigurationWarning, ...] = ()
    written: tuple[WrittenValue, ...] = ()

    def locate(self, group: str, key: str) -> tuple[Path, int] | None:
        """The file and the line of a value; None for a default, or a value of another source.

        `group` and `key` are names of fields, such as `search` and `engine`.
        """
        value = getattr(getattr(self, group), key)
        for one in reversed(self.written):
            if (one.group, one.key) == (group, key):
                return (one.path, one.line) if one.value == value else None
        return None


MAX_WARNINGS = 20
"""Further warnings are dropped: a file in a foreign format would have one for each line."""

_Match = tuple[SettingGroup, SettingKey]
_Index = dict[str, list[_Match]]

# `(none)`, `-`: placeholders for a value.
_PLACEHOLDER = lazy_regex(r"\([^()]*\)|[-–—]+")

_USUAL_LEVEL = 4
_BY_NAME = {name: group for group in GROUPS for name in group.names}


def load_configuration(root: Path, inherit: Configuration | None = None) -> Configuration:
    """Read the configuration from the memory file in the directory `root`.

    For a module, `inherit` is the repository's configuration: its values apply to the keys that the
    module's memory file does not set. Raises ConfigurationError for an invalid value.
    """
    memory, unreadable = find_memory_file(root)
    return apply_memory_file(memory, unreadable, inherit or Configuration())


def apply_memory_file(
    memory: MemoryFile | None, unreadable: Sequence[UnreadableMemoryFile], base: Configuration
) -> Configuration:
    """Return `base` with the settings of the memory file, key by key, and only its warnings.

    Raises ConfigurationError for an invalid value.
    """
    warnings = [ConfigurationWarning(u.path, 0, f"not read: {u.reason}") for u in unreadable]
    if memory is None:
        return base._replace(memory_file=None, warnings=tuple(warnings))
    values: dict[tuple[str, str], WrittenValue] = {}
    for setting in _settings(memory):
        if isinstance(setting, _Problem):
            if len(warnings) < MAX_WARNINGS:
                text = setting.text + _closest(setting.name, setting.known)
                warnings.append(ConfigurationWarning(memory.path, setting.line, text))
            continue
        place = (setting.group.field, setting.key.name)
        if place in values and len(warnings) < MAX_WARNINGS:
            text = f"{setting.key.name!r} is set twice: this value applies"
            warnings.append(ConfigurationWarning(memory.path, setting.line, text))
        value = _parse_value(memory.path, setting)
        names = (setting.group.field, setting.key.field)
        values[place] = WrittenValue(*names, value, memory.path, setting.line)
    # A key without a field has no effect.
    written = [one for one in values.values() if one.key]
    changed: dict[str, Any] = {}
    for group in GROUPS:
        fields = {one.key: one.value for one in written if one.group == group.field}
        changed[group.field] = getattr(base, group.field)._replace(**fields)
    return base._replace(
        memory_file=memory.path,
        warnings=tuple(warnings),
        written=(*base.written, *written),
        **changed,
    )


class _Setting(NamedTuple):
    group: SettingGroup
    key: SettingKey
    value: str
    line: int


class _Problem(NamedTuple):
    """An unknown or ambiguous name. `known` are the names that `name` may be a misspelling of."""

    text: str
    line: int
    name: str = ""
    known: tuple[str, ...] = ()


def _settings(memory: MemoryFile) -> Iterator[_Setting | _Problem]:
    """Yield the settings of the memory file, and the problems in its configuration."""
    for top, *subsections in memory.find_sections(*CONFIGURATION):
        for written in read_settings(top, _BY_NAME):
            group = _BY_NAME.get(normalize_key(written.group))
            yield from _resolve(group, written, strict=False)
        ignored_level = 0
        for section in subsections:
            if ignored_level and section.level > ignored_level:
                continue
            group = _BY_NAME.get(normalize_key(section.title))
            ignored_level = 0 if group else section.level
            if group is None:
                text = f"unknown section {_quoted(section.title)}"
                known = tuple(group.name for group in GROUPS)
                yield _Problem(text, section.number, section.title, known)
                continue
            for written in read_settings(section):
                yield from _resolve(group, written, strict=True)
    yield from _misplaced(memory)


def _misplaced(memory: MemoryFile) -> Iterator[_Problem]:
    """Yield the sections of settings outside the configuration, which are ignored.

    Other documents have headings such as "Search" as well. So all bold keys of the section must be
    those of the settings, and a single one counts only below a heading of the usual level, or where
    the section follows the configuration.
    """
    groups = memory.find_sections(*CONFIGURATION)
    placed = {section.number for sections in groups for section in sections}
    top = groups[0][0] if groups else None
    place = f"{'#' * top.level} {top.title}" if top else "### SDD Configuration"
    follows = False
    for section in memory.sections:
        if section.number in placed:
            follows = True
            continue
        group = _BY_NAME.get(normalize_key(section.title[:60])) if section.level else None
        needed = 1 if follows or section.level == _USUAL_LEVEL else 2
        follows = group is not None and _has_only_settings_of(group, section, needed)
        if group and follows:
            level = "#" * min(top.level + 1, 6) if top else "#" * _USUAL_LEVEL
            text = f"{_quoted(section.title)} is ignored here: write it as"
            where = f"'{level} {group.name}' below {_quoted(place)}"
            yield _Problem(f"{text} {where}", section.number)


def _has_only_settings_of(group: SettingGroup, section: MemorySection, minimum: int) -> bool:
    """Whether all bold keys of the section are those of the group, at least `minimum` of them."""
    if normalize_key(section.title) != normalize_key(group.name):
        return False
    keys = {normalize_key(written.key) for written in read_settings(section) if written.is_bold}
    return len(keys) >= minimum and keys <= {normalize_key(key.name) for key in group.keys}


def _resolve(
    group: SettingGroup | None, written: WrittenSetting, *, strict: bool
) -> Iterator[_Setting | _Problem]:
    """Yield the setting that a written one means. `strict`: only keys of `group` are accepted."""
    name = normalize_key(written.key)
    matches = _match_in_group(group, name) if group else []
    if not matches and not strict:
        opened = _BY_NAME.get(name)
        if opened and not written.value:
            return
        matches = _match_in_group(opened, name) if opened else _match_anywhere(name)
    if len(matches) == 1:
        if written.value and not _PLACEHOLDER.fullmatch(written.value):
            yield _Setting(*matches[0], written.value, written.line)
    elif matches:
        places = " or ".join(f"'{group.name}'" for group, _ in matches)
        text = f"{_quoted(written.key)} is a key of {places}: put it under one of them"
        yield _Problem(text, written.line)
    elif written.is_bold or (written.is_bullet and group):
        names = tuple(key.name for g in ((group,) if group else GROUPS) for key in g.keys)
        where = f" in '{group.name}'" if group else ""
        text = f"unknown key {_quoted(written.key)}{where}"
        yield _Problem(text, written.line, written.key, names)


def _match_in_group(group: SettingGroup, name: str) -> list[_Match]:
    """Return the keys of the group with this name, alone or after the name of the group."""
    return [match for match in _match_anywhere(name) if match[0] is group] or [
        (group, key)
        for key in group.keys
        if any(name == prefix + own for prefix in group.names for own in key.names)
    ]


def _match_anywhere(name: str) -> list[_Match]:
    """Return the keys of all groups with this name, alone or after the name of their group."""
    exact, prefixed = _index()
    return exact.get(name) or prefixed.get(name) or []


@cache
def _index() -> tuple[_Index, _Index]:
    """Index the keys by their names, and by their names after the name of their group."""
    exact: _Index = {}
    prefixed: _Index = {}
    for group in GROUPS:
        for key in group.keys:
            for name in key.names:
                exact.setdefault(name, []).append((group, key))
                for prefix in group.names:
                    matches = prefixed.setdefault(prefix + name, [])
                    if (group, key) not in matches:
                        matches.append((group, key))
    return exact, prefixed


def _parse_value(path: Path, setting: _Setting) -> object:
    try:
        return setting.key.parse(setting.value)
    except ValueError as error:
        text = f"'{setting.key.name}' must be {error}, not {_quoted(setting.value)}"
        raise ConfigurationError(text, path, setting.line) from None


def _closest(name: str, names: Sequence[str]) -> str:
    """Return a suggestion for a misspelled name, "" when no name is close."""
    from difflib import get_close_matches

    by_name = {normalize_key(known): known for known in names}
    close = get_close_matches(normalize_key(name)[:80], by_name, n=1, cutoff=0.6)
    return f": did you mean '{by_name[close[0]]}'?" if close else ""


def _quoted(text: str) -> str:
    """Quote a text of the memory file, cut to 60 characters."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
