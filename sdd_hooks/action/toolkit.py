"""What a step tells its runner, through actions-toolkit; nothing else imports that.

It writes to this process's stdout, and to the files that its environment names.
"""

# Governing: ADR-0024 (the action is a command), SPEC-0012 REQ "Outputs"

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from sdd_hooks.errors import StorageError
from sdd_hooks.text.display import one_line

EXTRA = "sdd-hooks[action]"
"""What brings the library."""


class Toolkit(NamedTuple):
    """The library; its functions say how each text is escaped."""

    core: Any

    def mask(self, secret: str) -> None:
        """Have the runner hide this text in its logs."""
        self.core.set_secret(secret)

    def begin(self, title: str) -> None:
        """Begin a group of lines that can be folded."""
        self.core.start_group(title)

    def end(self) -> None:
        """End the group."""
        self.core.end_group()

    def error(self, message: str) -> None:
        """Give the step an error."""
        self.core.error(message)

    def output(self, name: str, value: str) -> None:
        """Give the step an output. Raises StorageError where the runner's file cannot be had."""
        try:
            self.core.set_output(name, value.encode("utf-8", "backslashreplace").decode())
        # It raises nothing more special.
        except Exception as error:
            raise StorageError(
                f"the output {name} cannot be written ({one_line(str(error))}): check GITHUB_OUTPUT"
            ) from None


def in_step(environ: Mapping[str, str]) -> bool:
    """Whether this is a step of a runner that reads such commands: GitHub's, Gitea's, Forgejo's."""
    return environ.get("GITHUB_ACTIONS") == "true"


def load_toolkit() -> Toolkit | None:
    """The library; None where it is not installed."""
    try:
        return Toolkit(import_module("actions_toolkit.core"))
    except ImportError:
        return None
