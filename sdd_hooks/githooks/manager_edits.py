"""Edits of a hook manager's files that add the lines of sdd, or take them out.

A configuration is edited only where a parser then reads the same as before, and what sdd adds.
"""

# Governing: ADR-0005 (hook shims decide in sh), SPEC-0004 REQ "Installing hooks"

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from sdd_hooks.githooks.manager_lines import script_block, with_lefthook, without_lefthook
from sdd_hooks.githooks.managers import Manager, find_configuration, is_shell_script, read_text
from sdd_hooks.githooks.shims import EVENTS, REVIEW_EVENTS
from sdd_hooks.system.file_edits import FileEdit, apply_edits

_EVERY = (*EVENTS, *REVIEW_EVENTS)
_FIRST_LINE = b"#!/bin/sh\n"


def plan_lines(
    manager: Manager, root: Path, events: Sequence[str], *, review: bool
) -> tuple[FileEdit, ...]:
    """The edits that make husky, lefthook or a team's scripts run sdd on `events`.

    There are none where lines have to be added by hand: scripts that no shell runs, TOML, JSON.
    """
    if manager.scripts:
        return tuple(_script_edits(manager, manager.scripts, root, events, review))
    name = find_configuration("lefthook", root) if manager.name == "lefthook" else ""
    if not name.endswith((".yml", ".yaml")):
        return ()
    text = read_text(root / name)
    after = with_lefthook(text if text.endswith("\n") or not text else f"{text}\n", events, review)
    is_safe = _others(text) == _others(after)
    return (FileEdit(name, text.encode(), after.encode()),) if is_safe else ()


def plan_removal(manager: Manager, root: Path) -> tuple[FileEdit, ...]:
    """The edits that take the lines of `plan_lines` out, and a script that is empty without them.

    There are none for lines that were changed since.
    """
    if manager.scripts:
        return tuple(_script_removals(manager.scripts, root))
    name = find_configuration("lefthook", root) if manager.name == "lefthook" else ""
    if not name.endswith((".yml", ".yaml")):
        return ()
    text = read_text(root / name)
    after = without_lefthook(text, _EVERY)
    is_safe = after != text and _others(text) == _others(after)
    return (FileEdit(name, text.encode(), after.encode()),) if is_safe else ()


def _script_removals(folder: Path, root: Path) -> Iterator[FileEdit]:
    for event in _EVERY:
        path = folder / event
        before = path.read_bytes() if path.is_file() else b""
        for review, others in product((False, True), repeat=2):
            block = f"{script_block(event, review, others=others)}\n".encode()
            if block in before:
                after = before.replace(block, b"", 1)
                is_empty = after.strip() in (b"", _FIRST_LINE.strip())
                yield FileEdit(os.path.relpath(path, root), before, None if is_empty else after)
                break


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


def _others(text: str) -> object:
    """What a configuration has besides the lines of sdd; its text if it cannot be read."""
    import yaml

    try:
        content = yaml.safe_load(text) or {}
        for event in _EVERY:
            if event in content:
                commands = content[event].get("commands", {})
                commands.pop("sdd", None)
                content[event] = {**content[event], "commands": commands}
        return {event: block for event, block in content.items() if block != {"commands": {}}}
    except (yaml.YAMLError, AttributeError, TypeError):
        return text
