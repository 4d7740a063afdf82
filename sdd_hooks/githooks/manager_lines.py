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
        path = folder / event
        shown, script = os.path.relpath(path, root), read_text(path)
        block = script_block(event, review, others=path.is_file())
        if not path.is_file():
            yield f"# {shown} (a new file)"
            if is_direct:
                yield "#!/bin/sh"
            yield block
        elif not is_shell_script(script):
            yield f"# {shown} (make this {interpreter(script)} script run the command)"
            yield f"sdd hook {_action(event, review)} ARGUMENTS"
        else:
            place = "below its first line" if script.startswith("#!") else "at its beginning"
            yield f"# {shown} ({place})"
            yield block
        if is_direct and not os.access(path, os.X_OK):
            modes.append(shown)
    if modes:
        yield "# then run"
        yield shlex.join(["chmod", "+x", *modes])


# A broken installation exits with 1 as well, and must not refuse a commit.
_UNLESS_BROKEN = " || [ $? -ne 1 ] || ! sdd --version >/dev/null 2>&1"


# A program that bundles Python gives these to git, and git to its hooks.
_ISOLATED = "unset PYTHONHOME PYTHONPATH; "


def script_block(event: str, review: bool, *, others: bool = False) -> str:
    """What runs sdd in the script of an event, which with `others` does more than that."""
    if others and event == "pre-push":
        return _PUSH_LINES
    action = _action(event, review)
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

_ENTRY = re.compile(
    r"^([ \t]+)sdd:\n\1  run: if command -v sdd .*sdd hook .*\n(?:\1  use_stdin: true\n)?",
    re.MULTILINE,
)
_NO_COMMANDS = re.compile(r"^([ \t]+)commands:[ \t]*\n(?!\1[ \t]+\S)", re.MULTILINE)


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
        yield from _lefthook_yaml(name, text, events, review)
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


def _lefthook_yaml(name: str, text: str, events: Sequence[str], review: bool) -> Iterator[str]:
    """New events first; those that the file has already are keys that must not occur twice."""
    shown = None
    for place, _, lines in sorted(_insertions(text, events, review), key=lambda one: bool(one[0])):
        if place != shown:
            yield f"# {name}{place}"
        yield from lines
        shown = place


def with_lefthook(text: str, events: Sequence[str], review: bool) -> str:
    """The configuration in YAML with the lines of each event in their places."""
    # From the end, so that the places of the others stay.
    for _, at, lines in sorted(_insertions(text, events, review), key=lambda one: -one[1]):
        text = text[:at] + "".join(f"{line}\n" for line in lines) + text[at:]
    return text


def without_lefthook(text: str, events: Sequence[str]) -> str:
    """The configuration in YAML without the lines of `with_lefthook`, and keys empty without them.

    Lines that were changed since stay.
    """
    for event in events:
        lines = rf"^{event}:[ \t]*(?:#.*)?\n(?:[ \t]+\S.*(?:\n|\Z)|[ \t]*\n)*"
        block = re.search(lines, text, re.MULTILINE)
        rest = _ENTRY.sub("", block[0]) if block else ""
        if block and rest != block[0]:
            rest = _NO_COMMANDS.sub("", rest)
            rest = "" if rest.strip() == f"{event}:" else rest
            text = f"{text[: block.start()]}{rest}{text[block.end() :]}"
    return text


def _insertions(
    text: str, events: Sequence[str], review: bool
) -> Iterator[tuple[str, int, Sequence[str]]]:
    """Lines to insert, each group with its place in words and as an offset in the text."""
    new: list[str] = []
    for event in events:
        block, entry = _block(text, event), _lefthook_command(event, review)
        if block is None:
            new += [f"{event}:", "  commands:", *_lefthook_entry(entry, "    ")]
            continue
        indent, at = _indent(block, "  "), _end_of(text, event)
        found = _block(block, f"{indent}commands")
        if found is None:
            lines = [f"{indent}commands:", *_lefthook_entry(entry, indent * 2)]
            yield f" (in its `{event}:`)", at, lines
        else:
            at = _end_of(text, f"{indent}commands", at)
            lines = [*_lefthook_entry(entry, _indent(found, indent * 2))]
            yield f" (in its `{event}:`, under `commands:`)", at, lines
    if new:
        yield "", len(text), new


def _end_of(text: str, key: str, start: int = 0) -> int:
    """Where the line behind that of a key begins, which the text has after `start`."""
    found = _key_line(key).search(text, start)
    return min(found.end() + 1, len(text)) if found else len(text)


def _lefthook_entry(entry: Mapping[str, object], indent: str) -> Iterator[str]:
    yield f"{indent}sdd:"
    for key, value in entry.items():
        yield f"{indent}  {key}: {'true' if value is True else value}"


def _block(text: str, key: str) -> str | None:
    """The lines below the line `key:` that are indented more; None without such a line."""
    depth = len(key) - len(key.lstrip())
    match = _key_line(key).search(text)
    if match is None:
        return None
    block = []
    for line in text[match.end() + 1 :].splitlines():
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            break
        block.append(line)
    return "\n".join(block)


def _key_line(key: str) -> re.Pattern[str]:
    return re.compile(rf"^{re.escape(key)}:[ \t]*(#.*)?$", re.MULTILINE)


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
