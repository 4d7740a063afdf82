"""What a coding agent's hook reads and writes: the event of a program, and the answer to it.

Each program writes a JSON object to the hook's input. The names of its fields are documented by
the programs (docs/agents.md has the links); a field that is missing or of another type counts as
absent, since they change between releases.
"""

# Governing: SPEC-0029 REQ "Input of the programs", SPEC-0029 REQ "Output for the programs",
# ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

PROGRAMS = ("claude", "codex", "cursor", "copilot", "opencode")
"""The programs whose hooks are answered."""

_EVENT_NAMES = {
    "before": "PreToolUse",
    "after": "PostToolUse",
    "prompt": "UserPromptSubmit",
    "session": "SessionStart",
}

EVENTS = ("before", "after", "prompt", "session")
"""Before an edit, after an edit or the reading of a file, a prompt, and the start of a session."""

MAX_INPUT = 32 << 20
"""Bytes of the input that are read: an edit can have a whole file in it."""
MAX_PATHS = 20
"""Files of one edit that are looked at."""
MAX_PATH = 4_096
MAX_PROMPT = 2_000
MAX_WRITTEN = 1_500
"""Characters of a path, of a prompt, and of what an edit writes that are kept."""

_PATH_FIELDS = (
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "target_file",
    "filename",
    "relative_workspace_path",
)
_WRITTEN_FIELDS = ("new_string", "new_str", "newString", "content", "file_text", "new_source")
_PATCH_FIELDS = ("command", "patchText", "patch", "input", "patch_text")
_ADDED = lazy_regex(r"^\+(?!\+\+ )(.*)$", re.M)
_PATCHED = lazy_regex(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.{1,4096})$", re.M)
_MAX_PATCH = 4 << 20

EDIT_TOOLS = frozenset(
    (
        *("edit", "multiedit", "write", "notebookedit", "apply_patch", "applypatch", "create"),
        *("str_replace", "str_replace_editor", "strreplace", "search_replace", "searchreplace"),
        *("edit_file", "write_file", "patch"),
    )
)
"""Names of tools that edit files, in small letters."""
READ_TOOLS = frozenset({"read", "view", "read_file", "readfile"})
"""Names of tools that read a file."""


class AgentEvent(NamedTuple):
    """An event of an agent.

    `session` identifies the session, "" for unknown. `directory` is where the agent works, "" for
    unknown. `paths` are the files as the agent names them, absolute or relative to the directory.
    `is_read` is whether it has read them, and not edited. `written` is the beginning of the new
    text of an edit.
    """

    session: str
    directory: str
    paths: tuple[str, ...]
    prompt: str
    is_read: bool = False
    written: str = ""


def parse_event(event: str, data: bytes) -> AgentEvent | None:
    """Parse the input of a hook for one of EVENTS. None for what is no object.

    A tool that does something else than reading and editing files has no paths, and so has one that
    is about to read. Never raises.
    """
    try:
        payload = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(payload, dict):
        return None
    tool = _text(payload, "tool_name", "toolName", "tool").lower()
    is_read = tool in READ_TOOLS
    is_known = is_read or tool in EDIT_TOOLS
    has_paths = is_known and (event == "after" or (event == "before" and not is_read))
    roots = payload.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots else ""
    return AgentEvent(
        _text(payload, "session_id", "sessionId", "conversation_id", "sessionID")[:200],
        _text(payload, "cwd", "directory")[:MAX_PATH] or (root if isinstance(root, str) else ""),
        tuple(dict.fromkeys(_paths(payload)))[:MAX_PATHS] if has_paths else (),
        _text(payload, "prompt", "initialPrompt")[:MAX_PROMPT],
        is_read,
        "" if is_read else "\n".join(_written(_arguments(payload)))[:MAX_WRITTEN],
    )


def _text(payload: Mapping[str, Any], *names: str) -> str:
    """The first of some fields that is a text; "" for none."""
    values = (payload.get(name) for name in names)
    return next((one for one in values if isinstance(one, str) and one), "")


def _paths(payload: Mapping[str, Any]) -> Iterator[str]:
    arguments = _arguments(payload)
    for field in _PATH_FIELDS:
        path = arguments.get(field)
        if isinstance(path, str) and 0 < len(path) <= MAX_PATH:
            yield path
    for field in _PATCH_FIELDS:
        patch = arguments.get(field)
        if isinstance(patch, str):
            yield from (match[1].strip() for match in _PATCHED.finditer(patch[:_MAX_PATCH]))


def _written(arguments: Mapping[str, Any]) -> Iterator[str]:
    """The texts that an edit writes: one, those of several, or the added lines of a patch."""
    edits = arguments.get("edits")
    for one in (arguments, *(edits if isinstance(edits, list) else ())):
        if isinstance(one, dict) and (text := _text(one, *_WRITTEN_FIELDS)):
            yield text
    patch = _text(arguments, *_PATCH_FIELDS)
    yield from _ADDED.findall(patch[:_MAX_PATCH])


def _arguments(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of the tool, which GitHub's program passes as text."""
    for name in ("tool_input", "toolArgs", "args"):
        given = payload.get(name)
        if isinstance(given, str):
            try:
                given = json.loads(given)
            except (ValueError, RecursionError):
                given = {"patch": given}
        if isinstance(given, dict):
            return given
    return payload


def reply(program: str, event: str, text: str) -> str:
    """The output of the hook of a program that hands `text` to its agent; "" says nothing."""
    if program == "cursor":
        return json.dumps(_cursor(event, text))
    if not text:
        return ""
    if program in ("claude", "codex"):
        return json.dumps(
            {
                "hookSpecificOutput": {
                    "hookEventName": _EVENT_NAMES[event],
                    "additionalContext": text,
                }
            }
        )
    return json.dumps({"additionalContext": text})


def _cursor(event: str, text: str) -> dict[str, object]:
    """What Cursor is answered, always with an object: it lists a hook without output as failed."""
    answer: dict[str, object] = {"additional_context": text} if text else {}
    return {"continue": True, **answer} if event == "prompt" else answer
