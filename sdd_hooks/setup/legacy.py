"""Settings of the earlier plug-in: a `.claude-plugin-design.json` beside the memory file."""

# Governing: ADR-0007 (Markdown-native configuration)

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.errors import ConfigurationError

FILE_NAME = ".claude-plugin-design.json"

Settings = Mapping[str, tuple[tuple[str, str], ...]]
"""Section title -> (key, value), in the order of the file."""

_SECTIONS = {
    "tracker_config": "Tracker",
    "branches": "Branch Conventions",
    "pr_conventions": "PR Conventions",
    "review": "Review",
    "worktrees": "Worktrees",
    "projects": "Projects",
}
_UPPER = {"id": "ID", "url": "URL", "pr": "PR"}


@dataclass(frozen=True)
class LegacySettings:
    """The settings to migrate to the memory file, and the JSON keys that have no section there."""

    settings: Settings
    unknown_keys: tuple[str, ...]


def parse_legacy_settings(data: bytes, path: Path) -> LegacySettings:
    """Parse the JSON file. Nulls stand for the default and are left out.

    Raises ConfigurationError when the file is not a JSON object.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 0
        raise ConfigurationError(
            "is not valid JSON: correct it or remove the file, then run `sdd init` again",
            path,
            line,
        ) from None
    if not isinstance(document, dict):
        raise ConfigurationError("holds no JSON object: remove the file", path)
    sections: dict[str, list[tuple[str, str]]] = {}
    unknown: list[str] = []
    tracker = document.pop("tracker", None)
    if tracker is not None:
        _collect(sections.setdefault("Tracker", []), "type", tracker, "tracker", unknown)
    for name, value in document.items():
        section = _SECTIONS.get(name)
        if section is None or not isinstance(value, dict):
            unknown.append(_one_line(name))
            continue
        for key, item in value.items():
            if item is not None:
                _collect(sections.setdefault(section, []), key, item, f"{name}.{key}", unknown)
    settings = {title: tuple(pairs) for title, pairs in sections.items() if pairs}
    return LegacySettings(settings, tuple(unknown))


def _collect(
    pairs: list[tuple[str, str]], key: str, value: object, name: str, unknown: list[str]
) -> None:
    text = _value(value)
    if text is None or not key.strip():
        unknown.append(_one_line(name))
    else:
        pairs.append((_key(key), text))


def _value(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return _one_line(str(value)) or None
    if isinstance(value, list):
        parts = [_value(item) for item in value]
        if parts and all(part is not None and "," not in part for part in parts):
            return ", ".join(part for part in parts if part)
    return None


def _key(name: str) -> str:
    words = _one_line(name).replace("*", "").replace("_", " ").split()
    return " ".join(_UPPER.get(word.lower(), word[:1].upper() + word[1:]) for word in words)


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
