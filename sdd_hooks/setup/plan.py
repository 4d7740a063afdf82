"""What `sdd init` would change in a project, worked out before anything is written."""

# Governing: ADR-0007 (Markdown-native configuration), ADR-0012 (untrusted input never leaves the
# repository), SPEC-0005 REQ "Initialisation"

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.config.memory_file import MAX_MEMORY_FILE_BYTES, MEMORY_FILE_NAMES
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.project.project import Project
from sdd_hooks.setup import gitignore, legacy, memory_file
from sdd_hooks.setup.file_edits import Change
from sdd_hooks.system.files import read_inside, resolve_inside

IGNORE_FILE = ".gitignore"


@dataclass(frozen=True)
class Plan:
    """The files to write, none when the project is set up, and what a person should know."""

    changes: tuple[Change, ...]
    notes: tuple[str, ...]


def plan(project: Project) -> Plan:
    """Compare the project with what `sdd` needs.

    Raises ConfigurationError for a file that cannot be extended, PathRefused for one that leaves
    the repository.
    """
    root = project.repository.root
    changes: list[Change] = []
    notes: list[str] = []
    _add(changes, root / IGNORE_FILE, IGNORE_FILE, *_ignore(root))
    path = _memory_path(project)
    name = path.relative_to(root).as_posix()
    before = _read(root, name)
    old = _read(root, legacy.FILE_NAME)
    migrated: legacy.Settings = {}
    if old is not None:
        found = legacy.parse(old, root / legacy.FILE_NAME)
        migrated = found.settings
        notes.append(f"the settings in {legacy.FILE_NAME} belong in {name} now: remove the file")
        if found.left:
            notes.append(f"not migrated, as nothing reads it: {', '.join(found.left)}")
    after = memory_file.converge(before, _facts(project, migrated), path)
    _add(changes, path, name, before, after)
    content = after or before or b""
    for heading in memory_file.leftovers(content):
        notes.append(f"{name} has `{heading}` beside its new form: merge the two by hand")
    return Plan(tuple(changes), tuple(notes))


def _ignore(root: Path) -> tuple[bytes | None, bytes | None]:
    path = root / IGNORE_FILE
    if path.is_symlink():
        raise ConfigurationError("is a symlink, which git does not read: make it a file", path)
    before = _read(root, IGNORE_FILE)
    return before, gitignore.converge(before)


def _add(
    changes: list[Change], path: Path, name: str, before: bytes | None, after: bytes | None
) -> None:
    if after is not None:
        changes.append(Change(path, name, before, after))


def _memory_path(project: Project) -> Path:
    """The memory file that is configured, else the first there is, else one to create.

    A symlink from one name to another is common: the file it leads to is the one to edit.
    """
    root = project.repository.root
    configured = project.configuration.memory_file
    names = [configured.relative_to(root).as_posix()] if configured else []
    names += [name for name in MEMORY_FILE_NAMES if (root / name).exists()]
    return resolve_inside(root, names[0] if names else MEMORY_FILE_NAMES[0])


def _facts(project: Project, migrated: legacy.Settings) -> memory_file.Facts:
    directories = {
        kind: tuple(
            directory
            for collection in project.select((kind,), "")
            for directory in collection.directories
        )
        for kind in ("adrs", "specs")
    }
    defaults = {
        "Search": (("Engine", project.configuration.search.engine),),
        "Index Freshness": (("Staleness Threshold", "120m"),),
    }
    return memory_file.Facts(directories["adrs"], directories["specs"], migrated, defaults)


def _read(root: Path, name: str) -> bytes | None:
    try:
        return read_inside(root, name, MAX_MEMORY_FILE_BYTES)
    except FileNotFoundError:
        return None
