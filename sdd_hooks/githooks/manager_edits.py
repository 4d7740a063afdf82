"""Edits of a hook manager's files that add the lines of sdd, and those that take them out again.

A configuration is edited only where a parser then reads the same as before, and what sdd adds.
"""

# Governing: ADR-0005 (hook shims decide in sh), SPEC-0004 REQ "Installing hooks"

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sdd_hooks.githooks.manager_lines import script_block, with_lefthook
from sdd_hooks.githooks.managers import Manager, find_configuration, is_shell_script, read_text
from sdd_hooks.githooks.shims import EVENTS, REVIEW_EVENTS
from sdd_hooks.system.file_edits import FileEdit, apply_edits

_EVERY = (*EVENTS, *REVIEW_EVENTS)
_FIRST_LINE = b"#!/bin/sh\n"
_ENTRY = re.compile(r"^( +)sdd:\n\1 +run: .*\bsdd hook .*\n(?:\1 +use_stdin: true\n)?", re.M)
_EMPTY_KEY = re.compile(r"^( *)[\w-]+:\n(?!\n*\1[ #-])", re.M)


def plan_lines(
    manager: Manager, root: Path, events: Sequence[str], *, review: bool
) -> tuple[FileEdit, ...]:
    """The edits that make husky, lefthook or a team's scripts run sdd on `events`.

    There are none where lines have to be added by hand: scripts that no shell runs, TOML, JSON.
    """
    if manager.scripts:
        return tuple(_script_edits(manager, manager.scripts, root, events, review))
    name, text = _lefthook(manager, root)
    after = with_lefthook(text if text.endswith("\n") or not text else f"{text}\n", events, review)
    added = _parsed(with_lefthook("", events, review))
    return _edit(name, text, after) if name and _sum(_parsed(text), added) == _parsed(after) else ()


def plan_removal(manager: Manager, root: Path) -> tuple[FileEdit, ...]:
    """The edits that take out what `plan_lines` adds, and files that have nothing else."""
    if manager.scripts:
        return tuple(_script_removals(manager.scripts, root))
    name, text = _lefthook(manager, root)
    after = _EMPTY_KEY.sub("", _EMPTY_KEY.sub("", _ENTRY.sub("", text)))
    entries = {event: _at(_parsed(text), event, "commands", "sdd") for event in _EVERY}
    added = {event: {"commands": {"sdd": one}} for event, one in entries.items() if one}
    is_exact = after != text and _sum(_parsed(after), added) == _parsed(text)
    return _edit(name, text, after) if is_exact else ()


def write_edits(root: Path, edits: Sequence[FileEdit]) -> None:
    """Make the edits. git starts a script with a first line, which needs a mode for that."""
    apply_edits(root, edits)
    for edit in edits:
        if (edit.after or b"").startswith(b"#!"):
            path = root / edit.path
            path.chmod(path.stat().st_mode | 0o111)


def _script_edits(
    manager: Manager, folder: Path, root: Path, events: Sequence[str], review: bool
) -> Iterator[FileEdit]:
    for event in events:
        path = folder / event
        shown, before = os.path.relpath(path, root), path.read_bytes() if path.is_file() else None
        block = f"{script_block(event, review, others=before is not None)}\n".encode()
        if before is None:
            yield FileEdit(shown, None, (_FIRST_LINE if manager.is_direct else b"") + block)
        elif is_shell_script(read_text(path)):
            first, rest = b"", before
            if before.startswith(b"#!"):
                first, _, rest = before.partition(b"\n")
                first += b"\n"
            yield FileEdit(shown, before, first + block + rest)


def _script_removals(folder: Path, root: Path) -> Iterator[FileEdit]:
    for path in (folder / event for event in _EVERY):
        before = after = path.read_bytes() if path.is_file() else b""
        for review, others in ((False, False), (False, True), (True, False)):
            block = script_block(path.name, review, others=others)
            after = after.replace(f"{block}\n".encode(), b"")
        if after != before:
            left = None if after in (b"", _FIRST_LINE) else after
            yield FileEdit(os.path.relpath(path, root), before, left)


def _lefthook(manager: Manager, root: Path) -> tuple[str, str]:
    """The name and the text of lefthook's configuration in YAML, "" for another manager."""
    name = find_configuration("lefthook", root) if manager.name == "lefthook" else ""
    return (name, read_text(root / name)) if name.endswith((".yml", ".yaml")) else ("", "")


def _edit(name: str, before: str, after: str) -> tuple[FileEdit, ...]:
    return (FileEdit(name, before.encode(), after.encode()),)


def _parsed(text: str) -> Any:
    """The content of a configuration; a text of its own for one that cannot be read."""
    import yaml

    try:
        return yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        return str(error)


def _at(content: Any, *keys: str) -> Any:
    for key in keys:
        content = content.get(key) if isinstance(content, dict) else None
    return content


def _sum(one: Any, other: Any) -> Any:
    """One table with what the other one adds to it."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {**one, **{key: _sum(one.get(key), value) for key, value in other.items()}}
    return other
