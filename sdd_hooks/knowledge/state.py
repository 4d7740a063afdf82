"""The state of the project: `context.json`, and `summary.md` for people."""

# Governing: SPEC-0028 REQ "State"

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sdd_hooks.errors import EXIT_USAGE, SddError, StorageError
from sdd_hooks.knowledge.entries import clean_text, one_line, parse_json, to_json
from sdd_hooks.knowledge.store import set_aside
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.knowledge_place import CONTEXT_DIRECTORY
from sdd_hooks.system.files import read_state, state_directory, write_atomically

CONTEXT_FILE = "context.json"
SUMMARY_FILE = "summary.md"

MAX_CONTEXT_BYTES = 1 << 20

TEXTS = (
    "project_name",
    "architecture_style",
    "project_structure_convention",
    "current_stage",
    "current_feature",
)
LISTS = ("completed_features", "active_patterns", "applied_lessons")

EMPTY: Mapping[str, object] = {
    "project_name": "",
    "tech_stack": {},
    "architecture_style": "",
    "project_structure_convention": "",
    "current_stage": "",
    "current_feature": "",
    "completed_features": [],
    "active_patterns": [],
    "applied_lessons": [],
}
"""Every field of the state, in its order."""


class StateRefused(SddError):
    """A state with a field of another type, or an unknown field."""

    exit_code = EXIT_USAGE
    code = "knowledge"


class NothingSaved(SddError):
    """No state was saved in this repository."""

    code = "no-context"


class SavedState(NamedTuple):
    """The fields of the state, and why the file cannot be read ("" if it can)."""

    fields: Mapping[str, object]
    damage: str = ""


def context_directory(root: Path) -> Path:
    """The directory of the state. Raises StorageError if a part is a symlink."""
    return state_directory(root, *CONTEXT_DIRECTORY.split("/"))


def read_state_of_project(root: Path) -> SavedState | None:
    """Read the saved state; None if none was saved."""
    path = context_directory(root) / CONTEXT_FILE
    try:
        data = parse_json(read_state(path, MAX_CONTEXT_BYTES))
        if not isinstance(data, dict):
            return SavedState(EMPTY, "is no JSON object")
        return SavedState({**EMPTY, **check_fields(data, strict=False)})
    except FileNotFoundError:
        return None
    except (ValueError, SddError) as error:
        return SavedState(EMPTY, f"cannot be read ({error})")


def check_fields(given: Mapping[str, object], *, strict: bool = True) -> dict[str, object]:
    """Return fields with texts that UTF-8 can express.

    Raises StateRefused for another type than the field has, and if `strict` for an unknown field.
    """
    checked: dict[str, object] = {}
    for name, value in given.items():
        if name in TEXTS:
            if not isinstance(value, str):
                raise StateRefused(f"{name} is no text")
            checked[name] = clean_text(value)
        elif name in LISTS:
            if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
                raise StateRefused(f"{name} is no list of texts")
            checked[name] = [text for text in dict.fromkeys(map(clean_text, value)) if text]
        elif name == "tech_stack":
            if not isinstance(value, dict):
                raise StateRefused("tech_stack is no JSON object")
            checked[name] = value
        elif strict:
            raise StateRefused(f"unknown field {name!r}: it is one of {', '.join(EMPTY)}")
        else:
            checked[name] = value
    return checked


def write_state_of_project(root: Path, fields: Mapping[str, object], *, damaged: bool) -> str:
    """Write `context.json` and `summary.md`. The caller holds the lock.

    A damaged file is renamed first. Returns the new name of it, "" without one. Raises StateRefused
    and StorageError.
    """
    directory = context_directory(root)
    text = to_json(dict(fields), indent=2) + "\n"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot create {directory} ({error.strerror}): check it") from None
    aside = set_aside(directory / CONTEXT_FILE).name if damaged else ""
    write_atomically(directory / CONTEXT_FILE, text.encode(), durable=True)
    write_atomically(directory / SUMMARY_FILE, render_summary(fields).encode(), durable=True)
    return aside


def render_summary(fields: Mapping[str, object]) -> str:
    """The state as a page of Markdown, with the fields that have a value."""
    lines = [f"# {one_line(str(fields['project_name'])) or 'Project'}", ""]
    for name in EMPTY:
        value = fields[name]
        if name == "project_name" or not value:
            continue
        label = name.replace("_", " ").capitalize()
        lines.append(f"- **{label}**: {_shown(value)}")
    return "\n".join(lines).rstrip() + "\n"


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{one_line(str(key))}: {_shown(one)}" for key, one in value.items())
    if isinstance(value, list):
        return ", ".join(one_line(str(one)) for one in value)
    return one_line(str(value))
