"""The log of the agents' hooks, in the git directory: what failed, and when."""

# Governing: SPEC-0029 REQ "Silence"

from __future__ import annotations

import os
import time
from contextlib import suppress

from sdd_hooks import tracing
from sdd_hooks.errors import SddError
from sdd_hooks.project.repository import Repository
from sdd_hooks.text.display import describe_error

LOG = "hooks.log"
MAX_BYTES = 256 << 10
"""Bytes from which the log is begun again."""


def log_failure(
    repository: Repository | None, program: str, event: str, error: BaseException
) -> None:
    """Append a line about a hook that failed. Raises nothing, and waits for nothing."""
    line = f"{program} {event}: {describe_error(error)}"
    tracing.log("agent hook", program, event, outcome=describe_error(error))
    if repository is None:
        return
    from sdd_hooks.system.files import open_state
    from sdd_hooks.usecases.agents.table import agent_folder

    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    with suppress(OSError, SddError):
        folder = agent_folder(repository)
        folder.mkdir(parents=True, exist_ok=True)
        log = open_state(folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            if os.fstat(log).st_size > MAX_BYTES:
                os.ftruncate(log, 0)
            os.write(log, f"{when} {line}\n".encode("utf-8", "backslashreplace"))
        finally:
            os.close(log)
