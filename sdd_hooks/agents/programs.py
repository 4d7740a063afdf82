"""The programs whose agents sdd has hooks for, and the files in which each of them reads hooks.

docs/agents.md links the documentation of each program, and names the versions that were tested.
"""

# Governing: SPEC-0029 REQ "Installing"

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sdd_hooks.agents.json_hooks import MARK, Wanted
from sdd_hooks.named_tuple import NamedTuple

SECONDS = 10
"""How long a program waits for a hook, and for the start of a session."""
START_SECONDS = 30

CLAUDE_EDITS = "Edit|MultiEdit|Write|NotebookEdit"
CODEX_EDITS = "apply_patch"
CURSOR_EDITS = "Write|Edit|StrReplace|MultiEdit"
READS = "Read"
"""The tool that reads a file. An agent reads a file before it edits it, and is told then: it sees
what is handed over before an edit only together with the result of the edit."""


class AgentProgram(NamedTuple):
    """A program: the file of its hooks, that of its instructions, and signs that it is in use.

    `hooks` makes the entries, with `sdd prime` at the start of a session or without. Without
    `hooks`, the file of hooks is a plug-in that sdd writes as a whole; `shared` is whether the file
    can have other hooks.
    """

    name: str
    file: str
    memory_file: str
    signs: tuple[str, ...]
    hooks: Callable[[bool], Wanted] | None
    shared: bool = True
    version: int | None = None


def hook_command(program: str, event: str, *, prime: bool = False) -> str:
    """The command of a hook, for a shell. It does nothing where sdd is not installed."""
    option = " --prime" if prime else ""
    hook = f"{MARK}{program} {event}{option}"
    return f"command -v sdd >/dev/null 2>&1 || exit 0; exec {hook}"


def _group(command: str, seconds: int, matcher: str = "") -> dict[str, Any]:
    hooks = [{"type": "command", "command": command, "timeout": seconds}]
    return {"matcher": matcher, "hooks": hooks} if matcher else {"hooks": hooks}


def _groups(program: str, edits: str, reads: str = "") -> Callable[[bool], Wanted]:
    """The entries of Claude Code, whose form codex has too."""

    def hooks(prime: bool) -> Wanted:
        start = hook_command(program, "session", prime=prime)
        return {
            "PreToolUse": [_group(hook_command(program, "before"), SECONDS, edits)],
            "PostToolUse": [_group(hook_command(program, "after"), SECONDS, f"{reads}{edits}")],
            "UserPromptSubmit": [_group(hook_command(program, "prompt"), SECONDS)],
            "SessionStart": [_group(start, START_SECONDS)],
        }

    return hooks


def _cursor(prime: bool) -> Wanted:
    def entry(event: str, seconds: int = SECONDS, matcher: str = "") -> dict[str, Any]:
        command = hook_command("cursor", event, prime=prime and event == "session")
        filters = {"matcher": matcher} if matcher else {}
        return {"command": command, "timeout": seconds, **filters}

    return {
        # What the hook before a tool says is shown with the result of the tool, too.
        "postToolUse": [entry("after", matcher=f"{READS}|{CURSOR_EDITS}")],
        "beforeSubmitPrompt": [entry("prompt")],
        "sessionStart": [entry("session", START_SECONDS)],
    }


def _copilot(prime: bool) -> Wanted:
    def entry(event: str, seconds: int = SECONDS) -> dict[str, Any]:
        command = hook_command("copilot", event, prime=prime and event == "session")
        return {"type": "command", "bash": command, "timeoutSec": seconds}

    return {
        "preToolUse": [entry("before")],
        "postToolUse": [entry("after")],
        "userPromptSubmitted": [entry("prompt")],
        "sessionStart": [entry("session", START_SECONDS)],
    }


PROGRAMS: Mapping[str, AgentProgram] = {
    one.name: one
    for one in (
        AgentProgram(
            "claude",
            ".claude/settings.json",
            "CLAUDE.md",
            (".claude", "CLAUDE.md"),
            _groups("claude", CLAUDE_EDITS, f"{READS}|"),
        ),
        AgentProgram(
            "codex",
            ".codex/hooks.json",
            "AGENTS.md",
            (".codex",),
            _groups("codex", CODEX_EDITS),
        ),
        AgentProgram(
            "cursor",
            ".cursor/hooks.json",
            "AGENTS.md",
            (".cursor", ".cursorrules"),
            _cursor,
            version=1,
        ),
        AgentProgram(
            "copilot",
            ".github/hooks/sdd.json",
            "AGENTS.md",
            (".github/copilot-instructions.md", ".github/hooks", ".github/instructions"),
            _copilot,
            shared=False,
            version=1,
        ),
        AgentProgram(
            "opencode",
            ".opencode/plugins/sdd.js",
            "AGENTS.md",
            (".opencode", "opencode.json", "opencode.jsonc"),
            None,
            shared=False,
        ),
    )
}
"""Every program by its name."""


def detect_programs(root: Path) -> list[AgentProgram]:
    """The programs that a repository has files for."""
    return [
        program
        for program in PROGRAMS.values()
        if any((root / sign).exists() for sign in program.signs)
    ]


def opencode_plugin(prime: bool) -> str:
    """The plug-in of opencode, which starts the same hooks."""
    source = Path(__file__).with_name("opencode_plugin.js").read_text(encoding="utf-8")
    return source.replace("const PRIME = false", "const PRIME = true") if prime else source
