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
