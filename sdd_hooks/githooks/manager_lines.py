"""The lines that make a hook manager run sdd, for the place in its files where they work."""

# Governing: ADR-0005 (hook shims decide in sh)

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sdd_hooks.githooks.managers import (
    Manager,
    find_configuration,
    interpreter,
    is_shell_script,
    read_text,
)

_Commands = Mapping[str, Mapping[str, object]]
"""The entry of each event in the configuration of lefthook."""


def render_lines(
    manager: Manager, root: Path, events: Sequence[str], *, review: bool = False
) -> str:
    """What to add to the files of the manager so that it runs sdd on `events`.

    A comment names the file and the place in it; the lines below it work there as they are.
    """
    if manager.scripts:
        lines = _script_lines(manager.scripts, root, events, review, manager.is_direct)
    elif manager.name == "lefthook":
        lines = _lefthook_lines(root, events, review)
    else:
        lines = _pre_commit_lines(root, events, review)
    return "\n".join(lines) + "\n"


def _action(event: str, review: bool) -> str:
    """The argument of `sdd hook` for `event`."""
    return "check" if review and event == "pre-commit" else event


# Folders of scripts


def _script_lines(
    folder: Path, root: Path, events: Sequence[str], review: bool, is_direct: bool
) -> Iterator[str]:
    modes = []
    for event in events:
        path, action = folder / event, _action(event, review)
        shown, script = os.path.relpath(path, root), read_text(path)
        if not path.is_file():
            yield f"# {shown} (a new file)"
            if is_direct:
                yield "#!/bin/sh"
            yield _script_line(event, action)
        elif not is_shell_script(script):
            yield f"# {shown} (make this {interpreter(script)} script run the command)"
            yield f"sdd hook {action} ARGUMENTS"
        else:
            place = "below its first line" if script.startswith("#!") else "at its beginning"
            yield f"# {shown} ({place})"
            yield _PUSH_LINES if event == "pre-push" else _script_line(event, action)
        if is_direct and not os.access(path, os.X_OK):
            modes.append(shown)
    if modes:
        yield "# then run"
        yield shlex.join(["chmod", "+x", *modes])


# A broken installation exits with 1 as well, and must not refuse a commit.
_UNLESS_BROKEN = " || [ $? -ne 1 ] || ! sdd --version >/dev/null 2>&1"


# A program that bundles Python gives these to git, and git to its hooks.
_ISOLATED = "unset PYTHONHOME PYTHONPATH; "


def _script_line(event: str, action: str) -> str:
    unless, refuse = ("", "") if event.startswith("post-") else (_UNLESS_BROKEN, " || exit 1")
    run = f'({_ISOLATED}sdd hook {action} "$@"{unless}){refuse}'
    return f"if command -v sdd >/dev/null; then {run}; fi"


# git tells a pre-push hook once what is pushed: the rest of the script reads it again.
_PUSH_LINES = f"""\
if command -v sdd >/dev/null; then
  refs=$(cat)
  ({_ISOLATED}printf '%s\\n' "$refs" | sdd hook pre-push "$@"{_UNLESS_BROKEN}) || exit 1
  exec <<EOF
$refs
EOF
fi"""


# lefthook


def _lefthook_lines(root: Path, events: Sequence[str], review: bool) -> Iterator[str]:
    name = find_configuration("lefthook", root) or "lefthook.yml"
    text = read_text(root / name)
    commands = {event: _lefthook_command(event, review) for event in events}
    if name.endswith(".toml"):
        yield from _lefthook_toml(name, commands)
    elif name.endswith((".json", ".jsonc")):
        yield f"# {name} (to be merged with what is there)"
        entries = {event: {"commands": {"sdd": entry}} for event, entry in commands.items()}
        yield json.dumps(entries, indent=2)
    else:
        yield from _lefthook_yaml(name, text, commands)
    yield "# then run"
    yield "lefthook install"


def _lefthook_command(event: str, review: bool) -> dict[str, object]:
    arguments = "" if event.endswith("-commit") else " {0}"
    refuse = "" if event.startswith("post-") else _UNLESS_BROKEN
    action = f"{_ISOLATED}sdd hook {_action(event, review)}{arguments}{refuse}"
    entry: dict[str, object] = {"run": f"if command -v sdd >/dev/null; then {action}; fi"}
    return {**entry, "use_stdin": True} if event == "pre-push" else entry


def _lefthook_toml(name: str, commands: _Commands) -> Iterator[str]:
    yield f"# {name}"
    for event, entry in commands.items():
        yield f"[{event}.commands.sdd]"
        yield from (f"{key} = {json.dumps(value)}" for key, value in entry.items())


def _lefthook_yaml(name: str, text: str, commands: _Commands) -> Iterator[str]:
    """New events first; those that the file has already are keys that must not occur twice."""
    blocks = {event: _block(text, event) for event in commands}
    new = [event for event, block in blocks.items() if block is None]
    if new:
        yield f"# {name}"
    for event in new:
        yield f"{event}:"
        yield "  commands:"
        yield from _lefthook_entry(commands[event], "    ")
    for event, block in blocks.items():
        if block is None:
            continue
        indent = _indent(block, "  ")
        found = _block(block, f"{indent}commands")
        if found is None:
            yield f"# {name} (in its `{event}:`)"
            yield f"{indent}commands:"
            yield from _lefthook_entry(commands[event], indent * 2)
        else:
            yield f"# {name} (in its `{event}:`, under `commands:`)"
            yield from _lefthook_entry(commands[event], _indent(found, indent * 2))


def _lefthook_entry(entry: Mapping[str, object], indent: str) -> Iterator[str]:
    yield f"{indent}sdd:"
    for key, value in entry.items():
        yield f"{indent}  {key}: {'true' if value is True else value}"


def _block(text: str, key: str) -> str | None:
    """The lines below the line `key:` that are indented more; None without such a line."""
    depth = len(key) - len(key.lstrip())
    match = re.search(rf"^{re.escape(key)}:[ \t]*(#.*)?$", text, re.MULTILINE)
    if match is None:
        return None
    block = []
    for line in text[match.end() + 1 :].splitlines():
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            break
        block.append(line)
    return "\n".join(block)


def _indent(block: str, default: str) -> str:
    """The white space before the first key of a block."""
    for line in block.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            return line[: len(line) - len(line.lstrip())]
    return default


# pre-commit and prek


def _pre_commit_lines(root: Path, events: Sequence[str], review: bool) -> Iterator[str]:
    name = find_configuration("pre-commit", root) or ".pre-commit-config.yaml"
    text = read_text(root / name)
    listed = re.search(r"^repos:[ \t]*(?:#.*)?\n(?:[ \t]*(?:#.*)?\n)*([ \t]*)-", text, re.MULTILINE)
    if listed:
        yield f"# {name} (at the end of its `repos:`)"
    else:
        yield f"# {name}"
        yield "repos:"
    indent = listed[1] if listed else "  "
    yield f"{indent}- repo: local"
    yield f"{indent}  hooks:"
    for hook in _pre_commit_hooks(events, review):
        (first, *others) = hook.items()
        yield f"{indent}    - {first[0]}: {first[1]}"
        yield from (f"{indent}      {key}: {value}" for key, value in others)


def _pre_commit_hooks(events: Sequence[str], review: bool) -> Iterator[dict[str, str]]:
    after = [event for event in events if event.startswith("post-")]
    always = {"always_run": "true", "pass_filenames": "false"}
    if after:
        stages = f"[{', '.join(after)}]"
        yield _hook("sdd-refresh", "refresh the search index", "auto", stages) | always
    if "pre-commit" in events and not review:
        markdown = {"types": "[markdown]", "require_serial": "true"}
        yield _hook("sdd-frontmatter", "check ADRs and specs", "pre-commit") | markdown
    if "pre-merge-commit" in events:
        yield _hook("sdd-merge", "compare the numbers of records", "pre-merge-commit") | always
    if "pre-commit" in events and review:
        shown = {"pass_filenames": "false", "verbose": "true"}
        yield _hook("sdd-check", "review what is staged", "check", "[pre-commit]") | shown
    if "commit-msg" in events:
        name = "check the ids in the message"
        yield _hook("sdd-commit-msg", name, "commit-msg") | {"verbose": "true"}
    if "pre-push" in events:
        shown = {**always, "verbose": "true"}
        yield _hook("sdd-pre-push", "review what is pushed", "pre-push") | shown


def _hook(identifier: str, name: str, action: str, stages: str = "") -> dict[str, str]:
    refusing = f"sh -c 'sdd hook {action} \"$@\"{_UNLESS_BROKEN}' sdd"
    return {
        "id": identifier,
        "name": name,
        "entry": "sdd hook auto" if action == "auto" else refusing,
        "language": "system",
        "stages": stages or f"[{action}]",
    }
