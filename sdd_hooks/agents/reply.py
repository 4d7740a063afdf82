"""The output of a hook: a JSON object in the form that each program documents."""

# Governing: SPEC-0029 REQ "Output for the programs"

from __future__ import annotations

import json

PROGRAMS = ("claude", "codex", "cursor", "copilot", "opencode")
"""The programs whose hooks are answered."""

_EVENT_NAMES = {
    "before": "PreToolUse",
    "after": "PostToolUse",
    "prompt": "UserPromptSubmit",
    "session": "SessionStart",
}


def reply(program: str, event: str, text: str) -> str:
    """The output of the hook of a program that hands `text` to its agent; "" says nothing."""
    if program == "cursor" and event == "prompt":
        return json.dumps({"continue": True})
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
    field = "additional_context" if program == "cursor" else "additionalContext"
    return json.dumps({field: text})
