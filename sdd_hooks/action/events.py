"""Which commands an event allows."""

# Governing: ADR-0024 (the action is a command), SPEC-0012 REQ "Which event does what",
# REQ "Configuration comes from the base"

from __future__ import annotations

from typing import NamedTuple

from sdd_hooks.action.inputs import Command
from sdd_hooks.forges.protocol import JobContext

ON_PUSHES: tuple[Command, ...] = ("sync", "update", "embed")
"""What uses a token as the files say that are checked out, or makes vectors for everybody."""


class Plan(NamedTuple):
    """The commands that run, in this order, and in a note why others do not, "" for none."""

    commands: tuple[Command, ...]
    note: str = ""


def plan(command: Command, context: JobContext | None) -> Plan:
    """What is done for `command` in the job `run`; None is a machine of nobody's."""
    if command == "review":
        return Plan((command,))
    wanted = ON_PUSHES if command == "all" else (command,)
    if context is None or not (context.pull or context.followed_sha or context.is_unmerged):
        return Plan(wanted)
    note = (
        f"left out on a pull request, which must not decide where tokens go: {', '.join(wanted)}"
        " (for pushes and schedules)"
    )
    return Plan(("review",) if command == "all" else (), note)
