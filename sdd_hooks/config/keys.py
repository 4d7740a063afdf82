"""The keys of the configuration: their names, the fields they fill, and how their values parse.

A parser takes the text of a value and returns it in its type, or raises ValueError with a message
that completes the sentence "Key must be …".
"""

# Governing: ADR-0007 (Markdown-native configuration)

from __future__ import annotations

import re
from collections.abc import Callable

from sdd_hooks.config.memory_file import normalize_key
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.durations import parse_duration
from sdd_hooks.text.lazy_regex import lazy_regex

ValueParser = Callable[[str], object]

_YES = frozenset({"true", "yes", "on", "enabled", "1"})
_NO = frozenset({"false", "no", "off", "disabled", "0"})
_NOTE = lazy_regex(r"(?<!\s)\s+\([^()]*\)$")
_REF = lazy_regex(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,99}")


def parse_text(value: str) -> str:
    """Accept any text."""
    return value


def parse_word(value: str) -> str:
    """Parse a name, in lower case."""
    return value.lower()


def parse_flag(value: str) -> bool:
    """Parse `true` or `false`, or a common synonym."""
    word = _without_note(value).lower()
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise ValueError("true or false")


def parse_seconds(value: str) -> float:
    """Parse a duration into seconds."""
    try:
        return parse_duration(_without_note(value))
    except ValueError:
        raise ValueError("a duration such as 30m, 4h or 1h30m") from None


def parse_fraction(value: str) -> float:
    """Parse a percentage into a number from 0 to 1."""
    match = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)\s*(%?)", _without_note(value))
    if match:
        number = float(match[1])
        number = number if number <= 1 and not match[2] else number / 100
        if number <= 1:
            return number
    raise ValueError("a percentage such as 50%")


def parse_ref_part(value: str) -> str:
    """Parse a part of the name of a git branch, without slashes at its end."""
    if _REF.fullmatch(value) and ".." not in value and not value.endswith((".", ".lock")):
        return value.rstrip("/")
    raise ValueError("letters, digits, '-', '_', '.' and '/' as in the name of a branch")


def whole_number(minimum: int, maximum: int) -> ValueParser:
    """Return a parser of whole numbers from `minimum` to `maximum`."""

    def parse(value: str) -> int:
        digits = _without_note(value)
        if re.fullmatch(r"[0-9]{1,9}", digits) and minimum <= int(digits) <= maximum:
            return int(digits)
        raise ValueError(f"a whole number from {minimum} to {maximum}")

    return parse


def one_of(*names: str) -> ValueParser:
    """Return a parser of one of `names`, in any case, with spaces or underscores for hyphens."""

    def parse(value: str) -> str:
        name = re.sub(r"[\s_]+", "-", _without_note(value).lower())
        if name in names:
            return name
        raise ValueError(f"{', '.join(names[:-1])} or {names[-1]}")

    return parse


def _without_note(value: str) -> str:
    """Strip a note in parentheses from the end of a value."""
    return _NOTE.sub("", value).strip("` ")


class SettingKey(NamedTuple):
    """A key: its name, the field it fills, the parser of its value, and its aliases.

    A key without a field has no effect yet: its value is only validated.
    """

    name: str
    field: str
    parse: ValueParser
    aliases: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every accepted name, normalized."""
        return tuple(normalize_key(name) for name in (self.name, *self.aliases))


class SettingGroup(NamedTuple):
    """A section of keys: its name, the field of Configuration it fills, and its aliases."""

    name: str
    field: str
    keys: tuple[SettingKey, ...]
    aliases: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every accepted name, normalized."""
        return tuple(normalize_key(name) for name in (self.name, *self.aliases))


GROUPS = (
    SettingGroup(
        "Tracker",
        "tracker",
        (
            SettingKey("Type", "type", parse_word, ("Tracker", "Name")),
            SettingKey("Owner", "owner", parse_text, ("Organization", "Organisation")),
            SettingKey("Repo", "repo", parse_text, ("Repository",)),
            SettingKey("Project Key", "project_key", parse_text, ("Project",)),
            SettingKey("Team ID", "team_id", parse_text, ("Team", "Team Key")),
            SettingKey("URL", "url", parse_text, ("Host", "Base URL", "Instance", "Server")),
        ),
        ("Issue Tracker",),
    ),
    SettingGroup(
        "Index Freshness",
        "freshness",
        (
            SettingKey("Staleness Threshold", "staleness_threshold", parse_seconds, ("Staleness",)),
            SettingKey("Prime Interval", "prime_interval", parse_seconds),
            SettingKey("Issues Interval", "issues_interval", parse_seconds),
            SettingKey("Backfill", "backfill", parse_flag),
            SettingKey("Backfill Limit", "backfill_limit", whole_number(0, 100_000)),
            SettingKey("Backfill Load", "backfill_load", parse_fraction),
        ),
        ("Freshness",),
    ),
    SettingGroup(
        "Search",
        "search",
        (
            SettingKey("Engine", "engine", parse_word, ("Search Engine",)),
            SettingKey("Embed Model", "embed_model", parse_text, ("Embedding Model", "Model")),
            SettingKey("Vector Storage", "vector_storage", one_of("int8", "float32"), ("Vectors",)),
            SettingKey("Share Vectors", "share_vectors", parse_flag),
        ),
    ),
    SettingGroup(
        "Branch Conventions",
        "branches",
        (
            SettingKey("Enabled", "enabled", parse_flag),
            SettingKey("Prefix", "prefix", parse_ref_part, ("Story Prefix", "Feature Prefix")),
            SettingKey("Epic Prefix", "epic_prefix", parse_ref_part),
            SettingKey(
                "Slug Max Length", "slug_max_length", whole_number(1, 200), ("Slug Length",)
            ),
        ),
        ("Branch", "Branches", "Branch Naming"),
    ),
    SettingGroup(
        "PR Conventions",
        "pull_requests",
        (
            SettingKey("Enabled", "enabled", parse_flag),
            SettingKey("Close Keyword", "close_keyword", parse_text),
            SettingKey("Ref Keyword", "ref_keyword", parse_text, ("Reference Keyword",)),
            SettingKey(
                "Include Spec Reference", "include_spec_reference", parse_flag, ("Spec Reference",)
            ),
        ),
        ("PR", "PRs", "Pull Request Conventions", "Pull Requests"),
    ),
    SettingGroup(
        "Review",
        "review",
        (
            SettingKey("Max Pairs", "", whole_number(1, 100)),
            SettingKey("Merge Strategy", "merge_strategy", one_of("squash", "merge", "rebase")),
            SettingKey("Auto Cleanup", "", parse_flag),
            SettingKey("Fail On", "fail_on", one_of("critical", "warning", "info", "never")),
            SettingKey("Max Suggestions", "max_suggestions", whole_number(0, 100)),
            SettingKey("Incomplete", "incomplete", one_of("critical", "warning", "info")),
            SettingKey("Suppressions", "suppressions", one_of("all", "base")),
            SettingKey("Review Within", "review_within", whole_number(0, 3650)),
        ),
        ("Reviews",),
    ),
    SettingGroup(
        "Worktrees",
        "worktrees",
        (
            SettingKey("Base Dir", "base_dir", parse_text, ("Base Directory", "Directory")),
            SettingKey("Max Agents", "max_agents", whole_number(1, 100), ("Max Parallel Agents",)),
            SettingKey("Auto Cleanup", "", parse_flag),
            SettingKey("PR Mode", "", one_of("ready", "draft")),
        ),
        ("Worktree",),
    ),
    SettingGroup(
        "Projects",
        "projects",
        (
            SettingKey("Default Mode", "", parse_text),
            SettingKey("Views", "", parse_text),
            SettingKey("Columns", "", parse_text),
            SettingKey("Iteration Weeks", "", whole_number(1, 52)),
            SettingKey("Hotspot Threshold", "hotspot_threshold", parse_fraction),
        ),
    ),
    SettingGroup(
        "Knowledge",
        "knowledge",
        (SettingKey("Path", "path", parse_text),),
        ("Knowledge Base",),
    ),
)
