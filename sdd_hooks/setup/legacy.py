"""Settings of the tool's earlier form: a `.claude-plugin-design.json` beside the memory file."""

# Governing: ADR-0007 (Markdown-native configuration)

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.errors import ConfigurationError

FILE_NAME = ".claude-plugin-design.json"

Settings = Mapping[str, tuple[tuple[str, str], ...]]
"""Section title -> (key, value) in the order they were written."""

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
class Legacy:
    """The settings that have a place in the memory file, and the JSON keys that have none."""

    settings: Settings
    left: tuple[str, ...]


def parse(data: bytes, path: Path) -> Legacy:
    """Read the JSON file. Nulls mean the default and are left out.

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
    found: dict[str, list[tuple[str, str]]] = {}
    left: list[str] = []
    tracker = document.pop("tracker", None)
    if tracker is not None:
        _collect(found.setdefault("Tracker", []), "type", tracker, "tracker", left)
    for name, value in document.items():
        section = _SECTIONS.get(name)
        if section is None or not isinstance(value, dict):
            left.append(_one_line(name))
            continue
        for key, item in value.items():
            if item is not None:
                _collect(found.setdefault(section, []), key, item, f"{name}.{key}", left)
    return Legacy({title: tuple(pairs) for title, pairs in found.items() if pairs}, tuple(left))


def _collect(
    pairs: list[tuple[str, str]], key: str, value: object, name: str, left: list[str]
) -> None:
    written = _value(value)
    if written is None or not key.strip():
        left.append(_one_line(name))
    else:
        pairs.append((_key(key), written))


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
