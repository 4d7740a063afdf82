"""A repository with an outbox and its decision, and the hooks of agents in it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from sdd_hooks.agents.hook import HookStreams, run_agent_hook
from sdd_hooks.project.project import load_project
from sdd_hooks.usecases.agents.prepare import prepare_table
from tests.support.repos import Repo

SENTENCE = (
    "Events must be written to the outbox table in the same transaction as the change they"
    " announce."
)
OUTBOX = f"""\
---
status: accepted
date: 2026-01-01
---
# ADR-0011: Transactional outbox

## Context

Messages got lost between two systems.

## Decision

{SENTENCE}

```sdd-rule
forbid import: requests
in: src/outbox/**
message: The outbox never calls a network.
severity: MUST
```
"""
CACHE = """\
---
status: accepted
date: 2026-01-02
applies-to: src/cache/
---
# ADR-0012: Answers are cached

## Decision

Answers must be kept in the shared memory cache for one hour at most.
"""
MEMORY = (
    "# X\n\n- Architecture Decision Records are in `docs/adrs/`\n"
    "- Specifications are in `docs/specs/`\n"
)
FILES = {
    "CLAUDE.md": MEMORY,
    "docs/adrs/ADR-0011-outbox.md": OUTBOX,
    "docs/adrs/ADR-0012-cache.md": CACHE,
    "src/outbox/store.py": "# Governing: ADR-0011 (why)\nx = 1\n",
    "src/cache/answers.py": "y = 1\n",
    "src/other.py": "z = 1\n",
}
RECORDED = Path(__file__).parent / "recorded"


class Said(NamedTuple):
    """What a hook printed, its exit code, and what it wrote to stderr."""

    out: str
    code: int
    err: str

    @property
    def text(self) -> str:
        """The text for the agent."""
        if not self.out:
            return ""
        data = json.loads(self.out)
        data = data.get("hookSpecificOutput", data)
        return data.get("additionalContext") or data.get("additional_context") or ""


def prepared(repo: Repo, files: dict[str, str] | None = None) -> Repo:
    """Commit the files, and make the table."""
    repo.commit("Start", files or FILES)
    prepare_table(load_project(repo.root, os.environ))
    return repo


def hook(program: str, event: str, payload: Any, *options: str) -> Said:
    """Run a hook with a payload, which is data or bytes."""
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    out, err = io.StringIO(), io.StringIO()
    streams = HookStreams(os.environ, io.BytesIO(data), out, err)
    code = run_agent_hook([program, event, *options], streams)
    return Said(out.getvalue(), code, err.getvalue())


def edit(repo: Repo, *paths: str, session: str = "s", tool: str = "Edit") -> dict[str, Any]:
    """The input about an edit of files, as Claude Code has it for one."""
    arguments: dict[str, Any] = {"file_path": str(repo.root / paths[0])}
    if len(paths) > 1:
        patch = "".join(f"*** Update File: {path}\n@@\n-a\n+b\n" for path in paths)
        tool, arguments = "apply_patch", {"command": f"*** Begin Patch\n{patch}*** End Patch\n"}
    return {
        "session_id": session,
        "cwd": str(repo.root),
        "tool_name": tool,
        "tool_input": arguments,
    }


def recorded(name: str, root: Path) -> bytes:
    """A recorded input, for a repository at `root`."""
    text = (RECORDED / f"{name}.json").read_text()
    return text.replace("{root}", str(root)).replace("{home}", "/home/ada").encode()
