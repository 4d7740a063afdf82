"""Start to make the table of the agents' hooks in a background process."""

# Governing: ADR-0056 (agents are handed the deciding sentence)

from __future__ import annotations

from contextlib import suppress

from sdd_hooks.project.repository import Repository
from sdd_hooks.system.detached import start_detached


def start_preparing(repository: Repository) -> None:
    """Start `prepare_agents` for a work tree. A failure to start is ignored: nothing depends on it.

    A second process ends at once while the first one runs.
    """
    with suppress(OSError):
        start_detached(
            "sdd_hooks.usecases.agents.prepare", [str(repository.root)], repository.environ
        )
